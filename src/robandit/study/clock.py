"""An honest time left: what remains, at the speeds measured so far, policy by policy."""

from typing import Any

from robandit.study.cell import Cell

GUESS = 2e-8  # seconds a round and arm, before anything was measured


class Clock:
    """Learns how long a round takes with each policy."""

    def __init__(self, todo: dict[str, Cell], workers: int) -> None:
        self.left = dict(todo)
        self.workers = workers
        self.spent: dict[str, float] = {}
        self.played: dict[str, float] = {}

    def saw(self, key: str, cell: Cell, spent: dict[str, Any]) -> None:
        """A cell was finished."""
        self.left.pop(key, None)
        name = cell.policy.partition(":")[0]
        self.spent[name] = self.spent.get(name, 0.0) + float(spent["seconds"])
        self.played[name] = self.played.get(name, 0.0) + cell.work() * len(cell.means)

    def seconds_left(self) -> float:
        """What the remaining cells will take; a policy not yet seen is taken for an average one."""
        total = sum(self.played.values())
        average = sum(self.spent.values()) / total if total else GUESS
        seconds = 0.0
        for cell in self.left.values():
            name = cell.policy.partition(":")[0]
            speed = self.spent[name] / self.played[name] if name in self.played else average
            seconds += cell.work() * len(cell.means) * speed
        return seconds / self.workers
