"""Simulation from the outside: same numbers whatever the machine does, checked input, Ctrl-C."""

import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.estimates import summarise
from robandit.lab.batch import chunks
from robandit.lab.runner import prepare
from robandit.lab.trace import checkpoint_grid
from tests.support import MEANS9, hear_ctrl_c, said_after

ENVIRONMENT = rb.Bernoulli(MEANS9)
ATTACK = rb.attack("flip", schedule="random", budget=50)

WARM = """
import contextlib, io, sys
from robandit.cli.main import main
with contextlib.redirect_stdout(io.StringIO()):
    main({short})
print("compiled", flush=True)
sys.exit(main({long}))
"""
LONG = """
import sys
import robandit as rb
def play(horizon):
    rb.simulate(rb.Samba(), rb.Bernoulli([0.2, 0.8]), horizon=horizon, runs=2, checkpoints=1)
play(10)
print("compiled", flush=True)
try:
    play(10**10)
except KeyboardInterrupt:
    print("robandit: stopped", file=sys.stderr)
    sys.exit(130)
"""
OPTIMUM = WARM.format(
    short=["paper", "optimum", "--budget", "2", "--horizon", "10"],
    long=["paper", "optimum", "--budget", "300", "--horizon", "50000"],
)


def arrays(trace: rb.Trace) -> list[Any]:
    return [trace.regret, trace.corruption_paid, trace.pulls, trace.rounds_changed]


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_threads_do_not_change_a_bit(threads: int) -> None:
    one = rb.simulate(rb.Samba(), ENVIRONMENT, ATTACK, horizon=2000, runs=23, threads=1)
    many = rb.simulate(rb.Samba(), ENVIRONMENT, ATTACK, horizon=2000, runs=23, threads=threads)
    assert all(np.array_equal(a, b) for a, b in zip(arrays(one), arrays(many), strict=True))


def test_more_runs_begin_with_the_same_ones_and_another_seed_does_not() -> None:
    few = rb.simulate(rb.Samba(), ENVIRONMENT, horizon=500, runs=5)
    more = rb.simulate(rb.Samba(), ENVIRONMENT, horizon=500, runs=11)
    other = rb.simulate(rb.Samba(), ENVIRONMENT, horizon=500, runs=5, seed=2)
    assert np.array_equal(few.regret, more.regret[:5])
    assert not np.array_equal(few.regret, other.regret)


@dataclass
class Purse:
    probabilities: np.ndarray
    total: float = 0.0


@dataclass(frozen=True)
class Stubborn(rb.Policy[Purse]):
    arm: int = 0

    def start(self, setting: rb.Setting) -> Purse:
        return Purse(np.eye(setting.arms)[self.arm])

    def learn(self, state: Purse, choice: rb.Choice, reward: float, random: rb.Random) -> None:
        state.total = 0.7 * state.total + reward


def test_luck_does_not_depend_on_what_is_pulled() -> None:
    """The environment takes one uniform a round: equal arms pay the same rewards in the same rounds."""
    purses = [
        prepare(rb.Scenario(Stubborn(arm), [0.4, 0.4], horizon=50, runs=1, seed=3), 1)
        .play_interpreted(slice(0, 1))
        .parts.state.total
        for arm in (0, 1)
    ]
    assert purses[0] == purses[1] != 0.0


@pytest.mark.parametrize("runs", [1, 7, 16, 100])
@pytest.mark.parametrize("workers", [1, 2, 5])
def test_chunks_cover_every_run_once(runs: int, workers: int) -> None:
    covered = [run for piece in chunks(runs, workers) for run in range(runs)[piece]]
    assert covered == list(range(runs))


@pytest.mark.parametrize(
    ("wanted", "horizon", "expected"),
    [
        (4, 100, [25, 50, 75, 100]),
        (200, 3, [1, 2, 3]),
        ("log", 1, [1]),
        ([5, 2, 2], 10, [2, 5, 10]),
        (np.array([10]), 10, [10]),
    ],
)
def test_checkpoints(wanted: Any, horizon: int, expected: list[int]) -> None:
    assert list(checkpoint_grid(wanted, horizon)) == expected


def test_log_checkpoints_are_logarithmic() -> None:
    grid = checkpoint_grid("log", 10**6)
    assert grid[0] == 1
    assert grid[-1] == 10**6
    assert np.diff(np.log(grid[grid > 1000])).max() < 0.08


def test_regret_at_a_checkpoint_is_the_gap_of_each_pull() -> None:
    trace = rb.simulate(rb.policies.Uniform(), rb.Bernoulli([0.25, 0.75]), horizon=64, runs=4, checkpoints=[1, 64])
    assert np.array_equal(trace.regret[:, -1], 0.5 * trace.pulls[:, 0])
    assert trace.best_arm_share == trace.pulls[:, 1].sum() / 256


def test_equal_best_arms_both_count() -> None:
    trace = rb.simulate(rb.policies.Uniform(), rb.Bernoulli([0.5, 0.5]), horizon=10, runs=2)
    assert trace.best_arm_share == 1.0
    assert trace.regret.max() == 0.0


def test_summary_of_one_run_has_no_spread() -> None:
    one = summarise(np.array([3.0]))
    assert one["mean"] == one["median"] == 3.0
    assert one["sd"] is one["se"] is one["half_width_95"] is None
    assert summarise(np.array([1.0, 3.0]))["sd"] == pytest.approx(2**0.5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"horizon": 0}, "horizon must be a whole number of at least 1, not 0"),
        ({"horizon": 2.5}, "horizon must be"),
        ({"runs": 0}, "runs must be"),
        ({"seed": -1}, "seed must be"),
        ({"threads": 0}, "threads must be"),
        ({"engine": "warp"}, "engine must be"),
        ({"checkpoints": 0}, "checkpoints must be"),
        ({"checkpoints": "linear"}, "checkpoints must be"),
        ({"checkpoints": [5, 11]}, "between 1 and the horizon"),
    ],
)
def test_wrong_arguments(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(rb.InputError, match=message):
        rb.simulate(rb.Samba(), ENVIRONMENT, **{"horizon": 10, "runs": 1, **changes})


def test_wrong_parts() -> None:
    with pytest.raises(rb.InputError, match="policy must be a Policy"):
        rb.simulate(7, ENVIRONMENT, horizon=10)  # type: ignore[arg-type]
    for means, message in [([], "at least one arm"), ([0.1, 1.2], "arm 2 was given 1.2"), ([float("nan")], "nan")]:
        with pytest.raises(rb.InputError, match=message):
            rb.Bernoulli(means)


@pytest.mark.parametrize("code", [LONG, OPTIMUM], ids=["play", "optimum"])
def test_ctrl_c_is_heard_at_once(code: str) -> None:
    """One checkpoint and 1e10 rounds, or a dynamic programme of minutes: without listening they would go on."""
    words, pipe = [sys.executable, "-c", code], subprocess.PIPE
    play = subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True, preexec_fn=hear_ctrl_c)
    assert play.stdout is not None
    assert play.stdout.readline() == "compiled\n"
    time.sleep(0.5)
    play.send_signal(signal.SIGINT)
    try:
        out, err = said_after(play, 20)
    finally:
        play.kill()  # one that does not listen is not left behind
    assert (play.returncode, out, err) == (130, "", "robandit: stopped\n")


def test_a_play_from_a_saved_state_begins_with_it() -> None:
    learnt = rb.simulate(rb.Samba(), ENVIRONMENT, horizon=30_000, runs=1, until=30_000)
    assert learnt.state is not None
    saved = learnt.state.states[0]
    again = rb.simulate(rb.Samba(), ENVIRONMENT, horizon=1000, runs=5, state=saved)
    fresh = rb.simulate(rb.Samba(), ENVIRONMENT, horizon=1000, runs=5)
    assert again.regret[:, -1].max() < 0.3 * fresh.regret[:, -1].min()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"until": 0}, "until must be a whole number from 1 to the horizon 100, not 0"),
        ({"until": 101}, "until must be"),
        ({"until": 2.5}, "until must be"),
        ({"state": "left", "runs": 3}, "state holds 2 runs, so runs must be 2, not 3"),
        ({"state": "left", "horizon": 40}, "left after round 50"),
        ({"state": "left", "until": 50}, "until must be a whole number from 51"),
        ({"state": "left", "engine": "counts"}, "engine counts cannot play this: plays in parts meet rounds"),
        ({"state": {"policy": "ucb1"}}, "a saved state must have the keys"),
    ],
)
def test_a_state_that_does_not_fit_is_refused(changes: dict[str, Any], message: str) -> None:
    terms: dict[str, Any] = {"horizon": 100, "runs": 2}
    left = rb.simulate(rb.Samba(), ENVIRONMENT, until=50, **terms).state
    given = {**changes, "state": left} if changes.get("state") == "left" else changes
    with pytest.raises(rb.InputError, match=message):
        rb.simulate(rb.Samba(), ENVIRONMENT, **{**terms, **given})


def test_a_position_of_another_game_is_refused() -> None:
    left = rb.simulate(rb.Samba(), ENVIRONMENT, horizon=100, runs=2, until=50).state
    assert left is not None
    with pytest.raises(rb.InputError, match="policy must be 'ucb1' here, not 'samba'"):
        rb.simulate(rb.Ucb1(), ENVIRONMENT, horizon=100, runs=2, state=left)
    with pytest.raises(rb.InputError, match="pulls must have the shape"):
        rb.simulate(rb.Samba(), rb.Bernoulli([0.1, 0.2]), horizon=100, runs=2, state=left)
    for values in ({}, {**left.to_json(), "dice": [[[-1]]]}, {**left.to_json(), "round": "x"}, 7):
        with pytest.raises(rb.InputError, match="a saved play"):
            rb.PausedPlay.from_json(values)
