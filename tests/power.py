"""The writer over a database whose disk is on a tape (disk.py): runs, power cuts, and what is left after them."""

import asyncio
import random
from functools import cache
from pathlib import Path
from typing import Any

import apsw

from robandit.errors import InputError
from robandit.service.stores.base import NO_HEAD, Head, Row, Snapshot, extend_chain
from robandit.service.stores.sqlite import SqliteStore
from robandit.service.writer import GroupWriter
from tests.disk import Crashes, Disk, Op, Tape


@cache
def body_of(line: int) -> str:
    """The text of a line; some fill several pages."""
    dice = random.Random(line)
    return f"{line} " + "x" * dice.choice([20, 200, 900, 5000])


@cache
def head_of(line: int) -> bytes:
    """The head after a line, computed from the first line on."""
    return extend_chain(head_of(line - 1), body_of(line)) if line else NO_HEAD


async def play(store: SqliteStore, tape: Tape, commits: int, writer_of: type[GroupWriter]) -> list[Any]:
    """Clients that ask again as soon as they are answered, until so many commits are done or one has failed."""
    errors, loop = list[Any](), asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    writer = writer_of(loop, store, lambda error: errors.append(("stops", error)))
    count, line = 0, 1

    def ask() -> None:
        nonlocal count, line
        rows = [Row(1, line + 1 + more, False, line + more, body_of(line + 1 + more)) for more in range(1 + count % 2)]
        count, line = count + 1, line + len(rows)
        snapshot = Snapshot(1, line, "code", b"s" * 3000) if count % 25 == 0 else None
        writer.add(rows, reply, line, snapshot)

    def reply(outcome: Any) -> None:
        if isinstance(outcome, BaseException):
            errors.append(("told", outcome))
        else:
            tape.ops.append(Op("say", offset=outcome))
            if writer.commits < commits:
                ask()
                return
        if not done.done():
            done.set_result(None)

    for _ in range(3):
        ask()
    await asyncio.wait_for(done, 120)  # a writer whose thread died says nothing
    if errors:
        await asyncio.sleep(0)
        writer.add([], reply, 10**9)  # who comes later hears so, too
    else:
        await writer.commit([])
        writer.close()
    return errors


def recorded(
    path: Path, commits: int, *, writer_of: type[GroupWriter] = GroupWriter, pragma: str = "", **fault: Any
) -> Any:
    """A run of the writer over a database, on a tape; and what went wrong."""
    tape = Tape(**fault)
    disk, errors, store = Disk(f"tape {path}", tape), list[Any](), None
    try:
        store = SqliteStore(path, vfs=f"tape {path}")
        if pragma:
            store.db.execute(pragma)
        store.create("one", "{}", body_of(1))
        tape.ops.append(Op("say", offset=1))
        errors = asyncio.run(play(store, tape, commits, writer_of))
        if not errors:
            store.close()
    except (apsw.Error, InputError) as error:
        errors.append(("stops", error))
    tape.dead = True
    if store is not None:
        store.close()
    disk.unregister()
    return tape, errors


def checked(path: Path, said: int) -> int:
    """How many lines a database lacks that were acknowledged; all else about it must be right."""
    disk, store = Disk(f"after {path}", Tape()), None
    try:
        store = SqliteStore(path, vfs=f"after {path}")
        lines = list(store.lines(1))
        assert lines == [(line, body_of(line)) for line in range(1, len(lines) + 1)]
        assert store.db.execute("PRAGMA integrity_check").get == "ok"
        if lines:
            assert store.head(1) == Head(len(lines), head_of(len(lines)))
            assert [store.settled(1, line - 1) for line, _ in lines[-9:] if line > 1] == [
                body for line, body in lines[-9:] if line > 1
            ]
            assert (store.snapshot(1) or Snapshot(1, 0, "", b"")).line <= len(lines)
    finally:
        if store is not None:
            store.close()
        disk.unregister()
    return max(said - len(lines), 0)


def cuts(ops: list[Op], folder: Path, every: int, draws: int = 1, seed: int = 0) -> dict[str, int]:
    """The power cut at every so many operations; what was lost."""
    crashes = Crashes(ops, seed)
    counts = {"cuts": 0, "acknowledged": 0, "lost": 0, "cuts that lost": 0, "broken": 0}
    for place in crashes.play():
        for draw in range(draws if (place + seed) % every == 0 else 0):
            crashes.cut(folder, (0.0, 0.5, 1.0, 0.9)[(place // every + draw) % 4])
            counts["cuts"], counts["acknowledged"] = counts["cuts"] + 1, counts["acknowledged"] + crashes.said
            try:
                lost = checked(folder / "db", crashes.said)
            except (apsw.Error, AssertionError, InputError, UnicodeDecodeError) as error:
                print(f"after operation {place}: {error!r}")
                counts["broken"] += 1
                continue
            counts["lost"], counts["cuts that lost"] = counts["lost"] + lost, counts["cuts that lost"] + (lost > 0)
    return counts
