"""The contract of a store, as laws.

1. A commit is whole or not at all, and durable when it returns.
2. An experiment's lines are 1, 2, 3 ... without a gap: a line that is not the next one is refused, and so is everything
   that was to be committed with it. So of two writers at most one goes on.
3. A decision is settled at most once.
4. What was committed is read back to the byte, in order.
5. Each experiment has a head: the hash of its last line and of the head before it.
6. Only its owner commits to an experiment: a store that made it, or took it since. Where one file or one process holds
   everything, it is the owner of all.
"""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import NamedTuple, Protocol

NO_HEAD = b"\0" * 16


class Row(NamedTuple):
    """One line of an experiment's journal."""

    experiment: int
    line: int
    act: bool  # an operator's act, that changes what counts of other lines
    settles: int | None  # the decision whose only reward this is
    body: str


class Snapshot(NamedTuple):
    """A state as it was after a line, and the code that made it."""

    experiment: int
    line: int
    code: str
    body: bytes


class Kept(NamedTuple):
    """An experiment as it is kept."""

    id: int
    name: str
    about: str


class Head(NamedTuple):
    """Where a journal ends."""

    line: int
    chain: bytes


class Refused(Exception):
    """A commit that breaks a law of the store; nothing of it was kept."""


class Unreachable(Exception):
    """The database does not answer; what became of a commit is not known."""


class Store(Protocol):
    """What the service asks of a database. One thread commits; others read."""

    def meta(self, key: str, value: bytes) -> bytes:
        """What is kept under a key; the value given, if there was nothing."""

    def experiments(self) -> list[Kept]:
        """All experiments."""

    def create(self, name: str, about: str, first: str) -> int:
        """A new experiment with the first line of its journal; refused if the name is taken."""

    def commit(self, rows: list[Row], snapshots: Iterable[Snapshot] = ()) -> None:
        """Keep some lines, in order."""

    def lines(self, experiment: int, after: int = 0, *, acts: bool = False) -> Iterator[tuple[int, str]]:
        """Lines after one, in order; only acts, if asked."""

    def settled(self, experiment: int, number: int) -> str | None:
        """The line that settled a decision."""

    def head(self, experiment: int) -> Head:
        """Where a journal ends."""

    def snapshot(self, experiment: int) -> Snapshot | None:
        """The last snapshot."""

    def take_all(self) -> None:
        """Become the owner of all experiments; refused while another process is."""

    def close(self) -> None:
        """Let the database go."""


def chained(head: bytes, body: str) -> bytes:
    """The head after one more line."""
    return blake2b(head + body.encode(), digest_size=16).digest()


def heads_after(rows: list[Row], head_of: dict[int, Head]) -> dict[int, Head]:
    """The heads after some lines, each of which must be the next one of its experiment."""
    found: dict[int, tuple[int, bytes]] = {}
    for experiment, line, _, _, body in rows:
        head = found.get(experiment) or head_of.get(experiment)
        if head is None:
            raise Refused(f"there is no experiment {experiment}")
        if line != head[0] + 1:
            raise Refused(f"line {head[0] + 1} of experiment {experiment} must come next, not {line}")
        found[experiment] = (line, chained(head[1], body))
    return {experiment: Head(*head) for experiment, head in found.items()}
