"""Thompson sampling with its probability: the quadrature's error, the same regret as drawing, logs that can be used."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special

import robandit as rb
from robandit.best_arm import new_workspace
from robandit.dice import Random

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(40)
GRID = tuple(number / 10 for number in range(1, 10))


def integrate_best(wins: Any, losses: Any, bonuses: Any) -> Any:
    """Returns P(arm is best) by 40 Gauss-Legendre points between all quantiles of all arms, by SciPy's functions."""
    quantiles = [1e-14, 1e-10, 1e-6, 1e-3, 0.1, 0.5, 0.9, 0.999]
    below = [special.betaincinv(wins, losses, q) + bonuses for q in quantiles]
    above = [1.0 - special.betaincinv(losses, wins, q) + bonuses for q in quantiles]
    low, high = below[0].max(), above[0].max()
    mean = wins / (wins + losses)
    deviation = np.sqrt(mean * (1.0 - mean) / (wins + losses + 1.0))
    steps = [mean + bonuses + step * deviation for step in (-9, -7, -5, -3, -2, -1, 1, 2, 3, 5, 7, 9)]
    ends = np.unique(np.clip(np.concatenate([*below, *above, *steps, bonuses, bonuses + 1.0]), low, high))
    half, middle = 0.5 * np.diff(ends)[:, None], 0.5 * (ends[1:] + ends[:-1])[:, None]
    x, weight = (middle + half * POINTS).ravel(), (half * WEIGHTS).ravel()
    y = np.clip(x - bonuses[:, None], 0.0, 1.0)
    a, b = wins[:, None], losses[:, None]
    cumulative = special.betainc(a, b, y)
    with np.errstate(all="ignore"):
        logarithm = special.xlogy(a - 1.0, y) + special.xlog1py(b - 1.0, -y) - special.betaln(a, b)
    inside = (x > bonuses[:, None]) & (x < bonuses[:, None] + 1.0)
    density = np.where(inside, np.exp(logarithm), 0.0)
    shares = [
        (weight * density[arm] * np.delete(cumulative, arm, axis=0).prod(axis=0)).sum() for arm in range(len(wins))
    ]
    return np.array(shares)


def draw_states(arms: int, kind: str, count: int) -> Any:
    """Yields counts from 0 to 1e6: anywhere, near each other, all or nothing, as a game leaves them, with bonuses."""
    random = np.random.default_rng([arms, len(kind)])
    for _ in range(count):
        pulls = 10 ** random.uniform(0, 6, arms) - 1.0
        means = random.uniform(0, 1, arms)
        if kind == "near":
            means = np.clip(random.uniform(0.02, 0.95) + random.normal(0, 2, arms) / np.sqrt(pulls + 4), 0, 1)
        elif kind == "extreme":
            pulls, means = 10 ** random.uniform(0, 2, arms) - 1.0, random.choice([0.0, 0.5, 1.0], arms)
        elif kind == "played":
            rounds = 10 ** random.uniform(1, 6)
            pulls = np.minimum(rounds, np.log(rounds) / np.maximum(means.max() - means, 1e-3) ** 2)
        elif kind == "lifted":
            pulls = np.maximum(pulls, 5.0)
            bonuses = 0.2 * random.uniform(0, 1, arms)
            means = np.clip(random.uniform(0.3, 1.0) - bonuses + random.normal(0, 2, arms) / np.sqrt(pulls), 0, 1)
            yield np.round(pulls * means) + 1.0, np.round(pulls * (1.0 - means)) + 1.0, bonuses
            continue
        yield np.round(pulls * means) + 1.0, np.round(pulls * (1.0 - means)) + 1.0, np.zeros(arms)


@pytest.mark.parametrize("kind", ["anywhere", "near", "extreme", "played", "lifted"])
@pytest.mark.parametrize(("arms", "count"), [(2, 40), (3, 40), (10, 20), (100, 1)])
def test_the_probabilities_are_right(arms: int, count: int, kind: str) -> None:
    """Within 1e-4, and within 5 % where they are at least 1e-5."""
    worst = worst_share = 0.0
    for wins, losses, bonuses in draw_states(arms, kind, count):
        work, shares, expected = new_workspace(arms), np.zeros(arms), integrate_best(wins, losses, bonuses)
        work.bonuses[:] = bonuses
        work.solve(wins, losses, shares)
        assert expected.sum() == pytest.approx(1.0, abs=1e-7)
        error = np.abs(shares - expected)
        worst = max(worst, error.max())
        is_likely = expected >= 1e-5
        worst_share = max(worst_share, (error[is_likely] / expected[is_likely]).max())
    print(f"K = {arms}, {kind}: error {worst:.1e}, relative {100 * worst_share:.2f} %")
    assert worst <= 1e-4
    assert worst_share <= 0.05


@pytest.mark.parametrize(("policy", "means"), [("thompson", GRID), ("bonus-thompson:linear=20", (0.02, 0.03, 0.05))])
def test_the_regret_is_that_of_drawing(policy: str, means: tuple[float, ...]) -> None:
    """200 runs of 20,000 rounds: the means differ by less than four joint standard errors (a probability of 6e-5)."""
    ends = []
    for one, seed in ((rb.policy(policy), 1), (rb.policy(policy).as_deployed(), 2)):
        trace = rb.simulate(one, means, horizon=20_000, runs=200, seed=seed)
        ends.append(trace.regret[:, -1])
    errors = [end.std(ddof=1) / np.sqrt(200) for end in ends]
    print(f"{policy}: drawn {ends[0].mean():.1f} ± {errors[0]:.1f}, computed {ends[1].mean():.1f} ± {errors[1]:.1f}")
    assert abs(ends[0].mean() - ends[1].mean()) < 4 * np.hypot(*errors)


def test_a_million_decisions_come_as_often_as_they_say() -> None:
    """In 20 states of a play 50,000 decisions each; arms expected fewer than five times are left out.

    A chi-square that exceeds its degrees by 8 standard deviations has a probability below 1e-8.
    """
    policy, random = rb.policy("thompson:probabilities=computed"), Random(3)
    state, total, degrees = policy.start(rb.Setting(9, 2000)), 0.0, 0
    for t in range(1, 1001):
        choice = policy.choose(state, random)
        policy.learn(state, choice, float(random.uniform() < GRID[choice.arm]), random)
        if t % 50 == 0:
            choices = [policy.choose(state, random) for _ in range(50_000)]
            assert {choice.probability == state.probabilities[choice.arm] for choice in choices} == {True}
            counts = np.bincount([choice.arm for choice in choices], minlength=9)
            expected = 50_000 * state.probabilities
            is_frequent = expected >= 5.0
            total += ((counts[is_frequent] - expected[is_frequent]) ** 2 / expected[is_frequent]).sum()
            degrees += int(is_frequent.sum())
    print(f"chi-square {total:.0f} of at most {degrees} degrees")
    assert total < degrees + 8 * np.sqrt(2 * degrees)


def test_another_policy_s_value_from_its_log(tmp_path: Path) -> None:
    """200 logs of 1,000 decisions: the 95 % interval holds the true value in 90 to 99 % of them."""
    means, names, hits = (0.3, 0.4, 0.5), ["a", "b", "c"], 0
    shadow = "samba:learning_rate=0.1"
    for seed in range(200):
        path = tmp_path / f"{seed}.csv"
        learner, random = rb.Learner("thompson", names, seed=seed), np.random.default_rng(seed)
        other = rb.policy(shadow)
        state, expected, lines = other.start(rb.Setting(3, 1000)), 0.0, ["arm,reward,probability,source"]
        for row in range(1000):
            decision = learner.decide()
            arm = names.index(decision.arm)
            reward = float(random.random() < means[arm])
            learner.learn(decision.id, reward)
            lines.append(f"{decision.arm},{reward:g},{decision.probability!r},{row % 50}")
            expected += float(np.dot(state.probabilities, means))
            other.learn(state, rb.Choice(arm, decision.probability, 0), reward, Random(1))
        path.write_text("\n".join(lines) + "\n")
        audit = rb.audit(path, "thompson", price=False, shadow=[shadow], replays=1)
        assert audit.off_policy is not None
        value = audit.off_policy["policies"][shadow]["value"]["dr"]
        hits += value["low"] <= expected / 1000 <= value["high"]
    print(f"covered in {hits / 2:g} % of 200 logs")
    assert 180 <= hits <= 198
