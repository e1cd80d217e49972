"""A bar for long work: on a terminal, and never in a pipe."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from robandit.cli.flags import on_terminal


@contextmanager
def bar(total: float, words: str) -> Iterator[Callable[[float, str], None]]:
    """Yields a function that is told how much more is done, and what is being done now."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not on_terminal()) as shown:
        task = shown.add_task(words, total=total)

        def tell(more: float, now: str) -> None:
            shown.update(task, advance=more, description=now)

        yield tell
