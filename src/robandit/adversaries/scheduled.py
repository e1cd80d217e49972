"""Threat model A: any attack on any schedule, within a budget."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from robandit.adversaries.attacks import Attack, Flip, check_size, limit_target
from robandit.adversaries.schedules import Start
from robandit.dice import Random
from robandit.game import Adversary, Floats
from robandit.schedule import Schedule, ScheduleSetting

FLIP, START = Flip(), Start()


@dataclass
class Aim:
    """The means wanted in a struck round, and what the schedule remembers."""

    target: Floats
    when: Any


@dataclass(frozen=True)
class ScheduledAttack(Adversary[Aim]):
    """The attack says what the means become, the schedule when."""

    attack: Attack = FLIP
    schedule: Schedule[Any] = START
    size: str = "full"

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", check_size(self.size))
        super().__post_init__()

    @property
    def name(self) -> str:
        """What errors call it: it consists of two parts of the catalogue and is in none itself."""
        return "adversary"

    @property
    def watches(self) -> bool:  # type: ignore[override]  # a constant of its schedule, hence of the compiled code
        """Whether the schedule looks at p(t)."""
        return self.schedule.watches

    def start(self, means: Floats, horizon: int) -> Aim:
        target = limit_target(self.attack, self.size, means)
        affordable = self.strikes_paid(target, means)
        needed = math.ceil(affordable - 1e-9) if math.isfinite(affordable) else horizon
        return Aim(target, self.schedule.start(ScheduleSetting(means, target, horizon, needed)))

    def strikes_paid(self, target: Floats, means: Floats) -> float:
        """How many strikes the budget pays for, the last one perhaps in part."""
        if self.charge == "rounds":
            return self.budget
        cost = float(np.abs(target - means).max())
        return self.budget / cost if cost > 0.0 else 0.0

    def tamper_means(
        self, memory: Aim, t: int, probabilities: Floats, means: Floats, proposal: Floats, random: Random
    ) -> bool:
        if not self.schedule.strikes(memory.when, t, probabilities, random):
            return False
        for arm in range(len(means)):
            proposal[arm] = memory.target[arm]
        return True
