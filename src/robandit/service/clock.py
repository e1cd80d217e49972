"""Time that does not jump: what the system clock says at the start, and from then on what a clock measures nobody sets.

A window and a hold are lengths of time, and whoever sets the clock of a machine changes none of them. A jump is noted,
not followed: the next start believes the system clock again.
"""

import time
from collections.abc import Callable
from datetime import timedelta

FOLLOWED = 1.0  # seconds of a jump that is followed: a leap second, a small correction
SLEW = 0.01  # of its pace a journal that is ahead loses, until the clock has caught up
BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # goes on while the machine sleeps


def measure() -> float:
    """Returns seconds on a clock that nobody sets."""
    return time.clock_gettime(BOOT)


class SteadyClock:
    """The time of day, without the jumps of the system clock."""

    def __init__(self, read: Callable[[], float] = time.time, measure: Callable[[], float] = measure) -> None:
        self.read, self.measure = read, measure
        self.offset, self.jump = read() - measure(), 0.0

    def __call__(self) -> float:
        measured = self.measure()
        offset = self.read() - measured
        self.jump = offset - self.offset
        if abs(self.jump) <= FOLLOWED:
            self.offset, self.jump = offset, 0.0
        return measured + self.offset

    @property
    def problem(self) -> str:
        """Returns what is wrong with the system clock; empty if nothing is."""
        if not self.jump:
            return ""
        where = "forward" if self.jump > 0 else "back"
        return (
            f"the system clock jumped {where} by {length(abs(self.jump))}, and is not followed: "
            "time goes on as it is measured; if the clock is right now, restart the service"
        )


class Lead:
    """A journal whose last line is later than now: its time goes on from there, slower, until now has caught up.

    So a line that was written by a wrong clock does not stop the windows and holds of those that follow.
    """

    __slots__ = ("last", "now")

    def __init__(self, now: float, last: float) -> None:
        self.now, self.last = now, last

    @property
    def is_long(self) -> bool:
        """Whether it is more than clocks usually differ."""
        return self.last - self.now > FOLLOWED

    def __str__(self) -> str:
        return (
            f"the last line was {length(self.last - self.now)} ahead of the clock; time goes on from there, "
            f"{SLEW:.0%} slower, until the clock has caught up"
        )

    def time(self, now: float) -> float:
        """Returns the journal's time."""
        return self.last + (1.0 - SLEW) * (now - self.now)


def length(seconds: float) -> str:
    """Returns a length of time in words."""
    return str(timedelta(seconds=round(seconds)))
