"""How far a play is, on one line that writes over itself: for a person at a terminal or in a notebook."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

EVERY = 0.2  # seconds


@contextmanager
def told(progress: Callable[[float], None] | bool | None) -> Iterator[Callable[[float], None] | None]:
    """A function to be told the share that is done; True writes it down, and what it wrote is gone at the end."""
    if not isinstance(progress, bool):
        yield progress
        return
    if not progress:
        yield None
        return
    begun = last = time.monotonic()
    written = False

    def write(share: float) -> None:
        nonlocal last, written
        now = time.monotonic()
        if now - last < EVERY or share <= 0.0:
            return
        left = (now - begun) * (1.0 / share - 1.0)
        sys.stderr.write(f"\r{100 * share:3.0f} %, about {left:,.0f} s left ")
        sys.stderr.flush()
        last, written = now, True

    try:
        yield write
    finally:
        if written:
            sys.stderr.write("\r" + " " * 40 + "\r")
            sys.stderr.flush()
