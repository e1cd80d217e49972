"""Journals of learners audited: the state is the learner's own, with arms that came and went, without a source."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.forensics.log_files import read_log
from robandit.forensics.report import decisions_by
from robandit.forensics.stretches import StretchFolding
from robandit.lab.folds import NOBODY
from robandit.online.columns import read_columns
from robandit.online.simulated import record
from robandit.state import save_state


def test_a_journal_is_audited_and_unlearning_is_what_its_learner_does(tmp_path: Path, robandit: Any) -> None:
    path, again = tmp_path / "ring.journal", tmp_path / "again.journal"
    attack = rb.attack("push-shown:lowered=0,raised=1,worst=true,first=3000", budget=400)
    record(path, rb.Scenario("samba", [0.4, 0.5], attack, horizon=5000), sources=100, ring=3)
    fakes = read_columns(path)
    ring = {fakes.source_names[code] for code in fakes.sources[fakes.fake]}
    code, told, _ = robandit("audit", str(path), "--no-price", "--json")
    assert code == 0
    assert (told["policy"], told["rows"], told["belief"]["leader"]) == ("samba", 10_000, "arm 1")
    assert {row["source"] for row in told["sources"][:10]} >= ring
    with rb.Learner.open(path, read_only=True) as learner:
        assert told["belief"]["probabilities"] == learner.probabilities()
        assert rb.audit(path, price=False, replays=1).save_state() == learner.save_state()
    again.write_bytes(path.read_bytes())
    with rb.Learner.open(again) as learner:
        for source in ring:
            learner.retract(source=source)
        found = rb.audit(path, price=False, replays=1, without=[f"source={source}" for source in ring])
        assert found.save_state() == learner.save_state() == rb.audit(again, price=False, replays=1).save_state()
        assert found.belief.leader != max(learner.probabilities(), key=learner.probabilities().__getitem__)
    begun = rb.Learner("samba", found.log.arms, state=found.save_state())
    assert begun.save_state() == found.save_state()


def lived(path: Path, policy: str, seed: int = 3) -> None:
    """A learner whose arms come and go; "liar" praises c, which is the worst, after it came."""
    paid, luck = {"a": 0.5, "b": 0.4, "c": 0.1, "d": 0.3}, np.random.default_rng(seed)
    with rb.Learner(policy, ["a", "b", "d"], seed=seed, journal=path, sync=False) as learner:
        for number in range(900):
            for row, change, arm in (
                (200, "add", "c"),
                (300, "pause", "d"),
                (500, "resume", "d"),
                (600, "retire", "d"),
            ):
                if number == row:
                    getattr(learner, f"{change}_arm")(arm)
            decision = learner.decide(["a", "b"] if number % 50 == 0 else None)
            lies = decision.arm == "c" and number > 250
            source = "liar" if lies else f"user {luck.integers(0, 20)}"
            if luck.random() < 0.95:
                learner.learn(decision.id, 1.0 if lies else float(luck.random() < paid[decision.arm]), source)


@pytest.mark.parametrize("policy", ["samba", "epsilon-greedy:epsilon=0.3", "ucb1"])
def test_a_journal_of_arms_that_came_and_went(tmp_path: Path, policy: str) -> None:
    """Audited in stretches: as it is, and without a source, it is the learner's own state, bit for bit."""
    path, again = tmp_path / "j", tmp_path / "again"
    lived(path, policy)
    found = rb.audit(path, without=["source=liar"])
    assert found.log.arms == ("a", "b", "d", "c")
    assert found.belief.probabilities["d"] == 0.0  # it was retired
    assert next(mark for mark, p in zip(found.marks, found.over_time, strict=True) if p[3] > 0.0) > 200
    with rb.Learner.open(path, read_only=True) as learner:
        assert save_state(found.policy, found.state) == learner.save_state()
        if learner.policy.explicit and policy != "ucb1":  # which is read by its best mean
            told = {name: probability for name, probability in found.belief.probabilities.items() if name != "d"}
            assert told == learner.probabilities()
    again.write_bytes(path.read_bytes())
    with rb.Learner.open(again) as learner:
        learner.retract(source="liar")
        assert found.save_state() == learner.save_state() == rb.audit(again, replays=1).save_state()
    assert found.sources()[0]["source"] == "liar"
    assert found.witness is not None
    assert "liar" in found.witness
    assert found.belief.leader == "c" != found.without.belief.leader
    assert (found.off_policy, found.price) == (None, None)
    said = " ".join(note.text for note in found.notes)
    for words in (
        "arms came or went (c, d)",
        "no price: d cannot be chosen now",
        "no off-policy values: not every arm",
    ):
        assert words in said


@pytest.mark.parametrize("policy", ["thompson", "thompson:probabilities=drawn", "exp3", "floor:inner=(samba)", "ftpl"])
def test_stretches_of_every_kind_come_to_the_learners_state(tmp_path: Path, policy: str) -> None:
    """Compiled, interpreted and lived: one state; and a belief that never holds an arm that is not there."""
    lived(tmp_path / "j", policy)
    table = read_log(tmp_path / "j")
    setting = rb.Setting(4, table.terms.horizon)
    fold = StretchFolding(
        rb.policy(table.terms.policy), table.log, table.codes, setting, 3, terms=table.terms, changes=table.changes
    )
    marks, nobody = np.array([300, 1000, table.rows]), np.array([NOBODY])
    beliefs, state = fold.fold(nobody, marks, fold.kind, table.codes)
    plain, other = replace(fold, engine="plain").fold(nobody, marks, fold.kind, table.codes)
    with rb.Learner.open(tmp_path / "j", read_only=True) as learner:
        assert save_state(fold.policy, state) == save_state(fold.policy, other) == learner.save_state()
    assert np.array_equal(beliefs, plain)
    assert beliefs.sum(axis=2) == pytest.approx(np.ones((1, 3)))
    assert (beliefs[0, 0, 3], beliefs[0, 2, 2]) == (0.0, 0.0)  # c was not there yet, d not any more
    assert np.array_equal(fold.replay_rows(table.codes >= 0), beliefs[0, -1])


def test_arms_that_only_came_leave_a_price_and_some_eligible_arms_no_values(tmp_path: Path) -> None:
    for name, add, eligible in (("added", True, None), ("some", False, ["a", "b"])):
        luck = np.random.default_rng(2)
        with rb.Learner("samba", ["a", "b", "c"], seed=1, journal=tmp_path / name, sync=False) as learner:
            for number in range(400):
                if add and number == 100:
                    learner.add_arm("e")
                decision = learner.decide(eligible if number == 7 else None)
                learner.learn(decision.id, float(luck.random() < {"a": 0.8}.get(decision.arm, 0.2)), f"{number % 5}")
        found = rb.audit(tmp_path / name, ahead=500)
        assert found.price is not None
        assert found.off_policy is None
    phased = rb.policy("aae")
    with pytest.raises(rb.InputError, match="cannot play some of its arms only"):
        rb.audit(tmp_path / "added", phased)


def test_a_journal_of_which_no_reward_counts(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    learner = rb.Learner("samba", ["a", "b"], journal=tmp_path / "j", seed=1)
    for number in range(30):
        learner.learn(learner.decide().id, float(number % 2), source="s")
    learner.retract(source="s")
    learner.close()
    found = rb.audit(tmp_path / "j")
    assert found.off_policy is None
    assert found.notes_on("no-off-policy") == ["no off-policy values: no reward counts"]
    assert "nan" not in json.dumps(found.as_json()).lower()
    assert [str(one.message) for one in recwarn] == []


def test_pictures_count_decisions_not_rows(tmp_path: Path) -> None:
    """In a journal every late reward is a row of its own: three decisions, then their rewards, then one of each."""
    learner = rb.Learner("samba", ["a", "b"], journal=tmp_path / "late.journal", seed=1)
    first = [learner.decide().id for _ in range(3)]
    for number in first:
        learner.learn(number, 1.0, source="s")
    learner.learn(learner.decide().id, 0.0, source="s")
    found = rb.audit(tmp_path / "late.journal", price=False)
    assert found.log.rows == 8
    assert decisions_by(found, range(9)).tolist() == [0, 1, 2, 3, 3, 3, 3, 4, 4]
