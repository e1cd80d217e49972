"""A store that forgets when its process ends: for tests, and as the plainest statement of the contract."""

from collections.abc import Iterable, Iterator
from threading import Lock

from robandit.service.stores.base import NO_HEAD, Head, Kept, Refused, Row, Snapshot, heads_after


class MemoryStore:
    """Lists and dictionaries behind a lock."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.kept: list[Kept] = []
        self.rows: dict[int, list[Row]] = {}
        self.heads: dict[int, Head] = {}
        self.rewards: dict[tuple[int, int], str] = {}
        self.snapshots: dict[int, Snapshot] = {}
        self.values: dict[str, bytes] = {}

    def meta(self, key: str, value: bytes) -> bytes:
        """What is kept under a key; the value given, if there was nothing."""
        return self.values.setdefault(key, value)

    def experiments(self) -> list[Kept]:
        """All experiments."""
        return list(self.kept)

    def create(self, name: str, about: str, first: str) -> int:
        """A new experiment with the first line of its journal."""
        if any(one.name == name for one in self.kept):
            raise Refused(f"an experiment has the name {name!r} already")
        number = len(self.kept) + 1
        self.rows[number], self.heads[number] = [], Head(0, NO_HEAD)
        self.commit([Row(number, 1, False, None, first)])
        self.kept.append(Kept(number, name, about))
        return number

    def commit(self, rows: list[Row], snapshots: Iterable[Snapshot] = ()) -> None:
        """Keep some lines, in order."""
        with self.lock:
            heads = heads_after(rows, self.heads)
            rewards = {(row.experiment, row.settles): row.body for row in rows if row.settles is not None}
            if rewards.keys() & self.rewards.keys() or len(rewards) < sum(row.settles is not None for row in rows):
                raise Refused("a decision cannot be settled twice")
            for row in rows:
                self.rows[row.experiment].append(row)
            self.heads |= heads
            self.rewards |= rewards
            self.snapshots |= {snapshot.experiment: snapshot for snapshot in snapshots}

    def lines(self, experiment: int, after: int = 0, *, acts: bool = False) -> Iterator[tuple[int, str]]:
        """Lines after one, in order."""
        with self.lock:
            rows = self.rows[experiment][after:]
        for row in rows:
            if row.act or not acts:
                yield row.line, row.body

    def settled(self, experiment: int, number: int) -> str | None:
        """The line that settled a decision."""
        return self.rewards.get((experiment, number))

    def head(self, experiment: int) -> Head:
        """Where a journal ends."""
        return self.heads[experiment]

    def snapshot(self, experiment: int) -> Snapshot | None:
        """The last snapshot."""
        return self.snapshots.get(experiment)

    def take_all(self) -> None:
        """They are its own."""

    def close(self) -> None:
        """Nothing is held."""
