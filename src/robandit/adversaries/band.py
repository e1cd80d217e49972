"""The adaptive schedule with all its levers: a band of p(t) with hysteresis, start and pace.

What is watched is the probability that one of the arms the attack lowers is pulled (the best arm's, if it lowers
none): an attack that pushes several good arms down must strike whenever any of them comes up.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robandit.adversaries.contested import contest
from robandit.dice import Random
from robandit.errors import InputError
from robandit.game import Floats
from robandit.parts import About, parameter
from robandit.schedule import Schedule, ScheduleSetting


@dataclass
class BandMemory:
    """A 1 for each arm watched, the best arm, the next round open to a strike, and whether it waits."""

    watched: Floats
    best: int
    open_from: int
    waits: bool = False


@dataclass(frozen=True)
class Band(Schedule[BandMemory]):
    """`leading` is the band without a top, hysteresis, pace or rivalry; `contested` is rivalry alone."""

    about = About(
        "band",
        "adaptive: while the lowered arms' probability in p(t) is from `low` to `high`; once below, waits for `again`",
        sees=("p(t)",),
    )
    low: float = parameter(0.05, "strike from this probability on", least=0, most=1)
    high: float = parameter(1.0, "strike up to this probability", least=0, most=1)
    again: float = parameter(0.0, "once below `low`, wait for this probability; at least `low`", least=0, most=1)
    first: int = parameter(0, "not before this round", least=0)
    every: int = parameter(1, "at most one strike in so many rounds", least=1)
    rivalry: float = parameter(0.0, "only while the best arm's lead is contested so much, as in `contested`", least=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_band(self.name, self.low, self.high)

    def start(self, setting: ScheduleSetting) -> BandMemory:
        return BandMemory(
            mark_watched(setting.target < setting.means, setting.means), int(setting.means.argmax()), self.first
        )

    def strikes(self, memory: BandMemory, t: int, probabilities: Floats, random: Random) -> bool:
        probability = 0.0
        for arm in range(len(probabilities)):
            probability += memory.watched[arm] * probabilities[arm]
        memory.waits = probability < (max(self.again, self.low) if memory.waits else self.low)
        if memory.waits or probability > self.high or t < memory.open_from:
            return False
        if self.rivalry > 0.0 and contest(probabilities, memory.best) < self.rivalry:
            return False
        memory.open_from = t + self.every
        return True


def check_band(name: str, low: float, high: float) -> None:
    """Raise InputError for a band that is upside down."""
    if high < low:
        raise InputError(f"{name}: high must be at least low ({low:g}), not {high:g}")


def mark_watched(lowered: NDArray[np.bool_], means: Floats) -> Floats:
    """1 for each arm that the attack lowers; for the best one where it lowers none."""
    watched = lowered.astype(np.float64)
    if not watched.any():
        watched[means.argmax()] = 1.0
    return watched
