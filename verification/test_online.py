"""The learner over long stretches: late rewards as measured elsewhere, a thousand kills, the logged probability."""

import json
import math
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import robandit as rb
from robandit.dice import Random, seed_words
from robandit.environments.means import spread_means
from verification import late_samba

ARMS = [f"arm {number}" for number in range(1, 10)]
HORIZON, RUNS = 100_000, 100
BEFORE = {0: 955, 100: 1019, 1000: 1416}  # mean regrets that another program measured; it says nothing about 10


def regret(delay: int, run: int) -> float:
    """Returns the regret of SAMBA through a learner on the paper's grid, every reward `delay` rounds late."""
    means = spread_means(9)
    learner = rb.Learner("samba", ARMS, seed=run, horizon=HORIZON)
    stream = Random(*map(int, seed_words(11, range(run, run + 1))[0, 0]))
    rewards: list[float] = []
    total = 0.0
    for t in range(HORIZON):
        if t > delay:
            learner.learn(t - delay - 1, rewards[t - delay - 1])
        arm = ARMS.index(learner.decide().arm)
        rewards.append(float(stream.uniform() < means[arm]))
        total += means[-1] - means[arm]
    return total


@pytest.mark.parametrize("delay", [0, 10, 100, 1000])
def test_samba_with_late_rewards(delay: int) -> None:
    """Within four joint standard errors of an independent program; and what was measured before is of the same size.

    Those figures came without intervals, and with a clipping of the weight that is not stated: 15 % are allowed.
    """
    regrets = np.array([regret(delay, run) for run in range(RUNS)])
    other = late_samba.regrets(delay, HORIZON, 1000)
    mean, error = regrets.mean(), regrets.std(ddof=1) / math.sqrt(RUNS)
    expected, its_error = other.mean(), other.std(ddof=1) / math.sqrt(len(other))
    print(
        f"delay {delay}: mean regret {mean:.0f} +- {1.96 * error:.0f} over {RUNS} runs, "
        f"independent {expected:.0f} +- {1.96 * its_error:.0f}, before: {BEFORE.get(delay)}"
    )
    assert abs(mean - expected) <= 4 * math.hypot(error, its_error)
    if delay in BEFORE:
        assert abs(expected - BEFORE[delay]) <= 0.15 * BEFORE[delay]


def test_a_thousand_kills(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tests.kills", str(tmp_path), "1000"]
    counts = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    print(counts)
    assert (counts["kills"], counts["lost"], counts["unreadable"]) == (1000, 0, 0)
    assert counts["acknowledged"] > 1000


@pytest.mark.parametrize("eligible", [None, ARMS[2:7]])
def test_logged_probabilities_by_chi_square(eligible: list[str] | None) -> None:
    """A million draws in one state against the probabilities logged: beyond the quantile with probability 1e-9 or less.

    The bound is Laurent and Massart's: chi-square of d degrees exceeds d + 2 sqrt(d x) + 2x with probability e^-x.
    """
    learner = rb.Learner("samba", ARMS, seed=1, patience=1)
    for number in range(500):
        decision = learner.decide()
        learner.learn(decision.id, float(number % (10 - ARMS.index(decision.arm)) == 0))
    counts, probabilities = Counter(), {}
    for _ in range(
        1_000_000
    ):  # none is rewarded, and SAMBA ignores a decision without a reward: the state stands still
        decision = learner.decide(eligible)
        counts[decision.arm] += 1
        probabilities.setdefault(decision.arm, decision.probability)
        assert probabilities[decision.arm] == decision.probability
    assert sum(probabilities.values()) == pytest.approx(1.0, abs=1e-9)
    distance = sum(
        (counts[arm] - 1e6 * probability) ** 2 / (1e6 * probability) for arm, probability in probabilities.items()
    )
    degrees, x = len(probabilities) - 1, math.log(1e9)
    print(f"chi-square {distance:.1f} of {degrees} degrees")
    assert distance <= degrees + 2 * math.sqrt(degrees * x) + 2 * x
