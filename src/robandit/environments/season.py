"""A world with a rhythm: the arms take turns at being the best."""

import math
from dataclasses import dataclass

from robandit.dice import Random
from robandit.environments.means import NoTables, ZeroOne
from robandit.errors import InputError
from robandit.game import Floats
from robandit.parts import About, parameter


@dataclass(frozen=True)
class Season(ZeroOne):
    """The mean of arm k is a sine of the round between `low` and `high`, its phase k/K of the period."""

    about = About(
        name="season",
        summary="Bernoulli arms whose means swing with one period, each ahead of the next: they take turns as the best",
    )
    arms: int = parameter(9, "how many there are", least=2, most=100_000)
    period: float = parameter(10_000.0, "rounds until everything is as before", above=1)
    low: float = parameter(0.1, "the least mean", least=0, most=1)
    high: float = parameter(0.9, "the largest mean", least=0, most=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.low >= self.high:
            raise InputError(f"season: low must be below high ({self.high:g}), not {self.low:g}")

    @property
    def means(self) -> tuple[float, ...]:  # type: ignore[override]  # follow from the parameters
        """Those of round 0."""
        return tuple(self.mean(arm, 0) for arm in range(self.arms))

    def mean(self, arm: int, t: int) -> float:
        """The mean of an arm in a round."""
        turn = t / self.period + arm / self.arms
        return self.low + 0.5 * (self.high - self.low) * (1.0 + math.sin(2.0 * math.pi * turn))

    def change(self, tables: NoTables, t: int, means: Floats, random: Random) -> None:
        for arm in range(len(means)):
            means[arm] = self.mean(arm, t)
