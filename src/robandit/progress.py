"""How far long work is: one protocol for everything that takes a while, and a line that draws it."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[float], None]  # called with the share of the work that is done, from 0 to 1
EVERY = 0.2  # seconds from one drawing to the next


def ignore(share: float) -> None:
    """The progress of work that nobody watches."""


@contextmanager
def report_to(progress: Progress | bool | None) -> Iterator[Progress]:
    """Yield the function to call with the share done: `progress` itself, a line on stderr for True, or `ignore`.

    The line is for a person at a terminal or in a notebook; it is erased at the end.
    """
    if not isinstance(progress, bool):
        yield progress or ignore
        return
    if not progress:
        yield ignore
        return
    begun = last = time.monotonic()
    has_drawn = False

    def draw(share: float) -> None:
        nonlocal last, has_drawn
        now = time.monotonic()
        if now - last < EVERY or share <= 0.0:
            return
        left = (now - begun) * (1.0 / share - 1.0)
        sys.stderr.write(f"\r{100 * share:3.0f} %, about {left:,.0f} s left ")
        sys.stderr.flush()
        last, has_drawn = now, True

    try:
        yield draw
    finally:
        if has_drawn:
            sys.stderr.write("\r" + " " * 40 + "\r")
            sys.stderr.flush()


def part_of(progress: Progress, first: float, last: float) -> Progress:
    """The progress of one part of the work, which takes the whole from the share `first` to the share `last`."""
    return lambda share: progress(first + share * (last - first))
