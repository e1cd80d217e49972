"""How benchmarks measure: CPU time, candidates interleaved in one run, medians; ratios travel, seconds do not."""

import statistics
import time
from collections.abc import Callable


def time_interleaved(candidates: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Returns the median CPU seconds of each candidate, all called in turn `repeats` times after one warm-up."""
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for repeat in range(repeats + 1):
        for name, call in candidates.items():
            start = time.process_time()
            call()
            if repeat:
                seconds[name].append(time.process_time() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}
