"""Off-policy values of other policies, against a reader who follows the formulas row by row."""

from pathlib import Path

import numpy as np
import pytest

import robandit as rb

MEANS, ROWS = (0.2, 0.5, 0.8), 1500
SHADOWS = ("uniform", "exp3", "samba:learning_rate=0.1")


def write_log(path: Path) -> list[tuple[int, float, float]]:
    """A log with unequal probabilities; returns its rows of arm, reward and probability."""
    dice = np.random.default_rng(11)
    shares = np.array([0.5, 0.3, 0.2])
    arms = dice.choice(3, ROWS, p=shares)
    rows = [(int(arm), float(dice.random() < MEANS[arm]), float(shares[arm])) for arm in arms]
    lines = [f"{'abc'[arm]},{reward:g},{probability:g}" for arm, reward, probability in rows]
    path.write_text("\n".join(["arm,reward,probability", *lines]) + "\n")
    return rows


def naive_values(policy: rb.Policy, rows: list[tuple[int, float, float]]) -> dict[str, float]:
    """IPS, self-normalised IPS and doubly robust: sum_a p_a m_a + (p_arm/q)(R - m_arm), m the means known before."""
    state = policy.start(rb.Setting(3, ROWS))
    sums, counts = [0.0] * 3, [0] * 3
    weights, weighted, robust = [], [], []
    for arm, reward, probability in rows:
        shares = [float(share) for share in state.probabilities]
        known = [(total + 0.5) / (count + 1) for total, count in zip(sums, counts, strict=True)]
        weight = shares[arm] / probability
        weights.append(weight)
        weighted.append(weight * reward)
        robust.append(
            sum(share * mean for share, mean in zip(shares, known, strict=True)) + weight * (reward - known[arm])
        )
        policy.learn(state, rb.Choice(arm, probability, 0), reward, rb.Random(1, 2, 3, 4))
        sums[arm] += reward
        counts[arm] += 1
    return {"ips": np.mean(weighted), "snips": sum(weighted) / sum(weights), "dr": np.mean(robust)}


def test_values_of_shadows_are_those_of_the_formulas(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = write_log(path)
    audit = rb.audit(path, "ucb1", price=False, shadow=list(SHADOWS))
    assert audit.off_policy is not None
    for name in SHADOWS:
        values = audit.off_policy["policies"][name]["value"]
        for kind, expected in naive_values(rb.policy(name), rows).items():
            assert values[kind]["value"] == pytest.approx(expected, rel=1e-9), (name, kind)


def test_values_of_arms_are_those_of_the_formulas(tmp_path: Path) -> None:
    """Always one arm: an importance weight of 1/q where it was taken, and 0 elsewhere."""
    path = tmp_path / "log.csv"
    rows = write_log(path)
    found = rb.audit(path, "ucb1", price=False).off_policy
    assert found is not None
    arms, rewards, chances = (np.array(column) for column in zip(*rows, strict=True))
    for arm, name in enumerate("abc"):
        weights = np.where(arms == arm, 1.0 / chances, 0.0)
        here = np.where(arms == arm, 1.0, 0.0)
        before = (np.cumsum(here * rewards) - here * rewards + 0.5) / (np.cumsum(here) - here + 1.0)
        expected = {
            "ips": (weights * rewards).mean(),
            "snips": (rewards * weights / weights.mean()).mean(),
            "dr": (before + weights * (rewards - before)).mean(),
        }
        for kind, value in expected.items():
            assert found["arms"][name][kind]["value"] == pytest.approx(value, rel=1e-9), (name, kind)
