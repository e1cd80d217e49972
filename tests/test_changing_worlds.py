"""Worlds that change by themselves: shifts, drift and seasons, and regret against the best arm of the round."""

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.catalogue import environment
from robandit.dice import Random
from robandit.environments.means import spread_means
from tests.support import stream

GRID = spread_means(9)


def world(text: str, rounds: int, means: tuple[float, ...] = (0.1, 0.5, 0.9), seed: int = 3) -> Any:
    ground = environment(text, means)
    tables, now, random, rows = ground.start(), np.array(ground.means), stream(seed), []
    for t in range(rounds):
        ground.change(tables, t, now, random)
        rows.append(now.copy())
    return np.array(rows)


def test_shifts_deal_the_same_means_out_anew_every_so_many_rounds() -> None:
    rows = world("shifts:every=10", 60_000)
    assert (np.sort(rows, axis=1) == [0.1, 0.5, 0.9]).all()
    assert all((rows[t] == rows[t - 1]).all() for t in range(1, 2000) if t % 10)
    # each of the six orders is as likely: 6,000 deals, chi-square with 5 degrees exceeds 48 with probability < 5e-9
    orders = Counter(tuple(row) for row in rows[::10])
    assert len(orders) == 6
    assert sum((count - 1000) ** 2 / 1000 for count in orders.values()) < 48


def test_a_drift_is_a_reflected_walk_of_the_step_that_was_set() -> None:
    rows = world("drift:step=0.01", 20_000, (0.5, 0.5))
    steps = np.diff(rows[:, 0])
    inside = (rows[:-1, 0] > 0.06) & (rows[:-1, 0] < 0.94)  # a step of six deviations does not reach an end
    # of n normal steps the mean square over its own is within 6 sqrt(2/n) of 1 but for a probability of 1e-8
    n = inside.sum()
    assert n > 5000
    assert abs((steps[inside] ** 2).mean() / 0.01**2 - 1) < 6 * math.sqrt(2 / n)
    assert rows.min() >= 0.0
    assert rows.max() <= 1.0
    assert abs(np.corrcoef(np.diff(rows[:, 0]), np.diff(rows[:, 1]))[0, 1]) < 0.05


def test_a_season_comes_back_after_its_period_and_every_arm_has_its_turn() -> None:
    rows = world("season:arms=4,period=100,low=0.2,high=0.6", 200)
    assert np.allclose(rows[:100], rows[100:])
    assert np.isclose(rows.min(), 0.2)
    assert np.isclose(rows.max(), 0.6)
    assert np.bincount(rows[:100].argmax(axis=1)).tolist() == [25, 25, 25, 25]
    with pytest.raises(rb.InputError, match=r"low must be below high \(0.3\), not 0.5"):
        environment("season:low=0.5,high=0.3")


def test_regret_in_a_changing_world_is_against_the_best_arm_of_the_round() -> None:
    ground = environment("shifts:every=50", (0.0, 1.0))
    trace = rb.simulate("uniform", ground, horizon=1000, runs=5, engine="plain")
    assert trace.best_rounds is not None
    assert np.allclose(trace.regret[:, -1], 1000 - trace.best_rounds)  # certain rewards: each other arm loses 1
    assert trace.best_arm_share == pytest.approx(trace.best_rounds.mean() / 1000)


def test_a_play_in_a_changing_world_says_so_and_who_cannot_track_it(robandit: Any) -> None:
    status, text, _ = robandit("play", "--policy", "samba", "--environment", "shifts:every=100", "--horizon", "300")
    assert status == 0
    said = " ".join(text.split())
    assert "Regret is against the best arm of each round: the means change by themselves." in said
    assert "note on samba: its state is p(t) alone" in said
    assert "cannot track a world that changes" in said
    assert "cannot track" not in robandit("play", "--policy", "samba", "--horizon", "300")[1]
    assert "cannot track" not in robandit("play", "--policy", "restart", "--environment", "drift", "--horizon", "9")[1]


def test_a_journal_of_a_changing_world_holds_the_rounds_own_truth(robandit: Any, tmp_path: Path) -> None:
    game = ("--environment", "shifts:every=100", "--means", "0,1", "--horizon", "400", "--policy", "window:size=20")
    assert robandit("play", *game, "--log", str(tmp_path / "j"))[0] == 0
    lines = [json.loads(line.split("\t")[0]) for line in (tmp_path / "j").read_text().splitlines()[1:]]
    paid = {line["id"]: line for line in lines if line["entry"] == "reward"}
    arms = {line["id"]: line["arm"] for line in lines if line["entry"] == "decide"}
    best = [
        {arms[number]: paid[number]["truth"] for number in range(first, first + 100)} for first in range(0, 400, 100)
    ]
    assert all(set(truths.values()) <= {0.0, 1.0} for truths in best)
    assert best[0]["arm 2"] == 1.0
    assert (
        len({json.dumps(truths, sort_keys=True) for truths in best}) > 1
    )  # seed 1 deals them the other way at least once


def test_two_policies_with_one_seed_meet_the_same_world() -> None:
    """All means of a run follow from its seed: what always playing one arm pays is the same beside any policy."""

    class Watching(type(environment("drift", GRID))):  # type: ignore[misc]
        seen: list[float] = []

        def change(self, tables: Any, t: int, means: Any, random: Random) -> None:
            super().change(tables, t, means, random)
            self.seen.append(float(means[0]))

    paths = []
    for text in ("thompson", "ucb1"):
        Watching.seen = []
        rb.simulate(text, Watching(GRID, step=0.01), horizon=200, runs=1, engine="plain")
        paths.append(Watching.seen[-200:])
    assert paths[0] == paths[1]


def test_what_cannot_be_played_in_a_changing_world_is_refused() -> None:
    ground = environment("shifts", GRID)
    for terms in ({"agents": 2}, {"slate": 2, "policy": "slate-samba"}, {"until": 50}):
        named: dict[str, Any] = {"policy": "samba", "horizon": 100, "runs": 1, **terms}
        with pytest.raises(rb.InputError, match="a world that changes is played by one agent"):
            rb.simulate(named.pop("policy"), ground, **named)
