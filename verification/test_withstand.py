"""The knob of bonus-thompson is about the number of forged rewards it withstands: over arms, gaps and horizons.

An arm whose successes are all erased is shown while linear/n is above r_2. The attacker pays r* per round for it: the
rule says linear r*/r_2. It was derived, not fitted; the test asserts that no block of seeds is fooled by fewer than
`linear`, and that the median is from 0.8 to 1.9 times the rule (logarithms of T are left out of it).
"""

import json

import pytest

import robandit as rb

GAMES = [
    ((0.5, 0.6), 20_000),
    ((0.8, 0.9), 20_000),
    ((0.2, 0.3), 20_000),
    ((0.04, 0.06), 20_000),
    ((0.5, 0.6), 400_000),
    ((0.8, 0.9), 100_000),
    ((0.04, 0.06), 100_000),
    ((0.5,) * 4 + (0.6,), 100_000),
    ((0.5,) * 19 + (0.6,), 100_000),
    ((0.3,) * 8 + (0.9,), 100_000),
    ((0.1, 0.2, 0.6), 100_000),
    ((0.006, 0.01), 400_000),
]


@pytest.mark.parametrize("linear", [20, 50, 100])
@pytest.mark.parametrize(("means", "horizon"), GAMES, ids=str)
def test_as_many_forged_rewards_as_the_knob_says(means: tuple[float, ...], horizon: int, linear: int) -> None:
    price = rb.find_price(
        rb.BonusThompson(linear=linear),
        rb.Bernoulli(means),
        attack="sink-shown",
        capability="erase",
        horizon=horizon,
        runs=10,
    )
    second, best = sorted(means)[-2:]
    rule = linear * best / second
    clean = price.clean["mean"]
    figures = {"linear": linear, "rule": round(rule, 1), "price": price.blocks, "peace": round(clean, 1)}
    print(json.dumps({"means": means, "horizon": horizon, **figures}))
    if not price.learns:
        pytest.skip(f"does not learn within {horizon:,} rounds")
    assert price.low is not None
    assert price.low >= linear
    assert 0.8 <= (price.estimate or 0.0) / rule <= 1.9
