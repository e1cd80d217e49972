"""The visitor as the attacker: rewards are forged in the rounds chosen by hand, and in no others.

The page prints this text from the first import on, as the same in Python.
"""

from dataclasses import dataclass

import numpy as np

import robandit as rb


@dataclass
class Seen:
    """1 for each round whose reward is forged; the arm and the true reward of the last round."""

    forged: np.ndarray
    arm: int = 0
    reward: float = 0.0


@dataclass(frozen=True)
class ByHand(rb.Adversary[Seen]):
    """In a round that was chosen, a reward of 1 becomes 0 and one of 0 becomes 1."""

    rounds: tuple[int, ...] = ()

    def start(self, means: np.ndarray, horizon: int) -> Seen:
        return Seen(np.isin(np.arange(horizon), self.rounds).astype(np.float64))

    def tamper_reward(
        self, memory: Seen, t: int, means: np.ndarray, arm: int, reward: float, random: rb.Random
    ) -> float:
        memory.arm, memory.reward = arm, reward
        return 1.0 - reward if memory.forged[t] == 1.0 else reward
