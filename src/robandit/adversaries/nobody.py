"""No adversary: what a policy meets when nothing is corrupted."""

from dataclasses import dataclass

from robandit.dice import Random
from robandit.game import Adversary, Floats


@dataclass
class NoMemory:
    """Nothing is remembered."""


@dataclass(frozen=True)
class Nobody(Adversary[NoMemory]):
    """Leaves every round alone."""

    def start(self, means: Floats, horizon: int) -> NoMemory:
        return NoMemory()

    def tamper_means(
        self, memory: NoMemory, t: int, probabilities: Floats, means: Floats, proposal: Floats, random: Random
    ) -> bool:
        return False
