"""Where much work is done: on threads of this machine, or on the workers of a Dask cluster."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from platform import node
from typing import Any

from robandit.errors import InputError
from robandit.version import __version__

ANSWER = 10  # seconds a scheduler is waited for
RETRIES = 5  # of a job whose worker died
LISTEN = 0.5  # seconds from one look at the threads to the next, so that Ctrl-C is heard

Finished = Iterator[tuple[str, Callable[[], Any]]]


class Stopped(Exception):
    """The work was stopped: a job notices and ends early."""


class Executor(ABC):
    """Does independent jobs, each one call of a function with plain values; `remote` if another process does them."""

    remote: bool

    @abstractmethod
    def running(
        self, function: Callable[..., Any], jobs: Mapping[str, tuple[Any, ...]]
    ) -> AbstractContextManager[Finished]:
        """Start all jobs and stop them where the block is left by an error.

        Args:
            function: what does a job; for a cluster, one that a module holds.
            jobs: the arguments of each call, by a key that says what is computed and by which code.

        Returns:
            The jobs as they finish: each key with a function that returns the result, or raises what the job met.
        """


class Threads(Executor):
    """Threads of this process."""

    remote = False

    def __init__(self, workers: int) -> None:
        self.workers, self.stopping = workers, threading.Event()

    def check(self, _: float = 0.0) -> None:
        """Raise Stopped once the work is to end; a job calls it now and then, as the progress of what it does."""
        if self.stopping.is_set():
            raise Stopped

    @contextmanager
    def running(self, function: Callable[..., Any], jobs: Mapping[str, tuple[Any, ...]]) -> Iterator[Finished]:
        with ThreadPoolExecutor(self.workers) as pool:
            futures = {pool.submit(function, *arguments): key for key, arguments in jobs.items()}
            try:
                yield ((futures[future], future.result) for future in as_they_finish(set(futures)))
            except BaseException:
                self.stopping.set()
                pool.shutdown(wait=True, cancel_futures=True)
                raise


class Cluster(Executor):
    """The workers of a Dask cluster: one that dies is replaced by another, the results are the same."""

    remote = True

    def __init__(self, client: Any) -> None:
        self.client = client

    @contextmanager
    def running(self, function: Callable[..., Any], jobs: Mapping[str, tuple[Any, ...]]) -> Iterator[Finished]:
        from distributed import as_completed

        name = function.__name__.replace("_", "-")
        futures = {
            self.client.submit(function, *arguments, key=f"robandit-{name}-{key}", retries=RETRIES): key
            for key, arguments in jobs.items()
        }

        def finished() -> Finished:
            for future in as_completed(futures):
                yield futures[future], future.result
                future.release()

        try:
            yield finished()
        except BaseException:
            self.client.cancel(list(futures))
            raise


@contextmanager
def open_executor(workers: int, scheduler: str | None = None) -> Iterator[Executor]:
    """Threads of this machine, or the cluster of a scheduler; raises InputError where none answers."""
    if scheduler is None:
        yield Threads(workers)
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise InputError("a scheduler needs the extra robandit[cluster], which is not installed") from error
    try:
        client = Client(scheduler, timeout=ANSWER)
    except (OSError, ValueError) as error:
        raise InputError(f"no Dask scheduler answers at {scheduler!r}") from error
    with client:
        yield Cluster(client)


def as_they_finish(waiting: set[Future[Any]]) -> Iterator[Future[Any]]:
    """Futures as they finish; waits in short steps so that Ctrl-C is heard."""
    while waiting:
        done, waiting = wait(waiting, timeout=LISTEN, return_when=FIRST_COMPLETED)
        yield from done


def check_same_code(own: str, key: str) -> None:
    """Raise InputError on a worker whose code files a result under another key than the client's."""
    if own != key:
        raise InputError(
            f"a worker on {node()} runs other code than the client: with robandit {__version__} it would file this as "
            f"{own[:8]}, not {key[:8]}; restart the workers with the client's version and files"
        )
