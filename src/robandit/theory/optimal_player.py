"""The exact worst attack as a player, so that the lab can confirm what the dynamic programme says."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.dice import Random
from robandit.errors import InputError
from robandit.game import Adversary, Floats
from robandit.parts import About


@dataclass
class TableMemory:
    """The units of budget left, and p of the best arm where the attacker does not see it."""

    left: float
    probability: float = 0.5


@dataclass(frozen=True)
class TabulatedAttack(Adversary[TableMemory]):
    """Acts by a table of decisions, on a grid of log-odds of this width."""

    decisions: Any = None  # by round, grid point and units left: a parameter, so that no run copies it
    width: float = 0.1

    def start(self, means: Floats, horizon: int) -> TableMemory:
        if len(means) != 2 or means[0] <= means[1] or horizon != len(self.decisions):
            raise InputError(f"this attack was made for two arms, the best one first, and {len(self.decisions)} rounds")
        return TableMemory(float(self.decisions.shape[2] - 1))


@dataclass(frozen=True)
class OptimalBefore(TabulatedAttack):
    """Threat model A: reads p(t), looks up the decision, moves both means."""

    about = About("optimal", "the exact worst attack on SAMBA with two arms, the best one first")
    watches = True
    small: float = 0.0
    large: float = 0.0

    def tamper_means(
        self, memory: TableMemory, t: int, probabilities: Floats, means: Floats, proposal: Floats, random: Random
    ) -> bool:
        decision = look_up(self.decisions, memory.left, t, probabilities[0], self.width)
        step = self.small if decision == 1 else self.large
        if decision == 0:
            return False
        memory.left -= step / self.small
        proposal[0] = max(means[0] - step, 0.0)
        proposal[1] = min(means[1] + step, 1.0)
        return True


@dataclass(frozen=True)
class OptimalAfter(TabulatedAttack):
    """Threat model B: sees arm and reward, keeps the victim's p(t) itself, flips rewards."""

    about = About("optimal-shown", "the exact worst attack on SAMBA with two arms, the best one first")
    learning_rate: float = 0.05

    def tamper_reward(
        self, memory: TableMemory, t: int, means: Floats, arm: int, reward: float, random: Random
    ) -> float:
        decision = look_up(self.decisions, memory.left, t, memory.probability, self.width)
        changed = reward
        if arm == 0 and decision % 2 == 1:
            changed = 0.0
        if arm == 1 and decision >= 2:
            changed = 1.0
        if memory.left >= 0.0:
            memory.left -= abs(changed - reward)
        memory.probability = after_round(memory.probability, arm, changed, self.learning_rate)
        return changed


def look_up(decisions: NDArray[np.uint8], left: float, t: int, probability: float, width: float) -> int:
    """Returns the decision at the nearest grid point."""
    size, levels = decisions.shape[1], decisions.shape[2]
    place = round(math.log(probability / (1.0 - probability)) / width) + size // 2
    return int(decisions[t, min(max(place, 0), size - 1), min(max(int(left + 0.5), 0), levels - 1)])


def after_round(p: float, arm: int, reward: float, learning_rate: float) -> float:
    """Returns p of the best arm after SAMBA's update with two arms, as the victim does it."""
    if p >= 0.5:
        q = 1.0 - p
        return 1.0 - (q - learning_rate * q * q * reward / p if arm == 0 else q + learning_rate * q * reward)
    return p + learning_rate * p * reward if arm == 0 else p - learning_rate * p * p * reward / (1.0 - p)
