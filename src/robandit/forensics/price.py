"""How many forged rewards from now on would unseat the leader, played from the present state with means from the log.

Not to be mixed with a witness set, which counts sources of the past without which another arm leads.
"""

import math
from typing import Any

import numpy as np

from robandit.forensics.evidence import mixture
from robandit.game import Floats, Policy
from robandit.lab.scenario import Scenario
from robandit.redteam.candidate import Candidate
from robandit.redteam.evaluate import Evaluator
from robandit.redteam.frontier import with_assumed_corruption
from robandit.redteam.price import Price, PriceOptions, attack_price

ATTACKS = {"erase": Candidate("sink-shown"), "add": Candidate("promote")}  # threat model B, by what the attacker can do
RUNS, BLOCKS = 20, 3
AHEAD = 100_000  # rounds played from here at most, unless asked for more
LEVEL = 0.05


def mean_bounds(sums: Floats, pulls: Floats, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Return intervals of means, each wrong with probability `level`, however rows were chosen and whenever one looks.

    A mean is inside until the mixture has won 1/level times its stake against it (Robbins 1970; Howard et al. 2021).
    """
    centre = sums / np.maximum(pulls, 1.0)
    won = mixture(sums, pulls - sums) - math.log(1.0 / level)

    def is_inside(means: Floats) -> Any:
        inner = np.clip(means, 1e-12, 1.0 - 1e-12)
        return sums * np.log(inner) + (pulls - sums) * np.log1p(-inner) >= won

    bounds = []
    for end in (0.0, 1.0):
        inside, outside = centre.copy(), np.full_like(centre, end)
        for _ in range(50):
            middle = 0.5 * (inside + outside)
            holds = is_inside(middle)
            inside, outside = np.where(holds, middle, inside), np.where(holds, outside, middle)
        bounds.append(np.where(pulls > 0, inside, end))
    return bounds[0], bounds[1]


def price_from_here(
    policy: Policy[Any],
    state: dict[str, Any],
    leader: int,
    sums: Floats,
    pulls: Floats,
    *,
    ahead: int,
    seed: int = 1,
    threads: int | None = None,
) -> tuple[dict[str, Any] | None, str]:
    """Return the price at the means of the log and at the ends of their intervals; or None, and the reason."""
    means, (low, high) = sums / np.maximum(pulls, 1.0), mean_bounds(sums, pulls)
    if len(means) < 2 or means.max() - means.min() <= 1e-12:
        return None, "no price: all arms paid the same so far"
    if int(means.argmax()) != leader:
        return None, "no price: the leader is not the arm that paid best in this log, so it may fall without any fake"

    def price_at(at: Floats, attacks: list[Candidate]) -> Price | None:
        if int(at.argmax()) != leader or at.max() - np.delete(at, leader).max() <= 1e-9:
            return None
        terms: dict[str, Any] = {"horizon": ahead, "runs": RUNS, "seed": seed, "state": state}
        scenario = Scenario(with_assumed_corruption(policy), tuple(at.tolist()), **terms)
        return attack_price(Evaluator(scenario, threads=threads), attacks, PriceOptions(blocks=BLOCKS))

    others = np.arange(len(means)) != leader
    by_can = {can: price_at(means, [attack]) for can, attack in ATTACKS.items()}
    cheapest = min((one for one in by_can.values() if one), key=lambda one: one.estimate or math.inf, default=None)
    if cheapest is None or not cheapest.learns:
        return None, "no price: with the means of this log the leader gets less than half of the rounds to come anyway"
    near, far = (price_at(at, [cheapest.attack]) for at in (np.where(others, high, low), np.where(others, low, high)))
    price = {
        "threat": "B",
        "by_capability": {can: one and {"low": one.low, "estimate": one.estimate} for can, one in by_can.items()},
        "attack": cheapest.attack.attack,
        "future_fakes": cheapest.estimate,
        "low": cheapest.low,
        "high": cheapest.high,
        "if_means_are_close": 0.0 if near is None or not near.learns else near.estimate,
        "if_means_are_far": None if far is None else far.estimate,
        "rounds_ahead": ahead,
        "runs": RUNS,
        "blocks": BLOCKS,
    }
    if cheapest.estimate is None:
        return price, f"no attack tried fools {policy} within {ahead:,} rounds from here"
    return price, ""
