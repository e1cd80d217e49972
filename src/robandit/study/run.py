"""Running the cells of a study that are not stored: on a thread pool or on a Dask cluster."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

from robandit.catalogue import SHIPPED, Catalogue
from robandit.executor import Executor, Threads, check_same_code, open_executor
from robandit.store.cells import ResultStore
from robandit.study.cell import Cell, play_cell
from robandit.study.results import Results

Finished = Callable[[str, Cell, dict[str, Any]], None]  # called with each finished cell, its key and what it cost


def run_cells(
    results: Results, todo: dict[str, Cell], workers: int, scheduler: str | None, finished: Finished
) -> list[str]:
    """Play some cells of a study and store them; returns the keys of those that failed.

    Args:
        results: where they are stored.
        todo: the cells by key.
        workers: how many threads of this machine play.
        scheduler: the address of a Dask scheduler whose workers play instead.
        finished: called with each finished cell.
    """
    study = results.study
    with open_executor(workers, scheduler if todo else None) as executor:
        return play_cells(executor, todo, results.store, finished, study.catalogue, list(map(str, study.load)))


def play_cells(
    executor: Executor,
    todo: dict[str, Cell],
    store: ResultStore,
    finished: Finished,
    catalogue: Catalogue = SHIPPED,
    load: list[str] | None = None,
) -> list[str]:
    """Play cells, one at a time on each thread or worker; returns the keys of those that failed.

    A result is stored the moment it is there: Ctrl-C or a kill loses the cells in flight and no others.
    """

    def play_here(key: str, cell: Cell) -> dict[str, Any]:
        assert isinstance(executor, Threads)
        executor.check()
        store.begin(key)
        content, cost = play_cell(cell, 1, executor.check, catalogue)
        store.save(key, content, cost)
        return cost

    failed: list[str] = []
    try:
        if executor.remote:
            for key in todo:
                store.begin(key)
            sent = {key: (asdict(cell), load or [], key) for key, cell in todo.items()}
            with executor.running(play_there, sent) as answers:
                for key, answer in answers:
                    if not take(partial(store_answer, answer, key, store), key, todo[key], store, finished):
                        failed.append(key)
        else:
            with executor.running(play_here, {key: (key, cell) for key, cell in todo.items()}) as answers:
                failed += [key for key, cost in answers if not take(cost, key, todo[key], store, finished)]
    finally:
        for key in todo:
            store.beside(key, "flight").unlink(missing_ok=True)
    return failed


def take(cost: Callable[[], dict[str, Any]], key: str, cell: Cell, store: ResultStore, finished: Finished) -> bool:
    """Report a finished cell, or store its error; returns whether it was played."""
    try:
        spent = cost()
    except Exception as error:
        store.fail(key, f"{type(error).__name__}: {error}")
        return False
    finished(key, cell, spent)
    return True


def play_there(values: dict[str, Any], load: list[str], key: str) -> tuple[bytes, dict[str, Any]]:
    """Play a cell on a worker of a cluster; raises InputError if the worker runs other code than the client."""
    catalogue = SHIPPED.with_files(load)
    cell = Cell(**{**values, "means": tuple(values["means"])})
    check_same_code(cell.key(catalogue), key)
    return play_cell(cell, 1, catalogue=catalogue)


def store_answer(answer: Callable[[], Any], key: str, store: ResultStore) -> dict[str, Any]:
    """Store what a worker sent; returns what it cost, or raises the error the worker met."""
    content, cost = answer()
    store.save(key, content, cost)
    return dict(cost)
