"""`robandit study run | status | report`: run a spec, show how far it is, report what is stored."""

import argparse
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from robandit.cli.flags import json_flags, naming_scheduler, print_json, study_flags
from robandit.cli.progress import progress, say
from robandit.errors import InputError

if TYPE_CHECKING:  # `robandit --help` does not wait for NumPy
    from robandit.study.cell import Cell
    from robandit.study.results import Results
    from robandit.study.run import Finished

MOST_SHOWN = 60  # cells of a study that are printed; the report has them all


def add(commands: Any) -> None:
    """The command and its flags."""
    parser = commands.add_parser(
        "study",
        parents=[study_flags(), json_flags()],
        help="your own question: run a spec, show how far it is, report",
        description="Run a study from a TOML spec, show how far it is, or report what is stored.",
    )
    parser.add_argument("action", choices=("run", "status", "report"), help="run SPEC.toml, status DIR, report DIR")
    parser.add_argument("target", help="the spec to run, or the folder of a study")
    parser.set_defaults(run=study)


def study(arguments: argparse.Namespace) -> None:
    """Run, show or report a study."""
    from robandit.study.ask import open_study, read_results
    from robandit.study.report import write_report

    if arguments.action == "status":
        show_status(read_results(arguments.target).results, arguments.json)
        return
    failed: list[str] = []
    if arguments.action == "run":
        check_threads(arguments)
        results = open_study(arguments.target, arguments.out)
        failed = run_watched(results, arguments)
    else:
        results = read_results(arguments.target).results
    show_summaries(results)
    print(f"report: {write_report(results)}")
    check_failed(failed, results)


def show_summaries(results: "Results") -> None:
    """Print the regret of every cell, where a terminal has room for all of them."""
    from robandit.report.terminal import show
    from robandit.study.tables import brief_table

    if results.count()[0] <= MOST_SHOWN:
        tables = [brief_table(results, grid) for grid in results.study.grids]
        show(*(table for table in tables if table.rows))


def check_threads(arguments: argparse.Namespace) -> None:
    """Raise InputError for a number of threads below 1."""
    if arguments.threads is not None and arguments.threads < 1:
        raise InputError(f"--threads must be at least 1, not {arguments.threads}")


def check_failed(failed: list[str], results: "Results") -> None:
    """Raise InputError if cells failed."""
    if failed:
        raise InputError(f"{len(failed)} cells failed; `robandit study status {results.store.folder}` says why")


def run_watched(results: "Results", arguments: argparse.Namespace) -> list[str]:
    """Run the cells that are not stored, with a line or a bar of progress; returns the keys of those that failed."""
    from robandit.study.run import run_cells

    workers = arguments.threads or os.cpu_count() or 1
    store, todo, total = results.store, results.missing(), len(results.study.cells())
    opening = f"{results.study.name}: {total} cells, {total - len(todo)} stored, {len(todo)} to play"
    with watched(todo, workers, opening) as finished, naming_scheduler(arguments):
        failed = run_cells(results, todo, workers, arguments.scheduler, finished)
    if todo and not arguments.scheduler:
        from robandit.lab.compile.kernel import built

        compiled, cached = built()
        say(f"kernels: {compiled} compiled, {cached} from the cache")
    if store.damaged():
        say(f"{len(store.damaged())} damaged files were moved to {store.folder / 'quarantine'} and played again")
    return failed


@contextmanager
def watched(todo: "dict[str, Cell]", workers: int, opening: str) -> "Iterator[Finished]":
    """Progress with the time left, from the speeds of the policies played so far."""
    from robandit.study.clock import Clock

    clock = Clock(todo, workers)
    with progress(len(todo), opening) as report:

        def finished(key: str, cell: "Cell", cost: dict[str, Any]) -> None:
            clock.record(key, cell, cost)
            report(len(todo) - len(clock.left), f"last {cell.policy}", clock.seconds_left())

        yield finished


def show_status(results: "Results", as_json: bool) -> None:
    """Print which cells are done, running or failed, and how many files were damaged."""
    study, store = results.study, results.store
    states = {cell: store.state(key) for cell, key in study.keys.items()}
    rows = []
    for grid in study.grids:
        rows.append({"grid": grid.id, "cells": len(grid.cells), **Counter(states[cell] for cell in grid.cells)})
    failures = {
        study.keys[cell]: (store.note(study.keys[cell], "failed") or {}).get("error")
        for cell, state in states.items()
        if state == "failed"
    }
    damaged = len(store.damaged())
    if as_json:
        total = dict(Counter(states.values()))
        print_json({"study": study.name, "total": total, "grids": rows, "failed": failures, "damaged": damaged})
        return
    from robandit.report.terminal import show
    from robandit.study.status_table import status_table

    show(status_table(study.name, rows))
    show(*(f"failed {study.cells()[key].policy}: {error}" for key, error in failures.items()))
    if damaged:
        show(f"{damaged} damaged files in {store.folder / 'quarantine'}")
