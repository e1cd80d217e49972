"""Mean regrets that were measured by independent programs before this one existed.

A range was published beforehand. Beside a single value, the lab's mean must lie within four joint
standard errors and 3 % of it.
"""

from typing import Any

import pytest

import robandit as rb
from robandit.environments.means import spread_means

CLEAN = {
    "samba": (905, 1040),
    "ucb1": (510, 555),
    "thompson": (50, 62),
    "tsallis-inf-iw": (240, 275),
    "tsallis-inf-rv": (138, 162),
    "ftpl": (265, 315),
    "kl-ucb": (74, 90),
    "barbar:scale=1": (2670, 2930),
    "cbarbar:scale=1": (5150, 5600),
    "multi-layer-aae": (15_000, 15_200),
    "ftrl-hybrid": (2690, 2770),
    "ftrl-hybrid:b=1": (208, 235),
    "exp3": (243, 271),
    "softmax-gradient": (150, 225),
}
LEADING: dict[str, Any] = {"schedule": "leading:theta=0.2", "budget": 300, "charge": "rounds"}
CORRUPTED = [
    ("samba", "flip", {"schedule": "middle", "budget": 3000, "charge": "rounds"}, (930, 1075)),
    ("samba", "flip", {"schedule": "start", "budget": 3000, "charge": "rounds"}, (4950, 5530)),
    ("ucb1", "flip", {"schedule": "middle", "budget": 3000, "charge": "rounds"}, (2700, 2880)),
    ("ucb1", "invert", LEADING, (10_300, 10_700)),
    ("samba", "invert", LEADING, (1400, 1720)),
]


def mean_regret(policy: str, arms: int, adversary: Any, runs: int) -> tuple[float, float]:
    trace = rb.simulate(rb.policy(policy), rb.Bernoulli(spread_means(arms)), adversary, horizon=100_000, runs=runs)
    summary = trace.summary()
    return float(summary["mean"] or 0.0), float(summary["se"] or 0.0)


@pytest.mark.parametrize("policy", CLEAN)
def test_without_corruption(policy: str) -> None:
    mean, error = mean_regret(policy, 9, None, 200)
    low, high = CLEAN[policy]
    print(f"{policy}: {mean:.1f} +- {error:.1f}, expected {low} to {high}")
    assert low <= mean <= high


@pytest.mark.parametrize(("policy", "attack", "terms", "expected"), CORRUPTED)
def test_under_attack(policy: str, attack: str, terms: dict[str, Any], expected: tuple[float, float]) -> None:
    mean, error = mean_regret(policy, 9, rb.attack(attack, **terms), 200)
    print(f"{policy} under {attack}, {terms['schedule']}: {mean:.1f} +- {error:.1f}, expected {expected}")
    assert expected[0] <= mean <= expected[1]


def test_published_barbar_never_leaves_its_first_epoch() -> None:
    mean, _ = mean_regret("barbar", 9, None, 200)
    assert mean == pytest.approx(40_000, rel=0.01)


ARMS = (6, 8, 10, 15, 20, 30)
SWEEP = {  # flip, schedule middle, C = 3000; charge, runs here, earlier values
    "samba": ("rounds", 2000, (625, 874, 1138, 1884, 2608, 3794), 0.03),
    "barbar:scale=1": ("rounds", 100, (2087, 2957, 3715, 5486, 7501, 10_868), 0.08),
    "fast-slow-aae": ("cost", 40, (1696, 2511, 4036, 6568, 8329, 11_777), 0.08),
    "ftrl-hybrid": ("rounds", 20, (1909, 2536, 3138, 4601, 5816, 8206), 0.04),
}


@pytest.mark.parametrize("policy", SWEEP)
def test_sweep_over_the_number_of_arms(policy: str) -> None:
    """The paper's Table 3; the margin covers the earlier values' own error (2 to 20 runs, SAMBA 2,000)."""
    charge, runs, values, margin = SWEEP[policy]
    adversary = rb.attack("flip", schedule="middle", budget=3000, charge=charge)
    means = {arms: mean_regret(policy, arms, adversary, runs) for arms in ARMS}
    for arms, before in zip(ARMS, values, strict=True):
        mean, error = means[arms]
        print(f"{policy} K={arms}: {mean:.0f} +- {error:.0f}, before {before}")
    off = {
        arms: (means[arms][0], before)
        for arms, before in zip(ARMS, values, strict=True)
        if abs(means[arms][0] - before) > margin * before + 4 * means[arms][1]
    }
    assert not off
