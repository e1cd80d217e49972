"""An attack of threat model B held to what its attacker can do; what it wants beyond that does not happen.

Who is blind decides as if every reward were 1/2, and a report that changes nothing is used up all the same. Who can
only record the wrong arm gets, in place of what it wants, a coin of the best or of the worst mean: the reward of
another arm where rewards are 0 or 1 (action manipulation; Liu & Lai 2020).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.adversaries.rewards import SinkShown
from robandit.capability import ANYTHING, Capability
from robandit.dice import Random
from robandit.errors import InputError
from robandit.game import Adversary, Can, Floats

SINK_SHOWN = SinkShown()
UNSEEN = 0.5  # what the attack inside is shown in place of a reward that its attacker cannot see


@dataclass
class Limits:
    """What the attack remembers, and what its attacker can do, resolved for this game."""

    inner: Any
    reached: Floats  # 1 for an arm that can be reached
    used: NDArray[np.int64]  # forged rewards of each source that is the attacker's
    adds: bool
    erases: bool
    share: float
    every: int
    first: int
    stop: int  # the round from which on nothing can be done
    sources: int
    each: int
    blind: bool
    wrong_arm: bool


@dataclass(frozen=True)
class Limited(Adversary[Limits]):
    """The attack looks on in every round, and acts in those that are its own."""

    inner: Adversary[Any] = SINK_SHOWN
    capability: Capability = ANYTHING

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.inner.sees_draw:
            raise InputError(
                f"{self.inner} is of threat model A, which moves means before the draw: what an attacker can do to "
                "rewards is said of model B, such as sink-shown or promote",
                about="capability",
            )

    @property
    def name(self) -> str:
        """What errors call it."""
        return self.inner.name

    @property
    def direction(self) -> Can:
        """As the attack inside, which is cut short where it wants more than it can."""
        return self.inner.direction

    def start(self, means: Floats, horizon: int) -> Limits:
        can = self.capability
        return Limits(
            inner=self.inner.start(means, horizon),
            reached=can.reached(len(means)),
            used=np.zeros(max(can.own_sources(), 1), np.int64),
            adds=can.can != Can.ERASE,
            erases=can.can != Can.ADD,
            share=can.share,
            every=can.every,
            first=can.first,
            stop=horizon if can.stop is None else can.stop,
            sources=can.sources,
            each=can.each,
            blind=can.blind,
            wrong_arm=can.wrong_arm,
        )

    def source(self, memory: Limits, t: int, random: Random) -> int:
        """Which of the attacker's sources this round belongs to, counted from 0; -1 if it is not the attacker's.

        Every round takes one random number, whatever the attack does.
        """
        uniform = random.uniform()
        if t < memory.first or t >= memory.stop or t % memory.every != 0:
            return -1
        if memory.sources == 0:
            return 0 if uniform < memory.share else -1
        source = int(uniform * memory.sources)
        return source if source < len(memory.used) and memory.used[source] < memory.each else -1

    def tamper_reward(self, memory: Limits, t: int, means: Floats, arm: int, reward: float, random: Random) -> float:
        source = self.source(memory, t, random)
        coin = random.uniform() if memory.wrong_arm else 0.0
        seen = UNSEEN if memory.blind else reward
        wanted: float = self.inner.tamper_reward(memory.inner, t, means, arm, seen, random)
        if source < 0 or memory.reached[arm] == 0.0:
            return reward
        raises = wanted > seen
        if not ((raises and memory.adds) or (wanted < seen and memory.erases)):
            return reward
        memory.used[source] += 1
        if memory.wrong_arm:
            wanted = 1.0 if coin < other_mean(means, arm, raises) else 0.0
        if memory.adds and memory.erases:
            return wanted
        return max(wanted, reward) if raises else min(wanted, reward)


def other_mean(means: Floats, arm: int, largest: bool) -> float:
    """The largest, or the smallest, mean of the other arms."""
    found: float = means[1] if arm == 0 else means[0]
    for other in range(len(means)):
        if other != arm and (means[other] > found if largest else means[other] < found):
            found = means[other]
    return found
