"""A dictionary of the latest entries: at least half as many entries as there is room for, and never more.

Two dictionaries take turns: when the new one is half full, the old one is forgotten. Forgetting the oldest entry of a
single one each time would have to look for it past all that were forgotten before.

The room is a process's own and its experiments share it: without that, ten thousand busy experiments would remember ten
thousand times as much as one.
"""

from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")

PROCESS = 2_000_000  # entries that a process has room for, of each kind
EACH = 200_000  # entries that one experiment has room for at most
LEAST = 100  # and at least


class Room:
    """How many of the latest entries each experiment of a process remembers."""

    __slots__ = ("half", "most")

    def __init__(self, most: int = PROCESS) -> None:
        self.most = most
        self.share_among(1)

    def share_among(self, experiments: int) -> None:
        """Give each of so many experiments the same share; what is too much goes when the next entries come."""
        self.half = max(min(self.most // max(experiments, 1), EACH), LEAST) // 2


class Recent(Generic[Key, Value]):
    """The entries that came last."""

    __slots__ = ("new", "old", "room")

    def __init__(self, room: Room) -> None:
        self.room = room
        self.new: dict[Key, Value] = {}
        self.old: dict[Key, Value] = {}

    def get(self, key: Key) -> Value | None:
        """Returns what came under a key last, if it is remembered."""
        return self.new[key] if key in self.new else self.old.get(key)

    def put(self, key: Key, value: Value) -> None:
        """Add an entry."""
        self.new[key] = value
        if len(self.new) >= self.room.half:
            self.old, self.new = self.new, {}
