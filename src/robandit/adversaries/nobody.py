"""No adversary: what a policy meets when nothing is corrupted."""

from dataclasses import dataclass

from robandit.dice import Random
from robandit.game import Adversary, Floats


@dataclass
class Nothing:
    """Nobody remembers nothing."""


@dataclass(frozen=True)
class Nobody(Adversary[Nothing]):
    """Leaves every round alone."""

    def start(self, means: Floats, horizon: int) -> Nothing:
        return Nothing()

    def tamper_means(
        self, memory: Nothing, t: int, probabilities: Floats, means: Floats, proposal: Floats, random: Random
    ) -> bool:
        return False
