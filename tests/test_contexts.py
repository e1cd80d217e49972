"""Contexts: the whole game against a naive twin, what stays the same where nothing changes, logs replayed, refusals."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.conformance.law import require_same_play
from robandit.environments.contexts import Contexts
from robandit.errors import PartError
from robandit.lab.matched import ContextLog, logged_by_probability
from robandit.lab.runner import prepare
from robandit.policies.linear.linucb import LinUcb
from robandit.variates import normal_draw
from tests.naive.contexts import NaiveArms, NaiveGaps, NaiveSampling, NaiveUcb, play, replay
from tests.support import stream

GAME = Contexts(arms=3, dimension=3, users=20, instance=1)
LOOKING = ("linucb", "cw-oful:bears=5", "linear-thompson", "linear-softmax", "squarecb", "cw-squarecb:bears=5")
TWINS: list[tuple[str, type[NaiveArms]]] = [
    ("linucb", NaiveUcb),
    ("linear-thompson", NaiveSampling),
    ("squarecb", NaiveGaps),
]


@pytest.mark.parametrize(("name", "twin"), TWINS)
@pytest.mark.parametrize("budget", [0.0, 10.5])
def test_same_game_as_the_naive_one(name: str, twin: type[Any], budget: float) -> None:
    rounds, population = 300, GAME.population
    adversary = rb.attack("sink-best", budget=budget) if budget else None
    trace = rb.simulate(rb.policy(name), GAME, adversary, horizon=rounds, runs=1, seed=5)
    own = stream(5, 1)
    naive = twin(3, 3, rounds, own, lambda: normal_draw(own))
    regret, spent = play(naive, population.users, population.means, stream(5, 0), budget)
    assert trace.regret[0, -1] == pytest.approx(regret, rel=1e-9)
    assert trace.corruption_paid[0, -1] == pytest.approx(spent)
    assert spent == pytest.approx(budget)


@pytest.mark.parametrize("name", [*LOOKING, "samba"])
def test_one_user_for_ever_is_a_game_of_fixed_features_to_the_bit(name: str) -> None:
    """The loop for arms with features, told the same blocks once, and the loop that is told them in every round."""
    one = Contexts(arms=4, dimension=3, users=1)
    blocks = np.kron(np.eye(4), one.population.users)
    fixed = rb.environments.LinearRewards(rows=tuple(map(tuple, np.column_stack([one.means, blocks]))))
    adversary, terms = rb.attack("sink-shown", budget=5.5), {"horizon": 300, "runs": 3, "checkpoints": 7}
    plays = [rb.simulate(rb.policy(name), game, adversary, **terms) for game in (one, fixed)]  # type: ignore[arg-type]
    for field in ("regret", "corruption_paid", "pulls", "best_shares"):
        assert np.array_equal(getattr(plays[0], field), getattr(plays[1], field)), field


@pytest.mark.parametrize("name", LOOKING)
def test_compiled_equals_interpreted(name: str) -> None:
    adversary = rb.attack("sink-best", budget=9.5, capability="erase:share=0.5")
    scenario = rb.Scenario(name, GAME, adversary, horizon=200, runs=2, seed=9)
    require_same_play(lambda: prepare(scenario, 10), name)


def test_what_must_hold_of_every_play() -> None:
    """Never a negative regret, no more paid than allowed, the same by seed, nothing by somebody who can only add."""
    adversary, terms = rb.attack("sink-best", budget=7.25), {"horizon": 1000, "runs": 4}
    plays = [rb.simulate("linucb", GAME, adversary, threads=n, **terms) for n in (1, 2)]  # type: ignore[arg-type]
    assert np.array_equal(plays[0].regret, plays[1].regret)
    assert (np.diff(plays[0].regret, axis=1, prepend=0.0) >= 0.0).all()
    assert plays[0].corruption_paid[:, -1] == pytest.approx([7.25] * 4)
    only_adds = rb.attack("sink-best", budget=7.25, capability="add")
    clean = rb.simulate("linucb", GAME, **terms)  # type: ignore[arg-type]
    assert np.array_equal(rb.simulate("linucb", GAME, only_adds, **terms).regret, clean.regret)  # type: ignore[arg-type]
    assert clean.best_arm_share > plays[0].best_arm_share


def test_features_pay_and_a_few_forged_rewards_undo_it() -> None:
    """Not looking costs `blind_regret` a round, which Thompson sampling on arms cannot beat for long."""
    game, terms = Contexts(arms=3, dimension=3, users=50, instance=1), {"horizon": 4000, "runs": 8}
    blind = game.blind_regret * 4000
    looked, ignored = (rb.simulate(name, game, **terms).regret[:, -1] for name in ("linear-thompson", "thompson"))  # type: ignore[arg-type]
    assert looked.max() < 0.6 * blind < 0.95 * blind < ignored.min()
    attacked = rb.simulate("linear-thompson", game, rb.attack("sink-best", budget=60), **terms)  # type: ignore[arg-type]
    assert attacked.regret[:, -1].min() > looked.max()


def test_a_drawn_game_is_what_it_says() -> None:
    game = rb.environment("contexts:users=200")
    users, means = game.population.users, game.population.means
    assert means.min() == pytest.approx(0.1)
    assert means.max() == pytest.approx(0.9)
    assert np.linalg.norm(users, axis=1) == pytest.approx(np.ones(200))
    fitted = np.linalg.lstsq(users, means, rcond=None)[0]
    assert users @ fitted == pytest.approx(means)
    assert len(set(means.argmax(axis=1))) > 1
    assert game.blind_regret == pytest.approx(means.max(axis=1).mean() - max(means.mean(axis=0)))
    assert rb.environment("contexts:instance=2") != rb.environment("contexts")


def test_a_file_gives_users(tmp_path: Path) -> None:
    path = tmp_path / "users.csv"
    path.write_text("age,mean.a,mean.b\n1,0.5,0.25\n3,0.25,0.75\n")
    game = rb.environment(f"contexts:file={path}")
    assert game.means == (0.375, 0.5)
    assert game.population.users.tolist() == [[1.0], [3.0]]
    for text, message in {
        "age,a\n1,0.5\n": "columns named mean.NAME",
        "age,mean.a\n1,2\n": "arm 1 was given 2",
        "mean.a\n0.5\n": "a feature at least",
        "age,mean.a\n1\n": "line 2: there must be 2 values, not 1",
        "age,mean.a\nx,1\n": "line 2: age must be a number, not 'x'",
    }.items():
        path.write_text(text)
        with pytest.raises(rb.InputError, match=message):
            rb.environment(f"contexts:file={path}")


def test_who_cannot_play_is_told_why() -> None:
    for name, terms, message in (
        ("linear-samba", {}, "linear-samba needs a game that stays the same"),
        ("slate-samba", {}, "slate-samba needs a game that stays the same"),
        ("linucb", {"adversary": rb.attack("flip", budget=1)}, "of threat model A"),
        ("linucb", {"agents": 2}, "one agent, one arm at a time"),
        ("linucb", {"until": 5}, "in one piece"),
    ):
        with pytest.raises(rb.InputError, match=message):
            rb.simulate(name, GAME, horizon=10, **terms)  # type: ignore[arg-type]
    with pytest.raises(rb.InputError, match="where the best arm changes"):
        rb.find_price(rb.policy("linucb"), GAME, horizon=10, runs=2, fooled="regret")


@dataclass(frozen=True)
class Hasty(LinUcb):
    """A user's policy with a slip in what it does with a context."""

    def look(self, state: Any, features: Any) -> None:
        state.waiting[len(state.waiting)] = 1.0


def test_a_slip_in_a_users_look_is_one_sentence() -> None:
    with pytest.raises(PartError, match=r"IndexError in look \(test_contexts.py line \d+: state.waiting"):
        rb.simulate(Hasty(), GAME, horizon=10, runs=1)


# --- logs --------------------------------------------------------------------------------------------------------

LOG = logged_by_probability(GAME, 1500, [0.6, 0.3, 0.1], seed=4)


@pytest.mark.parametrize(("name", "twin"), TWINS)
def test_same_rows_of_a_log_as_the_naive_replay(name: str, twin: type[Any]) -> None:
    own, rows = stream(8, 1), list(zip(LOG.users, LOG.arms, LOG.rewards, LOG.probabilities, strict=True))
    naive = replay(twin(3, 3, 150, own, lambda: normal_draw(own)), rows, stream(8, 0))
    for engine in ("rounds", "plain"):
        assert rb.replay_contexts(rb.policy(name), LOG, seed=8, engine=engine).rewards.tolist() == naive


def test_a_replay_is_unbiased_whatever_the_logger_liked() -> None:
    """Even choices, logged probabilities from 0.1 to 0.6: their mean reward is 0.55; 5 standard errors, 6e-7."""
    game = Contexts(rows=((0.1, 0.5, 0.9, 1.0), (0.2, 0.6, 1.0, -1.0)), count=3)
    log = logged_by_probability(game, 30_000, [0.6, 0.3, 0.1], seed=6)
    found = rb.replay_contexts(rb.policy("uniform"), log)
    assert found.rounds == pytest.approx(3000, abs=5 * 52)
    assert found.mean == pytest.approx(0.55, abs=5 * 0.5 / 2740**0.5)
    assert float(log.rewards.mean()) < 0.4  # what the logger earned is another number
    assert log.by_arm() == pytest.approx(game.means, abs=5 * (10 / 30_000) ** 0.5)


def test_an_attack_on_a_replay_changes_what_is_told_not_what_is_counted() -> None:
    attacked = rb.replay_contexts(rb.policy("thompson"), LOG, rb.attack("sink-shown", budget=2.5))
    assert attacked.paid == pytest.approx(2.5)
    assert set(attacked.rewards) <= {0.0, 1.0}
    with pytest.raises(rb.InputError, match="sink-best must know the means of each round"):
        rb.replay_contexts(rb.policy("thompson"), LOG, rb.attack("sink-best", budget=1, capability="erase"))


def test_a_log_from_which_nothing_follows_is_refused() -> None:
    fixed = {"users": LOG.users, "arms": LOG.arms, "rewards": LOG.rewards, "names": LOG.names}
    for probabilities, message in (
        (np.ones(1500), "could not be taken everywhere"),  # the best arm each time
        (0.5 * LOG.probabilities, "taken more often than they say"),
        (np.full(1500, 1 / 3), "does not follow from this log"),
        (np.where(np.arange(1500) == 7, 0.0, LOG.probabilities), "probability must be above 0 and at most 1; row 8"),
    ):
        with pytest.raises(rb.InputError, match=message):
            ContextLog(probabilities=probabilities, **fixed)  # type: ignore[arg-type]


def test_the_commands_tell_it_under_the_names_of_the_contract(robandit: Any, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    LOG.save(path)
    again = rb.read_context_log(path)
    assert np.array_equal(again.users, LOG.users)
    assert again.names == ("1", "2", "3")
    code, told, _ = robandit("replay", str(path), "--policy", "linucb", "--json")
    assert code == 0
    assert {"rows", "arms", "least_probability", "logged", "results", "adversary"} <= set(told)
    assert told["results"][0]["rounds"] == rb.replay_contexts(rb.policy("linucb"), LOG).rounds
    assert "No regret" in robandit("replay", str(path))[1]
    terms = ("--environment", "contexts:arms=3,dimension=3,users=20,instance=1", "--horizon", "200", "--runs", "2")
    told = robandit("play", *terms, "--policy", "linucb", "--json")[1]
    assert told["environment"]["contexts"] == {"users": 20, "features": 3, "blind_regret": GAME.blind_regret}
    assert "always playing the arm that is best on average costs" in " ".join(robandit("play", *terms)[1].split())
    path.write_text("arm,reward,x\na,1,2\n")
    code, _, error = robandit("replay", str(path))
    assert (code, "must have one column each named arm, reward, probability" in error) == (2, True)
