"""A log folded without some of its rows: equal to the log that never had them, compiled or not, on any threads."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.lab.folds import NOBODY, Folding
from robandit.lab.leave_out import MEANS, PRESENT, TRIALS
from robandit.state import save_values

ROWS, SOURCES = 1500, 12
LUCK = np.random.default_rng(5)
ARMS = LUCK.integers(0, 4, ROWS)
CODES = LUCK.integers(0, SOURCES, ROWS)
LOG = rb.Log(ARMS, LUCK.uniform(0.1, 0.6, ROWS), LUCK.random(ROWS).round(2), rewarded=LUCK.random(ROWS) < 0.9)
SETTING = rb.Setting(4, ROWS)
KINDS = {"samba": PRESENT, "exp3": PRESENT, "epsilon-greedy": PRESENT, "ucb1": MEANS, "thompson": TRIALS}


def folding(name: str, threads: int | None = None) -> Folding:
    return Folding(rb.policy(name), LOG, CODES, SETTING, seed=3, threads=threads)


def replayed(name: str, kept: Any) -> Any:
    """The state after a log in which the other rows are not there at all, by the loop that knows of no sources."""
    columns = {key: column[kept] for key, column in LOG.columns().items()}
    return rb.replay_log(rb.policy(name), rb.Log(**columns), arms=4, horizon=ROWS, seed=3)


@pytest.mark.parametrize("name", KINDS)
def test_compiled_is_interpreted(name: str) -> None:
    fold = folding(name)
    assert fold.kind == KINDS[name]
    marks, left = fold.marks(3), np.array([NOBODY, 5, 7])
    beliefs, state = fold.fold(left, marks, fold.kind, CODES)
    plain, plain_state = replace(fold, engine="plain").fold(left, marks, fold.kind, CODES)
    assert np.array_equal(beliefs, plain)
    assert save_values(state) == save_values(plain_state) == save_values(replayed(name, CODES != 7))


@pytest.mark.parametrize("name", KINDS)
def test_the_state_without_a_source_is_that_of_the_log_without_it(name: str) -> None:
    """The streams of decisions are kept: Thompson throws the same coins for the rows that stay."""
    fold = folding(name)
    for source in (0, 4):
        codes = np.where(source == CODES, NOBODY, CODES)
        assert save_values(fold.state(codes)) == save_values(replayed(name, source != CODES))
    assert save_values(fold.state()) == save_values(replayed(name, np.ones(ROWS, bool)))


def test_beliefs_are_p_or_the_best_mean_or_trial_choices() -> None:
    left = np.arange(SOURCES)
    beliefs = folding("samba").without(left)[:, 0]
    for source in left:
        assert np.array_equal(beliefs[source], replayed("samba", source != CODES).probabilities)
    means = folding("ucb1").without(left)[:, 0]
    for source in left:
        state = replayed("ucb1", source != CODES)
        assert means[source].argmax() == (state.sums / state.pulls).argmax()
        assert sorted(means[source]) == [0.0, 0.0, 0.0, 1.0]
    trials = folding("thompson").without(left)[:, 0]
    assert np.allclose(trials.sum(axis=1), 1.0, atol=1e-12)
    state = replayed("thompson", CODES != 3)
    draws = LUCK.beta(state.wins, state.losses, (100_000, 4)).argmax(axis=1)
    shares = np.bincount(draws, minlength=4) / len(draws)
    assert np.abs(trials[3] - shares).max() < 5 * np.sqrt(0.25 / 1000)  # probability of a false alarm: below 1e-5


def test_threads_and_order_do_not_matter() -> None:
    left = np.arange(SOURCES)
    one, many = (folding("samba", threads).without(left, marks=np.array([700, ROWS])) for threads in (1, 3))
    assert np.array_equal(one, many)
    assert np.array_equal(folding("samba").without(left[::-1].copy())[:, 0], one[::-1, 1])


def test_over_time_is_the_state_at_each_mark() -> None:
    fold = folding("samba")
    marks = np.array([100, 101, ROWS])
    for mark, belief in zip(marks, fold.over_time(marks), strict=True):
        assert np.array_equal(belief, replayed("samba", np.arange(ROWS) < mark).probabilities)


def test_a_shadow_is_looked_at_before_it_learns() -> None:
    policy, fold = rb.Samba(), folding("samba")
    shadow = fold.shadow(np.array([ROWS]))
    state, sums, pulls = policy.start(SETTING), np.full(4, 0.5), np.ones(4)
    columns = LOG.columns()
    for row in range(ROWS):
        arm = int(ARMS[row])
        assert shadow.taken[row] == state.probabilities[arm]
        assert shadow.expected[row] == pytest.approx(float(state.probabilities @ (sums / pulls)), rel=1e-12)
        if columns["rewarded"][row]:
            reward = float(columns["rewards"][row])
            policy.learn(state, rb.Choice(arm, float(columns["probabilities"][row]), 0), reward, rb.Random(1, 2, 3, 4))
            sums[arm] += reward
            pulls[arm] += 1.0
    assert np.array_equal(shadow.beliefs[0], state.probabilities)


def test_ctrl_c_is_heard() -> None:
    def interrupt(share: float) -> None:
        raise KeyboardInterrupt

    big = np.tile(ARMS, 400)
    log = rb.Log(big, np.full(len(big), 0.25), np.ones(len(big)))
    fold = Folding(rb.Samba(), log, np.tile(CODES, 400), SETTING)
    with pytest.raises(KeyboardInterrupt):
        fold.without(np.tile(np.arange(SOURCES), 40), progress=interrupt)


def test_sources_must_fit_the_log() -> None:
    with pytest.raises(rb.InputError, match="one entry per row"):
        Folding(rb.Samba(), LOG, CODES[:-1], SETTING)
    with pytest.raises(rb.InputError, match="arms must be from 0 to 2"):
        Folding(rb.Samba(), LOG, CODES, rb.Setting(3, ROWS))
