"""A store that forgets when its process ends: for tests, and as the plainest statement of the contract."""

from collections.abc import Iterable, Iterator
from threading import Lock

from robandit.service.stores.base import (
    NO_HEAD,
    ExperimentRecord,
    Head,
    OneOwner,
    Row,
    Snapshot,
    StoreRefusal,
    advance_heads,
)


class MemoryStore(OneOwner):
    """Lists and dictionaries behind a lock."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.records: list[ExperimentRecord] = []
        self.rows: dict[int, list[Row]] = {}
        self.heads: dict[int, Head] = {}
        self.rewards: dict[tuple[int, int], str] = {}
        self.snapshots: dict[int, Snapshot] = {}
        self.values: dict[str, bytes] = {}

    def meta(self, key: str, value: bytes) -> bytes:
        return self.values.setdefault(key, value)

    def replace_meta(self, key: str, value: bytes) -> None:
        self.values[key] = value

    def experiments(self) -> list[ExperimentRecord]:
        return list(self.records)

    def create(self, name: str, about: str, first: str) -> int:
        if any(one.name == name for one in self.records):
            raise StoreRefusal(f"an experiment has the name {name!r} already")
        number = len(self.records) + 1
        self.rows[number], self.heads[number] = [], Head(0, NO_HEAD)
        self.commit([Row(number, 1, False, None, first)])
        self.records.append(ExperimentRecord(number, name, about))
        return number

    def commit(self, rows: list[Row], snapshots: Iterable[Snapshot] = ()) -> None:
        with self.lock:
            heads = advance_heads(rows, self.heads)
            rewards = {(row.experiment, row.settles): row.body for row in rows if row.settles is not None}
            if rewards.keys() & self.rewards.keys() or len(rewards) < sum(row.settles is not None for row in rows):
                raise StoreRefusal("a decision cannot be settled twice")
            for row in rows:
                self.rows[row.experiment].append(row)
            self.heads |= heads
            self.rewards |= rewards
            self.snapshots |= {snapshot.experiment: snapshot for snapshot in snapshots}

    def lines(self, experiment: int, after: int = 0, *, acts: bool = False) -> Iterator[tuple[int, str]]:
        with self.lock:
            rows = self.rows[experiment][after:]
        for row in rows:
            if row.act or not acts:
                yield row.line, row.body

    def settled(self, experiment: int, number: int) -> str | None:
        return self.rewards.get((experiment, number))

    def head(self, experiment: int) -> Head:
        return self.heads[experiment]

    def snapshot(self, experiment: int) -> Snapshot | None:
        return self.snapshots.get(experiment)

    def close(self) -> None:
        """Nothing is held."""
