"""How far long work is: a bar on a terminal; in a pipe a line now and then, on standard error."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from robandit.extras import has_extra
from robandit.progress import Progress, part_of

EVERY = 30.0  # seconds from one line in a pipe to the next

Report = Callable[..., None]  # takes how much is done, what is being done, and the seconds left where they are known
Result = TypeVar("Result")


@dataclass(frozen=True)
class Task(Generic[Result]):
    """A part of long work: what it is called, how large it is beside the others, and how it is done."""

    label: str
    size: float
    run: Callable[[Progress], Result]


class Course:
    """What was reported last, and what that says about the end."""

    def __init__(self, total: float) -> None:
        self.total, self.done, self.now, self.begun = max(total, 1e-9), 0.0, "", time.monotonic()
        self.expected: float | None = None

    def report(self, done: float, now: str, left: float | None = None) -> None:
        """Take note of how far the work is."""
        self.done, self.now, self.expected = done, now, left

    def left(self) -> str:
        """The time left in words: as expected by the work itself, or at the speed so far."""
        share = min(self.done / self.total, 1.0)
        if self.expected is None and share == 0.0:
            return "time left unknown"
        seconds = (time.monotonic() - self.begun) * (1.0 / share - 1.0) if self.expected is None else self.expected
        return f"about {in_words(seconds)} left"

    def line(self) -> str:
        """One line for a log."""
        share = min(100.0 * self.done / self.total, 100.0)
        return f"{in_words(time.monotonic() - self.begun)}: {share:.0f} % done, {self.left()} ({self.now})"


@contextmanager
def progress(total: float, opening: str = "") -> Iterator[Report]:
    """Yield a function to report progress to; in a pipe nothing is printed unless there is an opening line."""
    course = Course(total)
    if opening:
        say(opening)
    if sys.stderr.isatty() and has_extra("rich"):
        with bar(course) as report:
            yield report
        return
    if not opening:
        yield course.report
        return
    import threading

    ended = threading.Event()
    threading.Thread(target=speak, args=(course, ended), daemon=True).start()
    try:
        yield course.report
    finally:
        ended.set()


@contextmanager
def bar(course: Course) -> Iterator[Report]:
    """The same for a person at a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(bar_width=24), TaskProgressColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Bar(*columns, console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task("", total=course.total)

        def report(done: float, now: str, left: float | None = None) -> None:
            course.report(done, now, left)
            drawn.update(task, completed=done, description=f"{course.left()}, {now}")

        yield report


def run_tasks(
    tasks: Sequence[Task[Result]], opening: str = "", keep_finished: bool = False
) -> tuple[list[Result], bool]:
    """Do one task after another; returns their results, and whether Ctrl-C ended them.

    Ctrl-C is raised again unless `keep_finished` and there is a result.
    """
    total, results, done = sum(task.size for task in tasks), list[Result](), 0.0
    with progress(total, opening) as report:
        try:
            for task in tasks:

                def tell(amount: float, label: str = task.label) -> None:
                    report(amount, label)

                tell(done)
                results.append(task.run(part_of(tell, done, done + task.size)))
                done += task.size
        except KeyboardInterrupt:
            if not (keep_finished and results):
                raise
            return results, True
    return results, False


def speak(course: Course, ended: Any) -> None:
    """Print a line every so often, until the work has ended."""
    while not ended.wait(EVERY):
        say(course.line())


def in_words(seconds: float) -> str:
    """A span of time as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def count(things: Sized, one: str, many: str) -> str:
    """How many there are, in words."""
    return f"{len(things)} {one if len(things) == 1 else many}"


def say(text: str) -> None:
    """Print a line for the person who waits; results go to standard output, talk does not."""
    print(text, file=sys.stderr, flush=True)
