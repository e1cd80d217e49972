"""When the adversary strikes: oblivious schedules as (first, stop, step, chosen), and the one that watches."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from robandit.errors import InputError
from robandit.parts import About, Part, parameter


class Timetable(NamedTuple):
    """Rounds first, first + step, ... below stop; if `chosen` is fewer than those, that many at random among them."""

    first: int
    stop: int
    step: int
    chosen: int

    def slots(self) -> int:
        """How many rounds the timetable names."""
        return max(0, math.ceil((self.stop - self.first) / self.step))


@dataclass(frozen=True)
class Schedule(Part):
    """A rule for when to strike."""

    def timetable(self, horizon: int, needed: int) -> Timetable:
        """The rounds to strike in, given how many would spend the budget."""
        raise NotImplementedError(f"{self.name} has no timetable")


@dataclass(frozen=True)
class Start(Schedule):
    """The paper's scheme 1."""

    about = About("start", "rounds 0, 1, 2, ... (the paper's scheme 1)")

    def timetable(self, horizon: int, needed: int) -> Timetable:
        return Timetable(0, horizon, 1, horizon)


@dataclass(frozen=True)
class Even(Schedule):
    """The paper's scheme 2."""

    about = About("even", "rounds 0, 2, 4, ... (the paper's scheme 2)")

    def timetable(self, horizon: int, needed: int) -> Timetable:
        return Timetable(0, horizon, 2, horizon)


@dataclass(frozen=True)
class Middle(Schedule):
    """The paper's scheme 3."""

    about = About("middle", "rounds T/4, T/4 + 1, ... (the paper's scheme 3)")

    def timetable(self, horizon: int, needed: int) -> Timetable:
        return Timetable(horizon // 4, horizon, 1, horizon)


@dataclass(frozen=True)
class AtRandom(Schedule):
    """The paper's scheme 4; every run draws its own rounds."""

    about = About(
        "random", "as many distinct random rounds as the budget needs, among the first T/10 (the paper's scheme 4)"
    )

    def timetable(self, horizon: int, needed: int) -> Timetable:
        return Timetable(0, max(horizon // 10, 1), 1, needed)


@dataclass(frozen=True)
class Always(Schedule):
    """Every round, until the budget is gone."""

    about = About("always", "every round (the same rounds as start)")

    def timetable(self, horizon: int, needed: int) -> Timetable:
        return Timetable(0, horizon, 1, horizon)


@dataclass(frozen=True)
class Periodic(Schedule):
    """A slow drip."""

    about = About("periodic", "every `step`-th round")
    step: int = parameter(10, "rounds from one strike to the next", least=1)

    def timetable(self, horizon: int, needed: int) -> Timetable:
        return Timetable(0, horizon, self.step, horizon)


@dataclass(frozen=True)
class Window(Schedule):
    """A stretch of rounds."""

    about = About("window", "rounds `first` to `stop` - 1")
    first: int = parameter(0, "the first round, counted from 0", least=0)
    stop: int | None = parameter(None, "the round before which it ends; the horizon if not given", least=1)

    def timetable(self, horizon: int, needed: int) -> Timetable:
        stop = horizon if self.stop is None else min(self.stop, horizon)
        if self.first >= stop:
            raise InputError(f"window: first must be below stop and the horizon ({stop}), not {self.first}")
        return Timetable(self.first, stop, 1, horizon)


@dataclass(frozen=True)
class Leading(Schedule):
    """The adaptive schedule of threat model A: strike while the policy is right."""

    about = About("leading", "adaptive: whenever the best arm's probability p_best(t) is at least `theta`")
    theta: float = parameter(0.5, "strike when p_best(t) >= theta", least=0, most=1)
    first: int = parameter(0, "not before this round", least=0)
