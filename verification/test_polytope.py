"""Fuzzed updates of each rule for slates, lists, teams and features, and a million rounds of each policy under attack.

None leaves its polytope. FUZZED_STARTS=1000 makes a million updates of each rule, which takes half an hour.
"""

import os
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.catalogue import POLICIES, scaled, shipped
from robandit.lab.runner import prepare
from robandit.numerics import barrier_step
from tests.support import stream

STARTS, STEPS = int(os.environ.get("FUZZED_STARTS", "250")), 1000  # of each rule
ROUNDS, RUNS = 100_000, 10  # of each policy
WIDER = {name: kind for kind in POLICIES[1:] for name in shipped(kind)}


def draw_point(random: Any, arms: int, total: int) -> np.ndarray:
    """Draw marginals that sum to `total`, some of them within 1e-9 of 0 or 1."""
    odds = random.normal(size=arms) * 10.0 ** random.uniform(-1, 1)
    low, high = -100.0, 100.0
    for _ in range(200):
        shift = 0.5 * (low + high)
        x = 1.0 / (1.0 + np.exp(-np.clip(odds + shift, -20.0, 20.0)))
        low, high = (shift, high) if x.sum() < total else (low, shift)
    return np.asarray(x)


def draw_rewards(random: Any, count: int) -> np.ndarray:
    """Draw rewards: all ones, zeros and ones, or anything between."""
    kind = random.integers(3)
    return (
        np.ones(count) if kind == 0 else random.integers(0, 2, count) * 1.0 if kind == 1 else random.uniform(size=count)
    )


@pytest.mark.parametrize("rule", ["slate-samba", "bar", "bar:form=linear"])
def test_marginals_stay_inside(rule: str) -> None:
    """Slates are any, not only likely ones: an item of marginal 1e-9 that pays is the dangerous case."""
    random, policy_stream = np.random.default_rng(5), stream(5)
    for _ in range(STARTS):
        arms = int(random.integers(2, 8))
        slots = int(random.integers(1, arms))
        limit = 1.0 / np.sqrt(slots) if rule == "slate-samba" else 0.69
        joint = "," if ":" in rule else ":"
        policy: Any = rb.policy(f"{rule}{joint}learning_rate={0.999 * limit * random.uniform() ** 0.3}")
        state = policy.start(rb.Setting(arms, 1, slots=slots))
        state.marginals[:] = draw_point(random, arms, slots)
        for _ in range(STEPS):
            state.shown[:] = random.permutation(arms)[:slots]
            state.paid[:] = draw_rewards(random, slots)
            policy.learn_slate(state, policy_stream)
            assert state.marginals.min() > 0.0
            assert state.marginals.max() <= 1.0
            assert abs(state.marginals.sum() - slots) <= 1e-9


def test_lists_stay_on_the_simplex() -> None:
    random, policy_stream = np.random.default_rng(6), stream(6)
    game = rb.environment("paths:rows=3,columns=3")
    for _ in range(STARTS):
        policy: Any = rb.policy(f"listed-samba:learning_rate={0.999 * np.log(2) / 4 * random.uniform() ** 0.3}")
        state = policy.start(rb.Setting(len(game.means), 1, slots=4, family=game.family))
        state.listed[:] = draw_point(random, 6, 1)
        state.listed[np.argmax(state.listed)] += 1.0 - state.listed.sum()
        policy.show(state)
        for _ in range(STEPS):
            state.shown[:] = game.family[random.integers(6)]
            state.paid[:] = draw_rewards(random, 4)
            policy.learn_slate(state, policy_stream)
            assert state.listed.min() > 0.0
            assert abs(state.listed.sum() - 1.0) <= 1e-12


def test_a_barrier_step_of_any_size_stays_on_the_simplex() -> None:
    random = np.random.default_rng(7)
    for _ in range(STARTS):
        probabilities = draw_point(random, int(random.integers(2, 8)), 1)
        probabilities /= probabilities.sum()
        for _ in range(STEPS):
            steps = random.normal(size=len(probabilities)) * 10.0 ** random.uniform(-6, 6)
            barrier_step(probabilities, steps)
            assert probabilities.min() > 0.0
            assert abs(probabilities.sum() - 1.0) <= 1e-12


@pytest.mark.parametrize("name", WIDER)
def test_no_policy_leaves_the_simplex_in_a_million_attacked_rounds(name: str) -> None:
    """The loop checks p(t) where it records: after every slate, or turn of all agents. The attacker does both."""
    games: dict[str, tuple[Any, dict[str, int]]] = {
        "linear policy": (rb.environment("linear:arms=6,dimension=3,gap=0.1"), {}),
        "team policy": (rb.Bernoulli((0.1, 0.5, 0.9, 0.8)), {"agents": 5}),
        "slate policy": (rb.Bernoulli((0.1, 0.5, 0.9, 0.8, 0.0, 1.0)), {"slate": 3}),
    }
    ground, shape = games[WIDER[name]] if name != "listed-samba" else (rb.environment("paths:rows=3,columns=3"), {})
    turns = shape.get("agents", 1) * (4 if name == "listed-samba" else shape.get("slate", 1))
    rounds, attack = ROUNDS // turns, rb.attack("push-shown:raised=1", budget=0.01 * ROUNDS)
    scenario = rb.Scenario(scaled(rb.policy(name)), ground, attack, horizon=rounds, runs=RUNS, **shape)
    runner = prepare(scenario, rounds)
    for run in range(RUNS):
        runner.play_compiled(slice(run, run + 1))
    runner.check_faults(slice(0, RUNS))
    assert runner.buffers.progress.tolist() == [rounds * turns] * RUNS
