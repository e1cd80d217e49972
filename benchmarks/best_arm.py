"""What Thompson sampling's computed probabilities cost: per round of the compiled lab, per decision of a learner."""

from functools import partial

import numpy as np
from timing import time_interleaved

import robandit as rb
from robandit.environments.means import spread_means
from robandit.lab.runner import prepare

ROUNDS, DECISIONS = 3000, 1500
GROWTH = (2, 3, 10, 100)


def play(policy: str, arms: int) -> None:
    """Play once, compiled."""
    runner = prepare(rb.Scenario(policy, spread_means(arms), horizon=ROUNDS, runs=1), 10)
    runner.play_compiled(slice(0, 1), "full")


def decide(policy: str, arms: int) -> None:
    """Decide with a learner without a journal: every decision has its reward before the next."""
    names, means = [str(arm) for arm in range(arms)], spread_means(arms)
    learner, random = rb.Learner(policy, names, seed=1), np.random.default_rng(1)
    for _ in range(DECISIONS // (1 + arms // 20)):
        decision = learner.decide()
        learner.learn(decision.id, float(random.random() < means[int(decision.arm)]))


def main() -> None:
    """Print microseconds of CPU time, medians of three."""
    print("policy, arms: us per round compiled, us per decision and reward interpreted")
    for name in ("thompson", "bonus-thompson:linear=20"):
        for arms in GROWTH:
            for way in ("drawn", "computed"):
                policy = f"{name}{',' if ':' in name else ':'}probabilities={way}"
                play(policy, arms)
                times = time_interleaved({"lab": partial(play, policy, arms), "live": partial(decide, policy, arms)}, 3)
                lab, live = times["lab"], times["live"]
                count = DECISIONS // (1 + arms // 20)
                print(f"{policy}, {arms}: {1e6 * lab / ROUNDS:.1f}, {1e6 * live / count:.0f}", flush=True)


if __name__ == "__main__":
    main()
