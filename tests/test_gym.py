"""Gymnasium: its own checker is content, and a play through it is the lab's own play, to the bit."""

import threading
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import robandit as rb
from robandit.dice import Random, seed_words
from robandit.errors import InputError
from robandit.game import Setting
from robandit.gym import AttackEnv, BanditEnv

MEANS = [0.3, 0.9, 0.6]


@pytest.mark.parametrize(
    "make",
    [
        lambda: BanditEnv(MEANS, horizon=60),
        lambda: BanditEnv(rb.environments.Drift(MEANS, step=0.01), rb.attack("flip", budget=5), horizon=60),
        lambda: AttackEnv("ucb1", MEANS, 3, horizon=60),
        lambda: AttackEnv("thompson", MEANS, 1000, horizon=60),
    ],
    ids=["learner", "learner under attack", "attacker", "attacker with much to spend"],
)
def test_the_checker_of_gymnasium_is_content(make: Any) -> None:
    environment = make()
    check_env(environment, skip_render_check=True)
    environment.close()


def play(environment: Any, act: Any, seed: int) -> tuple[list[float], dict[str, Any]]:
    """The rewards of a play, and what its last step says."""
    observation, _ = environment.reset(seed=seed)
    earned, is_over, info = list[float](), False, dict[str, Any]()
    while not is_over:
        observation, reward, is_over, _, info = environment.step(act(observation))
        earned.append(float(reward))
    return earned, info


def test_an_agent_that_decides_as_ucb1_has_the_regret_of_ucb1() -> None:
    attack = rb.attack("sink-shown", budget=5)
    for seed in range(1, 6):
        trace = rb.simulate("ucb1", MEANS, attack, horizon=300, runs=1, seed=seed, engine="plain")
        policy, random = rb.policy("ucb1"), Random(*seed_words(seed, range(1))[0, 1].tolist())
        environment = BanditEnv(MEANS, attack, horizon=300)
        environment.reset(seed=seed)
        state, is_over, info = policy.start(Setting(3, 300)), False, dict[str, Any]()
        while not is_over:
            choice = policy.choose(state, random)
            _, reward, is_over, _, info = environment.step(choice.arm)
            policy.learn(state, choice, float(reward), random)
        assert info["regret"] == trace.regret[0, -1]


def test_an_agent_that_attacks_as_sink_shown_does_the_same_harm() -> None:
    for seed in range(1, 6):
        attack = rb.attack("sink-shown", budget=4)
        trace = rb.simulate("ucb1", MEANS, attack, horizon=300, runs=1, seed=seed, engine="plain")

        def sink(observation: Any) -> Any:
            _, _, reward, *drawn = observation
            return np.array([0.0 if drawn[1] == 1.0 else reward])

        earned, info = play(AttackEnv("ucb1", MEANS, 4, horizon=300), sink, seed)
        assert info["regret"] == trace.regret[0, -1]
        assert sum(earned) == pytest.approx(info["regret"], rel=1e-12)
        assert info["paid"] == pytest.approx(trace.corruption_paid[0, -1])


def test_the_same_seed_gives_the_same_play_and_no_thread_is_left() -> None:
    before = threading.active_count()
    environment = AttackEnv("thompson", MEANS, 2, horizon=100)
    first = play(environment, lambda observation: observation[2:3], 7)
    assert play(environment, lambda observation: observation[2:3], 7) == first
    assert play(environment, lambda observation: observation[2:3], 8) != first
    environment.reset(seed=1)
    environment.step(np.array([0.0]))
    environment.close()
    assert threading.active_count() == before


def test_an_attacker_needs_a_budget_and_means_that_stay() -> None:
    with pytest.raises(InputError, match="budget must be"):
        AttackEnv("ucb1", MEANS, 0)
    with pytest.raises(InputError, match="must stay"):
        AttackEnv("ucb1", rb.environments.Drift(MEANS, step=0.01), 1)
