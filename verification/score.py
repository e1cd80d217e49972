"""Scores policies over environments and attackers, to see whether one is ahead everywhere.

`python verification/score.py samba bonus-thompson balanced-samba`: clean regret, then per attacker the price (forged
rewards; of a ring its share of the limit) or, before the draw, the regret under the worst of a short list. What was
played is kept under out/score.
"""

import sys
from collections.abc import Iterator

import robandit as rb

PLACES = {
    "the paper's grid": (tuple(number / 10 for number in range(1, 10)), 100_000),
    "equal rivals": ((0.5,) * 8 + (0.6,), 100_000),
    "clicks": ((0.02, 0.03, 0.04, 0.04, 0.05, 0.05, 0.06, 0.07, 0.10), 100_000),
    "few clicks": ((0.02, 0.03, 0.05), 20_000),
    "a large lift": ((0.1, 0.2, 0.6), 20_000),
}
TERMS = {"runs": 12, "out": "out/score"}


def scores(policy: rb.Policy, means: tuple[float, ...], horizon: int) -> Iterator[str]:
    """One cell a column."""
    environment = rb.Bernoulli(means)
    for number, can in enumerate(("erase", "add")):
        found = rb.find_price(policy, environment, capability=can, horizon=horizon, **TERMS)  # type: ignore[arg-type]
        if number == 0:
            yield f"{found.clean['mean']:,.0f} ± {found.clean['half_width_95']:,.0f}"
        yield "-" if found.estimate is None else f"{found.estimate:,.0f} ({found.low:,.0f}-{found.high or 0:,.0f})"
    ring = rb.find_price(policy, environment, attack="push-shown:raised=1", share=True, horizon=horizon, **TERMS)  # type: ignore[arg-type]
    yield "-" if ring.estimate is None else f"{ring.estimate / (ring.limit or 1):.2f}"
    before = rb.find_worst_attack(policy, environment, budget=horizon / 333, horizon=horizon, quick=True, **TERMS)  # type: ignore[arg-type]
    yield f"{before.regret['mean']:,.0f} ± {before.regret['half_width_95']:,.0f}"


if __name__ == "__main__":
    print(
        "| environment | policy | clean | erase | add | ring / limit | before the draw, C = T/333 |\n|---|---|"
        + "---:|" * 5
    )
    for place, (means, horizon) in PLACES.items():
        for text in sys.argv[1:] or ["samba", "bonus-thompson"]:
            print(f"| {place} | {text} | {' | '.join(scores(rb.policy(text), means, horizon))} |", flush=True)
