"""The states the optimum comes to: their probabilities are those of plays."""

import math
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.theory.optimal_attack import optimal_attack
from robandit.theory.reached import reached_states


@pytest.mark.parametrize("terms", [{"price": 1.5}, {"budget": 6.0}, {"budget": 6.0, "threat": "B"}])
def test_the_states_shown_are_those_of_plays(terms: dict[str, Any]) -> None:
    means, rate, horizon = (0.9, 0.8), 0.05, 400
    attack = optimal_attack(means, learning_rate=rate, horizon=horizon, playable=True, **terms)
    most, there = reached_states(attack)
    start = len(attack.probabilities) // 2
    assert there[0].nonzero()[0].tolist() == [start]
    assert not there.all()
    assert there.any(axis=1).all()  # a run is always somewhere
    x = np.log(attack.probabilities / (1 - attack.probabilities))
    for seed in range(1, 9):  # no play ends where none should come to
        left = rb.simulate(
            rb.Samba(rate), rb.Bernoulli(means), attack.adversary, horizon=horizon, runs=1, seed=seed, until=horizon - 1
        ).state
        assert left is not None
        p = left.to_json()["states"][0]["values"]["probabilities"][0]
        near = int(np.argmin(np.abs(x - math.log(p / (1 - p)))))
        assert there[-1, max(near - 1, 0) : near + 2].any()
    assert set(np.unique(most)) <= {0, 1, 2, 3}


@pytest.mark.parametrize("threat", ["A", "B"])
def test_a_hard_budget_is_spent_early_and_then_there_are_no_strikes(threat: str) -> None:
    attack = optimal_attack((0.9, 0.8), learning_rate=0.05, horizon=400, budget=6.0, threat=threat, playable=True)
    most, there = reached_states(attack)
    half = len(most) // 2
    assert (most[: half // 4][there[: half // 4]] > 0).any()
    assert not (most[half:][there[half:]] > 0).any()
