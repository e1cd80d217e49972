"""When an adversary strikes: fixed rounds as a timetable, or a rule that looks at p(t)."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple

from robandit.dice import Random
from robandit.game import Floats, Memory
from robandit.parts import Part


class Timetable(NamedTuple):
    """Rounds first, first + step, ... below stop; if `chosen` is fewer than those, that many at random among them."""

    first: int
    stop: int
    step: int
    chosen: int

    def slots(self) -> int:
        """How many rounds the timetable names."""
        return max(0, math.ceil((self.stop - self.first) / self.step))


class ScheduleSetting(NamedTuple):
    """What a schedule may look at before round one."""

    means: Floats
    target: Floats  # the means wanted in a struck round
    horizon: int
    needed: int  # strikes that would spend the budget


@dataclass
class TimetableState:
    """The timetable, and how many slots and strikes are still to come."""

    first: int
    stop: int
    step: int
    slots: int
    chosen: int


@dataclass(frozen=True)
class Schedule(Part, Generic[Memory]):
    """A rule for when to strike, one class each.

    Fixed rounds: override `timetable`. A rule that looks at p(t): override `start`, which returns what it remembers
    (a dataclass), and `strikes`, which is compiled like an adversary's methods.
    """

    watches: ClassVar[bool] = False  # looks at p(t) (derived)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.watches = cls.strikes is not Schedule.strikes

    def timetable(self, horizon: int, needed: int) -> Timetable:
        """The rounds to strike in; `needed` strikes would spend the budget."""
        raise NotImplementedError(f"{self.name} has no timetable")

    def start(self, setting: ScheduleSetting) -> Any:
        """What the schedule remembers, before round one."""
        table = self.timetable(setting.horizon, setting.needed)
        slots = table.slots()
        return TimetableState(table.first, table.stop, table.step, slots, min(table.chosen, slots))

    def strikes(self, memory: Any, t: int, probabilities: Floats, random: Random) -> bool:
        """Whether to strike in round t, before the draw from `probabilities`."""
        if t < memory.first or t >= memory.stop or (t - memory.first) % memory.step != 0:
            return False
        if memory.chosen < memory.slots:  # selection sampling: each set of rounds equally likely, none stored
            struck = random.uniform() * memory.slots < memory.chosen
            memory.slots -= 1
            if not struck:
                return False
            memory.chosen -= 1
        return True
