"""The price of a poisoned history, in rows: against closed forms where there are some, and in the command."""

from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.errors import InputError
from robandit.redteam.evaluate import block_seed
from robandit.redteam.injection import Injection, injection_price, poison

MEANS = (0.2, 0.6)


def injected(policy: str, history: int = 100, runs: int = 4, horizon: int = 600) -> Injection:
    return Injection(rb.Scenario(policy, MEANS, horizon=horizon, runs=runs, seed=3), history)


def test_the_rows_of_the_attacker_stand_after_the_honest_ones() -> None:
    injection = injected("thompson", history=50)
    clean, poisoned = injection.log(0, "bury", 7), injection.log(5, "both", 7)
    assert len(clean.arms) == 50
    for name in ("arms", "rewards", "probabilities"):
        assert np.array_equal(getattr(poisoned, name)[:50], getattr(clean, name))
    assert poisoned.arms[50:].tolist() == [1, 0, 1, 0, 1]
    assert poisoned.rewards[50:].tolist() == [0, 1, 0, 1, 0]
    assert set(poisoned.probabilities) == {0.5}
    arms, rewards = poison(np.array([0.1, 0.9, 0.5]), 3, "praise")
    assert (arms.tolist(), rewards.tolist()) == ([2, 2, 2], [1.0, 1.0, 1.0])


def test_greedy_play_is_fooled_once_the_means_have_crossed() -> None:
    """Hardly without exploration the means decide: zeros must bury the best arm below what the other shows or pays.

    Fewer than cross the two means of the history leave the best arm in front. The other's mean then falls towards its
    true 0.2 while it leads, to 0.1 with probability below 1e-6 (Chernoff, of 600 rounds and 50 rows): so much buries it
    for good.
    """
    injection, seed = injected("epsilon-greedy:epsilon=0.001", runs=1), 11
    price = injection.price("bury", seed)
    log = injection.log(0, "bury", block_seed(seed, 0))
    pulls, wins = ([float(column[log.arms == arm].sum()) for arm in (0, 1)] for column in (log.arms >= 0, log.rewards))
    crossing, burial = (wins[1] / mean - pulls[1] for mean in (wins[0] / pulls[0], 0.1))
    assert price is not None
    assert 0.0 < crossing <= price <= 1.05 * burial


def test_a_longer_history_costs_more_to_poison_and_a_verified_one_cannot_be() -> None:
    scenario = rb.Scenario("thompson", MEANS, horizon=600, runs=4, seed=3)
    short, long = injection_price(scenario, 50), injection_price(scenario, 400)
    assert None not in (*short.blocks, *long.blocks)
    assert 2 * np.median(short.blocks) < np.median(long.blocks)  # type: ignore[arg-type]
    verified = injection_price(rb.Scenario("verified-thompson", MEANS, horizon=600, runs=4, seed=3), 50)
    assert verified.blocks == (None, None, None)
    assert verified.learns


@pytest.mark.parametrize(
    ("policy", "history", "message"),
    [("ftpl", 10, "notes of its own choices"), ("thompson", -1, "whole number of rows")],
)
def test_what_has_no_history_is_refused(policy: str, history: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        injection_price(rb.Scenario(policy, MEANS, horizon=100, runs=2, seed=1), history)


def test_the_command_prints_rows(robandit: Any) -> None:
    words = [
        "price",
        "--policy",
        "thompson",
        "--means",
        "0.2,0.6",
        "--horizon",
        "400",
        "--runs",
        "3",
        "--history",
        "60",
    ]
    result = robandit(*words, "--json")[1]
    (row,) = result["results"]
    assert row["price"]["unit"] == "rows"
    assert 0 < row["price"]["low"] <= row["price"]["estimate"] <= row["price"]["high"]
    said = robandit(*words)[1]
    assert "60 honest rows" in " ".join(said.split())
    assert robandit(*words, "--can", "add")[0] == 2
    assert "--history needs --policy" in robandit("price", "--history", "5")[2]
