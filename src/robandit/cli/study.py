"""`robandit study run | status | report`: anyone's own question."""

import argparse
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from robandit.cli.flags import json_flags, naming, print_json, study_flags
from robandit.cli.progress import progress, say
from robandit.errors import InputError

if TYPE_CHECKING:  # `robandit --help` does not wait for NumPy
    from pathlib import Path

    from robandit.store.cells import Store
    from robandit.study.cell import Cell
    from robandit.study.run import Seen
    from robandit.study.spec import Study

SPEC = "spec.toml"


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
    from pathlib import Path

    from robandit.store.cells import Store
    from robandit.study.report import write_report
    from robandit.study.spec import read_study

    if arguments.action == "run":
        spec = Path(arguments.target)
        checked = read_study(spec)
        folder = Path(arguments.out or Path("out") / checked.name)
        failed = run_study(checked, spec, folder, arguments.threads, arguments.scheduler)
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
        print(f"report: {write_report(checked, Store(folder), folder)}")


def spec_in(folder: "Path") -> "Path":
    """The spec a study's folder was made from."""
    if not (folder / SPEC).is_file():
        raise InputError(f"{str(folder)!r} is not the folder of a study: it has no {SPEC}")
    return folder / SPEC


def run_study(checked: "Study", spec: "Path", folder: "Path", threads: int | None, scheduler: str | None) -> list[str]:
    """Play what is missing; says what it does, and keeps every finished cell."""
    from robandit.store.cells import Store
    from robandit.store.files import write_atomically
    from robandit.study.run import missing, run_here, run_on_cluster

    workers = os.cpu_count() or 1 if threads is None else threads
    if workers < 1:
        raise InputError(f"--threads must be at least 1, not {workers}")
    store, cells = Store(folder), checked.cells()
    if spec.resolve() != (folder / SPEC).resolve():
        write_atomically(folder / SPEC, spec.read_bytes())
    todo = missing(cells, store)
    opening = f"{checked.name}: {len(cells)} cells, {len(cells) - len(todo)} stored, {len(todo)} to play"
    with watched(todo, workers, opening) as seen:
        if scheduler and todo:
            load = [(spec.parent / file).resolve() for file in checked.load]
            with naming("--scheduler"):
                failed = run_on_cluster(todo, store, scheduler, load, seen)
        else:
            failed = run_here(todo, store, workers, seen, checked.catalogue)
    if todo and not scheduler:
        from robandit.lab.compile.kernel import built

        compiled, found = built()
        say(f"kernels: {compiled} compiled, {found} from the cache")
    if store.damaged():
        say(f"{len(store.damaged())} damaged files were moved to {folder / 'quarantine'} and played again")
    return failed


@contextmanager
def watched(todo: "dict[str, Cell]", workers: int, opening: str) -> "Iterator[Seen]":
    """Progress with an honest time left, from the speeds of the policies played so far."""
    from robandit.study.clock import Clock

    clock = Clock(todo, workers)
    with progress(len(todo), opening) as tell:

        def seen(key: str, cell: "Cell", spent: dict[str, Any]) -> None:
            clock.saw(key, cell, spent)
            tell(len(todo) - len(clock.left), f"last {cell.policy}", clock.seconds_left())

        yield seen


def show_status(checked: "Study", store: "Store", as_json: bool) -> None:
    """What is done, running, failed; and what was found damaged."""
    states = {key: store.state(key) for key in checked.cells()}
    rows = []
    for grid in checked.grids:
        counts = Counter(states[cell.key(checked.catalogue)] for cell in grid.cells)
        rows.append({"grid": grid.id, "cells": len(grid.cells), **counts})
    failures = {
        key: (store.told(key, "failed") or {}).get("error") for key, state in states.items() if state == "failed"
    }
    if as_json:
        total = dict(Counter(states.values()))
        told = {"study": checked.name, "total": total, "grids": rows, "failed": failures}
        print_json({**told, "damaged": len(store.damaged())})
        return
    from robandit.report.terminal import show
    from robandit.study.status_table import status_table

    show(status_table(checked.name, rows))
    show(*(f"failed {checked.cells()[key].policy}: {error}" for key, error in failures.items()))
    if store.damaged():
        show(f"{len(store.damaged())} damaged files in {store.folder / 'quarantine'}")
