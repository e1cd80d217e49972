"""Threat model B with all its levers: which arms, how far, and when, judged by the arms of recent rounds."""

from dataclasses import dataclass

import numpy as np

from robandit.adversaries.band import check_band, mark_watched
from robandit.adversaries.push import arms_to_push
from robandit.dice import Random
from robandit.game import Adversary, Can, Floats
from robandit.parts import About, parameter

MEMORY = 100.0  # rounds over which the lowered arms' share is remembered


@dataclass
class PushMemory:
    """Per arm -1 (down), 1 (up) or 0; the share of recent rounds the lowered arms had; whether the attack waits."""

    way: Floats
    watched: Floats
    share: float
    waits: bool = False


@dataclass(frozen=True)
class PushShown(Adversary[PushMemory]):
    """It sees no p(t), only arms: the lowered ones' share of the last hundred rounds stands in for it."""

    about = About(
        "push-shown",
        "the `lowered` best arms' rewards fall, `raised` others' rise, while the lowered are pulled often enough",
        sees=("arm", "reward"),
    )
    lowered: int = parameter(1, "how many of the best arms are pushed down", least=0)
    raised: int = parameter(0, "how many of the others are pushed up", least=0)
    worst: bool = parameter(False, "raise the worst of the others, not the best of them")
    size: float = parameter(1.0, "the most a reward is moved", above=0, most=1)
    low: float = parameter(0.0, "strike from this share of the lowered arms on", least=0, most=1)
    high: float = parameter(1.0, "strike up to this share", least=0, most=1)
    again: float = parameter(0.0, "once below `low`, wait for this share; at least `low`", least=0, most=1)
    first: int = parameter(0, "not before this round", least=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_band(self.name, self.low, self.high)

    @property
    def direction(self) -> Can:
        if self.raised == 0:
            return Can.ERASE
        return Can.ADD if self.lowered == 0 else Can.BOTH

    def start(self, means: Floats, horizon: int) -> PushMemory:
        way = np.zeros(len(means))
        down, up = arms_to_push(means, self.lowered, self.raised, self.worst)
        way[down], way[up] = -1.0, 1.0
        watched = mark_watched(way < 0.0, means)
        return PushMemory(way, watched, float(watched.mean()))

    def tamper_reward(
        self, memory: PushMemory, t: int, means: Floats, arm: int, reward: float, random: Random
    ) -> float:
        memory.share += (memory.watched[arm] - memory.share) / MEMORY
        memory.waits = memory.share < (max(self.again, self.low) if memory.waits else self.low)
        if memory.waits or memory.share > self.high or t < self.first:
            return reward
        wanted: float = min(max(reward + memory.way[arm] * self.size, 0.0), 1.0)
        return wanted
