"""Schedules fixed beforehand: the rounds to strike in, as (first, stop, step, chosen)."""

from dataclasses import dataclass

from robandit.errors import InputError
from robandit.parts import About, parameter
from robandit.schedule import Schedule, Timetable, TimetableState


@dataclass(frozen=True)
class Start(Schedule[TimetableState]):
    """The paper's scheme 1."""

    about = About("start", "rounds 0, 1, 2, ... (the paper's scheme 1)")

    def timetable(self, horizon: int, needed: int) -> Timetable:
        return Timetable(0, horizon, 1, horizon)


@dataclass(frozen=True)
class Even(Schedule[TimetableState]):
    """The paper's scheme 2."""

    about = About("even", "rounds 0, 2, 4, ... (the paper's scheme 2)")

    def timetable(self, horizon: int, needed: int) -> Timetable:
        return Timetable(0, horizon, 2, horizon)


@dataclass(frozen=True)
class Middle(Schedule[TimetableState]):
    """The paper's scheme 3."""

    about = About("middle", "rounds T/4, T/4 + 1, ... (the paper's scheme 3)")

    def timetable(self, horizon: int, needed: int) -> Timetable:
        return Timetable(horizon // 4, horizon, 1, horizon)


@dataclass(frozen=True)
class AtRandom(Schedule[TimetableState]):
    """The paper's scheme 4; every run draws its own rounds."""

    about = About(
        "random", "as many distinct random rounds as the budget needs, among the first T/10 (the paper's scheme 4)"
    )

    def timetable(self, horizon: int, needed: int) -> Timetable:
        return Timetable(0, max(horizon // 10, 1), 1, needed)


@dataclass(frozen=True)
class Always(Start):
    """Start by the name of what it does while the budget lasts."""

    about = About("always", "every round (the same rounds as start)")


@dataclass(frozen=True)
class Periodic(Schedule[TimetableState]):
    """A slow drip."""

    about = About("periodic", "every `step`-th round")
    step: int = parameter(10, "rounds from one strike to the next", least=1)

    def timetable(self, horizon: int, needed: int) -> Timetable:
        return Timetable(0, horizon, self.step, horizon)


@dataclass(frozen=True)
class Window(Schedule[TimetableState]):
    """A stretch of rounds."""

    about = About("window", "rounds `first` to `stop` - 1")
    first: int = parameter(0, "the first round, counted from 0", least=0)
    stop: int | None = parameter(None, "the round before which it ends; the horizon by default", least=1)

    def timetable(self, horizon: int, needed: int) -> Timetable:
        stop = horizon if self.stop is None else min(self.stop, horizon)
        if self.first >= stop:
            raise InputError(
                f"window: first must be below stop and the horizon ({stop}), not {self.first}", about="schedule"
            )
        return Timetable(self.first, stop, 1, horizon)
