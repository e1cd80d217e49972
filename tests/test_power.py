"""Power cuts and bad disks: nothing that was acknowledged is lost, and a service that cannot write stops."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

from robandit.service.engine import Answer
from robandit.service.perform import perform
from robandit.service.problems import Problem
from robandit.service.routes import ROUTES
from robandit.service.service import Service
from robandit.service.stores import sqlite
from robandit.service.tokens import Tokens
from robandit.service.writer import GroupWriter, gather
from tests.disk import Crashes, Disk, Tape
from tests.power import checked, cuts, recorded


@pytest.fixture(autouse=True)
def short_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log is folded into the file often, so that this is interrupted, too."""
    monkeypatch.setattr(sqlite, "PAGES", 40)


class Early(GroupWriter):
    """Wrong: it answers, then commits."""

    def run(self) -> None:
        while (batch := self.batches.get()) is not None:
            self.loop.call_soon_threadsafe(self.answer_batch, batch, 0, 0.0)
            self.store.commit(*gather(batch))


def folder(path: Path, name: str) -> Path:
    """A new folder."""
    (path / name).mkdir()
    return path / name


def test_power_cuts_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """A sample of the points; verification/ has all of them."""
    tape, errors = recorded(folder(tmp_path, "run") / "db", 200)
    kinds = [op.kind for op in tape.ops]
    assert errors == []
    assert kinds.count("sync") > 200  # a commit is synced, and so is the log when it is folded in
    counts = cuts(tape.ops, folder(tmp_path, "cut"), every=15)
    assert (counts["lost"], counts["broken"]) == (0, 0)
    assert counts["cuts"] > 150
    assert counts["acknowledged"] > 10_000


@pytest.mark.parametrize(
    "wrong", [{"writer_of": Early}, {"pragma": "PRAGMA synchronous=OFF"}, {"pragma": "PRAGMA synchronous=NORMAL"}]
)
def test_it_would_be_noticed(tmp_path: Path, wrong: Any) -> None:
    """Answers before the commit, and commits without a sync: both lose what was acknowledged."""
    tape, errors = recorded(folder(tmp_path, "run") / "db", 40, **wrong)
    assert errors == []
    counts = cuts(tape.ops, folder(tmp_path, "cut"), every=9)
    assert counts["cuts that lost"] > 3
    assert bool(counts["broken"]) == ("OFF" in str(wrong))  # without any sync the file itself may be gone


@pytest.mark.parametrize("fault", [apsw.IOError, apsw.FullError])
def test_a_disk_that_fails_stops_the_service(tmp_path: Path, fault: Any) -> None:
    """One write or sync goes wrong, then the disk is fine: whoever gets a yes has a row, and nobody is after it."""
    whole, errors = recorded(folder(tmp_path, "whole") / "db", 25)
    assert errors == []
    for at in range(3, whole.risky - 12, 29):  # the last ones fold the log in when the store is closed
        check_fault(tmp_path, 25, at, fault)


FULL = """
import os, resource, sys
import apsw
from robandit.service.stores import sqlite
from robandit.service.stores.base import Row
sqlite.PAGES = 40
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
store, line = sqlite.SqliteStore(sys.argv[1]), 1
store.create("one", "{}", "{}")
try:
    while line < 1000:
        store.commit([Row(1, line + 1, False, None, "x" * 9000)])
        line += 1
except apsw.Error:
    print(line, os.stat(sys.argv[1]).st_size, os.stat(sys.argv[1] + "-wal").st_size)
    os._exit(0)
"""


def test_a_disk_that_is_full_when_the_log_is_folded_in_is_heard_at_once(tmp_path: Path) -> None:
    """No file may be longer than a megabyte: the log is short, the database is not; SQLite by itself would say nothing
    and go on until the log is as long."""
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path / "db")], capture_output=True, text=True)
    line, size, log = map(int, done.stdout.split())
    assert size > 900_000
    assert log < 500_000
    assert checked_lines(tmp_path / "db") >= line


def checked_lines(path: Path) -> int:
    """How many lines a database has, the first of all to the last without a gap."""
    store = sqlite.SqliteStore(path)
    lines = [line for line, _ in store.lines(1)]
    store.close()
    assert lines == list(range(1, len(lines) + 1))
    return len(lines)


def check_fault(path: Path, commits: int, at: int, fault: Any) -> None:
    """One fault; the database as it was left, and after a power cut on top."""
    tape, errors = recorded(folder(path, f"fault {at}") / "db", commits, fault_at=at, fault=fault)
    said = max((op.offset for op in tape.ops if op.kind == "say"), default=0)
    assert tape.faulted
    assert [what for what, _ in errors].count("stops") == 1, (at, errors)
    assert said < 10**9
    assert checked(path / f"fault {at}" / "db", said) == 0, at
    crashes = Crashes(tape.ops, at)
    for _ in crashes.play():
        pass
    after = folder(path, f"cut {at}")
    for share in (0.0, 0.5):
        crashes.cut(after, share)
        assert checked(after / "db", said) == 0, at


def test_a_disk_that_fails_while_an_experiment_begins_stops_the_service(tmp_path: Path) -> None:
    route = next(route for route in ROUTES if (route.method, route.path) == ("POST", "/v1/experiments"))
    body = b'{"name": "one", "arms": ["a", "b"], "policy": "exp3"}'
    tape, stopped = Tape(), list[BaseException]()
    disk = Disk("begins", tape)
    store = sqlite.SqliteStore(tmp_path / "db", vfs="begins")

    async def create() -> None:
        service = Service(store, Tokens(None))
        service.on_failure = stopped.append
        service.start()
        tape.fault_at = tape.risky + 3
        with pytest.raises(Problem, match="the database failed"):
            perform(service, route, b"", {}, body, None)
        with pytest.raises(Problem, match="the database failed"):
            await service.commit(Answer(200, None, []), None)
        await service.stop()

    asyncio.run(create())
    disk.unregister()
    assert len(stopped) == 1
    assert sqlite.SqliteStore(tmp_path / "db").experiments() == []
