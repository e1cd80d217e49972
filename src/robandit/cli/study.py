"""`robandit study run | status | report`: anyone's own question."""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from robandit.cli.flags import on_terminal
from robandit.errors import InputError
from robandit.store.cells import Store
from robandit.store.files import write_atomically
from robandit.study.cell import Cell
from robandit.study.clock import Clock
from robandit.study.run import Seen, missing, run_here, run_on_cluster
from robandit.study.spec import Study, read_study

SPEC = "spec.toml"


def study(arguments: argparse.Namespace) -> None:
    """Run, show or report a study."""
    if arguments.action == "run":
        spec = Path(arguments.target)
        checked = read_study(spec)
        folder = Path(arguments.out or Path("out") / checked.name)
        failed = run_study(checked, spec, folder, arguments.threads, arguments.scheduler)
        from robandit.study.report import write_report

        page = write_report(checked, Store(folder), folder)
        print(f"report: {page}")
        if failed:
            raise InputError(f"{len(failed)} cells failed; `robandit study status {folder}` says why")
        return
    folder = Path(arguments.target)
    checked = read_study(spec_in(folder))
    if arguments.action == "status":
        show_status(checked, Store(folder), arguments.json)
    else:
        from robandit.study.report import write_report

        print(f"report: {write_report(checked, Store(folder), folder)}")


def spec_in(folder: Path) -> Path:
    """The spec a study's folder was made from."""
    if not (folder / SPEC).is_file():
        raise InputError(f"{str(folder)!r} is not the folder of a study: it has no {SPEC}")
    return folder / SPEC


def run_study(checked: Study, spec: Path, folder: Path, threads: int | None, scheduler: str | None) -> list[str]:
    """Play what is missing; says what it does, and keeps every finished cell."""
    workers = os.cpu_count() or 1 if threads is None else threads
    if workers < 1:
        raise InputError(f"--threads must be at least 1, not {workers}")
    store, cells = Store(folder), checked.cells()
    if spec.resolve() != (folder / SPEC).resolve():
        write_atomically(folder / SPEC, spec.read_bytes())
    todo = missing(cells, store)
    say(f"{checked.name}: {len(cells)} cells, {len(cells) - len(todo)} stored, {len(todo)} to play")
    with progress(todo, workers) as seen:
        if scheduler and todo:
            load = [(spec.parent / file).resolve() for file in checked.load]
            failed = run_on_cluster(todo, store, scheduler, load, seen)
        else:
            failed = run_here(todo, store, workers, seen)
    if todo and not scheduler:
        from robandit.lab.compile.kernel import built

        compiled, found = built()
        say(f"kernels: {compiled} compiled, {found} from the cache")
    if store.damaged():
        say(f"{len(store.damaged())} damaged files were moved to {folder / 'quarantine'} and played again")
    return failed


def say(text: str) -> None:
    """A line for the person at the terminal; results go to standard output, talk does not."""
    print(text, file=sys.stderr)


@contextmanager
def progress(todo: dict[str, Cell], workers: int) -> Iterator[Seen]:
    """A bar with an honest time left on a terminal, nothing in a pipe."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    clock = Clock(todo, workers)
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not on_terminal()) as bar:
        task = bar.add_task("", total=len(todo))

        def seen(key: str, cell: Cell, spent: dict[str, Any]) -> None:
            clock.saw(key, cell, spent)
            left = clock.seconds_left()
            told = f"{left / 60:.0f} min" if left > 90 else f"{left:.0f} s"
            bar.update(task, advance=1, description=f"about {told} left, last {cell.policy}")

        yield seen


def show_status(checked: Study, store: Store, as_json: bool) -> None:
    """What is done, running, failed; and what was found damaged."""
    states = {key: store.state(key) for key in checked.cells()}
    rows = []
    for grid in checked.grids:
        counts = Counter(states[cell.key()] for cell in grid.cells)
        rows.append({"grid": grid.id, "cells": len(grid.cells), **counts})
    failures = {
        key: (store.told(key, "failed") or {}).get("error") for key, state in states.items() if state == "failed"
    }
    if as_json:
        total = dict(Counter(states.values()))
        told = {"study": checked.name, "total": total, "grids": rows, "failed": failures}
        print(json.dumps({**told, "damaged": len(store.damaged())}, indent=2))
        return
    from rich.console import Console

    from robandit.cli.tables import status_table

    console = Console()
    console.print(status_table(checked.name, rows))
    for key, error in failures.items():
        console.print(f"failed {checked.cells()[key].policy}: {error}", highlight=False)
    if store.damaged():
        console.print(f"{len(store.damaged())} damaged files in {store.folder / 'quarantine'}", highlight=False)
