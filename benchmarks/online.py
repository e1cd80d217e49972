"""A learner's cost for one decision and its reward, plain Python at K=10, and a hundred thousand learners at once."""

import sys
import tempfile
import time
import tracemalloc

from timing import time_interleaved

import robandit as rb
from robandit.catalogue import shipped

ARMS = [f"arm {number}" for number in range(1, 11)]
LIMIT = 30.0  # microseconds for SAMBA
CONTEXT_LIMIT = 100.0  # for a decision of squarecb, 20 numbers and 10 arms
SMALL = 6  # kB for a learner
CALLS, MANY = 1000, 100_000
SLOWEST = {"kl-ucb", "ftpl", "ftrl-hybrid", "multi-layer-aae"}


def decide_and_learn(learner: rb.Learner, calls: int) -> None:
    """Decide and reward at once; every second reward is a success, for any arm."""
    for number in range(calls):
        learner.learn(learner.decide().id, float(number % 2))


def measure_policies() -> bool:
    """Print the table of all policies; returns whether SAMBA keeps its limit."""
    folder = tempfile.TemporaryDirectory()
    learners = {name: rb.Learner(name, ARMS, seed=1) for name in shipped("policy")}
    learners["samba, journal without sync"] = rb.Learner("samba", ARMS, journal=f"{folder.name}/j", sync=False)
    calls = {name: CALLS // (5 if name in SLOWEST else 1) for name in learners}
    times = time_interleaved(
        {name: lambda name=name: decide_and_learn(learners[name], calls[name]) for name in learners}, 5
    )
    micro = {name: 1e6 * seconds / calls[name] for name, seconds in times.items()}
    print(f"\n{'a decision and its reward, plain Python, K=10':46} {'us':>8} {'/samba':>8} {'limit':>8}")
    for name, cost in micro.items():
        print(f"{name:46} {cost:8.1f} {cost / micro['samba']:8.1f} {LIMIT if name == 'samba' else '-':>8}")
    learners["samba, journal without sync"].close()
    folder.cleanup()
    return micro["samba"] <= LIMIT


def measure_contexts() -> bool:
    """Print decisions and rewards by numbers of a context and arms; returns whether squarecb keeps its limit."""
    cases = [(name, 20, 10) for name in ("squarecb", "cw-squarecb", "linucb", "linear-thompson", "linear-softmax")]
    cases += [("squarecb", size, 10) for size in (5, 10, 40)] + [("squarecb", 20, arms) for arms in (2, 5, 20, 40)]
    print(f"\n{'with contexts, plain Python':30} {'numbers':>8} {'arms':>6} {'decide us':>10} {'learn us':>10}")
    fastest = {}
    for name, size, arms in cases:
        features = {f"x{number}": [0, 1] for number in range(size - 1)}  # and the constant
        learner = rb.Learner(name, [f"arm {number}" for number in range(arms)], features=features, seed=1)
        context, best = dict.fromkeys(features, 0.3), [float("inf")] * 2
        for _ in range(5):
            start = time.process_time()
            ids = [learner.decide(context=context).id for _ in range(100)]
            middle = time.process_time()
            for id in ids:
                learner.learn(id, 1.0)
            times = (middle - start, time.process_time() - middle)
            best = [min(old, 1e4 * new) for old, new in zip(best, times, strict=True)]
        fastest[name, size, arms] = best[0]
        print(f"{name:30} {size:8} {arms:6} {best[0]:10.0f} {best[1]:10.0f}")
    return fastest["squarecb", 20, 10] <= CONTEXT_LIMIT


def measure_many() -> bool:
    """Create one learner for each of many segments, in one process; returns whether they are small enough."""
    tracemalloc.start()
    sample = [rb.Learner("samba", ARMS, seed=number) for number in range(1000)]
    for learner in sample:
        decide_and_learn(learner, 3)
    each = tracemalloc.get_traced_memory()[0] / len(sample)
    tracemalloc.stop()
    start = time.process_time()
    learners = [rb.Learner("samba", ARMS, seed=number) for number in range(MANY)]
    creation = time.process_time() - start
    for learner in learners:
        decide_and_learn(learner, 1)
    seconds = time.process_time() - start - creation
    print(
        f"\n{MANY:,} learners in one process: {each / 1000:.1f} kB each (limit {SMALL}), "
        f"made in {1e6 * creation / MANY:.0f} us, one decision and reward each in {1e6 * seconds / MANY:.0f} us"
    )
    return each <= 1000 * SMALL


def main() -> bool:
    """Run all; returns whether the limits hold."""
    holds = measure_policies()
    holds = measure_contexts() and holds
    return measure_many() and holds


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
