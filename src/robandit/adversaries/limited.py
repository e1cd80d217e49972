"""An attack of threat model B held to what its attacker can do; what it wants beyond that does not happen."""

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
        wanted: float = self.inner.tamper_reward(memory.inner, t, means, arm, reward, random)
        if source < 0 or memory.reached[arm] == 0.0:
            return reward
        if (wanted > reward and memory.adds) or (wanted < reward and memory.erases):
            memory.used[source] += 1
            return wanted
        return reward
