"""Every policy's cost per round as a ratio to SAMBA's in the same run, how it grows with K, and solvers' steps."""

import sys
from functools import partial
from typing import Any

import numpy as np
from timing import time_interleaved

import robandit as rb
from robandit.catalogue import shipped
from robandit.environments.means import spread_means
from robandit.lab.runner import prepare

GROWTH = (2, 10, 100, 1000)
LIMITS = {
    "tsallis-inf-iw": 6,
    "tsallis-inf-rv": 6,
    "ftrl-hybrid": 30,
    "ftpl": 40,
    "ucb1": 4,
    "kl-ucb": 30,
    "thompson": 25,
}
ROUNDS = {9: 500_000, 2: 100_000, 10: 50_000, 100: 20_000, 1000: 5_000}


def play(name: str, arms: int) -> None:
    """Play once with the published constants."""
    runner = prepare(rb.Scenario(name, spread_means(arms), horizon=ROUNDS[arms], runs=1), 10)
    runner.play_compiled(slice(0, 1), "full")


def count_newton_steps(name: str, rounds: int = 3000) -> str:
    """Returns mean and most steps of a policy's solver over an interpreted play; empty for one without."""
    module = sys.modules[type(rb.policy(name)).__module__]
    solver = next((item for item in ("tsallis_probabilities", "hybrid_probabilities") if hasattr(module, item)), None)
    if solver is None:
        return ""
    steps, original = [], getattr(module, solver)

    def count_steps(*terms: Any) -> Any:
        result = original(*terms)
        steps.append(result[1] if isinstance(result, tuple) else result)
        return result

    setattr(module, solver, count_steps)
    try:
        prepare(rb.Scenario(name, spread_means(9), horizon=rounds, runs=1), 1).play_interpreted(slice(0, 1))
    finally:
        setattr(module, solver, original)
    return f"mean {np.mean(steps):.2f}, most {max(steps)}"


def measure_rounds(names: list[str], arms: int, repeats: int) -> dict[str, float]:
    """Returns the median ns per round of each policy, all in turn."""
    times = time_interleaved({name: partial(play, name, arms) for name in names}, repeats)
    return {name: 1e9 * seconds / ROUNDS[arms] for name, seconds in times.items()}


def main() -> bool:
    """Print the table; returns whether the limits hold."""
    names = list(shipped("policy"))
    nine = measure_rounds(names, 9, 5)
    by_arms = {arms: measure_rounds(names, arms, 3) for arms in GROWTH}
    holds = True
    heads = " ".join(f"{head:>8}" for head in ("K=9", "/samba", "limit", *(f"K={arms}" for arms in GROWTH)))
    print(f"\n{'ns a round, one thread':22} {heads}   Newton steps")
    for name in names:
        ratio = nine[name] / nine["samba"]
        limit = LIMITS.get(name)
        holds &= limit is None or ratio <= limit
        growth = " ".join(f"{by_arms[arms][name]:8.0f}" for arms in GROWTH)
        print(f"{name:22} {nine[name]:8.0f} {ratio:8.1f} {limit or '-':>8} {growth}   {count_newton_steps(name)}")
    return bool(holds) and np.isfinite(list(nine.values())).all()


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
