"""How far long work is: a bar on a terminal; in a pipe a line now and then, on standard error."""

import sys
import time
from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager
from typing import Any

EVERY = 30.0  # seconds from one line in a pipe to the next

Tell = Callable[..., None]  # told how much is done, what is being done, and the seconds left where they are known


class Course:
    """What was told last, and what that says about the end."""

    def __init__(self, total: float) -> None:
        self.total, self.done, self.now, self.begun = max(total, 1e-9), 0.0, "", time.monotonic()
        self.known: float | None = None

    def tell(self, done: float, now: str, left: float | None = None) -> None:
        """Take note of how far the work is."""
        self.done, self.now, self.known = done, now, left

    def left(self) -> str:
        """The time left in words: as told, or at the speed so far."""
        share = min(self.done / self.total, 1.0)
        if self.known is None and share == 0.0:
            return "time left unknown"
        seconds = (time.monotonic() - self.begun) * (1.0 / share - 1.0) if self.known is None else self.known
        return f"about {spelled(seconds)} left"

    def line(self) -> str:
        """One line for a log."""
        share = min(100.0 * self.done / self.total, 100.0)
        return f"{spelled(time.monotonic() - self.begun)}: {share:.0f} % done, {self.left()} ({self.now})"


@contextmanager
def progress(total: float, opening: str = "") -> Iterator[Tell]:
    """Yields a function to tell of progress; in a pipe nothing is said unless there is an opening line."""
    course = Course(total)
    if opening:
        say(opening)
    if sys.stderr.isatty():
        with bar(course) as tell:
            yield tell
        return
    if not opening:
        yield course.tell
        return
    import threading

    ended = threading.Event()
    threading.Thread(target=speak, args=(course, ended), daemon=True).start()
    try:
        yield course.tell
    finally:
        ended.set()


@contextmanager
def bar(course: Course) -> Iterator[Tell]:
    """The same for a person at a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (BarColumn(bar_width=24), TaskProgressColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", total=course.total)

        def tell(done: float, now: str, left: float | None = None) -> None:
            course.tell(done, now, left)
            shown.update(task, completed=done, description=f"{course.left()}, {now}")

        yield tell


def stage(tell: Tell, before: float, size: float, now: str) -> Callable[[float], None]:
    """Counts the work of one stage, never beyond its size, which was only a guess."""
    done = 0.0

    def more(amount: float) -> None:
        nonlocal done
        done = min(done + amount, size)
        tell(before + done, now)

    return more


def speak(course: Course, ended: Any) -> None:
    """A line every so often, until the work has ended."""
    while not ended.wait(EVERY):
        say(course.line())


def spelled(seconds: float) -> str:
    """A span of time as people say it."""
    return (
        f"{seconds:.0f} s"
        if seconds < 90
        else f"{seconds / 60:.0f} min"
        if seconds < 5400
        else f"{seconds / 3600:.1f} h"
    )


def counted(things: Sized, one: str, many: str) -> str:
    """How many there are, in words."""
    return f"{len(things)} {one if len(things) == 1 else many}"


def say(text: str) -> None:
    """A line for the person who waits; results go to standard output, talk does not."""
    print(text, file=sys.stderr, flush=True)
