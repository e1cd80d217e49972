"""Contexts in the learner: declared, refused, journalled, replayed and verified bit for bit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.dice import Random
from robandit.online.columns import read_columns
from robandit.online.features import features_from
from robandit.online.verify import verify_journal
from robandit.online.warm import fold_log
from robandit.state import save_state
from tests.support import stream

FEATURES: dict[str, Any] = {"age": [18, 98], "device": ["phone", "desktop", "tablet"]}
ARMS = ["red", "green", "blue"]
LOOKING = (
    "squarecb",
    "cw-squarecb:bears=20",
    "linucb:scale=0.3",
    "cw-oful:scale=0.1,bears=50",
    "linear-thompson",
    "linear-softmax",
)
ARM_FEATURES: dict[str, Any] = {"price": [0, 10], "kind": ["plain", "fancy"]}
ARM_VALUES: dict[str, Any] = {
    "red": {"price": 1, "kind": "plain"},
    "green": {"price": 9, "kind": "fancy"},
    "blue": {"price": 5, "kind": None},
}


def visitor(random: Random) -> dict[str, Any]:
    device = FEATURES["device"][int(random.uniform() * 3)]
    return {"device": device, "age": None if random.uniform() < 0.1 else 18 + int(random.uniform() * 81)}


def live(learner: rb.Learner, rounds: int, seed: int = 5) -> None:
    """Decide and reward, late, out of order and not always; phones like red, the others green."""
    random, waiting = stream(seed), list[tuple[int, float]]()
    for _ in range(rounds):
        context = visitor(random)
        decision = learner.decide(context=context)
        best = "red" if context["device"] == "phone" else "green"
        waiting.append((decision.id, float(random.uniform() < (0.8 if decision.arm == best else 0.2))))
        while waiting and random.uniform() < 0.6:
            id, reward = waiting.pop(int(random.uniform() * len(waiting)))
            if random.uniform() < 0.9:
                learner.learn(id, reward, f"source {id % 7}")


def test_features_become_numbers_no_longer_than_one() -> None:
    features = features_from(FEATURES)
    assert features is not None
    scale = 1 / 3**0.5
    assert features.encode({"age": 98, "device": "desktop"}) == pytest.approx([scale, scale, 0, scale, 0])
    assert features.encode({"device": None, "age": None}) == pytest.approx([scale, 0, 0, 0, 0])
    assert features.encode({"age": 58, "device": "tablet"}) == pytest.approx([scale, 0, 0, 0, scale])
    assert features.as_json() == FEATURES
    assert features_from(features.as_json()) == features


@pytest.mark.parametrize(
    ("declared", "sentence"),
    [
        ({}, "must be 1 to 100 names"),
        ({"age": [9, 9]}, "the range of age must go up"),
        ({"age": [0, float("inf")]}, "the range of age must go up"),
        ({"age": "young"}, "a range or a list of values"),
        ({"device": ["a", "a"]}, "different texts"),
        ({"device": []}, "different texts"),
        ({"device": ["a", 1]}, "different texts"),
        ({f"f{i}": [str(j) for j in range(99)] for i in range(3)}, "298 numbers per arm, allowed are 200"),
    ],
)
def test_features_that_cannot_be_are_refused(declared: Any, sentence: str) -> None:
    with pytest.raises(rb.InputError, match=sentence):
        rb.Learner("squarecb", ARMS, features=declared)


@pytest.mark.parametrize(
    ("context", "sentence"),
    [
        (None, "a context is needed, with the features age, device"),
        ({"age": 20}, "a value of every feature, null where it is not known: device"),
        ({"age": 20, "device": "phone", "x": 1}, "'x' is unknown"),
        ({"age": 17, "device": "phone"}, "age must be a number from 18 to 98 or null, not 17"),
        ({"age": True, "device": "phone"}, "age must be a number"),
        ({"age": float("nan"), "device": "phone"}, "age must be a number"),
        ({"age": 20, "device": "fridge"}, "device must be one of phone, desktop, tablet or null, not 'fridge'"),
        ([20], "must have the features age, device"),
    ],
)
def test_a_context_that_was_not_declared_is_refused_and_changes_nothing(context: Any, sentence: str) -> None:
    learner = rb.Learner("squarecb", ARMS, features=FEATURES, seed=1)
    before = learner.save()
    with pytest.raises(rb.InputError, match=sentence):
        learner.decide(context=context)
    assert learner.save() == before


def test_a_context_where_none_was_declared_is_refused() -> None:
    with pytest.raises(rb.InputError, match="a context needs features that were declared"):
        rb.Learner("samba", ARMS).decide(context={"age": 3})
    with pytest.raises(rb.InputError, match="squarecb needs features"):
        rb.Learner("squarecb", ARMS)


@pytest.mark.parametrize("more", [{}, {"arm_features": ARM_FEATURES, "arm_values": ARM_VALUES}], ids=["apart", "joint"])
@pytest.mark.parametrize("name", [*LOOKING, "samba"])
def test_the_state_is_the_replay_of_the_journal_bit_for_bit(name: str, more: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "journal"
    with rb.Learner(name, ARMS, features=FEATURES, journal=path, sync=False, seed=3, **more) as learner:
        live(learner, 150)
        learner.pause_arm("blue")
        live(learner, 50, 6)
        learner.add_arm("gold", ARM_VALUES["red"] if more else None)
        learner.resume_arm("blue")
        live(learner, 100, 7)
        learner.retract(source="source 3")
        live(learner, 50, 8)
        state, saved = learner.save_state(), learner.save()
        assert learner.probabilities(context={"age": 30, "device": "phone"})  # looking leaves no trace
        assert learner.save() == saved
    verification = verify_journal(str(path))
    assert (verification.chain, verification.compiled, verification.dice) == (True, True, True), verification.notes
    log = read_columns(path)
    assert save_state(rb.policy(name), fold_log(rb.policy(name), log, engine="plain")) == state
    again = rb.Learner.load(saved)
    with rb.Learner.open(path, sync=False) as opened:
        assert opened.save_state() == state
        context = {"age": 44, "device": "tablet"}
        assert [again.decide(context=context) for _ in range(5)] == [opened.decide(context=context) for _ in range(5)]


@pytest.mark.parametrize("name", LOOKING)
def test_it_learns_what_each_kind_of_visitor_likes(name: str) -> None:
    """1,500 visitors: the arm of the kind is taken more often than any other by both kinds, for every policy."""
    learner = rb.Learner(name, ARMS, features=FEATURES, seed=3, horizon=2000)
    live(learner, 1500)
    for device, best in (("phone", "red"), ("desktop", "green")):
        shares = learner.probabilities(context={"age": 50, "device": device})
        assert max(shares, key=shares.__getitem__) == best, shares


def test_arms_with_features_share_what_is_learnt() -> None:
    """A new fancy arm is expected to pay what fancy arms pay, before anybody has seen it."""
    terms: dict[str, Any] = {"arm_features": ARM_FEATURES, "arm_values": ARM_VALUES}
    learner = rb.Learner("squarecb", ARMS, seed=4, **terms)
    random = stream(9)
    for _ in range(600):
        decision = learner.decide()
        learner.learn(decision.id, float(random.uniform() < (0.9 if decision.arm == "green" else 0.1)))
    learner.add_arm("gold", {"price": 9, "kind": "fancy"})
    learner.add_arm("grey", {"price": 1, "kind": "plain"})
    shares = learner.probabilities()
    assert shares["gold"] > 3 * shares["grey"]
    with pytest.raises(rb.InputError, match="kind must be one of plain, fancy or null, not 'odd'"):
        learner.add_arm("odd", {"price": 1, "kind": "odd"})
    with pytest.raises(rb.InputError, match="only where arm_features were declared"):
        rb.Learner("samba", ARMS).add_arm("gold", {"price": 1})


def test_the_logged_probability_is_the_one_it_was_drawn_with() -> None:
    """4,000 decisions at one state: each arm within 5 standard errors of its probability (6e-7 a comparison)."""
    learner = rb.Learner("squarecb", ARMS, features=FEATURES, seed=2)
    live(learner, 300)
    context = {"age": 25, "device": "phone"}
    shares = learner.probabilities(context=context)
    decisions = [learner.decide(context=context) for _ in range(4000)]
    assert all(decision.probability == shares[decision.arm] for decision in decisions)
    for name, share in shares.items():
        count = sum(decision.arm == name for decision in decisions)
        assert count == pytest.approx(4000 * share, abs=5 * (4000 * share * (1 - share)) ** 0.5)


def test_a_journal_without_contexts_says_nothing_of_them(tmp_path: Path) -> None:
    with rb.Learner("samba", ARMS, journal=tmp_path / "journal", seed=1) as learner:
        learner.learn(learner.decide().id, 1.0)
    text = (tmp_path / "journal").read_text()
    assert "context" not in text
    assert "features" not in text


def test_some_arms_only_are_drawn_by_their_own_gaps() -> None:
    learner = rb.Learner("squarecb", ARMS, features=FEATURES, seed=2)
    live(learner, 300)
    context = {"age": 25, "device": "phone"}
    decision = learner.decide(["green", "blue"], context=context)
    assert decision.arm in ("green", "blue")
    fold = learner._fold
    shares = fold.policy.probabilities_among(fold.state, [1, 2])
    assert sum(shares) == pytest.approx(1.0)
    assert decision.probability == shares[["green", "blue"].index(decision.arm)]
    assert np.all(np.array(shares) > 0)


def test_a_policy_for_arms_that_stay_the_same_takes_their_features_but_no_contexts() -> None:
    with pytest.raises(rb.InputError, match=r"linear-samba needs features of the arms.*take squarecb"):
        rb.Learner("linear-samba", ["a", "b"], features={"device": ["phone", "desktop"]})
    values = {"a": {"size": 0.1}, "b": {"size": 0.9}}
    learner = rb.Learner("linear-samba", ["a", "b"], arm_features={"size": [0, 1]}, arm_values=values, seed=1)
    for _ in range(200):
        decision = learner.decide()
        learner.learn(decision.id, float(decision.arm == "b"))
    assert learner.probabilities()["b"] > 0.5
