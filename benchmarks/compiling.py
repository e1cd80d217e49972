"""Compiling and starting, in processes of their own, as ratios to what numba takes for one fixed function."""

import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

REFERENCE = """
import numba, math, numpy as np
@numba.njit
def fixed(values, rounds):
    total = 0.0
    for t in range(rounds):
        for place in range(len(values)):
            if values[place] > 0.5:
                total += math.sqrt(values[place]) / (1.0 + t)
            else:
                total -= math.log(1.0 + values[place]) * t
        values[t % len(values)] = total % 1.0
    return total
fixed(np.linspace(0.0, 1.0, 9), 10)
"""
NINE = """
import robandit as rb
for policy in ("samba", "ucb1", "exp3"):
    for adversary in (None, rb.attack("flip", budget=5), rb.attack("invert", schedule="leading", budget=5)):
        trace = rb.simulate(rb.policy(policy), rb.Bernoulli([0.1, 0.9]), adversary, horizon={horizon}, runs=1)
        assert trace.road == "linked"
"""
PAIR = """
import robandit as rb
rb.simulate(rb.policy("{policy}"), rb.Bernoulli([0.1, 0.9]), rb.attack("{attack}", budget=5), horizon=10**6, runs=1)
from robandit.lab.compile.kernel import built
assert built() == ({compiled}, {found})
"""
PLAY = ["-m", "robandit", "play", "--policy", "samba", "--runs", "10", "--horizon", "10000", "--json"]


def measure_cpu(words: list[str], cache: str) -> float:
    """Run a process of its own; returns its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    env = os.environ | {"ROBANDIT_CACHE": cache}
    subprocess.run([sys.executable, *words], env=env, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_memory(horizon: str, cache: str) -> float:
    """Returns the largest resident size of one play."""
    code = "import sys; from robandit.cli.main import main; main(sys.argv[1:]); "
    code += "print(open('/proc/self/status').read())"  # getrusage would count the memory of this process too
    words = [sys.executable, "-c", code, "play", "--runs", "2", "--horizon", horizon]
    process = subprocess.run(
        words, env=os.environ | {"ROBANDIT_CACHE": cache}, capture_output=True, text=True, check=True
    )
    return int(re.findall(r"VmHWM:\s+(\d+)", process.stdout)[0]) / 1024


def measure_nine(horizon: int) -> float:
    """Returns the CPU seconds of three policies against three adversaries, with an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        return measure_cpu(["-c", NINE.format(horizon=horizon)], cache)


def measure_known_parts() -> float:
    """Returns the CPU seconds of a policy and an adversary, both compiled before, but never with each other."""
    with tempfile.TemporaryDirectory() as cache:
        measure_cpu(["-c", PAIR.format(policy="samba", attack="sink-shown", compiled=1, found=0)], cache)
        measure_cpu(["-c", PAIR.format(policy="ucb1", attack="promote", compiled=1, found=0)], cache)
        return measure_cpu(["-c", PAIR.format(policy="ucb1", attack="sink-shown", compiled=1, found=0)], cache)


def main() -> bool:
    """Print each figure beside its limit; returns whether all hold."""
    with tempfile.TemporaryDirectory() as cache:
        measure_cpu(PLAY, cache)
        candidates = {  # and the most each may be, in units of the reference
            "nine combinations, nothing known": (lambda: measure_nine(10**6), 5.0),
            "the same, too short to be optimised": (lambda: measure_nine(10), 4.5),
            "a new combination of known parts": (measure_known_parts, 0.7),
            "warm robandit play --json": (lambda: measure_cpu(PLAY, cache), 0.5),
            "robandit --help": (lambda: measure_cpu(["-m", "robandit", "--help"], cache), 0.12),
        }
        times: dict[str, list[float]] = {name: [] for name in ("reference", *candidates)}
        for _ in range(3):
            times["reference"].append(measure_cpu(["-c", REFERENCE], cache))
            for name, (call, _) in candidates.items():
                times[name].append(call())
        memory = {horizon: measure_memory(horizon, cache) for horizon in ("1e5", "1e8")}
    reference = statistics.median(times["reference"])
    print(f"\n{'CPU seconds in a process of its own':40} {'median':>8} {'ratio':>8}   limit")
    print(f"{'one fixed function, numba alone':40} {reference:8.2f} {1:8.2f}")
    holds = True
    for name, (_, limit) in candidates.items():
        seconds = statistics.median(times[name])
        holds &= seconds <= limit * reference
        print(f"{name:40} {seconds:8.2f} {seconds / reference:8.2f}   <= {limit:g}")
    ratio = memory["1e8"] / memory["1e5"]
    print(f"{'peak memory at T = 1e8 against 1e5':40} {memory['1e8']:6.0f}MB {ratio:8.2f}   <= 1.1")
    return holds and ratio <= 1.1


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
