"""Threat model B, once: the attacker erases the leader's rewards until it has lost its lead, and then stops."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robandit.dice import Random
from robandit.game import Adversary, Can, Floats
from robandit.parts import About, parameter


@dataclass
class Deposing:
    """The arm to harm; for each of the last rounds whether it was shown, and how often that is; whether it is over."""

    arm: int
    shown: NDArray[np.int64]
    count: int = 0
    is_over: bool = False


@dataclass(frozen=True)
class Depose(Adversary[Deposing]):
    """What it spends is the price of flipping the leader once; what fools a policy for good is another number."""

    about = About(
        "depose",
        "from one round on every reward of the best arm becomes 0, until it is shown in under half of the last rounds",
        sees=("arm", "reward"),
    )
    first: int = parameter(0, "the round it begins with, when the policy has settled", least=0)
    span: int = parameter(200, "over how many rounds the arm's share is taken", least=2, most=1_000_000)
    direction = Can.ERASE

    def start(self, means: Floats, horizon: int) -> Deposing:
        return Deposing(int(np.argmax(means)), np.zeros(self.span, np.int64))

    def tamper_reward(self, memory: Deposing, t: int, means: Floats, arm: int, reward: float, random: Random) -> float:
        here, place = 1 if arm == memory.arm else 0, t % self.span
        memory.count += here - memory.shown[place]
        memory.shown[place] = here
        strikes = t >= self.first and not memory.is_over
        if strikes and t >= self.span and 2 * memory.count < self.span:
            memory.is_over = True
            return reward
        return 0.0 if strikes and here == 1 else reward
