"""Replications on a thread pool: the same bits for every number of threads and every chunk size."""

import math
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from robandit.errors import InputError
from robandit.game import Adversary, Environment, Policy
from robandit.lab.counts import ABOVE, play_counts, why_not_counts
from robandit.lab.preflight import check_user_parts
from robandit.lab.table import Table, set_table
from robandit.lab.trace import Trace

ENGINES = ("auto", "rounds", "counts")
Progress = Callable[[float], None]  # told the share of all rounds that is done


def simulate(
    policy: Policy[Any],
    environment: Environment[Any],
    adversary: Adversary[Any] | None = None,
    *,
    horizon: int,
    runs: int = 100,
    seed: int = 1,
    threads: int | None = None,
    checkpoints: Any = 200,
    engine: str = "auto",
    progress: Progress | None = None,
) -> Trace:
    """Play a policy against an environment and an adversary, `runs` times over `horizon` rounds.

    The numbers depend on the parts, the horizon, the checkpoints and the seed only, never on
    `threads`. `engine` is "rounds" (one round after another), "counts" (phased policies, exact in law
    whatever the horizon, not paired with other plays) or "auto": counts above 1e7 rounds where they apply.
    """
    workers = (os.cpu_count() or 1) if threads is None else threads
    if isinstance(workers, bool) or not isinstance(workers, int | np.integer) or workers < 1:
        raise InputError(f"threads must be a whole number of at least 1, not {threads!r}")
    table = set_table(policy, environment, adversary, horizon, runs, seed, checkpoints)
    engine = chosen_engine(engine, table)
    check_user_parts(table)
    spent = run_chunks(table, engine, list(chunks(runs, workers)), workers, progress)
    return Trace(
        table.checkpoints,
        table.regret,
        table.paid,
        table.pulls,
        table.changed,
        gaps=table.gaps,
        engine=engine,
        nanoseconds=1e9 * spent / (table.horizon * runs),
    )


def chosen_engine(wanted: str, table: Table) -> str:
    """The engine that will play."""
    if wanted not in ENGINES:
        raise InputError(f"engine must be one of {', '.join(ENGINES)}, not {wanted!r}")
    reason = why_not_counts(table.policy, table.environment, table.adversary, table.horizon)
    if wanted == "counts" and reason:
        raise InputError(f"engine counts cannot play this: {reason}")
    return "counts" if wanted == "counts" or (wanted == "auto" and not reason and table.horizon > ABOVE) else "rounds"


def chunks(runs: int, workers: int) -> Iterator[slice]:
    """Runs in slices: several for each worker, so that none waits long for the others."""
    size = max(1, math.ceil(runs / (8 * workers)))
    return (slice(first, min(first + size, runs)) for first in range(0, runs, size))


def run_chunks(table: Table, engine: str, slices: list[slice], workers: int, progress: Progress | None) -> float:
    """Play all chunks on a thread pool and answer the CPU time; Ctrl-C stops at the next checkpoint."""

    def one(runs: slice) -> float:
        begun = time.thread_time()
        if engine == "counts":
            for run in range(runs.start, runs.stop):
                play_counts(table, run)
        else:
            table.play_compiled(runs)
        spent = time.thread_time() - begun
        table.check_faults(runs)
        return spent

    if engine == "rounds":
        table.play_compiled(slice(0, 0))  # compiles, or loads from the cache, before the threads start
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(one, runs) for runs in slices]
        try:
            waiting = set(futures)
            while waiting:
                done, waiting = wait(waiting, timeout=0.1 if progress else None, return_when=FIRST_EXCEPTION)
                for future in done:
                    future.result()  # raises what a worker met, at once
                if progress:
                    progress(float(table.progress.sum()) / (table.horizon * len(table.progress)))
            return sum(future.result() for future in futures)
        except BaseException:
            table.stop[0] = 1
            pool.shutdown(wait=True, cancel_futures=True)
            raise
