"""Logs folded into states: equal to learning step by step, refused where a row cannot have happened."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.dice import Random, decision_words
from robandit.errors import PartError
from robandit.state import save_values

ROWS = 400
ARMS = np.arange(ROWS) % 3
LOG = {"arms": ARMS, "probabilities": np.full(ROWS, 0.3), "rewards": (ARMS * 7 % 5) / 5}


def splitmix(key: int, counter: int) -> int:
    """One output of splitmix64, written from its paper with Python's integers."""
    word = 2**64
    z = (key + counter * 0x9E3779B97F4A7C15) % word
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % word
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % word
    return z ^ (z >> 31)


def test_the_stream_of_a_decision_depends_on_seed_number_and_role_only() -> None:
    numbers = np.array([0, 1, 5, 2**60], np.uint64)
    words = decision_words(9, numbers, 1)
    key = int(np.random.SeedSequence(9, spawn_key=(1,)).generate_state(1, np.uint64)[0])
    assert words.tolist() == [[splitmix(key, 4 * int(n) + i) for i in (1, 2, 3, 4)] for n in numbers]
    assert np.array_equal(decision_words(9, numbers[::-1], 1), words[::-1])
    assert not np.isin(words, decision_words(9, numbers, 0)).any()
    assert not np.isin(words, decision_words(10, numbers, 1)).any()


def test_a_replay_is_learning_row_by_row() -> None:
    """By hand, with the streams of the decisions: a fractional reward makes Thompson throw a coin."""
    policy = rb.Thompson()
    state = policy.start(rb.Setting(3, ROWS))
    words = decision_words(4, np.arange(ROWS, dtype=np.uint64), 1)
    for arm, probability, reward, four in zip(*LOG.values(), words, strict=True):
        policy.learn(state, rb.Choice(int(arm), probability, 0), float(reward), Random(*map(int, four)))
    assert save_values(rb.replay_log(policy, rb.Log(**LOG), arms=3, horizon=ROWS, seed=4)) == save_values(state)
    assert state.wins.sum() % 1.0 == 0.0


@pytest.mark.parametrize("cut", [1, 137, 399])
def test_a_log_in_two_parts_is_the_log(cut: int) -> None:
    numbers = np.arange(ROWS)
    columns = {**LOG, "numbers": numbers}
    whole = rb.replay_log(rb.Thompson(), rb.Log(**columns), arms=3, horizon=ROWS)
    first, rest = (rb.Log(**{name: c[part] for name, c in columns.items()}) for part in (slice(cut), slice(cut, None)))
    left = rb.save_state(rb.Thompson(), rb.replay_log(rb.Thompson(), first, arms=3, horizon=ROWS))
    assert save_values(rb.replay_log(rb.Thompson(), rest, arms=3, horizon=ROWS, state=left)) == save_values(whole)


def test_coins_outside_their_range_teach_nothing() -> None:
    wild = rb.Log(**LOG, notes=np.full(ROWS, 10**9))
    for name in ("fast-slow-aae", "multi-layer-aae", "barbar:scale=1"):
        policy = rb.policy(name)
        after = rb.replay_log(policy, wild, arms=3, horizon=ROWS)
        assert save_values(after) == save_values(policy.start(rb.Setting(3, ROWS))), name


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"arms": ARMS + 1}, "arms must be from 0 to 2; row 2 has {'arms': 3"),
        ({"arms": ARMS - 1}, "arms must be from 0 to 2; row 0"),
        ({"arms": ARMS + 0.5}, "arms must be of the type int64"),
        ({"rewards": np.full(ROWS, 1.5)}, "rewards must be numbers from 0 to 1; row 0"),
        ({"rewards": np.full(ROWS, np.nan)}, "rewards must be numbers"),
        ({"probabilities": np.zeros(ROWS)}, "probabilities must be above 0"),
        ({"probabilities": np.full(ROWS, np.nan)}, "probabilities must be known for samba"),
        ({"rewards": np.zeros(3)}, "rewards must have one entry per row"),
        ({"notes": np.full(ROWS, 0.5)}, "notes must be of the type int64"),
        ({"arms": np.full(ROWS, np.nan)}, "arms must be of the type int64"),
        ({"arms": np.full(ROWS, "a")}, "arms must be of the type int64, not <U1"),
    ],
)
def test_rows_that_cannot_have_happened_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(rb.InputError, match=message):
        rb.replay_log(rb.Samba(), rb.Log(**{**LOG, **changes}), arms=3, horizon=ROWS)


def test_a_policy_that_takes_no_late_rewards_is_refused_a_log_with_some() -> None:
    class Hasty(rb.Samba):
        """A policy without a word about late rewards."""

        about = rb.About(name="hasty", summary="learns at once or not at all")

    log = rb.Log(**LOG, rewarded=ARMS > 0)
    with pytest.raises(rb.InputError, match="does not take rewards that come late"):
        rb.replay_log(Hasty(), log, arms=3, horizon=ROWS, engine="plain")
    with pytest.raises(rb.InputError, match="engine must be rounds or plain"):
        rb.replay_log(rb.Samba(), log, arms=3, horizon=ROWS, engine="counts")


def test_a_users_policy_is_checked_before_its_log_is_folded() -> None:
    """Compiled, an index beyond an array would write into other memory."""

    @dataclass(frozen=True)
    class Wild(rb.Samba):
        def learn(self, state: Any, choice: rb.Choice, reward: float, random: rb.Random) -> None:
            state.probabilities[len(state.probabilities)] = reward

    @dataclass(frozen=True)
    class Replacing(rb.Samba):
        def learn(self, state: Any, choice: rb.Choice, reward: float, random: rb.Random) -> None:
            state.probabilities = state.probabilities * 1.0

    wrong = {
        Wild(): r"IndexError in learn \(test_replay.py line",
        Replacing(): "replaces the array state.probabilities",
    }
    for policy, message in wrong.items():
        with pytest.raises(PartError, match=message):
            rb.replay_log(policy, rb.Log(**LOG), arms=3, horizon=ROWS)
