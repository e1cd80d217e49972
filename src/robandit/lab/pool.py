"""Jobs on a thread pool that can be stopped: what compiled loops run on, which hold no interpreter lock."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

LISTEN = 0.1  # seconds from one look at the jobs to the next

Result = TypeVar("Result")


def run_jobs(
    jobs: Sequence[Callable[[], Result]], workers: int, stop: NDArray[np.int64], watch: Callable[[], None]
) -> list[Result]:
    """The results of all jobs, in their order.

    Args:
        jobs: functions that look at `stop` now and then, and end early if it is not 0.
        workers: how many run at once.
        stop: one number, set where a job raises or Ctrl-C comes.
        watch: called now and then meanwhile, and once at the end.
    """
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(job) for job in jobs]
        try:
            waiting = set(futures)
            while waiting:
                done, waiting = wait(waiting, timeout=LISTEN, return_when=FIRST_EXCEPTION)
                for future in done:
                    future.result()  # raises what a worker met, at once
                watch()
            return [future.result() for future in futures]
        except BaseException:
            stop[0] = 1
            pool.shutdown(wait=True, cancel_futures=True)
            raise
