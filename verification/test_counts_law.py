"""Plays by counts have the law of the round loop: Kolmogorov-Smirnov on 2,000 runs each, p > 0.001 on fixed seeds."""

from typing import Any

import pytest
from scipy import stats

import robandit as rb

POLICIES = [
    rb.policies.Barbar(scale=1),
    rb.policies.Cbarbar(scale=1),
    rb.policies.Draa(scale=1),
    rb.policies.Barbat(scale=0.2),
]
ATTACKS = {
    "none": None,
    "middle": rb.attack("flip", schedule="middle", budget=300),
    "even": rb.attack("flip", schedule="even", budget=150.5),
}


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("attack", ATTACKS)
def test_same_law(policy: Any, attack: str) -> None:
    env = rb.Bernoulli([0.2, 0.4, 0.6, 0.8])
    ends = [
        rb.simulate(policy, env, ATTACKS[attack], horizon=20_000, runs=2000, engine=engine, checkpoints=4).regret
        for engine in ("rounds", "counts")
    ]
    for checkpoint in (0, 3):
        p = stats.ks_2samp(ends[0][:, checkpoint], ends[1][:, checkpoint]).pvalue
        print(f"{policy}, {attack}, checkpoint {checkpoint}: p = {p:.3f}")
        assert p > 0.001
