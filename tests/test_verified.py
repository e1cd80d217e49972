"""Policies that learn from verified rewards only: what they cost, and what forging the rest can do to them (nothing).

Golden values are those of a separate program (40 runs); ours are 40 runs on a fixed seed, so a test cannot flicker.
"""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.errors import InputError
from robandit.lab.paused import PausedPlay
from robandit.redteam.candidate import Candidate
from robandit.redteam.dominance import surely_better
from robandit.redteam.price import Price
from robandit.store.parquet import as_bytes, from_bytes

GRID = tuple(arm / 10 for arm in range(1, 10))
ASKING = ("verified-thompson", "verified-ucb:scale=0.25", "floor:share=0.1,inner=(verified-thompson)")


@pytest.mark.parametrize(
    ("means", "horizon", "regret", "checks"),
    [
        (GRID, 100_000, (55, 68), (900, 1100)),
        ((0.6, *[0.5] * 8), 100_000, (230, 275), (4600, 5500)),
        ((0.02, 0.03, 0.05), 20_000, (21, 30), (3700, 4400)),
    ],
    ids=["grid", "equal rivals", "small"],
)
def test_few_checks_buy_the_regret_of_clean_thompson_sampling(
    means: tuple[float, ...], horizon: int, regret: tuple[float, float], checks: tuple[float, float]
) -> None:
    trace = rb.simulate("verified-thompson", means, horizon=horizon, runs=40, seed=1, checkpoints=1)
    assert regret[0] <= trace.regret[:, -1].mean() <= regret[1]
    assert trace.checks is not None
    assert checks[0] <= trace.checks.mean() <= checks[1]


ATTACKS = [
    rb.attack("sink-shown", budget=math.inf),
    rb.attack("promote", budget=math.inf),
    rb.attack("oracle", budget=math.inf),
    rb.attack("jun-ucb", budget=500),
    rb.attack("sink-shown", budget=math.inf, capability="both:share=0.5"),
    rb.attack("push-shown:raised=1", budget=math.inf, capability="both:share=0.5"),
    rb.attack("flip", schedule="always", budget=math.inf),  # threat model A: before the draw
    rb.attack("invert", schedule="leading:theta=0.3", budget=200),
]


@pytest.mark.parametrize("policy", ASKING)
@pytest.mark.parametrize("attack", ATTACKS, ids=str)
def test_forging_what_nobody_verifies_changes_nothing(policy: str, attack: Any) -> None:
    """Not a bit, whatever is spent: rewards that were not verified are not learnt from."""
    terms: dict[str, Any] = {"horizon": 3000, "runs": 3, "seed": 2}
    clean, forged = rb.simulate(policy, GRID, **terms), rb.simulate(policy, GRID, attack, **terms)
    if attack.name != "promote":  # all rewards of its arm, a challenger, are verified
        assert forged.corruption_paid[:, -1].min() > 0.0
    assert clean.checks is not None
    assert 0 < clean.checks.min() <= clean.checks.max() < 3000
    assert np.array_equal(clean.regret, forged.regret)
    assert np.array_equal(clean.checks, forged.checks)


def test_a_policy_that_learns_from_all_rewards_is_moved() -> None:
    """The same attack, so that the test above could fail."""
    terms: dict[str, Any] = {"horizon": 3000, "runs": 3, "seed": 2}
    clean, forged = rb.simulate("thompson", GRID, **terms), rb.simulate("thompson", GRID, ATTACKS[0], **terms)
    assert forged.regret[:, -1].min() > 3 * clean.regret[:, -1].max()
    assert clean.checks is None


def test_the_red_team_finds_nothing_on_what_is_not_verified() -> None:
    for threat in ("A", "B"):
        finding = rb.find_worst_attack(
            "verified-thompson",
            (0.3, 0.5, 0.8),
            horizon=1500,
            runs=4,
            seed=3,
            budget=300,
            threat=threat,
            evaluations=12,
        )
        assert finding.regret == finding.clean
    price = rb.find_price("verified-thompson", (0.3, 0.5, 0.8), horizon=1500, runs=4, seed=3)
    assert price.blocks == (None,) * 3


def test_checks_are_counted_stored_and_taken_up_again(tmp_path: Path) -> None:
    terms: dict[str, Any] = {"horizon": 2000, "runs": 2, "seed": 5, "threads": 1}
    whole = rb.simulate("verified-ucb", GRID, **terms)
    again, _ = from_bytes(as_bytes(whole, {}))
    assert whole.checks is not None
    assert np.array_equal(again.checks, whole.checks)
    assert f"{whole.checks.mean():,.0f} checks" in repr(whole)
    first = rb.simulate("verified-ucb", GRID, until=700, **terms)
    assert first.state is not None
    rest = rb.simulate("verified-ucb", GRID, state=first.state, **terms)
    assert np.array_equal(rest.checks, whole.checks)
    old = first.state.to_json()
    del old["checks"]  # a play that was left before checks were counted
    assert PausedPlay.from_json(json.loads(json.dumps(old))).checks.tolist() == [0, 0]


def test_computed_probabilities_follow_verified_rewards() -> None:
    """The logged probability is that of the present posterior, which only verified rewards change."""
    drawn, computed = (
        rb.simulate(f"verified-thompson{text}", (0.3, 0.5, 0.8), horizon=3000, runs=30, seed=6)
        for text in ("", ":probabilities=computed")
    )
    assert computed.best_arm_share > 0.95
    error = np.hypot(*(trace.regret[:, -1].std(ddof=1) / 30**0.5 for trace in (drawn, computed)))
    assert abs(drawn.regret[:, -1].mean() - computed.regret[:, -1].mean()) < 4 * error  # by chance in 1 of 15,000


@pytest.mark.parametrize("wrapper", ["window:size=100", "discount:rate=0.01", "restart"])
def test_a_wrapper_that_would_swallow_verified_rewards_is_refused(wrapper: str) -> None:
    joint = "," if ":" in wrapper else ":"
    with pytest.raises(InputError, match="learns from verified rewards only"):
        rb.policy(f"{wrapper}{joint}inner=(verified-thompson)")


def test_checks_stand_beside_regret_and_price(robandit: Any) -> None:
    words = [
        "--policy",
        "verified-thompson",
        "--policy",
        "thompson",
        "--means",
        "0.3,0.8",
        "--horizon",
        "800",
        "--runs",
        "4",
    ]
    asking, plain = robandit("play", *words, "--json")[1]["results"]
    assert 0 < asking["checks"]["mean"] < 800
    assert "checks" not in plain
    said = robandit("play", *words)[1]
    assert f" {asking['checks']['mean']:,.0f} " in said
    rows = {row["policy"]: row for row in robandit("price", *words, "--json")[1]["results"]}
    assert rows["verified-thompson"]["price"]["estimate"] is None
    assert 0 < rows["verified-thompson"]["checks"]["mean"] < 800
    assert rows["thompson"]["checks"] is None
    assert {name for name, row in rows.items() if row["front"]} == set(rows)  # a check is a cost: nobody is beaten


def test_a_policy_that_asks_beats_only_those_that_ask_for_more() -> None:
    def priced(clean: float, blocks: tuple[float | None, ...], checks: float | None) -> Price:
        told = None if checks is None else {"mean": checks, "half_width_95": 1.0}
        return Price(Candidate("sink-shown"), {"mean": clean, "half_width_95": 1.0}, None, blocks, {}, checks=told)

    few, many, none = priced(50, (None,) * 3, 900.0), priced(90, (80.0,) * 3, 5000.0), priced(90, (80.0,) * 3, None)
    assert surely_better(few, many)
    assert not surely_better(few, none)
    assert surely_better(priced(50, (None,) * 3, None), few) is False  # equal regret
    assert surely_better(priced(10, (None,) * 3, None), many)
