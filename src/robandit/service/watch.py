"""An eye on each experiment: `robandit audit` on its journal, again and again, in a process of its own.

It looks only when something is new, at one experiment at a time, at the lowest priority, and rests nine times as long
as it looked: a tenth of one core at most. The loop hands lines to a file in another thread and waits for the answer;
what goes wrong is told on the page and touches nothing else. What was found is kept in memory until the next look.

An experiment begun with `trip` stops learning by itself when an alarm rings: an act in its journal by "watch", with
the reasons in it. What a person has seen and let go on does not stop it again; sources that were not among it do.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robandit.errors import InputError
from robandit.forensics.statistics import STATISTICS
from robandit.online.journal import seal_line
from robandit.service.experiment import Experiment
from robandit.service.problems import Problem, report
from robandit.service.stores.base import ServiceStore

if TYPE_CHECKING:
    from robandit.service.service import Service

EVERY = 10.0  # what `robandit serve` asks for
BEAT = 0.2  # seconds until it is seen that somebody asks
REST = 9.0  # seconds of rest for each second of work
LONGEST = 1800.0  # a look that takes longer is given up
NAMED = 1000  # sources named in an act


@dataclass(frozen=True)
class Look:
    """What was found in a journal, up to a line, or why nothing could be."""

    line: int
    time: float  # of day
    seconds: float = 0.0
    found: dict[str, Any] | None = None
    problem: str = ""

    @property
    def alarms(self) -> list[str]:
        """Statistics that ring."""
        told = {} if self.found is None else self.found["alarms"]
        return [name for name, row in told.items() if row is not None and STATISTICS[name].is_alarm]

    @property
    def flagged(self) -> list[str]:
        """Sources that differ, if an alarm rings."""
        return list(self.found["flagged"]) if self.found is not None and self.alarms else []


@dataclass
class Copy:
    """A journal as a file, which only grows."""

    path: Path
    line: int = 0
    checksum: int = 0

    def grow(self, store: ServiceStore, experiment: int) -> None:
        """The lines that came since."""
        with self.path.open("ab") as file:
            for line, body in store.lines(experiment, self.line):
                text, self.checksum = seal_line(body.encode(), self.checksum)
                file.write(text)
                self.line = line


@dataclass
class Watch:
    """All looks of a service."""

    service: "Service"
    every: float = 0.0  # seconds between two looks, at least; 0: it never looks
    looks: dict[int, Look] = field(default_factory=dict)
    copies: dict[int, Copy] = field(default_factory=dict)
    asked: set[int] = field(default_factory=set)  # experiments for which somebody does not want to wait

    async def run(self) -> None:
        """Look where something is new, rest, again."""
        pause = self.every
        with tempfile.TemporaryDirectory(prefix="robandit-watch-") as folder:
            while True:
                await self.rest(pause)
                began, experiment = time.monotonic(), self.next()
                if experiment is not None:
                    self.asked.discard(experiment.id)
                    self.looks[experiment.id] = await self.look(experiment, Path(folder))
                    await self.trip(experiment, self.looks[experiment.id])
                pause = max(self.every, REST * (time.monotonic() - began))

    async def rest(self, pause: float) -> None:
        """Wait, but not for long if somebody asks."""
        until = time.monotonic() + pause
        while time.monotonic() < until and not self.asked:
            await asyncio.sleep(min(BEAT, pause))
        await asyncio.sleep(BEAT)

    def soon(self, experiment: Experiment) -> None:
        """Take the next look at an experiment now, if something is new."""
        self.asked.add(experiment.id)

    def next(self) -> Experiment | None:
        """The experiment with something new that was asked for, or not looked at for the longest time."""
        known = self.service.engine.experiments
        self.asked = {one for one in self.asked if known[one].line > self.seen(known[one])}
        new = [one for one in known.values() if self.is_new(one)]
        return min(new, key=lambda one: (one.id not in self.asked, self.when(one)), default=None)

    def seen(self, experiment: Experiment) -> int:
        """The line up to which an experiment was looked at."""
        return self.looks[experiment.id].line if experiment.id in self.looks else 1

    def when(self, experiment: Experiment) -> float:
        """When it was."""
        return self.looks[experiment.id].time if experiment.id in self.looks else 0.0

    def is_new(self, experiment: Experiment) -> bool:
        """Whether something came since the last look; not before the first reward, nor while an act is worked in."""
        lives = any(experiment.tally.recorded) and not experiment.learning_again
        return lives and experiment.line > self.seen(experiment)

    async def look(self, experiment: Experiment, folder: Path) -> Look:
        """One audit."""
        copy = self.copies.setdefault(experiment.id, Copy(folder / f"{experiment.id}.journal"))
        began = time.monotonic()
        try:
            await asyncio.to_thread(copy.grow, self.service.store, experiment.id)
            shadows = experiment.about["shadow"]
            try:
                found = await audited(copy.path, shadows)
            except InputError:
                if not shadows:
                    raise
                found = await audited(copy.path, [])  # a shadow that cannot learn from this journal is left out
        except (InputError, OSError, ValueError) as error:
            return Look(copy.line, time.time(), time.monotonic() - began, problem=str(error))
        return Look(copy.line, time.time(), time.monotonic() - began, found)

    async def trip(self, experiment: Experiment, look: Look) -> None:
        """Stop learning, if the experiment is to do so and this is news."""
        if not (experiment.about.get("trip") and look.alarms) or experiment.standing.frozen is not None:
            return
        known_alarms, known_sources = known_to_people(experiment)
        if set(look.alarms) <= known_alarms and set(look.flagged) <= known_sources:
            return
        entry = {"entry": "breaker", "change": "tripped", "since": experiment.line}
        why = {"alarms": look.alarms, "sources": look.flagged[:NAMED]}
        try:
            answer = self.service.engine.act(experiment, {**entry, "why": why}, "watch")
            await self.service.commit(answer, experiment)
        except Problem as problem:
            report(f"learning could not be stopped: {problem.detail}")


def known_to_people(experiment: Experiment) -> tuple[set[str], set[str]]:
    """Alarms and sources for which learning was stopped before: whoever let it go on has seen them."""
    told = [entry["why"] for _, entry in experiment.acts if entry["entry"] == "breaker" and "why" in entry]
    return {name for why in told for name in why["alarms"]}, {name for why in told for name in why["sources"]}


async def audited(journal: Path, shadows: list[str]) -> dict[str, Any]:
    """A look at a journal (look.py); the process is ended if nobody waits any more."""
    words = ["-m", "robandit.service.look", str(journal), *shadows]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=pipe, stderr=pipe)
    try:
        os.setpriority(os.PRIO_PROCESS, process.pid, 19)
        out, errors = await asyncio.wait_for(process.communicate(), LONGEST)
    except TimeoutError as error:
        raise InputError(f"a look took more than {LONGEST / 60:.0f} minutes and was given up") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    if process.returncode != 0:
        said = errors.decode(errors="replace").strip().rpartition("\n")[2]
        raise InputError(said or f"the audit ended with {process.returncode}")
    told: dict[str, Any] = json.loads(out)
    return told
