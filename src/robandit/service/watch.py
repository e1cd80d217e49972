"""A watch over all experiments: `robandit audit` on their journals, again and again, in a process of its own.

It audits only what is new, one experiment at a time, at the lowest priority, and rests nine times as long as an audit
took: a tenth of one core at most. Lines go to a file in another thread; what goes wrong appears on the page and touches
nothing else. The findings stay in memory until the next audit.

An experiment begun with `trip` stops learning by itself when an alarm about sources rings: an act in its journal by
"watch", with the reasons in it. What a person has seen and let go on does not stop it again; sources that were not
among it do.
"""

import asyncio
import json
import os
import sys
import time
from dataclasses import dataclass, field, replace
from logging import ERROR, WARNING
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robandit.errors import InputError
from robandit.forensics.statistics import STATISTICS
from robandit.online.journal import seal_line
from robandit.service.audit_process import REFUSED
from robandit.service.experiment import Experiment
from robandit.service.logs import log_event
from robandit.service.problems import Problem
from robandit.service.stores.base import ServiceStore, Unreachable
from robandit.service.watch_folder import remove_left, watch_folder

if TYPE_CHECKING:
    from robandit.service.service import Service

EVERY = 10.0  # seconds between two audits, by default
WATCH = "the watch"  # as background work
BEAT = 0.2  # seconds until a request for an audit is seen
REST = 9.0  # seconds of rest for each second of work
LONGEST = 1800.0  # seconds; an audit that takes longer is stopped
NAMED = 1000  # sources named in an act


class AuditFailed(Exception):
    """The process of an audit ended, or had to be ended, before it came to a result."""


@dataclass(frozen=True)
class JournalAudit:
    """The findings in a journal up to a line, or why there are none."""

    line: int
    time: float  # of day
    seconds: float = 0.0
    findings: dict[str, Any] | None = None
    problem: str = ""

    @property
    def alarms(self) -> list[str]:
        """Returns the statistics that ring."""
        rows = {} if self.findings is None else self.findings["alarms"]
        return [name for name, row in rows.items() if row is not None and STATISTICS[name].is_alarm]

    @property
    def about_sources(self) -> list[str]:
        """Returns the alarms about sources: the others are about arms."""
        return [name for name in self.alarms if not STATISTICS[name].is_about_arms]

    @property
    def flagged(self) -> list[str]:
        """Returns the sources that differ, if an alarm about sources rings."""
        return list(self.findings["flagged"]) if self.findings is not None and self.about_sources else []


@dataclass
class JournalCopy:
    """A journal as a file, which only grows."""

    path: Path
    line: int = 0
    checksum: int = 0

    def grow(self, store: ServiceStore, experiment: int) -> None:
        """Append the lines that came since."""
        with self.path.open("ab" if self.line else "wb") as file:
            for line, body in store.lines(experiment, self.line):
                text, self.checksum = seal_line(body.encode(), self.checksum)
                file.write(text)
                self.line = line


@dataclass
class Watch:
    """All audits of a service."""

    service: "Service"
    every: float = 0.0  # seconds between two audits, at least; 0: there are none
    audits: dict[int, JournalAudit] = field(default_factory=dict)
    copies: dict[int, JournalCopy] = field(default_factory=dict)
    requested: set[int] = field(default_factory=set)  # experiments to be audited next
    failing: set[int] = field(default_factory=set)  # experiments whose last audit failed

    async def run(self) -> None:
        """Audit what is new, rest, repeat."""
        pause = self.every
        await asyncio.to_thread(remove_left)
        with watch_folder() as folder:
            self.copies.clear()  # those of an earlier life were in another folder
            while True:
                await self.rest(pause)
                began, experiment = time.monotonic(), self.next()
                if experiment is not None:
                    self.requested.discard(experiment.id)
                    await self.take(experiment, await self.audit(experiment, folder))
                for gone in self.failing - self.service.engine.experiments.keys():
                    self.note(gone, "")
                self.service.supervisor.recover(WATCH)
                pause = max(self.every, REST * (time.monotonic() - began))

    async def take(self, experiment: Experiment, audit: JournalAudit) -> None:
        """Publish an audit and do what follows from it; if that fails, the same lines are audited again."""
        self.audits[experiment.id] = audit
        try:
            await self.trip(experiment, audit)
        except Exception:
            self.audits[experiment.id] = replace(audit, line=0)
            raise

    async def rest(self, pause: float) -> None:
        """Wait, but not for long if an audit is requested."""
        until = time.monotonic() + pause
        while time.monotonic() < until and not self.requested:
            await asyncio.sleep(min(BEAT, pause))
        await asyncio.sleep(BEAT)

    def soon(self, experiment: Experiment) -> None:
        """Audit an experiment next, if something is new."""
        self.requested.add(experiment.id)

    def next(self) -> Experiment | None:
        """Returns the experiment with something new that was requested, or whose last audit is the oldest."""
        served = self.service.engine.experiments
        self.requested = {
            one for one in self.requested if one in served and served[one].line > self.last_line(served[one])
        }
        new = [one for one in served.values() if self.is_new(one)]
        return min(new, key=lambda one: (one.id not in self.requested, self.last_time(one)), default=None)

    def last_line(self, experiment: Experiment) -> int:
        """Returns the line up to which an experiment was audited."""
        return self.audits[experiment.id].line if experiment.id in self.audits else 1

    def last_time(self, experiment: Experiment) -> float:
        """Returns when it was audited."""
        return self.audits[experiment.id].time if experiment.id in self.audits else 0.0

    def is_new(self, experiment: Experiment) -> bool:
        """Whether lines came since the last audit; not before the first reward, nor while the state is rebuilt."""
        ready = any(experiment.tally.recorded) and not experiment.learning_again
        return ready and experiment.line > self.last_line(experiment)

    async def audit(self, experiment: Experiment, folder: Path) -> JournalAudit:
        """Returns the audit of a journal as it is now."""
        copy = self.copies.setdefault(experiment.id, JournalCopy(folder / f"{experiment.id}.journal"))
        began = time.monotonic()
        try:
            await asyncio.to_thread(copy.grow, self.service.store, experiment.id)
            shadows = experiment.about["shadow"]
            try:
                findings = await audit_file(copy.path, shadows)
            except InputError:
                if not shadows:
                    raise
                findings = await audit_file(copy.path, [])  # a shadow that cannot learn from this journal is left out
        except InputError as error:  # no audit can read such a journal
            self.note(experiment.id, "")
            if self.last(experiment).problem != str(error):
                log_event(WARNING, "not_audited", str(error), experiment=experiment.id)
            return replace(self.last(experiment), line=copy.line, time=time.time(), problem=str(error))
        except (AuditFailed, OSError, ValueError, Unreachable) as error:
            self.note(experiment.id, f"experiment {experiment.id} could not be audited: {error}")
            del self.copies[experiment.id]  # nobody knows how much of it is on the disk: the next one begins anew
            return replace(self.last(experiment), time=time.time(), problem=str(error))
        self.note(experiment.id, "")
        return JournalAudit(copy.line, time.time(), time.monotonic() - began, findings)

    def last(self, experiment: Experiment) -> JournalAudit:
        """Returns an experiment's last audit, whose alarms go on ringing while no other can be made."""
        return self.audits.get(experiment.id) or JournalAudit(0, 0.0)

    def note(self, experiment: int, problem: str) -> None:
        """Make seen that an experiment could not be audited, or with an empty sentence that it was."""
        self.service.supervisor.note(f"audit {experiment}", problem)
        (self.failing.add if problem else self.failing.discard)(experiment)

    async def trip(self, experiment: Experiment, audit: JournalAudit) -> None:
        """Stop learning, if the experiment is to do so and nobody has seen these alarms."""
        if not (experiment.about.get("trip") and audit.about_sources) or experiment.standing.frozen is not None:
            return
        old_alarms, old_sources = seen_by_people(experiment)
        if set(audit.about_sources) <= old_alarms and set(audit.flagged) <= old_sources:
            return
        entry = {"entry": "breaker", "change": "tripped", "since": experiment.line}
        why = {"alarms": audit.about_sources, "sources": audit.flagged[:NAMED]}
        try:
            answer = self.service.engine.act(experiment, {**entry, "why": why}, "watch")
            await self.service.commit(answer, experiment)
        except Problem as problem:
            log_event(
                ERROR, "not_tripped", f"learning could not be stopped: {problem.detail}", experiment=experiment.id
            )


def seen_by_people(experiment: Experiment) -> tuple[set[str], set[str]]:
    """Returns alarms and sources for which learning was stopped before: whoever let it go on has seen them."""
    reasons = [entry["why"] for _, entry in experiment.acts if entry["entry"] == "breaker" and "why" in entry]
    return {name for why in reasons for name in why["alarms"]}, {name for why in reasons for name in why["sources"]}


async def audit_file(journal: Path, shadows: list[str]) -> dict[str, Any]:
    """Returns the findings in a journal (audit_process.py); the process ends if nobody waits.

    Raises InputError for a journal that no audit can read, AuditFailed for whatever else ended the process.
    """
    words = ["-m", "robandit.service.audit_process", str(journal), *shadows]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=pipe, stderr=pipe)
    try:
        os.setpriority(os.PRIO_PROCESS, process.pid, 19)
        out, errors = await asyncio.wait_for(process.communicate(), LONGEST)
    except TimeoutError as error:
        raise AuditFailed(f"it took more than {LONGEST / 60:.0f} minutes and was stopped") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    if process.returncode != 0:
        sentence = errors.decode(errors="replace").strip().rpartition("\n")[2]
        if process.returncode == REFUSED:
            raise InputError(sentence)
        raise AuditFailed(sentence or f"its process ended with {process.returncode}")
    findings: dict[str, Any] = json.loads(out)
    return findings
