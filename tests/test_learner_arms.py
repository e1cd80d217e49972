"""Arms of a learner: some of them eligible, new ones, paused, resumed and retired ones, as each policy takes them."""

import json
from pathlib import Path

import numpy as np
import pytest

import robandit as rb
from tests.support import ARMS, played


def test_eligible_arms_come_with_the_probability_of_their_draw(tmp_path: Path) -> None:
    learner = played(rb.Learner("exp3", ARMS, seed=1, journal=tmp_path / "j"))
    probabilities = learner.probabilities()
    decision = learner.decide(["b", "a"])
    assert decision.probability == pytest.approx(
        probabilities[decision.arm] / (probabilities["a"] + probabilities["b"]), rel=1e-12
    )
    entry = json.loads((tmp_path / "j").read_text().splitlines()[-1].split("\t")[0])
    assert (entry["eligible"], entry["chance"]) == (["a", "b"], decision.probability)
    learner.pause_arm("a")
    assert learner.decide(["a", "c"]) == (61, "c", 1.0, False)
    assert {learner.decide().arm for _ in range(50)} == {"b", "c"}
    assert learner.arms == {"a": "paused", "b": "active", "c": "active"}
    assert set(learner.probabilities()) == {"b", "c"}
    for policy in ("ucb1", "thompson", "uniform"):
        other = rb.Learner(policy, ARMS, seed=1)
        other.pause_arm("a")
        assert {other.decide().arm for _ in range(50)} == {"b", "c"}


def test_index_policies_take_the_best_of_the_eligible() -> None:
    for policy in ("ucb1", "kl-ucb"):
        learner = played(rb.Learner(policy, ARMS, seed=1), 300)
        state, made = learner._fold.state, learner.policy
        index = (
            [state.means[a] + (2 * np.log(state.rounds) / state.pulls[a]) ** 0.5 for a in range(3)]
            if policy == "ucb1"
            else [made.bound(state, a, np.log(state.rounds)) for a in range(3)]
        )
        for eligible in (["a", "b"], ["a", "c"], ["b", "c"]):
            best = max(eligible, key=lambda name: index[ARMS.index(name)])
            assert made.probabilities_among(state, [ARMS.index(name) for name in eligible]) == [
                float(name == best) for name in eligible
            ]


def test_samba_gives_an_arm_its_share_and_takes_it_back() -> None:
    learner = played(rb.Learner("samba:min_lift=0.6", ARMS, seed=1), 500)
    before = learner.probabilities()
    learner.add_arm("d")
    after = learner.probabilities()
    assert after["d"] == 0.25
    assert after["c"] == pytest.approx(0.75 * before["c"]) == max(after.values())
    learner.retire_arm("c")
    assert learner._fold.state.probabilities[2] == 0.0
    left = learner.probabilities()
    assert sum(left.values()) == pytest.approx(1.0, abs=1e-12)
    assert left["d"] / left["a"] == pytest.approx(after["d"] / after["a"])
    learner.pause_arm("d")
    learner.resume_arm("d")
    assert learner.probabilities()["d"] == pytest.approx(1 / 3)


def test_a_loss_based_policy_lets_a_new_arm_begin_beside_the_leader() -> None:
    for policy in ("exp3", "tsallis-inf-iw", "tsallis-inf-rv", "ftrl-hybrid:b=1", "exp3-ix"):
        learner = played(rb.Learner(policy, ARMS, seed=1), 800)
        learner.add_arm("d")
        probabilities = learner.probabilities()
        assert probabilities["d"] == pytest.approx(probabilities["c"], rel=1e-6), policy
        learner.pause_arm("c")
        assert learner._fold.state.probabilities[2] < 1e-6, policy
        learner.resume_arm("c")
        assert learner.probabilities()["c"] == pytest.approx(learner.probabilities()["d"], rel=1e-6), policy


def test_policies_that_need_all_their_arms_or_rewards_say_why(tmp_path: Path) -> None:
    phased = played(rb.Learner("barbar:scale=1", ARMS, seed=1, journal=tmp_path / "j"))
    for act, message in (
        (lambda: phased.decide(["a"]), "plan the pulls of every arm beforehand"),
        (lambda: phased.add_arm("d"), "plan the pulls of every arm beforehand"),
        (lambda: phased.retract(3), "cannot take a reward back: its epochs ended"),
        (lambda: rb.Learner("aae", ARMS).pause_arm("a"), "compares all its arms"),
        (lambda: rb.Learner("floor:inner=(fast-slow-aae)", ARMS).decide(["a"]), "compares all its arms"),
        (lambda: played(rb.Learner("samba", ARMS)).retract(3), "only a learner with a journal"),
    ):
        with pytest.raises(rb.InputError, match=message):
            act()


def test_a_pause_that_could_not_end_is_refused() -> None:
    learner = rb.Learner("independent", ["a", "b", "c"])
    with pytest.raises(rb.InputError, match="independent cannot take an arm back"):
        learner.pause_arm("a")
    assert learner.arms["a"] == "active"
    learner.retire_arm("a")
    assert learner.arms["a"] == "retired"
