"""SAMBA: Algorithm 1 by hand, by enumeration, and at the edges of its step size."""

from dataclasses import dataclass

import numpy as np
import pytest

import robandit as rb
from robandit.policies.samba import SambaState
from tests.support import stream


def learned(probabilities: list[float], arm: int, reward: float, learning_rate: float = 0.05) -> np.ndarray:
    state = SambaState(np.array(probabilities, dtype=float))
    rb.Samba(learning_rate).learn(state, rb.Choice(arm, probabilities[arm], 0), reward, stream(0))
    return state.probabilities


def test_first_step_from_uniform() -> None:
    uniform = [1 / 9] * 9
    leader = learned(uniform, 0, 1.0)
    assert leader == pytest.approx([0.1555556] + [0.1055556] * 8, abs=5e-8)
    other = learned(uniform, 4, 1.0)
    assert other[[4, 0, 1]] == pytest.approx([0.1166667, 0.1055556, 1 / 9], abs=5e-8)


def test_no_reward_leaves_every_bit() -> None:
    probabilities = list(np.random.default_rng(1).dirichlet(np.ones(7)))
    assert np.array_equal(learned(probabilities, 3, 0.0), probabilities)


@pytest.mark.parametrize("arms", [2, 3, 9])
def test_expected_step_by_enumeration(arms: int) -> None:
    """For a non-leader the expected step is alpha p_a^2 (r_a - r_l), exactly; 2K outcomes."""
    random = np.random.default_rng(arms)
    p, means = random.dirichlet(np.ones(arms)), random.random(arms)
    leader = int(p.argmax())
    expected = np.zeros(arms)
    for arm in range(arms):
        for reward, probability in ((1.0, means[arm]), (0.0, 1.0 - means[arm])):
            expected += p[arm] * probability * (learned(list(p), arm, reward) - p)
    others = np.arange(arms) != leader
    assert expected[others] == pytest.approx((0.05 * p**2 * (means - means[leader]))[others], rel=1e-9)
    assert expected.sum() == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("learning_rate", [0.001, 0.3, 0.7, 0.999])
def test_stays_inside_the_simplex(learning_rate: float) -> None:
    policy, random = rb.Samba(learning_rate), stream(9)
    state = policy.start(rb.Setting(5, 1))
    for _ in range(3000):
        choice = policy.choose(state, random)
        policy.learn(state, choice, 1.0 if random.uniform() < 0.9 else random.uniform(), random)
        assert state.probabilities.min() > 0.0
        assert abs(state.probabilities.sum() - 1.0) <= 1e-15


@pytest.mark.parametrize("learning_rate", [0.2, 0.9])
def test_late_rewards_keep_the_simplex(learning_rate: float) -> None:
    """Rewards come back in any order, weighted by the probability the arm had."""
    policy, random = rb.Samba(learning_rate), stream(10)
    state, waiting = policy.start(rb.Setting(4, 1)), []
    for _ in range(20_000):
        waiting.append(policy.choose(state, random))
        if len(waiting) > 500:
            late = waiting.pop(int(random.uniform() * len(waiting)))
            policy.learn(state, late, 1.0 if random.uniform() < (0.9, 0.5, 0.8, 0.1)[late.arm] else 0.0, random)
            assert state.probabilities.min() >= 0.0
            assert abs(state.probabilities.sum() - 1.0) <= 1e-12


def test_a_late_reward_of_a_leader_that_was_unlikely_takes_no_more_than_there_is() -> None:
    """Weighted by 0.01 the step would be 0.5 / 0.01 * 0.4^2 = 8; capped at twice that probability it is 0.4."""
    state = SambaState(np.array([0.6, 0.4]))
    rb.Samba(0.5).learn(state, rb.Choice(0, 0.01, 0), 1.0, stream(0))
    assert state.probabilities == pytest.approx([1.0, 0.0], abs=1e-15)


def test_min_lift_is_twice_the_learning_rate() -> None:
    assert rb.Samba(min_lift=0.10) == rb.Samba(0.05)
    assert rb.policy("samba:min_lift=0.3") == rb.Samba(0.15)
    with pytest.raises(rb.InputError, match="not both"):
        rb.Samba(learning_rate=0.1, min_lift=0.1)


def test_a_subclass_may_be_a_dataclass_of_its_own() -> None:
    @dataclass(frozen=True)
    class Own(rb.Samba):
        """SAMBA with one more parameter."""

        extra: float = 1.0

    assert (Own().learning_rate, Own(0.2).learning_rate, Own(min_lift=0.3).learning_rate) == (0.05, 0.2, 0.15)
    with pytest.raises(rb.InputError, match="min_lift must be a number above 0 and below 2"):
        Own(min_lift=5.0)


@pytest.mark.parametrize(
    ("name", "arm", "others", "leader"),
    [
        ("exponential-samba", 0, 0.10569216, 0.15446273),
        ("exponential-samba", 3, 0.11680790, 0.10541432),
        ("balanced-samba", 0, np.exp(-np.sqrt(0.05 * (1 - np.exp(-0.05)))) / 9, None),
        ("balanced-samba", 3, 0.11680790, 0.10541432),
    ],
)
def test_exponential_steps_have_known_values(name: str, arm: int, others: float, leader: float | None) -> None:
    """From 1/9 each with a step of 0.05: the arm pulled pays, the leader (0) or a challenger (3)."""
    policy = rb.policy(f"{name}:learning_rate=0.05")
    state = policy.start(rb.Setting(9, 10))
    policy.learn(state, rb.Choice(arm, 1 / 9, 0), 1.0, stream(1))
    assert state.probabilities[arm or 5] == pytest.approx(others, abs=1e-8)
    assert state.probabilities[0] == pytest.approx(1 - 8 * others if leader is None else leader, abs=1e-8)
    assert state.probabilities.sum() == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("means", [(0.9, 0.8, 0.1), (0.3, 0.35, 0.2)])
def test_the_drift_of_the_logarithm_is_exact(means: tuple[float, ...]) -> None:
    """E d ln p_a = alpha p_a (r_a - r_l) for every a but the leader, by enumeration of a round's outcomes."""
    policy, alpha, start = rb.policy("exponential-samba:learning_rate=0.3"), 0.3, np.array([0.2, 0.5, 0.3])
    drift = np.zeros(3)
    for arm, probability in enumerate(start):
        state = policy.start(rb.Setting(3, 10))
        state.probabilities[:] = start
        policy.learn(state, rb.Choice(arm, probability, 0), 1.0, stream(1))
        drift += probability * means[arm] * np.log(state.probabilities / start)
    for arm in (0, 2):
        assert drift[arm] == pytest.approx(alpha * start[arm] * (means[arm] - means[1]), abs=1e-14)
