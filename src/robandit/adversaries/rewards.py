"""Threat model B: the attacker sees the arm that was pulled and its reward, and changes the reward."""

from dataclasses import dataclass

import numpy as np

from robandit.adversaries.attacks import runner_up
from robandit.dice import Random
from robandit.errors import InputError
from robandit.game import Adversary, Can, Floats
from robandit.parts import About, parameter


@dataclass
class Target:
    """The arm that matters: the one to harm, or the one to favour."""

    arm: int


def favoured_arm(arm: int | None, means: Floats) -> int:
    """The arm an attack wants pulled: the one named, counted from 1, or the runner-up."""
    if len(means) < 2:
        raise InputError("this attack needs an arm to favour, so at least 2 arms; there is 1")
    if arm is not None and arm > len(means):
        raise InputError(f"arm must be one of 1 to {len(means)}, not {arm}")
    return runner_up(means) if arm is None else arm - 1


@dataclass(frozen=True)
class SinkShown(Adversary[Target]):
    """Every success of the best arm becomes a failure, while the budget lasts."""

    about = About("sink-shown", "every reward of one arm becomes 0 (default: the best)", sees=("arm", "reward"))
    arm: int | None = parameter(None, "the arm to harm, counted from 1; the best by default", least=1)
    direction = Can.ERASE

    def start(self, means: Floats, horizon: int) -> Target:
        if self.arm is not None and self.arm > len(means):
            raise InputError(f"arm must be one of 1 to {len(means)}, not {self.arm}")
        return Target(int(np.argmax(means)) if self.arm is None else self.arm - 1)

    def tamper_reward(self, memory: Target, t: int, means: Floats, arm: int, reward: float, random: Random) -> float:
        return 0.0 if arm == memory.arm else reward


@dataclass(frozen=True)
class SinkBest(Adversary[Target]):
    """The arm that is best in a round fails in it; with contexts that is another arm for another user."""

    about = About(
        "sink-best", "every reward of the arm that is best in its round becomes 0", sees=("arm", "reward", "means")
    )
    direction = Can.ERASE

    def start(self, means: Floats, horizon: int) -> Target:
        return Target(int(np.argmax(means)))

    def tamper_reward(self, memory: Target, t: int, means: Floats, arm: int, reward: float, random: Random) -> float:
        for other in range(len(means)):
            if means[other] > means[arm]:
                return reward
        return 0.0


@dataclass
class Targets:
    """1 for each arm that is to be harmed."""

    harmed: Floats


@dataclass(frozen=True)
class SinkNear(Adversary[Targets]):
    """Arms that are nearly as good fall with the best, which misleads policies that learn of one arm from others."""

    about = About("sink-near", "every reward of every arm nearly as good as the best becomes 0", sees=("arm", "reward"))
    within: float = parameter(0.2, "how near the best mean an arm must be", least=0, most=1)
    direction = Can.ERASE

    def start(self, means: Floats, horizon: int) -> Targets:
        return Targets((means >= means.max() - self.within).astype(np.float64))

    def tamper_reward(self, memory: Targets, t: int, means: Floats, arm: int, reward: float, random: Random) -> float:
        return 0.0 if memory.harmed[arm] == 1.0 else reward


@dataclass(frozen=True)
class Promote(Adversary[Target]):
    """Every pull of one arm looks perfect."""

    about = About("promote", "every reward of one arm becomes 1 (default: the runner-up)", sees=("arm", "reward"))
    arm: int | None = parameter(None, "the arm to favour, counted from 1; the runner-up by default", least=1)
    direction = Can.ADD

    def start(self, means: Floats, horizon: int) -> Target:
        return Target(favoured_arm(self.arm, means))

    def tamper_reward(self, memory: Target, t: int, means: Floats, arm: int, reward: float, random: Random) -> float:
        return 1.0 if arm == memory.arm else reward


@dataclass(frozen=True)
class Oracle(Adversary[Target]):
    """Knows the true means and scales every better arm down to just below the favoured one.

    It multiplies: subtracting from rewards in [0, 1] and clipping would leave a good arm too good.
    """

    about = About(
        "oracle",
        "scales the rewards of every better arm to a mean just below the favoured one",
        reference="Jun, Li, Ma & Zhu 2018",
        fidelity="variant",
        basis="the original subtracts from rewards; this one scales them, so that they stay in [0, 1]",
        sees=("arm", "reward", "means"),
    )
    arm: int | None = parameter(None, "the arm to favour, counted from 1; the runner-up by default", least=1)
    margin: float = parameter(0.1, "how far below the favoured arm the others are pushed", least=0, most=1)
    direction = Can.ERASE

    def start(self, means: Floats, horizon: int) -> Target:
        return Target(favoured_arm(self.arm, means))

    def tamper_reward(self, memory: Target, t: int, means: Floats, arm: int, reward: float, random: Random) -> float:
        wanted = max(means[memory.arm] - self.margin, 0.0)
        if arm == memory.arm or means[arm] <= wanted:
            return reward
        share: float = wanted / means[arm]
        return reward * share
