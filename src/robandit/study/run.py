"""Running a study: what is stored is skipped, the rest goes to a thread pool or to a Dask cluster."""

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
from robandit.store.cells import Store
from robandit.study.cell import Cell, play_cell
from robandit.version import __version__

Seen = Callable[[str, Cell, dict[str, Any]], None]  # told of each finished cell and what it cost
ANSWER = 10  # seconds a scheduler is waited for


class Stopped(Exception):
    """The user asked to stop."""


def missing(cells: dict[str, Cell], store: Store) -> dict[str, Cell]:
    """The cells without a whole result; what a killed run left half written is swept away first."""
    store.sweep()
    return {key: cell for key, cell in cells.items() if store.load(key) is None}


def run_here(
    todo: dict[str, Cell], store: Store, workers: int, seen: Seen, catalogue: Catalogue = SHIPPED
) -> list[str]:
    """Play cells on this machine, one thread a cell; answers the keys of those that failed.

    A result is stored the moment it is there: Ctrl-C or a kill loses the cells in flight and no others.
    """
    stop = threading.Event()

    def check(_: float) -> None:
        if stop.is_set():
            raise Stopped

    def one(key: str, cell: Cell) -> dict[str, Any]:
        check(0.0)
        store.begin(key)
        content, spent = play_cell(cell, 1, check, catalogue)
        store.save(key, content, spent)
        return spent

    failed: list[str] = []
    with ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(one, key, cell): key for key, cell in todo.items()}
        try:
            for future in finished(futures):
                key = futures[future]
                if not keep(future.result, key, todo[key], store, seen):
                    failed.append(key)
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            for key in todo:
                store.beside(key, "flight").unlink(missing_ok=True)
            raise
    return failed


def finished(futures: dict[Future[Any], str]) -> Iterator[Future[Any]]:
    """Futures as they finish; waits in short steps so that Ctrl-C is heard."""
    waiting = set(futures)
    while waiting:
        done, waiting = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
        yield from done


def keep(outcome: Callable[[], dict[str, Any]], key: str, cell: Cell, store: Store, seen: Seen) -> bool:
    """Tell of a finished cell, or keep its error and answer False."""
    try:
        spent = outcome()
    except Exception as error:
        store.fail(key, f"{type(error).__name__}: {error}")
        return False
    seen(key, cell, spent)
    return True


def play_there(told: dict[str, Any], load: list[str], key: str) -> tuple[bytes, dict[str, Any]]:
    """A cell on a worker of a cluster: plain values in, the stored file out, or a refusal if it runs other code."""
    catalogue = SHIPPED
    for path in load:
        catalogue = catalogue.with_file(path)
    cell = Cell(**{**told, "means": tuple(told["means"])})
    if cell.key(catalogue) != key:
        raise InputError(
            f"a worker on {node()} runs other code than the client: with robandit {__version__} it would file this as "
            f"{cell.key(catalogue)[:8]}, not {key[:8]}; restart the workers with the client's version and files"
        )
    return play_cell(cell, 1, catalogue=catalogue)


def run_on_cluster(todo: dict[str, Cell], store: Store, address: str, load: list[Path], seen: Seen) -> list[str]:
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
                if not keep(partial(stored, future, key, store), key, todo[key], store, seen):
                    failed.append(key)
                future.release()
        except BaseException:
            client.cancel(list(futures))
            raise
        finally:
            for key in todo:
                store.beside(key, "flight").unlink(missing_ok=True)
    return failed


def stored(future: Any, key: str, store: Store) -> dict[str, Any]:
    """Store what a worker sent; answers what it cost, or raises the error the worker met."""
    content, spent = future.result()
    store.save(key, content, spent)
    cost: dict[str, Any] = spent
    return cost
