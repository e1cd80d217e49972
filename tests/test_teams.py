"""Several agents: each policy against a naive twin, what is sent, exact equivalences, what one agent can turn."""

from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.catalogue import shipped
from robandit.conformance.law import require_same_play
from robandit.lab.runner import prepare
from robandit.policies.teams.team_samba import trimmed_sum
from tests.naive.teams import NaiveIndependent, NaiveTeamDraa, NaiveTeamSamba
from tests.support import near, stream
from tests.test_naive import Shared

TWINS: list[tuple[str, type[Any], dict[str, Any], int]] = [
    ("team-samba", NaiveTeamSamba, {}, 1),
    ("team-samba", NaiveTeamSamba, {"batch": 1, "growth": 0.0}, 1),
    ("team-samba", NaiveTeamSamba, {"batch": 3, "learning_rate": 0.4}, 4),
    ("team-samba", NaiveTeamSamba, {"batch": 7, "trim": 2, "growth": 0.3}, 5),
    ("independent", NaiveIndependent, {}, 3),
    ("team-draa", NaiveTeamDraa, {"scale": 0.3}, 4),
    ("team-draa", NaiveTeamDraa, {"scale": 0.3, "trim": 1}, 5),
]
MEANS = (0.1, 0.9, 0.5, 0.3, 0.0)


@pytest.mark.parametrize(("name", "twin", "terms", "agents"), TWINS)
def test_same_arms_and_messages_as_the_naive_policy(name: str, twin: Any, terms: dict[str, Any], agents: int) -> None:
    rounds = 1200 // agents * agents
    policy = shipped("team policy")[name](**terms)
    random, paid = stream(41), stream(42)
    state = policy.start(rb.Setting(5, rounds, agents=agents))
    naive = twin(5, rounds, Shared(stream(41)), agents, **terms)
    for t in range(rounds):
        choice, arm = policy.choose(state, random), naive.choose()
        assert choice.arm == arm, f"round {t}"
        reward = float(paid.uniform() < MEANS[arm])
        policy.learn(state, choice, reward, random)
        naive.learn(arm, reward)
        assert near(state.probabilities, naive.probabilities), (
            f"after round {t}: {state.probabilities}, not {naive.probabilities}"
        )
    assert policy.messages(state, rounds) == naive.messages
    assert naive.messages > 0 or name == "independent"


def test_every_team_policy_has_a_naive_twin() -> None:
    assert {name for name, *_ in TWINS} == set(shipped("team policy"))


@pytest.mark.parametrize("name", [*shipped("team policy"), "samba", "thompson"])
def test_compiled_equals_interpreted_with_agents(name: str) -> None:
    policy = rb.policy(name if name != "team-draa" else "team-draa:scale=0.3,trim=1")
    adversary = rb.attack("sink-shown", budget=9, capability="both:every=3")
    scenario = rb.Scenario(policy, MEANS, adversary, horizon=200, runs=1, seed=3, agents=3)
    require_same_play(lambda: prepare(scenario, 5), f"{policy}")


def test_agents_who_tell_everything_are_one_agent_of_all_their_rounds() -> None:
    """The same dice, the same rounds: equal to the bit, and DRAA with its agents told apart is DRAA."""
    for shared, alone in (("samba", "samba"), ("team-draa:scale=0.3", "draa:scale=0.3,agents=4")):
        team = rb.simulate(rb.policy(shared), rb.Bernoulli(MEANS), horizon=1500, runs=5, agents=4, checkpoints=100)
        one = rb.simulate(rb.policy(alone), rb.Bernoulli(MEANS), horizon=6000, runs=5, checkpoints=100)
        assert np.array_equal(team.regret, one.regret)
        assert np.array_equal(team.pulls, one.pulls)
        assert team.rounds[-1] == 1500
    assert rb.simulate(rb.Samba(), rb.Bernoulli(MEANS), horizon=10, runs=2, agents=4).team.messages.tolist() == [40, 40]


def test_the_books_are_even() -> None:
    trace = rb.simulate(rb.policy("team-samba"), rb.Bernoulli(MEANS), horizon=700, runs=3, agents=5)
    team = trace.team
    assert team is not None
    assert team.pulls.sum(axis=2).tolist() == [[700] * 5] * 3  # every agent has its rounds
    assert np.array_equal(team.pulls.sum(axis=1), trace.pulls)
    assert team.regret(trace.gaps).sum(axis=1) == pytest.approx(trace.regret[:, -1])
    assert team.bits.tolist() == [32 * 5 * sent for sent in team.messages]
    assert rb.simulate(rb.Samba(), rb.Bernoulli(MEANS), horizon=700, runs=3).team is None


def test_agents_alone_are_as_many_single_plays_in_law() -> None:
    """Mean regret of an agent against that of one who plays alone, 4 standard errors: false alarm 7e-5."""
    team = rb.simulate(rb.policy("independent"), rb.Bernoulli(MEANS), horizon=800, runs=60, agents=4, seed=3)
    alone = rb.simulate(rb.Samba(), rb.Bernoulli(MEANS), horizon=800, runs=240, seed=4).regret[:, -1]
    own = team.team.regret(team.gaps).ravel()  # type: ignore[union-attr]
    assert abs(own.mean() - alone.mean()) < 4 * np.sqrt(own.var() / 240 + alone.var() / 240)


def test_trimmed_sums() -> None:
    sums = np.array([[5.0], [1.0], [9.0], [2.0], [3.0]])
    room = np.zeros(5)
    assert trimmed_sum(sums, 0, 0, room) == 20.0
    assert trimmed_sum(sums, 0, 1, room) == pytest.approx(10.0 * 5 / 3)
    assert trimmed_sum(sums, 0, 2, room) == pytest.approx(3.0 * 5)


def test_one_agent_cannot_turn_a_team_that_trims() -> None:
    """Nothing stops the attacker but that he has one agent of six: without trimming he turns the team, with it not."""
    attack = rb.attack("sink-shown", budget=np.inf, capability="both:every=6")
    terms: dict[str, Any] = {"horizon": 3000, "runs": 20, "agents": 6}
    share = {
        trim: rb.simulate(
            rb.policy(f"team-samba:batch=100,trim={trim}"), rb.Bernoulli((0.5, 0.55)), attack, **terms
        ).best_arm_share
        for trim in (0, 1)
    }
    assert share[0] < 0.3
    assert share[1] > 0.6


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: play("team-samba:trim=2", agents=4), "trim must be below half of the 4 agents, not 2"),
        (lambda: play("team-draa:trim=1"), "trim must be below half of the 1 agents"),
        (lambda: play("samba", agents=0), "agents must be a whole number of at least 1, not 0"),
        (lambda: play("samba", agents=2, until=5), "is played in one piece"),
        (lambda: play("draa", agents=2, engine="counts"), "agents and slates take turns"),
        (lambda: rb.policy("independent:inner=ucb1"), "inner must be a policy whose state is its p"),
    ],
)
def test_what_cannot_be_is_refused(act: Any, message: str) -> None:
    with pytest.raises(rb.InputError, match=message):
        act()


def play(name: str, **terms: Any) -> Any:
    return rb.simulate(rb.policy(name), rb.Bernoulli((0.1, 0.9)), horizon=10, runs=1, **terms)
