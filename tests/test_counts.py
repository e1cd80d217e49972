"""Plays by counts: the same bill and the same law as the round loop, and refused where they do not apply."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import robandit as rb
from robandit.lab.counts import play_stretch, strikes

ENVIRONMENT = rb.Bernoulli([0.3, 0.5, 0.8])
ATTACKS = {
    "none": None,
    "start": rb.attack("flip", budget=200.3),
    "middle": rb.attack("invert", schedule="middle", budget=300, charge="rounds"),
    "even": rb.attack("flip", schedule="even", budget=30.1),  # 50 strikes of 0.6 and a sixth of one
    "window": rb.attack("sink", schedule="window:first=700,stop=800", budget=1e9),
}


def both(policy: Any, adversary: Any, runs: int = 200, horizon: int = 5000) -> tuple[rb.Trace, rb.Trace]:
    return tuple(  # type: ignore[return-value]
        rb.simulate(policy, ENVIRONMENT, adversary, horizon=horizon, runs=runs, engine=engine, checkpoints=7)
        for engine in ("rounds", "counts")
    )


@pytest.mark.parametrize("attack", ATTACKS)
def test_bills_agree_exactly_and_regrets_in_law(attack: str) -> None:
    rounds, counts = both(rb.policies.Barbar(scale=0.5), ATTACKS[attack])
    assert counts.corruption_paid == pytest.approx(rounds.corruption_paid, rel=1e-12)
    assert np.array_equal(counts.rounds_changed, rounds.rounds_changed)
    assert (counts.pulls.sum(axis=1) == 5000).all()
    assert counts.regret[:, -1] == pytest.approx(counts.pulls @ counts.gaps)
    for checkpoint in (1, 6):
        assert stats.ks_2samp(rounds.regret[:, checkpoint], counts.regret[:, checkpoint]).pvalue > 1e-4


@pytest.mark.parametrize(
    "policy", [rb.policies.Cbarbar(scale=0.5), rb.policies.Draa(scale=0.5), rb.policies.Barbat(scale=0.1)], ids=str
)
def test_every_phased_policy_agrees_in_law(policy: Any) -> None:
    rounds, counts = both(policy, ATTACKS["start"])
    assert stats.ks_2samp(rounds.regret[:, -1], counts.regret[:, -1]).pvalue > 1e-4


def test_a_stretch_draws_entries_and_successes_with_their_probabilities() -> None:
    """10^9 rounds at once: each count and each sum within 6.5 standard deviations, about 0.02 % of it."""
    policy = rb.policies.Cbarbar(scale=1)
    state = policy.start(rb.Setting(3, 10**5))
    state.left, means, rounds = 2 * 10**9, np.array([0.1, 0.5, 0.9]), 10**9
    counts = play_stretch(policy, state, rounds, means, np.random.default_rng(3))
    expected = rounds * state.entries
    paid = means[state.arms]
    assert (np.abs(state.drawn - expected) < 6.5 * np.sqrt(expected)).all()
    assert (np.abs(state.sums - state.drawn * paid) < 6.5 * np.sqrt(state.drawn * paid * (1 - paid))).all()
    assert counts.sum() == rounds
    assert counts == pytest.approx(np.bincount(state.arms, weights=state.drawn))
    assert state.left == 10**9


def test_engine_is_named_and_chosen_above_ten_million_rounds() -> None:
    short, long = (rb.simulate(rb.policies.Barbar(), ENVIRONMENT, horizon=horizon, runs=1) for horizon in (1000, 10**9))
    assert (short.engine, long.engine) == ("rounds", "counts")
    assert long.pulls.sum() == 10**9


def test_the_same_seed_gives_the_same_counts_on_any_number_of_threads() -> None:
    one, many = (
        rb.simulate(rb.policies.Barbar(), ENVIRONMENT, horizon=10**8, runs=9, engine="counts", threads=threads)
        for threads in (1, 3)
    )
    assert np.array_equal(one.regret, many.regret)


@pytest.mark.parametrize(
    ("policy", "environment", "adversary", "reason"),
    [
        (rb.Samba(), ENVIRONMENT, None, "samba is not made of epochs"),
        (rb.policies.Barbar(pulls="blocks"), ENVIRONMENT, None, "not made of epochs"),
        (rb.policies.Barbar(), rb.Beta([0.1, 0.2]), None, "rewards must be bernoulli"),
        (rb.policies.Barbar(), ENVIRONMENT, rb.attack("flip", schedule="leading", budget=1), "fixed schedule"),
        (rb.policies.Barbar(), ENVIRONMENT, rb.attack("flip", schedule="random", budget=1), "must not be random"),
        (rb.policies.Barbar(), ENVIRONMENT, rb.attack("flip", schedule="even", budget=1e6), "100,000 times"),
    ],
)
def test_refused_with_the_reason(policy: Any, environment: Any, adversary: Any, reason: str) -> None:
    with pytest.raises(rb.InputError, match=reason):
        rb.simulate(policy, environment, adversary, horizon=10**7, runs=1, engine="counts")
    assert rb.simulate(policy, environment, adversary, horizon=10, runs=1).engine == "rounds"


@pytest.mark.parametrize("schedule", ["start", "middle", "even"])
@pytest.mark.parametrize("budget", [6.0, 6.1, 6.5])
def test_strikes_come_one_after_another_and_cost_the_budget(schedule: str, budget: float) -> None:
    """Flip costs 0.6 here: ten whole strikes, and the rest of the budget in an eleventh."""
    adversary = rb.attack("flip", schedule=schedule, budget=budget)
    found = list(strikes(adversary, np.array(ENVIRONMENT.means), 1000))  # type: ignore[arg-type]
    bounds = [place for first, stop, _, _ in found for place in (first, stop)]
    assert bounds == sorted(bounds)
    assert sum((stop - first) * cost for first, stop, _, cost in found) == pytest.approx(budget, rel=1e-12)
    assert sum(stop - first for first, stop, *_ in found) == math.ceil(budget / 0.6 - 1e-9)
    assert all(cost == pytest.approx(0.6 * part) for _, _, part, cost in found)


def test_an_attack_that_moves_nothing_costs_nothing() -> None:
    adversary = rb.attack("flip", budget=10)
    assert list(strikes(adversary, np.array([0.5, 0.5]), 100)) == []  # type: ignore[arg-type]
