"""A dictionary of the latest entries: at least half as many entries as it may hold, and never more.

Two dictionaries take turns: when the new one is half full, the old one is forgotten. Forgetting the oldest entry of a
single one each time would have to look for it past all that were forgotten before.
"""

from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """The entries that came last."""

    __slots__ = ("half", "new", "old")

    def __init__(self, most: int) -> None:
        self.half = most // 2
        self.new: dict[Key, Value] = {}
        self.old: dict[Key, Value] = {}

    def get(self, key: Key) -> Value | None:
        """Returns what came under a key last, if it is remembered."""
        return self.new[key] if key in self.new else self.old.get(key)

    def put(self, key: Key, value: Value) -> None:
        """Add an entry."""
        self.new[key] = value
        if len(self.new) >= self.half:
            self.old, self.new = self.new, {}
