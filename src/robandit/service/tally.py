"""What a page shows of an experiment, counted as its journal is read: traffic, rewards, probabilities over time.

The points in time are few whatever the length of the journal: when there are too many, every second one goes and the
next ones are twice as far apart.
"""

from typing import Any

POINTS = 400
STRIDE = 16  # decisions between the first points


class Tally:
    """Counts by arm, and points in time. The names of its fields are those of the snapshots."""

    __slots__ = ("before", "chosen", "last", "points", "recorded", "stride", "sums", "verified")

    def __init__(self) -> None:
        self.chosen: list[int] = []  # decisions by arm
        self.recorded: list[int] = []  # decisions with a reward by arm, counted or not
        self.sums: list[float] = []  # of rewards as first reported
        self.verified = 0  # rewards
        self.points: list[tuple[float, int, list[float], list[int]]] = []  # time, decisions so far, p, chosen so far
        self.stride, self.last, self.before = STRIDE, 0, list[int]()

    def widen(self, arms: int) -> None:
        """Make room for so many arms."""
        for counts in (self.chosen, self.recorded, self.before):
            counts.extend([0] * (arms - len(counts)))
        self.sums.extend([0.0] * (arms - len(self.sums)))

    def count_decision(self, arm: int, number: int) -> bool:
        """Count a decision; returns whether it is time for a point."""
        self.chosen[arm] += 1
        return number - self.last >= self.stride

    def add_point(self, number: int, time: float, probabilities: list[float] | None) -> None:
        """Add a point: p(t) where the policy has it, else the traffic since the last point."""
        if probabilities is None:
            since = [now - then for now, then in zip(self.chosen, self.before, strict=True)]
            probabilities = [count / sum(since) for count in since]
        rounded = [round(float(probability), 6) for probability in probabilities]
        self.points.append((time, number, rounded, list(self.chosen)))
        self.last, self.before = number, list(self.chosen)
        if len(self.points) >= POINTS:
            self.points = self.points[1::2]
            self.stride *= 2

    def count_reward(self, arm: int, value: float) -> None:
        """Count a reward."""
        self.recorded[arm] += 1
        self.sums[arm] += value

    def as_json(self) -> dict[str, Any]:
        """Returns plain values."""
        return {name: getattr(self, name) for name in self.__slots__}

    def load(self, values: dict[str, Any]) -> None:
        """Return to the values of `as_json`."""
        for name in self.__slots__:
            setattr(self, name, values[name])
