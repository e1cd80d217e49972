"""The time table: CPU time of one run of each algorithm, all in turn, as ratios to SAMBA."""

import statistics
import time
from typing import Any

from robandit.catalogue import policy
from robandit.environments.bernoulli import Bernoulli
from robandit.environments.means import spread_means
from robandit.lab.table import set_table

PAPER_SECONDS = {
    "samba": 2.2594,
    "fast-slow-aae": 1.2942,
    "barbar:scale=1": 0.7401,
    "cbarbar:scale=1": 0.7823,
    "ftrl-hybrid": 1733.3,
    "tsallis-inf-iw": None,
    "ftpl": None,
}


def time_table(repeats: int = 7) -> dict[str, dict[str, Any]]:
    """Median seconds of one run (K = 9, T = 100,000), one thread; the paper's beside them."""
    spent: dict[str, list[float]] = {name: [] for name in PAPER_SECONDS}
    for repeat in range(repeats + 1):
        for name, seconds in spent.items():
            table = set_table(policy(name), Bernoulli(spread_means(9)), None, 100_000, 1, repeat, 1)
            begun = time.thread_time()
            table.play_compiled(slice(0, 1))
            if repeat:  # the first one may compile
                seconds.append(time.thread_time() - begun)
    medians = {name: statistics.median(seconds) for name, seconds in spent.items()}
    return {
        name: {
            "seconds": medians[name],
            "ratio": medians[name] / medians["samba"],
            "paper_seconds": paper,
            "paper_ratio": paper / 2.2594 if paper else None,
        }
        for name, paper in PAPER_SECONDS.items()
    }
