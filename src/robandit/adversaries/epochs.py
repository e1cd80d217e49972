"""The schedule against phased policies: every round of one epoch, read off p(t) as it changes."""

from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Floats
from robandit.parts import About, parameter
from robandit.schedule import Schedule, ScheduleSetting


@dataclass
class EpochMemory:
    """The epoch now, and p(t) as it was last seen."""

    last: Floats
    epoch: int = 0


@dataclass(frozen=True)
class InEpoch(Schedule[EpochMemory]):
    """An epoch is a stretch without a change of p(t)."""

    about = About(
        "epoch",
        "adaptive: every round of the `number`-th epoch (a stretch without a change of p(t))",
        sees=("p(t)",),
    )
    number: int = parameter(2, "which epoch, counted from 1", least=1)

    def start(self, setting: ScheduleSetting) -> EpochMemory:
        return EpochMemory(np.full(len(setting.means), -1.0))

    def strikes(self, memory: EpochMemory, t: int, probabilities: Floats, random: Random) -> bool:
        changed = False
        for arm in range(len(probabilities)):
            changed = changed or probabilities[arm] != memory.last[arm]
            memory.last[arm] = probabilities[arm]
        if changed:
            memory.epoch += 1
        return memory.epoch == self.number
