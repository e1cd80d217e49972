"""What a page shows of an experiment, counted as its journal is read: traffic, rewards, probabilities in time.

The points in time are few whatever the length of the journal: when there are too many, every second one goes and the
next ones are twice as far apart.
"""

from typing import Any

POINTS = 400
STRIDE = 16  # decisions between the first points


class Tally:
    """Counts by arm, and points in time."""

    __slots__ = ("before", "chosen", "last", "points", "recorded", "stride", "sums")

    def __init__(self) -> None:
        self.chosen: list[int] = []  # decisions by arm
        self.recorded: list[int] = []  # rewards by arm, counted or not
        self.sums: list[float] = []  # of rewards as they were given
        self.points: list[tuple[float, int, list[float], list[int]]] = []  # time, decisions so far, p, chosen so far
        self.stride, self.last, self.before = STRIDE, 0, list[int]()

    def widen(self, arms: int) -> None:
        """Room for so many arms."""
        for counts in (self.chosen, self.recorded, self.before):
            counts.extend([0] * (arms - len(counts)))
        self.sums.extend([0.0] * (arms - len(self.sums)))

    def decided(self, arm: int, number: int) -> bool:
        """One more decision; whether it is time for a point."""
        self.chosen[arm] += 1
        return number - self.last >= self.stride

    def point(self, number: int, time: float, probabilities: list[float] | None) -> None:
        """A point in time: p(t) where the policy can tell it, else the traffic since the last point."""
        if probabilities is None:
            since = [now - then for now, then in zip(self.chosen, self.before, strict=True)]
            probabilities = [count / sum(since) for count in since]
        self.points.append(
            (time, number, [round(float(probability), 6) for probability in probabilities], list(self.chosen))
        )
        self.last, self.before = number, list(self.chosen)
        if len(self.points) >= POINTS:
            self.points = self.points[1::2]
            self.stride *= 2

    def rewarded(self, arm: int, value: float) -> None:
        """One more reward."""
        self.recorded[arm] += 1
        self.sums[arm] += value

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {name: getattr(self, name) for name in self.__slots__}

    def load(self, told: dict[str, Any]) -> None:
        """Back to what `as_json` told."""
        for name in self.__slots__:
            setattr(self, name, told[name])
