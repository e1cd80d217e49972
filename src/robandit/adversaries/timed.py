"""Threat model A: an attack on a schedule. All oblivious schedules are one kind of adversary, watching is another."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.adversaries.attacks import Attack, Flip, checked_size, sized_target
from robandit.adversaries.schedules import Leading, Schedule, Start
from robandit.dice import Random
from robandit.game import Adversary, Floats, Memory
from robandit.parts import About

FLIP, START, LEADING = Flip(), Start(), Leading()


@dataclass
class Timing:
    """The target, the timetable, and how many slots and strikes are still to come."""

    target: Floats
    first: int
    stop: int
    step: int
    slots: int
    chosen: int


@dataclass
class Watching:
    """The target, the arm to watch, and from when and from which probability on."""

    target: Floats
    best: int
    theta: float
    first: int


@dataclass(frozen=True)
class Budgeted(Adversary[Memory]):
    """What both kinds are given: attack, schedule, size, budget and the way it is charged."""

    about = About("adversary", "an attack on a schedule, within a budget")
    attack: Attack = FLIP
    schedule: Schedule = START
    size: str = "full"

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", checked_size(self.size))
        super().__post_init__()


@dataclass(frozen=True)
class TimedAttack(Budgeted[Timing]):
    """Strikes in rounds fixed beforehand (drawn at random for `random`), whatever the policy does."""

    def start(self, means: Floats, horizon: int) -> Timing:
        target = sized_target(self.attack, self.size, means)
        affordable = self.strikes_paid(target, means)
        needed = math.ceil(affordable - 1e-9) if math.isfinite(affordable) else horizon
        table = self.schedule.timetable(horizon, needed)
        slots = table.slots()
        return Timing(target, table.first, table.stop, table.step, slots, min(table.chosen, slots))

    def strikes_paid(self, target: Floats, means: Floats) -> float:
        """How many strikes the budget pays for, the last one perhaps in part."""
        if self.charge == "rounds":
            return self.budget
        cost = float(np.abs(target - means).max())
        return self.budget / cost if cost > 0.0 else 0.0

    def tamper_means(
        self, memory: Timing, t: int, chances: Floats, means: Floats, proposal: Floats, random: Random
    ) -> bool:
        if t < memory.first or t >= memory.stop or (t - memory.first) % memory.step != 0:
            return False
        if memory.chosen < memory.slots:  # selection sampling: each set of rounds equally likely, none stored
            strike = random.uniform() * memory.slots < memory.chosen
            memory.slots -= 1
            if not strike:
                return False
            memory.chosen -= 1
        for arm in range(len(means)):
            proposal[arm] = memory.target[arm]
        return True


@dataclass(frozen=True)
class LeadingAttack(Budgeted[Watching]):
    """Strikes whenever the best arm is likely to be pulled."""

    watches = True
    schedule: Schedule = LEADING

    def start(self, means: Floats, horizon: int) -> Watching:
        assert isinstance(self.schedule, Leading)
        return Watching(
            sized_target(self.attack, self.size, means), int(means.argmax()), self.schedule.theta, self.schedule.first
        )

    def tamper_means(
        self, memory: Watching, t: int, chances: Floats, means: Floats, proposal: Floats, random: Random
    ) -> bool:
        if t < memory.first or chances[memory.best] < memory.theta:
            return False
        for arm in range(len(means)):
            proposal[arm] = memory.target[arm]
        return True
