"""The time left: what remains, at the speeds measured so far, policy by policy."""

from typing import Any

from robandit.lab.counts import ABOVE
from robandit.study.cell import Cell

GUESS = 2e-8  # seconds per round and arm, before anything was measured
BY_COUNTS = 10_000  # rounds that cost about as much as a run by counts


def work_of(cell: Cell) -> int:
    """Rounds times arms of all runs; beyond the horizon where phased policies go by counts, what those cost."""
    rounds = cell.horizon if cell.horizon <= ABOVE else BY_COUNTS
    return rounds * cell.runs * cell.agents * cell.slate * cell.arms


class Clock:
    """Learns how long a round takes with each policy."""

    def __init__(self, todo: dict[str, Cell], workers: int) -> None:
        self.left = dict(todo)
        self.workers = workers
        self.spent: dict[str, float] = {}
        self.played: dict[str, float] = {}

    def record(self, key: str, cell: Cell, cost: dict[str, Any]) -> None:
        """Take note of a finished cell."""
        self.left.pop(key, None)
        name = cell.policy.partition(":")[0]
        self.spent[name] = self.spent.get(name, 0.0) + float(cost["seconds"])
        self.played[name] = self.played.get(name, 0.0) + work_of(cell)

    def seconds_left(self) -> float:
        """What the remaining cells will take; a policy not yet played is taken for an average one."""
        total = sum(self.played.values())
        average = sum(self.spent.values()) / total if total else GUESS
        seconds = 0.0
        for cell in self.left.values():
            name = cell.policy.partition(":")[0]
            speed = self.spent[name] / self.played[name] if name in self.played else average
            seconds += work_of(cell) * speed
        return seconds / self.workers
