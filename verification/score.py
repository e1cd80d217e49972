"""Scores policies, or levers put together, over environments and attackers: is one ahead everywhere?

`python verification/score.py` scores the family below everywhere, `python verification/score.py samba "few clicks"` the
policies and environments named.
Clean regret, then per attacker the price (forged rewards; of a ring its share of the limit) or, before the draw, the
regret under the worst of a short list with C = T/300. The last column is a ring of 30 % of 400 sources, beyond every
limit, held to one reward per source, so to 120 in all: the rounds on the best arm. Plays are stored in out/score.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import robandit as rb
from robandit.catalogue import SHIPPED

CATALOGUE = SHIPPED.with_file(str(Path(__file__).with_name("levers.py")))
PLACES = {
    "the paper's grid": (tuple(number / 10 for number in range(1, 10)), 20_000),
    "equal rivals": ((0.5,) * 8 + (0.6,), 20_000),
    "clicks": ((0.02, 0.03, 0.04, 0.04, 0.05, 0.05, 0.06, 0.07, 0.10), 30_000),
    "few clicks": ((0.02, 0.03, 0.05), 20_000),
    "a large lift": ((0.1, 0.2, 0.6), 10_000),
}
FAMILY = (
    "samba",
    "balanced-samba",
    "levers:linear=20",
    "levers:linear=20,second=20",
    "levers:optimism=10,temper=5",
    "levers:linear=10,temper=5",
    "levers:linear=10,optimism=10",
    "levers:linear=20,trim=0.02",
    "optimistic-ucb:linear=20",
    "trimmed-ucb:scale=0.25,trim=0.02",
)
CAPPED_RING = "both:share=0.3,sources=400,each=1"
TERMS: dict[str, Any] = {"runs": 12, "out": "out/score"}


def score_policy(policy: rb.Policy[Any], means: tuple[float, ...], horizon: int) -> Iterator[str]:
    """Yields one cell per column."""
    environment = rb.Bernoulli(means)
    for number, can in enumerate(("erase", "add")):
        price = rb.find_price(policy, environment, capability=can, horizon=horizon, **TERMS)
        if number == 0:
            yield f"{price.clean['mean']:,.0f} ± {price.clean['half_width_95']:,.0f}"
        yield "-" if price.estimate is None else f"{price.estimate:,.0f} ({price.low:,.0f}-{price.high or 0:,.0f})"
    ring = rb.find_price(policy, environment, attack="push-shown:raised=1", unit="share", horizon=horizon, **TERMS)
    yield "-" if ring.estimate is None else f"{ring.estimate / (ring.limit or 1):.2f}"
    before = rb.find_worst_attack(policy, environment, budget=horizon / 300, horizon=horizon, quick=True, **TERMS)
    yield f"{before.regret['mean']:,.0f} ± {before.regret['half_width_95']:,.0f}"
    attack = rb.attack("push-shown:raised=1", budget=float("inf"), capability=CAPPED_RING)
    yield f"{rb.simulate(policy, environment, attack, horizon=horizon, runs=48, seed=1).best_arm_share:.2f}"


if __name__ == "__main__":
    print(
        "| environment | policy | clean | erase | add | ring / limit | before the draw | capped ring |\n|---|---|"
        + "---:|" * 6
    )
    words = set(sys.argv[1:])
    for place in [one for one in PLACES if one in words] or PLACES:
        for text in [one for one in sys.argv[1:] if one not in PLACES] or FAMILY:
            print(
                f"| {place} | {text} | {' | '.join(score_policy(CATALOGUE.policy(text), *PLACES[place]))} |", flush=True
            )
