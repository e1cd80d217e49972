"""A file system of SQLite's that notes down what is done to its files, for power cuts and faults at any point.

A run is played once, on a tape: writes, syncs, names that come and go, and what was acknowledged meanwhile. Afterwards
the power is cut at any point of the tape: what was synced is there; of what was not, any sectors may be, in any order,
and so may names that were made or removed since the folder was synced last.
"""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import apsw

SECTOR = 512
JOURNALS = apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_WAL  # their folder is synced with them for the first time


class Op(NamedTuple):
    """One thing that happened."""

    kind: str  # write, truncate, sync, create, delete, folder, say
    name: str = ""
    offset: int = 0
    data: bytes = b""


class Tape:
    """All that happened; and a fault, if one is wanted at some write or sync."""

    def __init__(self, fault_at: int | None = None, fault: Callable[[], Exception] = apsw.IOError) -> None:
        self.ops: list[Op] = []
        self.risky, self.fault_at, self.fault = 0, fault_at, fault
        self.faulted = self.dead = False  # dead: the process is gone, and whatever it would still do

    def step(self) -> bool:
        """One more write or sync; True if it is the one that goes wrong."""
        self.risky += 1
        now = self.risky == self.fault_at
        self.faulted = self.faulted or now
        return now


class File(apsw.VFSFile):  # type: ignore[misc]
    """A file that tells a tape; nothing is really synced."""

    def __init__(self, tape: Tape, name: Any, flags: list[int]) -> None:
        self.tape = tape
        self.name = Path(name.filename() if isinstance(name, apsw.URIFilename) else name).name
        self.new = bool(flags[0] & apsw.SQLITE_OPEN_CREATE and flags[0] & JOURNALS)
        super().__init__("", name, flags)

    def xWrite(self, data: Any, offset: int) -> None:
        if self.tape.step():
            half = bytes(data)[: len(data) // 2]
            if half:
                self.put(half, offset)
            raise self.tape.fault()
        self.put(bytes(data), offset)

    def put(self, data: bytes, offset: int) -> None:
        if not self.tape.dead:
            self.tape.ops.append(Op("write", self.name, offset, data))
            super().xWrite(data, offset)

    def xTruncate(self, size: int) -> None:
        if not self.tape.dead:
            self.tape.ops.append(Op("truncate", self.name, size))
            super().xTruncate(size)

    def xSync(self, flags: int) -> None:
        if self.tape.step():
            raise self.tape.fault()
        if self.tape.dead:
            return
        self.tape.ops.append(Op("sync", self.name))
        if self.new:
            self.tape.ops.append(Op("folder"))
            self.new = False

    def excepthook(self, *error: Any) -> None:
        """A fault is meant; SQLite is told."""


class Disk(apsw.VFS):  # type: ignore[misc]
    """A file system on a tape."""

    def __init__(self, name: str, tape: Tape) -> None:
        self.tape = tape
        super().__init__(name, "")

    def xOpen(self, name: Any, flags: list[int]) -> File:
        path = Path(name.filename() if isinstance(name, apsw.URIFilename) else name)
        if not path.exists():
            self.tape.ops.append(Op("create", path.name))
        return File(self.tape, name, flags)

    def xDelete(self, name: str, sync: bool) -> None:
        if self.tape.dead:
            return
        super().xDelete(name, sync)
        self.tape.ops.append(Op("delete", Path(name).name))
        if sync:
            self.tape.ops.append(Op("folder"))

    def excepthook(self, *error: Any) -> None:
        """A fault is meant; SQLite is told."""


class Inode:
    """What a file surely holds, and what was done to it since."""

    def __init__(self) -> None:
        self.durable, self.pending = bytearray(), list[Op]()

    def apply(self, op: Op, kept: Callable[[], bool]) -> None:
        """One operation, each of its sectors if it is kept."""
        if op.kind == "truncate":
            if kept():
                del self.durable[op.offset :]
            return
        start = op.offset
        while start < op.offset + len(op.data):
            end = min(start - start % SECTOR + SECTOR, op.offset + len(op.data))
            if kept():
                self.durable.extend(bytes(max(end - len(self.durable), 0)))
                self.durable[start:end] = op.data[start - op.offset : end - op.offset]
            start = end

    def cut(self, kept: Callable[[], bool]) -> bytes:
        """What is there after a power cut."""
        after = Inode()
        after.durable = bytearray(self.durable)
        for op in self.pending:
            after.apply(op, kept)
        return bytes(after.durable)


class Crashes:
    """A tape played again, with a power cut wherever one is asked for."""

    def __init__(self, ops: list[Op], seed: int) -> None:
        self.ops, self.dice = ops, random.Random(seed)
        self.names, self.durable_names = dict[str, Inode](), dict[str, Inode]()
        self.since: list[tuple[str, Inode | None]] = []  # names made or removed since the folder was synced
        self.said = 0

    def play(self) -> Iterator[int]:
        """One operation after the other; gives the place of each that changed what a cut would leave."""
        for place, op in enumerate(self.ops):
            if op.kind == "say":
                self.said = max(self.said, op.offset)
                continue
            self.do(op)
            yield place

    def do(self, op: Op) -> None:
        """One operation on the files as they are seen while there is power."""
        if op.kind in ("create", "delete"):
            inode = Inode() if op.kind == "create" else None
            self.since.append((op.name, inode))
            changed(self.names, op.name, inode)
        elif op.kind == "folder":
            self.durable_names, self.since = dict(self.names), []
        elif op.kind == "sync":
            inode = self.names[op.name]
            for one in inode.pending:
                inode.apply(one, lambda: True)
            inode.pending = []
        else:
            self.names[op.name].pending.append(op)

    def cut(self, folder: Path, share: float) -> None:
        """The folder after a power cut, of what was not synced about a share being there."""
        names = dict(self.durable_names)
        for name, inode in self.since:
            if self.dice.random() < share or self.synced(inode):
                changed(names, name, inode)
        for old in folder.iterdir():
            old.unlink()
        for name, inode in names.items():
            (folder / name).write_bytes(inode.cut(lambda: self.dice.random() < share))

    def synced(self, inode: Inode | None) -> bool:
        """A new file that was synced has its name, too, as usual file systems have it."""
        return inode is not None and bool(inode.durable)


def changed(names: dict[str, Inode], name: str, inode: Inode | None) -> None:
    """A name that came, or went."""
    if inode is None:
        names.pop(name, None)
    else:
        names[name] = inode
