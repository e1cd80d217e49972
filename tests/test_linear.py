"""Arms with features: the environment, each policy against a naive twin, the estimates enumerated, who is refused."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.catalogue import shipped
from robandit.environments.linear import LinearRewards
from robandit.numerics import barrier_step
from robandit.variates import normal_draw
from tests.naive.linear import (
    NaiveCwOful,
    NaiveCwSquareCb,
    NaiveLinear,
    NaiveLinearSamba,
    NaiveLinearSoftmax,
    NaiveLinearThompson,
    NaiveLinUcb,
    NaiveSquareCb,
)
from tests.support import near, stream

TWINS: dict[str, tuple[type[NaiveLinear], dict[str, float]]] = {
    "linucb": (NaiveLinUcb, {}),
    "cw-oful:bears=5": (NaiveCwOful, {"bears": 5.0}),
    "linear-thompson": (NaiveLinearThompson, {}),
    "linear-samba": (NaiveLinearSamba, {}),
    "linear-softmax": (NaiveLinearSoftmax, {}),
    "squarecb": (NaiveSquareCb, {}),
    "cw-squarecb:bears=5": (NaiveCwSquareCb, {"bears": 5.0}),
}
GAME = rb.environment("linear:arms=7,dimension=3,gap=0.2")
DEPENDENT = LinearRewards(
    rows=((0.2, 1.0, 2.0, 3.0, 0.0), (0.9, 0.5, 1.2, 1.7, 0.0), (0.5, 1.5, 0.2, 1.7, 0.0))
)  # rank 2


@pytest.mark.parametrize("game", [GAME, DEPENDENT], ids=["drawn", "dependent"])
@pytest.mark.parametrize("name", TWINS)
def test_same_arms_as_the_naive_policy(name: str, game: Any) -> None:
    policy, rounds = rb.policy(name), 300
    twin, terms = TWINS[name]
    random, other, paid = stream(31), stream(31), stream(32)
    state = policy.start(rb.Setting(len(game.means), rounds, 0.0, game.features))
    naive = twin(game.features, rounds, other, lambda: normal_draw(other), **terms)
    for t in range(rounds):
        choice, arm = policy.choose(state, random), naive.choose()
        assert choice.arm == arm, f"round {t}"
        reward = float(paid.uniform() < game.means[arm]) if paid.uniform() < 0.8 else 0.5 * game.means[arm]
        policy.learn(state, choice, reward, random)
        naive.learn(arm, reward)
        if hasattr(naive, "probabilities"):
            assert near(state.probabilities, naive.probabilities), (
                f"after round {t}: {state.probabilities}, not {naive.probabilities}"
            )


def test_every_linear_policy_has_a_naive_twin() -> None:
    assert {name.partition(":")[0] for name in TWINS} == set(shipped("linear policy"))


def test_linear_samba_estimates_every_arm_without_bias() -> None:
    """Enumerate the arm pulled: the mean fall of 1/p, before the common level, is alpha times each arm's reward."""
    policy = rb.policy("linear-samba:learning_rate=0.01")
    probabilities = np.array([0.3, 0.1, 0.1, 0.2, 0.1, 0.1, 0.1])
    theta = np.linalg.lstsq(GAME.features, GAME.means, rcond=None)[0]
    assert GAME.features @ theta == pytest.approx(GAME.means, abs=1e-12)  # a drawn game really is linear
    falls = np.zeros(7)
    for arm in range(7):
        state = policy.start(rb.Setting(7, 1, 0.0, GAME.features))
        state.probabilities[:] = probabilities
        policy.learn(state, rb.Choice(arm, probabilities[arm], 0), GAME.means[arm], stream(0))
        falls += probabilities[arm] * (1 / probabilities - state.steps)
    assert falls == pytest.approx(0.01 * np.array(GAME.means), rel=1e-9)


def test_the_barrier_step_has_the_value_worked_out_by_hand() -> None:
    probabilities = np.array([0.5, 0.3, 0.2])
    barrier_step(probabilities, 0.05 * np.array([2.0, 1.0, 0.0]) / probabilities)
    assert probabilities == pytest.approx([0.50712016, 0.29952801, 0.19335182], abs=6e-9)
    level = (1 / probabilities - (1 / np.array([0.5, 0.3, 0.2]) - 0.05 * np.array([4.0, 1 / 0.3, 0.0]))).tolist()
    assert level == pytest.approx([0.17191922] * 3, abs=6e-8)


@pytest.mark.parametrize("size", [1e6, -1e6, 1e-12])
def test_no_step_leaves_the_simplex(size: float) -> None:
    probabilities = np.array([0.6, 0.3, 0.1 - 1e-9, 1e-9])
    barrier_step(probabilities, size * np.array([1.0, 0.5, -1.0, 0.0]))
    assert probabilities.min() > 0.0
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-12)


def test_late_rewards_weigh_as_if_the_choice_were_made_now() -> None:
    """p now over the probability then: the estimate is that of a draw from p now, wherever the choice came from."""
    policy = rb.policy("linear-samba")
    states = [policy.start(rb.Setting(7, 1, 0.0, GAME.features)) for _ in range(2)]
    policy.learn(states[0], rb.Choice(3, 2 / 7, 0), 1.0, stream(0))
    policy.learn(states[1], rb.Choice(3, 1 / 7, 0), 0.5, stream(0))
    assert states[0].probabilities == pytest.approx(states[1].probabilities, rel=1e-12)


def test_a_drawn_game_is_what_it_says() -> None:
    for instance in (1, 2):
        game = rb.environment(f"linear:instance={instance}")
        means = sorted(game.means)
        assert (means[0], means[-1]) == (pytest.approx(0.1), pytest.approx(0.9))
        assert means[-1] - means[-2] == pytest.approx(0.07, abs=0.0101)
        assert np.linalg.norm(game.features, axis=1) == pytest.approx(np.ones(30))
    assert rb.environment("linear:instance=1") != rb.environment("linear:instance=2")
    assert rb.environment("linear:instance=2") == game


def test_a_file_gives_means_and_features(tmp_path: Path) -> None:
    path = tmp_path / "films.csv"
    path.write_text("age,mean,length\n1,0.5,2\n3,0.25,4\n")
    game = rb.environment(f"linear:file={path}")
    assert game.means == (0.5, 0.25)
    assert game.features.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert game.parameters()["file"] == str(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "one column named mean"),
        ("mean,b\n1,2,3\n", "line 2: there must be 2 values, not 3"),
        ("mean,b\n0.5,x\n", "line 2: b must be a number, not 'x'"),
        ("mean,b\n1.5,1\n", "arm 1 was given 1.5"),
        ("mean\n0.5\n", "at least one feature"),
        ("mean,b\n0.5,nan\n", "all finite"),
        ("", "is empty: its first line must name the columns"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "films.csv"
    path.write_text(text)
    with pytest.raises(rb.InputError, match=message):
        rb.environment(f"linear:file={path}")


def test_who_needs_features_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(rb.InputError, match="linucb needs features, of the arms or of whoever comes"):
        rb.simulate(rb.policy("linucb"), rb.Bernoulli((0.1, 0.9)), horizon=10)
    with pytest.raises(rb.InputError, match="linear-samba needs features"):
        rb.Learner("linear-samba", ["a", "b"])
    monkeypatch.setattr("robandit.environments.linear.DRAWS", 50)
    with pytest.raises(rb.InputError, match="no game of 30 arms with a gap near"):
        rb.environment("linear:gap=0.75")


def test_the_same_policy_ignores_features_if_it_can() -> None:
    """A policy for arms plays arms with features as if they had none, to the bit."""
    plain = rb.simulate(rb.Samba(), rb.Bernoulli(GAME.means), horizon=500, runs=3)
    told = rb.simulate(rb.Samba(), GAME, horizon=500, runs=3)
    assert np.array_equal(plain.regret, told.regret)


def test_neighbours_sink_together() -> None:
    adversary, means = rb.attack("sink-near:within=0.15", budget=1), np.array([0.5, 0.8, 0.7, 0.9])
    memory = adversary.start(means, 10)
    assert [adversary.tamper_reward(memory, 0, means, arm, 1.0, stream(0)) for arm in range(4)] == [1.0, 0.0, 1.0, 0.0]


def test_features_pay_and_cw_oful_is_dearer_to_turn_than_linucb() -> None:
    """With ten pulls an arm the tabular policy still guesses; the attack that turns LinUCB leaves CW-OFUL alone."""
    game = rb.environment("linear:arms=60")
    terms: dict[str, Any] = {"horizon": 3000, "runs": 10}
    clean = [rb.simulate(rb.policy(name), game, **terms).summary()["mean"] for name in ("linear-thompson", "thompson")]
    assert clean[0] < 0.5 * clean[1]  # type: ignore[operator]
    attack = rb.attack("sink-shown", budget=12)
    shares = [
        rb.simulate(rb.policy(name), game, attack, **terms).best_arm_share
        for name in ("linucb:scale=0.2", "cw-oful:scale=0.3,bears=20")
    ]
    assert all(worse < better - 0.2 for worse, better in pairwise(shares))
