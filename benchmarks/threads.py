"""What threads gain: wall time of the same play on one thread and on all cores, interleaved."""

import os
import statistics
import sys
import time

import robandit as rb
from robandit.environments.means import spread_means


def measure_wall(threads: int) -> float:
    """Play once; returns the wall time."""
    start = time.perf_counter()
    rb.simulate(rb.Samba(), rb.Bernoulli(spread_means(9)), horizon=2_000_000, runs=16, threads=threads, checkpoints=10)
    return time.perf_counter() - start


def main() -> bool:
    """Print the gain; it depends on what else the machine does, so only a loss returns False."""
    cores = os.cpu_count() or 1
    measure_wall(cores)
    one, all_cores = ([], [])
    for _ in range(5):
        one.append(measure_wall(1))
        all_cores.append(measure_wall(cores))
    gain = statistics.median(one) / statistics.median(all_cores)
    print(f"\n{'wall time on 1 thread against ' + str(cores):40} {'':8} {gain:8.2f}   >= 1 of {cores} possible")
    return cores == 1 or gain >= 1.0


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
