"""The time table: CPU time of one run of each algorithm, all in turn, as ratios to SAMBA.

A SAMBA run takes 2 ms, and setting it up as long again with cold caches: one run at a time the ratio to
anything slow came out as 8 or as 18. So a sample is many runs, as many as take about as long for everyone.
"""

import statistics
import time
from typing import Any

from robandit.catalogue import policy
from robandit.environments.bernoulli import Bernoulli
from robandit.environments.means import spread_means
from robandit.lab.table import set_table
from robandit.paper.published import SECONDS

HORIZON, SAMPLE = 100_000, 0.08  # seconds of CPU time a sample lasts, or one run if that is longer
ALSO = ("tsallis-inf-iw", "ftpl")


def time_table(repeats: int = 9) -> dict[str, dict[str, Any]]:
    """Median CPU seconds of one run (K = 9, T = 100,000), one thread, and the ratio to SAMBA in every repeat."""
    names = [*SECONDS, *ALSO]
    runs = {}
    for name in names:
        seconds_of(name, 1, 0)  # may compile
        runs[name] = max(1, round(SAMPLE / seconds_of(name, 1, 0)))
    spent: dict[str, list[float]] = {name: [] for name in names}
    for repeat in range(repeats):
        for name, seconds in spent.items():  # in turn, so that a slow moment of the machine meets all
            seconds.append(seconds_of(name, runs[name], repeat))
    told = {}
    for name, seconds in spent.items():
        ratios = [mine / samba for mine, samba in zip(seconds, spent["samba"], strict=True)]
        paper = SECONDS.get(name)
        told[name] = {
            "seconds": statistics.median(seconds),
            "ratio": statistics.median(ratios),
            "ratios": ratios,
            "paper_seconds": paper,
            "paper_ratio": paper / SECONDS["samba"] if paper else None,
        }
    return told


def seconds_of(name: str, runs: int, seed: int) -> float:
    """CPU time a run."""
    table = set_table(policy(name), Bernoulli(spread_means(9)), None, HORIZON, runs, seed, 1)
    begun = time.thread_time()
    table.play_compiled(slice(0, runs))
    return (time.thread_time() - begun) / runs
