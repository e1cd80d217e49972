"""The contract of a store, as laws.

1. A commit is whole or not at all, and durable when it returns.
2. An experiment's lines are 1, 2, 3 ... without a gap: a line that is not the next one is refused, and so is everything
   that was to be committed with it. So of two writers at most one goes on.
3. A decision is settled at most once.
4. What was committed is read back to the byte, in order.
5. Each experiment has a head: the hash of its last line and of the head before it.
6. Only its owner commits to an experiment: the store that created it, or took it since. Either one process owns all
   (`OneOwner`), or several share the database and each experiment has a lease (`LeasedStore`).

A new store is one file with a class that keeps these laws and a function `open_at(url, read_only)`, and one line in
`address.py`.
"""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, Protocol

NO_HEAD = b"\0" * 16


class Row(NamedTuple):
    """One line of an experiment's journal."""

    experiment: int
    line: int
    act: bool  # an operator's act, that changes what counts of other lines
    settles: int | None  # the decision whose only reward this is
    body: str


class Snapshot(NamedTuple):
    """A state as it was after a line, and the code that computed it."""

    experiment: int
    line: int
    code: str
    body: bytes


class ExperimentRecord(NamedTuple):
    """An experiment as the database has it."""

    id: int
    name: str
    about: str


class Head(NamedTuple):
    """Where a journal ends."""

    line: int
    chain: bytes


class Rewrite(NamedTuple):
    """Lines of a journal with other bodies, and one more line that says so."""

    experiment: int
    bodies: list[tuple[int, str]]  # of lines that the database holds
    pieces: list[Any]  # its files anew (archive.py)
    last: Row  # the line after the others
    old: Head  # where the journal ended before
    head: Head  # where it ends now


class TakenLease(NamedTuple):
    """An experiment that this store took, under which fence, and where its journal ends."""

    record: ExperimentRecord
    fence: int
    head: Head


class Lease(NamedTuple):
    """Who owns an experiment."""

    id: int
    name: str
    owner: str
    address: str
    runs: bool  # it has not run out


class StoreRefusal(Exception):
    """What breaks a law of the store; nothing of it was written."""


class Unreachable(Exception):
    """The database does not respond; whether a commit was written is unknown."""


class ServiceStore(Protocol):
    """What the service needs of a database. One thread commits; others read."""

    notes: list[str]  # what an operator should know about the database, one sentence each

    @property
    def path(self) -> str | None:
        """Returns the file that holds everything, if there is one: a lock beside it keeps a second process out."""

    @property
    def leased(self) -> "LeasedStore | None":
        """Returns this store, where several processes share the database; None where one process owns everything."""

    def meta(self, key: str, value: bytes) -> bytes:
        """Returns the value under a key; where there is none, stores this one and returns it."""

    def replace_meta(self, key: str, value: bytes) -> None:
        """Store a value under a key, whatever was there."""

    def experiments(self) -> list[ExperimentRecord]:
        """Returns all experiments."""

    def create(self, name: str, about: str, first: str) -> int:
        """Create an experiment with the first line of its journal; returns its id.

        Raises StoreRefusal if the name is taken.
        """

    def commit(self, rows: list[Row], snapshots: Iterable[Snapshot] = ()) -> None:
        """Write some lines, in order. Raises StoreRefusal if that breaks a law."""

    def lines(self, experiment: int, after: int = 0, *, acts: bool = False) -> Iterator[tuple[int, str]]:
        """Yields the lines after one, in order; only operators' acts, if `acts`."""

    def settled(self, experiment: int, number: int) -> str | None:
        """Returns the line that settled a decision."""

    def head(self, experiment: int) -> Head:
        """Returns where a journal ends."""

    def snapshot(self, experiment: int) -> Snapshot | None:
        """Returns the last snapshot."""

    def take_all(self) -> None:
        """Become the owner of all experiments. Raises StoreRefusal while another process owns one."""

    def close(self) -> None:
        """Close the database."""


class ArchivingStore(ServiceStore, Protocol):
    """A store whose old lines can go into files (archive.py), and whose lines can be written anew."""

    format: int  # of its tables
    newest_format: int  # that this program writes
    upgraded_from: int  # the format that was found, 0 for a new database; opening it for writing upgrades it

    def rows(self, experiment: int, after: int, most: int) -> list[Row]:
        """Returns some of the lines after one that the database itself holds."""

    def pieces(self, experiment: int) -> list[Any]:
        """Returns the files of an experiment, in order."""

    def archive_folder(self) -> Path:
        """Returns where the files are. Raises InputError if none was ever written."""

    def archive(self, piece: Any) -> None:
        """Hold lines no more that are in a file, but for the first line and the acts."""

    def replace(self, rewrite: Rewrite) -> None:
        """Replace lines and forget all snapshots, in one transaction. Raises StoreRefusal if the journal changed."""


class LeasedStore(ServiceStore, Protocol):
    """A store that several processes share.

    The owner of an experiment holds a lease with a number, the fence, that rises whenever the lease changes hands. A
    commit under an old fence is refused.
    """

    owner: str  # this store's own name
    address: str  # at which others reach this process
    seconds: float  # that a lease lasts
    fences: dict[int, int]  # of the experiments that this store owns

    def share(self) -> int:
        """Returns how many experiments a process should own: as many as every other that lives, rounded up."""

    def resign(self) -> None:
        """This process wants no experiments any more."""

    def claim(
        self, most: int, again: Iterable[int] = (), but: Iterable[int] = (), spare: float = 0.0
    ) -> list[TakenLease]:
        """Take at most so many leases that ran out `spare` seconds ago, or are this store's own and in `again`.

        None of them is in `but`.

        No commit under an older fence can follow.
        """

    def take(self, lease: TakenLease) -> None:
        """From now on this store commits to the experiment."""

    def renew(self, held: dict[int, int]) -> list[int]:
        """Renew leases, by experiment and fence; returns the experiments that are no longer this store's.

        The process lives for as long again, and has its share, unless it has resigned.
        """

    def release(self, experiments: Iterable[int]) -> None:
        """Let others take some leases at once."""

    def find_lease(self, id: str) -> Lease | None:
        """Returns the lease of an experiment, by its id or its name."""

    def all_leases(self) -> list[Lease]:
        """Returns all leases, in the order of the experiments."""

    def ended_sessions(self, ended: dict[str, float]) -> list[str]:
        """Add sessions of the page that ended here, by the time at which each would have run out.

        Returns those that ended at any process and have not run out.
        """


class OneOwner(ServiceStore):
    """A store of which one process owns everything."""

    path: str | None = None
    notes: list[str] = []

    @property
    def leased(self) -> LeasedStore | None:
        """Nobody shares the database."""

    def take_all(self) -> None:
        """All are its own already."""


def extend_chain(head: bytes, body: str) -> bytes:
    """Returns the head after one more line."""
    return blake2b(head + body.encode(), digest_size=16).digest()


def advance_heads(rows: list[Row], heads: dict[int, Head]) -> dict[int, Head]:
    """Returns the heads of the experiments of some lines after them.

    Raises StoreRefusal where a line is not the next one of its experiment.
    """
    advanced: dict[int, tuple[int, bytes]] = {}
    for experiment, line, _, _, body in rows:
        head = advanced.get(experiment) or heads.get(experiment)
        if head is None:
            raise StoreRefusal(f"there is no experiment {experiment}")
        if line != head[0] + 1:
            raise StoreRefusal(f"line {head[0] + 1} of experiment {experiment} must come next, not {line}")
        advanced[experiment] = (line, extend_chain(head[1], body))
    return {experiment: Head(*head) for experiment, head in advanced.items()}
