"""Threat model B without knowledge of the means: attackers that learn from what they see."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.adversaries.rewards import favoured_arm
from robandit.dice import Random
from robandit.game import Adversary, Can, Floats
from robandit.parts import About, parameter


@dataclass
class Ledger:
    """The favoured arm, and per arm the pulls, the sums of true rewards and of those the policy saw."""

    arm: int
    pulls: Floats
    earned: Floats
    shown: Floats


def radius(pulls: float, arms: int, delta: float) -> float:
    """Jun et al.'s confidence radius for rewards in [0, 1]: sqrt(ln(pi^2 K n^2/(3 delta))/(2n))."""
    return math.sqrt(math.log(math.pi * math.pi * arms * pulls * pulls / (3.0 * delta)) / (2.0 * pulls))


@dataclass(frozen=True)
class LearningAttacker(Adversary[Ledger]):
    """An attacker that knows the favoured arm alone and learns the rest."""

    arm: int | None = parameter(None, "the arm to favour, counted from 1; the runner-up by default", least=1)
    delta: float = parameter(0.05, "failure probability of the attack", above=0, below=1)
    direction = Can.ERASE

    def start(self, means: Floats, horizon: int) -> Ledger:
        pulls, earned, shown = np.zeros((3, len(means)))
        return Ledger(favoured_arm(self.arm, means), pulls, earned, shown)


@dataclass(frozen=True)
class JunUcb(LearningAttacker):
    """Keeps the mean that the policy sees of every other arm below the favoured one's by twice its radius and a margin.

    Rewards are lowered no further than 0, so the favoured arm's mean must leave room below it.
    """

    about = About(
        "jun-ucb",
        "a logarithmic-cost attack on UCB: the means it sees of other arms stay below the favoured one's",
        reference="Jun, Li, Ma & Zhu 2018",
        fidelity="recalled",
        sees=("arm", "reward", "the victim's statistics"),
    )
    margin: float = parameter(0.1, "how far below, beyond twice the radius", least=0, most=1)

    def tamper_reward(self, memory: Ledger, t: int, means: Floats, arm: int, reward: float, random: Random) -> float:
        memory.pulls[arm] += 1.0
        memory.earned[arm] += reward
        wanted = reward
        liked = memory.pulls[memory.arm]
        if arm != memory.arm and liked > 0.0:
            room = 2.0 * radius(liked, len(means), self.delta) + self.margin
            ceiling = memory.pulls[arm] * max(memory.shown[memory.arm] / liked - room, 0.0)
            wanted = min(reward, max(ceiling - memory.shown[arm], 0.0))
        memory.shown[arm] += wanted
        return wanted


@dataclass(frozen=True)
class JunEpsilonGreedy(JunUcb):
    """The same without a margin: a greedy victim needs only to see the favoured arm ahead."""

    about = About(
        "jun-epsilon-greedy",
        "a logarithmic-cost attack on epsilon-greedy: the means it sees of other arms stay below the favoured one's",
        reference="Jun, Li, Ma & Zhu 2018",
        fidelity="recalled",
        sees=("arm", "reward", "the victim's statistics"),
    )
    margin: float = parameter(0.0, "how far below, beyond twice the radius", least=0, most=1)


@dataclass(frozen=True)
class Ace(LearningAttacker):
    """Estimates the means itself and scales every other arm down to below the favoured one, whatever the victim is."""

    about = About(
        "ace",
        "algorithm-free: estimates means and radii, scales other arms below the favoured one",
        reference="Liu & Shroff 2019",
        fidelity="variant",
        basis="the original subtracts from rewards; this one scales them, so that they stay in [0, 1]",
        sees=("arm", "reward"),
    )

    def tamper_reward(self, memory: Ledger, t: int, means: Floats, arm: int, reward: float, random: Random) -> float:
        memory.pulls[arm] += 1.0
        memory.earned[arm] += reward
        liked, count = memory.pulls[memory.arm], len(means)
        if arm == memory.arm or liked == 0.0:
            return reward
        ceiling = max(memory.earned[memory.arm] / liked - radius(liked, count, self.delta), 0.0)
        own = memory.earned[arm] / memory.pulls[arm] + radius(memory.pulls[arm], count, self.delta)
        share: float = min(ceiling / own, 1.0)
        return reward * share
