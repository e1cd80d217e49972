"""How things are timed here: CPU time, candidates interleaved in one run, medians; ratios travel, seconds do not."""

import statistics
import time
from collections.abc import Callable


def interleaved(candidates: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """The median CPU seconds of each candidate, all of them called in turn `repeats` times after one warm-up."""
    spent: dict[str, list[float]] = {name: [] for name in candidates}
    for repeat in range(repeats + 1):
        for name, call in candidates.items():
            begun = time.process_time()
            call()
            if repeat:
                spent[name].append(time.process_time() - begun)
    return {name: statistics.median(values) for name, values in spent.items()}
