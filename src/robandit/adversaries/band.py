"""The adaptive schedule with all its levers: a band of p(t) with hysteresis, start and pace.

What is watched is the chance that one of the arms the attack lowers is pulled (the best arm's, if it lowers
none): an attack that pushes several good arms down must strike whenever any of them comes up.
"""

from dataclasses import dataclass

import numpy as np

from robandit.adversaries.attacks import sized_target
from robandit.adversaries.schedules import Schedule
from robandit.adversaries.timed import Budgeted
from robandit.dice import Random
from robandit.errors import InputError
from robandit.game import Floats
from robandit.parts import About, parameter


@dataclass(frozen=True)
class Band(Schedule):
    """`leading` is the band without a top, hysteresis or pace."""

    about = About(
        "band",
        "adaptive: while the lowered arms' chance in p(t) is from `low` to `high`; once below, waits for `again`",
    )
    low: float = parameter(0.05, "strike from this chance on", least=0, most=1)
    high: float = parameter(1.0, "strike up to this chance", least=0, most=1)
    again: float = parameter(0.0, "once below `low`, wait for this chance; at least `low`", least=0, most=1)
    first: int = parameter(0, "not before this round", least=0)
    every: int = parameter(1, "at most one strike in so many rounds", least=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.high < self.low:
            raise InputError(f"band: high must be at least low ({self.low:g}), not {self.high:g}")


@dataclass
class Banded:
    """The target, a 1 for each arm watched, the band; the next round open to a strike, and whether it waits."""

    target: Floats
    watched: Floats
    low: float
    high: float
    again: float
    every: int
    open_from: int
    waits: bool = False


BAND = Band()


@dataclass(frozen=True)
class BandAttack(Budgeted[Banded]):
    """Strikes inside a band of p(t)."""

    watches = True
    schedule: Schedule = BAND

    def start(self, means: Floats, horizon: int) -> Banded:
        band = self.schedule
        assert isinstance(band, Band)
        target = sized_target(self.attack, self.size, means)
        watched = (target < means).astype(np.float64)
        if not watched.any():
            watched[means.argmax()] = 1.0
        again = max(band.again, band.low)
        return Banded(target, watched, band.low, band.high, again, band.every, band.first)

    def tamper_means(
        self, memory: Banded, t: int, chances: Floats, means: Floats, proposal: Floats, random: Random
    ) -> bool:
        chance = 0.0
        for arm in range(len(means)):
            chance += memory.watched[arm] * chances[arm]
        memory.waits = chance < (memory.again if memory.waits else memory.low)
        if memory.waits or chance > memory.high or t < memory.open_from:
            return False
        memory.open_from = t + memory.every
        for arm in range(len(means)):
            proposal[arm] = memory.target[arm]
        return True
