"""The learner: what a user may say, what is refused and then changes nothing, ranges, histories, retractions."""

import json
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.dice import LaterStream, Streams, decision_key, decision_stream, decision_words
from robandit.online.columns import read_columns
from robandit.online.rebuild import first_difference
from robandit.state import save_values
from tests.support import ARMS, played


def test_the_path_of_a_learner_needs_no_numba(tmp_path: Path) -> None:
    code = (
        "import sys, robandit as rb\n"
        f"learner = rb.Learner('thompson', ['a', 'b'], journal={str(tmp_path / 'j')!r})\n"
        "learner.learn(learner.decide().id, 0.5)\n"
        f"learner.save(); learner.close(); rb.Learner.open({str(tmp_path / 'j')!r}).probabilities()\n"
        "print([name for name in ('numba', 'llvmlite', 'matplotlib', 'pyarrow') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_a_stream_alone_is_the_stream_among_many() -> None:
    for seed, role in ((1, 0), (2**64, 1)):
        for number in (0, 1, 77, 2**60):
            alone = decision_stream(decision_key(seed, role), number)
            words = decision_words(seed, np.array([number], np.uint64), role)[0]
            assert (alone.s0, alone.s1, alone.s2, alone.s3) == tuple(map(int, words))


def test_a_stream_that_is_worked_out_later_is_the_same() -> None:
    key = decision_key(5, 0)
    streams = Streams(key)
    for number in (0, 1, Streams.MANY - 1, Streams.MANY, 7, 2**60, 8):
        for taken in range(4):
            whole = decision_stream(key, number)
            words = [whole.word() for _ in range(taken)]
            for later in (streams.stream(number), LaterStream(key, number)):
                assert [later.word() for _ in range(taken)] == words
                assert (later.s0, later.s1, later.s2, later.s3) == (whole.s0, whole.s1, whole.s2, whole.s3)
                assert later.uniform() == deepcopy(whole).uniform()


def test_it_learns_and_a_seed_repeats_it() -> None:
    first, again, other = (played(rb.Learner("samba:min_lift=0.6", ARMS, seed=seed), 2000) for seed in (1, 1, 2))
    assert first.save() == again.save()
    assert first.save() != other.save()
    assert first.probabilities()["c"] > 0.8
    seeds = {rb.Learner("samba", ARMS).save()["terms"]["seed"] for _ in range(3)}
    assert len(seeds) == 3


def test_rewards_have_a_range(tmp_path: Path) -> None:
    """Told in euros they teach what they teach as shares."""
    plain, euros = (
        rb.Learner("tsallis-inf-iw", ARMS, seed=1),
        rb.Learner("tsallis-inf-iw", ARMS, seed=1, reward_range=(-2, 6), journal=tmp_path / "j", sync=False),
    )
    for number in range(50):
        share = number % 9 / 8
        assert plain.decide() == euros.decide()
        assert plain.learn(number, share)
        assert euros.learn(number, -2 + 8 * share)
    assert plain.save_state() == euros.save_state()
    assert rb.Learner.open(tmp_path / "j", read_only=True).save_state() == plain.save_state()


def test_a_reward_counts_once_and_not_after_its_time(tmp_path: Path) -> None:
    learner = rb.Learner("ucb1", ARMS, seed=1, patience=3, journal=tmp_path / "j")
    for _ in range(5):
        learner.decide()
    assert learner.pending == 3
    assert learner.learn(4, 1.0)
    before = learner.save(), (tmp_path / "j").read_bytes()
    assert not learner.learn(4, 0.0)  # doubled
    assert not learner.learn(1, 1.0)  # too late
    assert (learner.save(), (tmp_path / "j").read_bytes()) == before
    assert learner.learn(np.int64(2), np.float32(1.0))
    assert learner.pending == 1
    learner.close()
    assert rb.Learner.open(tmp_path / "j", read_only=True).save() == learner.save()


WRONG: list[tuple[Any, str]] = [
    (lambda it: it.learn(99, 1.0), "no decision has the id 99: 60 were made"),
    (lambda it: it.learn(-1, 1.0), "no decision has the id -1"),
    (lambda it: it.learn("3", 1.0), "no decision has the id '3'"),
    (lambda it: it.learn(True, 1.0), "no decision has the id True"),
    (lambda it: it.learn(59, 1.5), "a reward must be a number from 0 to 1, not 1.5"),
    (lambda it: it.learn(59, float("nan")), "a reward must be a number"),
    (lambda it: it.learn(59, "1"), "a reward must be a number from 0 to 1, not '1'"),
    (lambda it: it.learn(59, None), "a reward must be a number"),
    (lambda it: it.learn(59, 1.0, 17), "a source must be text, not 17"),
    (lambda it: it.learn(59, 1.0, time="noon"), "a time must be a number"),
    (lambda it: it.decide(time=float("inf")), "a time must be a number"),
    (lambda it: it.decide(["x"]), "arm 'x' is unknown"),
    (lambda it: it.decide([]), r"of the eligible arms \(none\) none is active: a, b are"),
    (lambda it: it.decide(["c"]), r"of the eligible arms \(c\) none is active"),
    (lambda it: it.decide("a"), "eligible must be a list of arms"),
    (lambda it: it.add_arm("a"), "an arm's name is never used twice, and 'a' is active"),
    (lambda it: it.add_arm("c"), "an arm's name is never used twice, and 'c' is paused"),
    (lambda it: it.add_arm(""), "an arm's name must be text"),
    (lambda it: it.pause_arm("c"), "the arm 'c' is paused and cannot be paused"),
    (lambda it: it.resume_arm("a"), "the arm 'a' is active and cannot be resumed"),
    (lambda it: it.retire_arm("x"), "arm 'x' is unknown"),
    (lambda it: it.retract(), "retract takes the id of a decision, or a source"),
    (lambda it: it.retract(60), "no decision has the id 60"),
    (lambda it: it.retract(59), "there is no reward of the id 59 to take back"),
    (lambda it: it.retract(source="nobody"), "there is no reward of the source 'nobody'"),
]


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> tuple[rb.Learner, Path]:
    """A learner with a paused arm and one decision that waits."""
    path = tmp_path_factory.mktemp("busy") / "j"
    learner = played(rb.Learner("samba", ARMS, seed=1, journal=path, sync=False), 59)
    learner.pause_arm("c")
    learner.decide()
    return learner, path


@pytest.mark.parametrize(("act", "message"), WRONG)
def test_what_is_refused_changes_nothing(busy: tuple[rb.Learner, Path], act: Any, message: str) -> None:
    learner, path = busy
    before = learner.save(), path.read_bytes()
    with pytest.raises(rb.InputError, match=message):
        act(learner)
    assert (learner.save(), path.read_bytes()) == before


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"arms": "abc"}, "arms must be a list of names"),
        ({"arms": []}, "at least one arm"),
        ({"arms": ["a", "a"]}, "the arm 'a' is named twice"),
        ({"arms": ["a", 3]}, "an arm's name must be text, not 3"),
        ({"policy": "sambo"}, "policy 'sambo' is unknown"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"horizon": 0}, "horizon must be a whole number from 1"),
        ({"patience": 2.5}, "patience must be a whole number"),
        ({"corruption": float("nan")}, "corruption must be a finite number"),
        ({"corruption": -1}, "corruption must be at least 0"),
        ({"reward_range": (1.0, 1.0)}, "must go up, not from 1 to 1"),
        ({"reward_range": (1.0,)}, "reward_range two numbers"),
        ({"state": {}}, "a saved state must have the keys"),
        ({"history": "nowhere"}, "cannot be read: No such file"),
        ({"history": rb.Log([0], [0.5], [1.0]), "state": {}}, "with a state or with a history"),
        ({"history": rb.Log([7], [0.5], [1.0])}, "arms must be from 0 to 2"),
        ({"history": rb.Log([0], [0.5], [1.0]), "policy": "ftpl"}, "learns from the notes of its own choices"),
        ({"history": rb.Log([0], [0.5], [1.0]), "policy": "floor:inner=(barbar)"}, "learns from the notes"),
    ],
)
def test_terms_that_cannot_be_are_refused_and_leave_no_file(tmp_path: Path, terms: Any, message: str) -> None:
    with pytest.raises(rb.InputError, match=message):
        rb.Learner(**{"policy": "samba", "arms": ARMS, "journal": tmp_path / "j", **terms})
    assert not (tmp_path / "j").exists()


def test_a_journal_is_gone_on_with_only_on_its_own_terms(tmp_path: Path) -> None:
    played(rb.Learner("samba", ARMS, seed=1, journal=tmp_path / "j")).close()
    for terms, message in (
        ({"arms": ["a", "b"]}, "it was begun with arms"),
        ({"seed": 2}, "it was begun with seed 1, not 2"),
        ({"policy": "ucb1"}, "it was begun with policy 'samba', not 'ucb1'"),
        ({"reward_range": (0, 2)}, "it was begun with high 1.0, not 2.0"),
    ):
        with pytest.raises(rb.InputError, match=message):
            rb.Learner(**{"policy": "samba", "arms": ARMS, "journal": tmp_path / "j", **terms})
    with pytest.raises(rb.InputError, match="its policy is samba, not ucb1"):
        rb.Learner.open(tmp_path / "j", rb.Ucb1())
    with rb.Learner(rb.Samba(), ARMS, journal=tmp_path / "j") as learner:
        assert learner.decisions == 60


def test_policies_of_your_own(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Own(rb.Samba):
        about = rb.About(name="own", summary="samba by another name", late="weighted")

    @dataclass(frozen=True)
    class Hasty(rb.Samba):
        about = rb.About(name="hasty", summary="learns at once or not at all")

    @dataclass(frozen=True)
    class Bare(rb.policies.Uniform):
        about = rb.About(name="bare", summary="says nothing about arms", late="exact")
        admit = rb.Policy.admit

    with pytest.raises(rb.InputError, match="hasty does not take rewards that come late"):
        rb.Learner(Hasty(), ARMS)
    with pytest.raises(rb.InputError, match="bare does not say how an arm begins"):
        rb.Learner(Bare(), ARMS).add_arm("d")
    with played(rb.Learner(Own(), ARMS, seed=1, journal=tmp_path / "j")) as own:
        assert own.save_state()["values"] == played(rb.Learner("samba", ARMS, seed=1)).save_state()["values"]
    with pytest.raises(rb.InputError, match="policy 'own' is unknown"):
        rb.Learner.open(tmp_path / "j")
    assert rb.Learner.open(tmp_path / "j", Own(), read_only=True).save() == own.save()


def test_a_history_is_what_was_learnt_before(tmp_path: Path) -> None:
    log = rb.Log(arms=[0, 2, 2, 1], probabilities=[0.4, 0.3, 0.3, 0.2], rewards=[0.0, 1.0, 0.5, 1.0])
    warm = rb.Learner("samba", ARMS, seed=1, history=log, journal=tmp_path / "warm")
    assert warm.save_state()["values"] == save_values(
        rb.replay_log(rb.Samba(), log, arms=3, horizon=100_000, engine="plain")
    )
    played(warm, 10).close()
    assert rb.Learner.open(tmp_path / "warm", read_only=True).save() == warm.save()
    second = rb.Learner("samba", ARMS, seed=2, history=tmp_path / "warm")
    assert second.save_state() == warm.save_state()
    assert second.decisions == 0
    third = rb.Learner("ucb1", ARMS, history=tmp_path / "warm")  # another policy reads the same rewards
    assert sum(third.save_state()["values"]["pulls"]) == 10
    assert rb.Learner("samba", ARMS, seed=2, state=warm.save_state()).save_state() == warm.save_state()
    with pytest.raises(rb.InputError, match="the history must have the same arms"):
        rb.Learner("samba", ["x", "y", "z"], history=tmp_path / "warm")


def retold(learner: rb.Learner, path: Path, skip: set[int]) -> dict[str, Any]:
    """By hand: the state a fresh policy reaches from the journal's text without the rewards of some decisions."""
    policy, choices = learner.policy, {}
    state = policy.start(rb.Setting(3, 100_000))
    for text in path.read_text().splitlines()[1:]:
        entry = json.loads(text.split("\t")[0])
        if entry["entry"] == "decide":
            choices[entry["id"]] = rb.Choice(ARMS.index(entry["arm"]), entry["chance"], entry["note"])
            policy.defer(state, choices[entry["id"]])
        elif entry["entry"] == "reward" and entry["id"] not in skip:
            policy.learn(state, choices[entry["id"]], entry["value"], None)
    return save_values(state)


@pytest.mark.parametrize(
    "policy", ["samba", "ucb1", "tsallis-inf-rv", "window:size=10,inner=ucb1", "restart:inner=ucb1"]
)
def test_what_is_retracted_was_never_learnt(tmp_path: Path, policy: str) -> None:
    path = tmp_path / "j"
    learner = played(rb.Learner(policy, ARMS, seed=1, journal=path, sync=False))
    assert learner.retract(source="user 2") == 15
    skip = set(range(2, 60, 4))
    assert learner.save_state()["values"] == retold(learner, path, skip)
    played(learner, 20, 60)  # what the source tells later counts again
    assert learner.save_state()["values"] == retold(learner, path, skip)
    assert learner.retract(7) == 1
    assert learner.save_state()["values"] == retold(learner, path, skip | {7})
    for again in (lambda: learner.retract(7), lambda: learner.retract(2)):
        with pytest.raises(rb.InputError, match="no reward of the id"):
            again()
    assert learner.retract(source="user 2") == 5
    assert not learner.learn(7, 1.0)
    learner.close()
    assert first_difference(path, rb.policy(policy)) is None
    others = {"samba": "samba:learning_rate=0.06", "tsallis-inf-rv": "exp3"}
    other = others.get(policy, "ucb1:scale=2")
    assert first_difference(path, rb.policy(other)) in range(1, 60)
    with rb.Learner.open(path) as reopened:
        assert reopened.save() == learner.save()
    log = read_columns(path)
    assert log.rewarded.sum() == 80 - 15 - 1 - 5
    made = rb.policy(policy)
    folded = rb.replay_log(made, log, arms=3, horizon=100_000, seed=1, engine="plain")
    assert rb.save_state(made, folded) == learner.save_state()


def test_a_saved_learner_is_a_file_that_fits_or_is_refused(tmp_path: Path) -> None:
    learner = played(rb.Learner("thompson", ARMS, seed=1))
    learner.add_arm("d")
    learner.decide()
    told = learner.save(tmp_path / "learner.json")
    assert rb.Learner.load(tmp_path / "learner.json").save() == told
    assert rb.Learner.load(told).decide() == learner.decide()
    for changes in (
        {"format": 2},
        {"pending": [[70, 0, None, 0]]},
        {"pending": [[3, 9, None, 0]]},
        {"arms": [["a", "active"], ["b", "active"], ["c", "lost"], ["d", "active"]]},
        {"arms": [["b", "active"]] * 4},
        {"decisions": -1},
        {"decisions": "many"},
        {"pending": 3},
        {"state": {}},
        {"terms": {}},
    ):
        with pytest.raises(rb.InputError):
            rb.Learner.load({**told, **changes})
    (tmp_path / "no.json").write_text("{")
    with pytest.raises(rb.InputError, match="is not JSON"):
        rb.Learner.load(tmp_path / "no.json")


def lifted(policy: str, means: list[float], rounds: int) -> list[str]:
    learner = rb.Learner(policy, ARMS[: len(means)], seed=1)
    random = decision_stream(5, 5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(rounds):
            decision = learner.decide()
            learner.learn(decision.id, float(random.uniform() < means[ARMS.index(decision.arm)]))
        return [str(warning.message) for warning in caught]


def test_samba_warns_once_where_the_lift_is_not_above_its_step() -> None:
    close = lifted("floor:share=0.5,inner=(samba:learning_rate=0.3)", [0.5, 0.55], 6000)
    assert len(close) == 1
    assert "its step 0.3 should be below that" in close[0]
    for means in ([0.2, 0.8], [0.4]):
        assert lifted("floor:share=0.5,inner=(samba:learning_rate=0.3)", means, 6000) == []
    assert lifted("floor:share=0.5,inner=(exp3)", [0.5, 0.55], 600) == []


def test_threads_wait_for_each_other(tmp_path: Path) -> None:
    learner = rb.Learner("samba", ARMS, seed=1, journal=tmp_path / "j", sync=False)

    def some(_: int) -> list[int]:
        found = []
        for _ in range(50):
            found.append(learner.decide().id)
            learner.learn(found[-1], len(found) % 2)
        return found

    with ThreadPoolExecutor(8) as pool:
        ids = [number for part in pool.map(some, range(8)) for number in part]
    assert sorted(ids) == list(range(400))
    learner.close()
    assert rb.Learner.open(tmp_path / "j", read_only=True).save() == learner.save()
