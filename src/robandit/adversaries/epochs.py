"""Threat model A against phased policies: strike in all rounds of one epoch, read off p(t) as it changes."""

from dataclasses import dataclass

import numpy as np

from robandit.adversaries.attacks import sized_target
from robandit.adversaries.schedules import Schedule
from robandit.adversaries.timed import Budgeted
from robandit.dice import Random
from robandit.game import Floats
from robandit.parts import About, parameter


@dataclass(frozen=True)
class InEpoch(Schedule):
    """Adaptive: an epoch is a stretch without a change of p(t)."""

    about = About("epoch", "adaptive: every round of the `number`-th epoch (a stretch without a change of p(t))")
    number: int = parameter(2, "which epoch, counted from 1", least=1)


@dataclass
class Stretch:
    """The target, which epoch to strike in, the epoch now, and p(t) as it was last seen."""

    target: Floats
    wanted: int
    last: Floats
    epoch: int = 0


IN_EPOCH = InEpoch()


@dataclass(frozen=True)
class EpochAttack(Budgeted[Stretch]):
    """Strikes throughout one epoch."""

    watches = True
    schedule: Schedule = IN_EPOCH

    def start(self, means: Floats, horizon: int) -> Stretch:
        assert isinstance(self.schedule, InEpoch)
        return Stretch(sized_target(self.attack, self.size, means), self.schedule.number, np.full(len(means), -1.0))

    def tamper_means(
        self, memory: Stretch, t: int, chances: Floats, means: Floats, proposal: Floats, random: Random
    ) -> bool:
        changed = False
        for arm in range(len(means)):
            changed = changed or chances[arm] != memory.last[arm]
            memory.last[arm] = chances[arm]
        if changed:
            memory.epoch += 1
        if memory.epoch != memory.wanted:
            return False
        for arm in range(len(means)):
            proposal[arm] = memory.target[arm]
        return True
