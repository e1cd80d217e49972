"""Running the cells of a study that are not stored: on a thread pool or on a Dask cluster."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict
from functools import partial
from pathlib import Path
from platform import node
from typing import Any

from robandit.catalogue import SHIPPED, Catalogue
from robandit.errors import InputError
from robandit.store.cells import ResultStore
from robandit.study.cell import Cell, play_cell
from robandit.study.results import Results
from robandit.version import __version__

Finished = Callable[[str, Cell, dict[str, Any]], None]  # called with each finished cell, its key and what it cost
ANSWER = 10  # seconds a scheduler is waited for


class Stopped(Exception):
    """The user asked to stop."""


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
    study, store = results.study, results.store
    if scheduler and todo:
        return run_on_cluster(todo, store, scheduler, list(study.load), finished)
    return run_here(todo, store, workers, finished, study.catalogue)


def run_here(
    todo: dict[str, Cell], store: ResultStore, workers: int, finished: Finished, catalogue: Catalogue = SHIPPED
) -> list[str]:
    """Play cells on this machine, one thread per cell; returns the keys of those that failed.

    A result is stored the moment it is there: Ctrl-C or a kill loses the cells in flight and no others.
    """
    stop = threading.Event()

    def check(_: float) -> None:
        if stop.is_set():
            raise Stopped

    def play(key: str, cell: Cell) -> dict[str, Any]:
        check(0.0)
        store.begin(key)
        content, cost = play_cell(cell, 1, check, catalogue)
        store.save(key, content, cost)
        return cost

    failed: list[str] = []
    with ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(play, key, cell): key for key, cell in todo.items()}
        try:
            for future in as_they_finish(futures):
                key = futures[future]
                if not take(future.result, key, todo[key], store, finished):
                    failed.append(key)
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            for key in todo:
                store.beside(key, "flight").unlink(missing_ok=True)
            raise
    return failed


def as_they_finish(futures: dict[Future[Any], str]) -> Iterator[Future[Any]]:
    """Futures as they finish; waits in short steps so that Ctrl-C is heard."""
    waiting = set(futures)
    while waiting:
        done, waiting = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
        yield from done


def take(outcome: Callable[[], dict[str, Any]], key: str, cell: Cell, store: ResultStore, finished: Finished) -> bool:
    """Report a finished cell, or store its error; returns whether it was played."""
    try:
        cost = outcome()
    except Exception as error:
        store.fail(key, f"{type(error).__name__}: {error}")
        return False
    finished(key, cell, cost)
    return True


def play_there(values: dict[str, Any], load: list[str], key: str) -> tuple[bytes, dict[str, Any]]:
    """Play a cell on a worker of a cluster; raises InputError if the worker runs other code than the client."""
    catalogue = SHIPPED
    for path in load:
        catalogue = catalogue.with_file(path)
    cell = Cell(**{**values, "means": tuple(values["means"])})
    own = cell.key(catalogue)
    if own != key:
        raise InputError(
            f"a worker on {node()} runs other code than the client: with robandit {__version__} it would file this as "
            f"{own[:8]}, not {key[:8]}; restart the workers with the client's version and files"
        )
    return play_cell(cell, 1, catalogue=catalogue)


def run_on_cluster(
    todo: dict[str, Cell], store: ResultStore, address: str, load: list[Path], finished: Finished
) -> list[str]:
    """Play cells on a Dask cluster; a worker that dies is replaced by another, the bits are the same."""
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise InputError("a scheduler needs the extra robandit[cluster], which is not installed") from error
    try:
        client = Client(address, timeout=ANSWER)
    except (OSError, ValueError) as error:
        raise InputError(f"no Dask scheduler answers at {address!r}") from error
    failed: list[str] = []
    with client:
        futures = {}
        for key, cell in todo.items():
            store.begin(key)
            files = [str(path) for path in load]
            sent = client.submit(play_there, asdict(cell), files, key, key=f"robandit-{key}", retries=5)
            futures[sent] = key
        try:
            for future in as_completed(futures):
                key = futures[future]
                if not take(partial(store_answer, future, key, store), key, todo[key], store, finished):
                    failed.append(key)
                future.release()
        except BaseException:
            client.cancel(list(futures))
            raise
        finally:
            for key in todo:
                store.beside(key, "flight").unlink(missing_ok=True)
    return failed


def store_answer(future: Any, key: str, store: ResultStore) -> dict[str, Any]:
    """Store what a worker sent; returns what it cost, or raises the error the worker met."""
    content, cost = future.result()
    store.save(key, content, cost)
    return dict(cost)
