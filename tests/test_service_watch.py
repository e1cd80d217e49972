"""The watch: what it reads, when it stops an experiment, and that nothing of it is left behind."""

import asyncio
import resource
import time
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from robandit.errors import InputError
from robandit.online.journal import read_entries
from robandit.service import messages
from robandit.service import watch as watching
from robandit.service.engine import Answer
from robandit.service.experiment import Experiment
from robandit.service.metrics import watch_families, write_metrics
from robandit.service.service import Service
from robandit.service.stores.memory import MemoryStore
from robandit.service.tokens import Tokens
from robandit.service.watch import AuditFailed, JournalAudit, JournalCopy, audit_file

RINGS = {"alarms": {"rate": 10, "selection": None, "bursts": 5}, "flagged": ["a", "b"]}


def begun(policy: str = "samba", trip: bool = True) -> tuple[Service, Experiment]:
    """A service with one experiment."""
    service = Service(MemoryStore(), Tokens(None))
    service.engine.create(messages.NewExperiment("one", ["x", "y"], policy, seed=1, trip=trip))
    return service, service.engine.experiments[1]


def commit(service: Service, answer: Answer) -> Any:
    """An answer's lines in the store, and what it says."""
    service.store.commit(answer.rows)
    return answer.message


def rewarded(service: Service, experiment: Experiment, count: int) -> None:
    """Some decisions with their rewards."""
    for number in range(count):
        decision = commit(service, service.engine.decide(experiment, messages.DecisionRequest(), None))
        commit(service, service.engine.reward(experiment, decision.id, messages.Reward(number % 2), f"s{number % 3}"))


def audit_with(findings: dict[str, Any], line: int = 9) -> JournalAudit:
    """An audit with these findings."""
    return JournalAudit(line, time.time(), 1.0, findings)


def test_a_copy_grows_by_what_is_new_and_is_a_journal(tmp_path: Path) -> None:
    service, experiment = begun()
    copy = JournalCopy(tmp_path / "1.journal")
    for _ in range(3):
        rewarded(service, experiment, 20)
        before = copy.path.stat().st_size if copy.path.exists() else 0
        text = copy.path.read_bytes() if before else b""
        copy.grow(service.store, 1)
        assert copy.path.read_bytes()[:before] == text
        terms, entries = read_entries(copy.path)
        assert terms == experiment.terms
        assert [entry for _, entry in entries] == [msgspec.json.decode(body) for _, body in service.store.lines(1, 1)]
        assert copy.line == experiment.line


def test_learning_stops_once_for_what_people_have_seen() -> None:
    async def story() -> None:
        service, experiment = begun()
        service.start()
        watch = service.watch

        async def tripped(findings: dict[str, Any]) -> bool:
            await watch.trip(experiment, audit_with(findings))
            return experiment.standing.frozen is not None

        async def let_go_on() -> None:
            entry = {"entry": "breaker", "change": "released"}
            await service.commit(service.engine.act(experiment, entry, "boss"), experiment)
            while experiment.learning_again:
                await asyncio.sleep(0.01)

        assert not await tripped({"alarms": {"rate": None, "selection": None}, "flagged": []})
        assert not await tripped({"alarms": {"rate": None, "bursts": 5, "delays": 7}, "flagged": ["a"]})  # notices
        assert await tripped(RINGS)
        line, entry = experiment.acts[-1]
        assert (line, entry["by"], entry["since"]) == (2, "watch", 1)
        assert entry["why"] == {"alarms": ["rate"], "sources": ["a", "b"]}
        await let_go_on()
        assert not await tripped(RINGS)
        assert not await tripped({**RINGS, "flagged": ["b"]})
        assert await tripped({**RINGS, "flagged": ["b", "c"]})
        await let_go_on()
        assert await tripped({**RINGS, "alarms": {"rate": 10, "selection": 12}})
        await service.stop()

    asyncio.run(story())


def test_an_experiment_stops_by_itself_only_if_it_was_told_to() -> None:
    async def story() -> None:
        service, experiment = begun(trip=False)
        service.start()
        await service.watch.trip(experiment, audit_with(RINGS))
        assert experiment.standing.frozen is None
        assert experiment.line == 1
        await service.stop()

    asyncio.run(story())


def test_who_is_audited_next() -> None:
    service, one = begun()
    service.engine.create(messages.NewExperiment("two", ["x", "y"], "samba"))
    watch, two = service.watch, service.engine.experiments[2]
    assert watch.next() is None  # nothing to audit
    rewarded(service, one, 2)
    assert watch.next() is one
    rewarded(service, two, 2)
    watch.audits[1] = JournalAudit(one.line - 1, 50.0)
    assert watch.next() is two  # never audited
    watch.soon(one)
    assert watch.next() is one
    watch.audits[1], watch.audits[2] = JournalAudit(one.line, 60.0), JournalAudit(two.line, 70.0)
    assert watch.next() is None
    assert watch.requested == set()  # nothing is new, so nothing will come of it
    two.learning_again = True
    rewarded(service, two, 1)
    assert watch.next() is None


def test_an_audit_that_cannot_be_says_why(tmp_path: Path) -> None:
    service, experiment = begun()
    rewarded(service, experiment, 4)
    (tmp_path / "1.journal").mkdir()  # where the copy of the journal should go
    audit = asyncio.run(service.watch.audit(experiment, tmp_path))
    assert audit.findings is None
    assert "1.journal" in audit.problem
    assert (audit.alarms, audit.flagged) == ([], [])


def test_a_copy_that_a_full_disk_cut_off_is_made_anew(tmp_path: Path) -> None:
    service, experiment = begun()
    rewarded(service, experiment, 4)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))  # bytes of a file
    try:
        failed = asyncio.run(service.watch.audit(experiment, tmp_path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "File too large" in failed.problem
    assert (tmp_path / "1.journal").stat().st_size == 100
    assert service.supervisor.problems == [f"experiment 1 could not be audited: {failed.problem}"]
    service.watch.audits[1] = failed
    families = watch_families(service, [experiment])
    failures = [line for line in write_metrics(families) if "audit_failed{" in line]
    assert [line.rpartition(" ")[2] for line in failures] == ["1"]
    assert service.watch.next() is experiment  # nothing came since, but it was not audited
    good = asyncio.run(service.watch.audit(experiment, tmp_path))
    assert (good.problem, good.line) == ("", experiment.line)
    assert service.supervisor.problems == []


def test_a_journal_that_no_audit_can_read_is_logged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    service, experiment = begun()
    rewarded(service, experiment, 4)

    async def refuse(*_: Any) -> None:
        raise InputError("this policy cannot be audited")

    monkeypatch.setattr(watching, "audit_file", refuse)
    for _ in range(2):
        service.watch.audits[1] = asyncio.run(service.watch.audit(experiment, tmp_path))
    assert [record.message for record in caplog.records] == ["this policy cannot be audited"]
    assert service.supervisor.problems == []
    assert service.watch.next() is None  # until more lines come


def test_an_audit_that_nobody_waits_for_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(psutil.Process().children())  # other tests' servers
    service, experiment = begun()
    rewarded(service, experiment, 4)
    copy = JournalCopy(tmp_path / "1.journal")
    copy.grow(service.store, 1)
    monkeypatch.setattr(watching, "LONGEST", 0.2)
    with pytest.raises(AuditFailed, match="was stopped"):
        asyncio.run(audit_file(copy.path, []))

    async def cancelled() -> None:
        task = asyncio.create_task(audit_file(copy.path, []))
        await asyncio.sleep(0.2)
        assert set(psutil.Process().children()) - before
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    monkeypatch.setattr(watching, "LONGEST", 60.0)
    asyncio.run(cancelled())
    _, alive = psutil.wait_procs(set(psutil.Process().children()) - before, timeout=5)
    assert alive == []


def test_a_policy_that_cannot_unlearn_cannot_stop_by_itself() -> None:
    service = Service(MemoryStore(), Tokens(None))
    with pytest.raises(Exception, match="cannot stop learning by itself"):
        service.engine.create(messages.NewExperiment("one", ["x", "y"], "barbar", trip=True))
