"""Threat model B: the attacker sees the arm that was shown and its reward, and changes the reward."""

from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Adversary, Floats
from robandit.parts import About


@dataclass
class Target:
    """The arm to harm."""

    best: int


@dataclass(frozen=True)
class SinkShown(Adversary[Target]):
    """Every success of the best arm becomes a failure, while the budget lasts."""

    about = About("sink-shown", "threat model B: every reward of the best arm becomes 0")
    sees_draw = True

    def start(self, means: Floats, horizon: int) -> Target:
        return Target(int(np.argmax(means)))

    def tamper_reward(self, memory: Target, t: int, means: Floats, arm: int, reward: float, random: Random) -> float:
        return 0.0 if arm == memory.best else reward
