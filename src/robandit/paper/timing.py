"""The time table: CPU time of one run of each algorithm, all in turn, as ratios to SAMBA.

One run of SAMBA takes 2 ms. Set up once per run, or beside a busy neighbour on the same core, it takes up to
twice as long, while a solver that waits for roots and divisions hardly notices: ratios of medians came out
between 8 and 18. So a sample is many runs, and the fastest of many samples counts, which repeats within 3 %.
"""

import time
from typing import Any

from robandit.environments.means import spread_means
from robandit.lab.runner import prepare
from robandit.lab.scenario import Scenario
from robandit.paper.published import SECONDS

HORIZON, SAMPLE = 100_000, 0.03  # seconds of CPU time a sample lasts, or one run if that is longer
ALSO = ("tsallis-inf-iw", "ftpl")  # which the paper does not time


def time_table(quick: bool = False) -> dict[str, dict[str, Any]]:
    """Least CPU seconds of one run (K = 9, T = 100,000), one thread; their ratio to SAMBA's, over all and by repeat."""
    names, repeats = (list(SECONDS), 5) if quick else ([*SECONDS, *ALSO], 15)
    runs = {}
    for name in names:
        seconds_of(name, 1, 0)  # may compile
        runs[name] = max(1, round(SAMPLE / seconds_of(name, 1, 0)))
    spent: dict[str, list[float]] = {name: [] for name in names}
    for repeat in range(repeats):
        for name, seconds in spent.items():  # in turn, so that a slow moment of the machine meets all
            seconds.append(seconds_of(name, runs[name], repeat))
    rows = {}
    for name, seconds in spent.items():
        ratios = [mine / samba for mine, samba in zip(seconds, spent["samba"], strict=True)]
        paper = SECONDS.get(name)
        rows[name] = {
            "seconds": min(seconds),
            "ratio": min(seconds) / min(spent["samba"]),
            "ratios": ratios,
            "paper_seconds": paper,
            "paper_ratio": paper / SECONDS["samba"] if paper else None,
        }
    return rows


def seconds_of(name: str, runs: int, seed: int) -> float:
    """CPU seconds per run."""
    runner = prepare(Scenario(name, spread_means(9), horizon=HORIZON, runs=runs, seed=seed), checkpoints=1)
    begun = time.thread_time()
    runner.play_compiled(slice(0, runs), "full")
    return (time.thread_time() - begun) / runs
