"""Draws the pictures of the README: `make pictures`."""

import sys
from pathlib import Path

import robandit as rb
from robandit.catalogue import catalogue, scaled
from robandit.environments.means import spread_means
from robandit.pictures.regret import regret_comparison

FOLDER = Path(__file__).parent / "pictures"
RUNS, HORIZON, BUDGET = 200, 100_000, 3000


def comparison() -> None:
    """All policies, without corruption and under the paper's scheme 3; large published constants are scaled."""
    environment = rb.Bernoulli(spread_means(9))
    adversary = rb.attack("flip", schedule="middle", budget=BUDGET, charge="rounds")
    rows = {}
    for cls in catalogue("policy").values():
        policy = scaled(cls())
        clean, corrupted = (
            rb.simulate(policy, environment, against, horizon=HORIZON, runs=RUNS).summary()
            for against in (None, adversary)
        )
        rows[str(policy)] = (clean, corrupted)
        print(f"{policy!s:32} {clean['mean']:10.1f} {corrupted['mean']:10.1f}", file=sys.stderr)
    caption = f"9 arms, means 0.1 to 0.9, T = {HORIZON:,}, {RUNS} runs, mean and 95 % interval"
    conditions = ("no corruption", f"flip for {BUDGET:,} rounds from T/4 on (threat model A)")
    regret_comparison(rows, conditions, caption, FOLDER / "comparison.png")


if __name__ == "__main__":
    comparison()
