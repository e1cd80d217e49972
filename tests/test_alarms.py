"""Alarms: honest sources may differ by a factor, influence is needed, and silence has denominators."""

import itertools
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.forensics.alarms import MOVED, as_others_report, draw_others, influence_at_random
from robandit.forensics.blocks import Cells, cut_blocks, log_gains
from robandit.forensics.describe import describe, describe_rate, describe_selection, write_range
from robandit.forensics.exposure import Exposures, exposures_by_mark
from robandit.forensics.reward_log import RewardLog
from robandit.forensics.statistics import above_usual, reported_rows
from robandit.lab.folds import Folding


def cells_of(size: int, own: int, ones: int, x: int) -> Cells:
    zero = np.zeros(1, np.int64)
    return Cells(zero, zero, np.array([x]), np.array([[size, own, ones]]), zero)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("stake", [3.0, 30.0])
def test_no_honest_crowd_earns_a_bettor_anything(sign: int, stake: float) -> None:
    """Exactly, by every outcome of a block: odds anywhere within the factor, given the sum, earn at most the stake.

    The source stands at one end of the factor and the others anywhere; at the end itself the bet is fair.
    """
    luck, alike, least = np.random.default_rng(1), 4.0, 0.2
    for trial in range(40):
        own, size = int(luck.integers(1, 4)), 8
        spread = np.full(size - own, least) if trial == 0 else least * alike ** luck.random(size - own)
        odds = np.concatenate([np.full(own, least * alike), spread])
        odds = odds if sign == 1 else least**2 * alike / odds
        weights = np.zeros((size + 1, own + 1))
        for course in itertools.product((0, 1), repeat=size):
            weights[sum(course), sum(course[:own])] += math.prod(
                o / (1 + o) if r else 1 / (1 + o) for o, r in zip(odds, course, strict=True)
            )
        for ones in range(1, size):
            gains = [
                math.exp(float(log_gains(cells_of(size, own, ones, x), alike**sign, stake**sign)[0]))
                if weights[ones, x] > 0
                else 0.0
                for x in range(own + 1)
            ]
            mean = float(weights[ones] @ gains / weights[ones].sum())
            assert mean <= 1.0 + 1e-9
            if trial == 0:
                assert mean == pytest.approx(1.0)


def test_blocks_hold_one_arm_and_end_in_time() -> None:
    arms = np.array([0] * 5 + [1] * 3 + [0] * 5)
    blocks = cut_blocks(arms, size=4, span=8)
    assert blocks.of_row.tolist() == [0, 0, 0, 0, 1, 2, 2, 2, 1, 1, 1, -1, -1]
    assert blocks.ends.tolist() == [3, 10, 12]
    for block in range(len(blocks.ends)):
        rows = np.nonzero(blocks.of_row == block)[0]
        assert len(set(arms[rows])) == 1
        assert rows.max() <= blocks.ends[block] < rows.min() + 8
        assert len(rows) <= 4
    whole = cut_blocks(np.zeros(100, np.int64), size=10, span=1000)
    assert whole.ends.tolist() == list(range(9, 100, 10))


def test_a_block_is_the_same_whenever_one_looks() -> None:
    """What was compared after some rows is compared in the same way after all: else looking again would cheat."""
    luck = np.random.default_rng(2)
    arms = luck.choice(4, 3000, p=[0.7, 0.2, 0.09, 0.01])
    whole = cut_blocks(arms)
    for rows in (500, 1111, 2500):
        part = cut_blocks(arms[:rows])
        closed = whole.ends < rows
        of_whole = np.where((whole.of_row >= 0) & closed[whole.of_row], whole.of_row, -1)[:rows]
        assert np.array_equal(of_whole >= 0, part.of_row >= 0)
        pairs = set(zip(of_whole[of_whole >= 0].tolist(), part.of_row[part.of_row >= 0].tolist(), strict=True))
        assert len(pairs) == closed.sum()


def test_rewards_between_0_and_1_are_compared_with_the_mean_before() -> None:
    rewards, arms = np.array([1.0, 1.0, 0.5, 0.9, 0.2, 1.0, 0.0]), np.array([0, 0, 0, 0, 0, 1, 1])
    assert above_usual(rewards, arms).tolist() == [1, 1, 0, 1, 0, 1, 0]
    assert above_usual(np.array([1.0, 1.0, 0.0]), np.zeros(3, np.int64)).tolist() == [1, 1, 0]


def shop(ring: bool, level: float = 1.0, rows: int = 6000, only: str = "") -> RewardLog:
    """Thompson sampling among three arms; six of 60 visitors praise the worst, or one in six buys more often."""
    luck = np.random.default_rng(5)
    means, ones, zeros = np.array([0.1, 0.15, 0.25]), np.ones(3), np.ones(3)
    codes = luck.integers(0, 60, rows)
    arms, rewards = np.zeros(rows, np.int64), np.zeros(rows)
    for row in range(rows):
        arm = int(luck.beta(ones, zeros).argmax())
        reward = float(luck.random() < means[arm] * (level if codes[row] < 10 else 1.0))
        if ring and codes[row] < 12:
            reward = float(arm == 0)
        arms[row], rewards[row] = arm, reward
        ones[arm], zeros[arm] = ones[arm] + reward, zeros[arm] + 1 - reward
    defaulted = (rewards == 0.0) if only else None
    asked = np.full(rows, only == "asked")
    if only == "unknown":
        codes = np.where(rewards == 0.0, 60, codes)
    log = rb.Log(arms, np.ones(rows), rewards)
    names = tuple(f"v{number}" for number in range(60))
    return RewardLog(log, ("a", "b", "c"), names, codes, defaulted=defaulted, asked=asked)


def look(log: RewardLog) -> Any:
    return rb.audit(log, "thompson", price=False, replays=2, threads=1)


def test_a_ring_that_moved_the_leader_raises_an_alarm() -> None:
    found = look(shop(ring=True))
    assert found.alarms()["rate"] is not None
    signal = found.signals[0]
    assert set(signal.subjects) == {f"v{number}" for number in range(12)}
    assert signal.moved > 0.5
    assert abs(signal.moved_at_random) < 0.5 * signal.moved
    assert "factor of at most 4" in signal.assumption
    names = ", ".join(signal.subjects[:10])
    assert re.search(
        rf"^12 sources: {names} report 1 on a, the others 0\.2\d? to 0\.2\d?; 2 more\. Without", signal.text
    )


def test_where_the_leader_hangs_by_a_thread_any_sources_move_it() -> None:
    """Forty honest sources and two equal arms: a random tenth of the rows moves p(leader) far."""
    luck, rows = np.random.default_rng(3), 4000
    arms, codes = np.arange(rows) % 2, luck.integers(0, 40, rows)
    log = rb.Log(arms, np.full(rows, 0.5), (luck.random(rows) < 0.3).astype(float))
    reported = reported_rows(RewardLog(log, ("a", "b"), tuple(f"v{number}" for number in range(40)), codes), codes)
    folding = Folding(rb.policy("thompson"), log, codes, rb.Setting(2, rows), threads=1)
    belief = folding.over_time(np.array([rows]))[0]
    leader = int(belief.argmax())
    farthest = influence_at_random(folding, reported, np.arange(4), leader, 2.0)
    assert farthest is not None
    assert abs(farthest) > 2 * MOVED
    first = influence_at_random(folding, reported, np.arange(4), leader, MOVED)
    assert first is not None
    assert abs(first) >= MOVED
    assert influence_at_random(folding, reported, np.arange(30), leader, 2.0) is None  # too few others


@pytest.mark.parametrize(("seed", "rings"), [(0, False), (1, True)])
def test_liars_who_move_the_leader_no_farther_than_anybody_are_a_notice(seed: int, rings: bool) -> None:
    """Four of forty sources lie about two equal arms. Both logs have evidence and influence; one is a close call."""
    luck, rows = np.random.default_rng(seed), 4000
    arms, codes = np.arange(rows) % 2, luck.integers(0, 40, rows)
    rewards = (luck.random(rows) < 0.3).astype(float)
    rewards[codes < 4] = arms[codes < 4] == 0
    log = rb.Log(arms, np.full(rows, 0.5), rewards)
    found = look(RewardLog(log, ("a", "b"), tuple(f"v{number}" for number in range(40)), codes))
    signal = next(one for one in found.signals if one.statistic == "rate")
    assert set(signal.subjects) == {"v0", "v1", "v2", "v3"}
    assert abs(signal.moved) > MOVED
    assert signal.is_alarm == rings == (abs(signal.moved) > abs(signal.moved_at_random))
    assert "as many rows of randomly picked other sources move it by" in signal.text


def test_sources_that_differ_alike_are_named_together() -> None:
    """Two report everything on one arm, one nothing on the other."""
    rows, numbers = 4000, np.random.default_rng(5)
    arms, codes = np.arange(rows) % 2, numbers.integers(0, 20, rows)
    rewards = (numbers.random(rows) < 0.5).astype(float)
    rewards[(codes < 2) & (arms == 0)], rewards[(codes == 2) & (arms == 1)] = 1.0, 0.0
    log = RewardLog(rb.Log(arms, np.full(rows, 0.5), rewards), ("a", "b"), tuple(f"v{one}" for one in range(20)), codes)
    reported = reported_rows(log, codes)
    (high, low) = describe_rate(log, reported, [0, 2, 1])
    assert re.fullmatch(r"v0, v1 report 1 on a, the others 0\.\d+( to 0\.\d+)?", high)
    assert re.fullmatch(r"v2 reports 0 on b, the others 0\.\d+", low)
    assert write_range([0.5, 0.25, 0.501]) == "0.25 to 0.5"
    text = describe("rate", log, reported, [2], "a", 0.31, 0.02)
    assert text.endswith(
        " Without it, or had it reported as the others do, the probability of a, which leads, would be 0.31 lower; "
        "as many rows of randomly picked other sources move it by at most 0.02."
    )
    assert describe("rate", log, reported, [2], "a", 0.31, 0.001).endswith("sources move it by less than 0.01.")
    share = describe_selection(log, reported, [0])[0]
    assert re.fullmatch(r"v0 makes 5\d% of its reports about b, the others 50%", share)


def test_random_others_have_as_many_rows_and_are_others() -> None:
    codes, numbers = np.repeat(np.arange(6), [5, 1, 1, 1, 1, 9]), np.random.default_rng(1)
    for _ in range(50):
        others = draw_others(codes, np.array([0]), 5, numbers)
        assert others is not None
        assert 0 not in others
        assert np.isin(codes, others).sum() >= 5 > np.isin(codes, others[:-1]).sum()
    assert draw_others(codes, np.array([0, 5]), 5, numbers) is None


def test_visitors_who_buy_more_are_a_notice_with_its_size() -> None:
    found = look(shop(ring=False, level=2.2))
    assert set(found.alarms().values()) == {None}
    assert "level" in found.notices()
    signal = next(one for one in found.signals if one.statistic == "level")
    assert "times what the others do" in signal.text
    assert {"v0", "v1"} <= set(signal.subjects)


def test_a_shop_that_reports_only_sales_needs_to_say_for_whom_it_decided() -> None:
    """Every source that reports sells each time: without denominators that is no news, and nobody is named."""
    found = look(shop(ring=False, only="unknown"))
    assert found.alarms() == {"selection": None}
    assert found.flagged() == []
    assert any("name the source (or the unit) when you decide" in text for text in found.notes_on("cannot-test"))
    honest, lied = look(shop(ring=False, only="asked")), look(shop(ring=True, only="asked"))
    assert set(honest.alarms().values()) == {None}
    assert honest.flagged() == []
    assert lied.alarms()["rate"] is not None
    assert len(lied.flagged()) == 12


def test_sales_without_a_visit_are_not_compared_with_what_named_visitors_left() -> None:
    """Every second decision of an honest shop names nobody: a sale of those would be its source's whole record."""
    log = shop(ring=False, only="asked")
    named = np.arange(len(log.codes)) % 2 == 0
    codes = np.where(named | (log.log.rewards > 0.0), log.codes, 60)  # nobody knows who left
    found = look(replace(log, codes=codes, asked=named))
    assert set(found.alarms().values()) == {None}
    assert "level" not in found.notices()
    assert found.flagged() == []


def test_liars_who_hardly_move_the_leader_are_a_notice() -> None:
    """Four of forty sources praise the arm that leads anyway: p(leader) is above .97 with them and without."""
    luck, rows = np.random.default_rng(1), 4000
    arms, codes = np.arange(rows) % 2, luck.integers(0, 40, rows)
    rewards = (luck.random(rows) < np.where(arms == 0, 0.34, 0.3)).astype(float)
    rewards[codes < 4] = arms[codes < 4] == 0
    log = rb.Log(arms, np.full(rows, 0.5), rewards)
    found = look(RewardLog(log, ("a", "b"), tuple(f"v{number}" for number in range(40)), codes))
    signal = next(one for one in found.signals if one.statistic == "rate")
    assert set(signal.subjects) == {"v0", "v1", "v2", "v3"}
    assert 0.0 < abs(signal.moved) < MOVED
    assert not signal.is_alarm


def test_rewards_as_the_others_report_them() -> None:
    arms = np.array([0] * 80 + [1] * 4)
    codes = np.array([0, 1] * 40 + [0, 0, 0, 0])
    rewards = np.where(codes == 0, 1.0, 0.0)
    rewards[41:80:2] = 0.5
    log = RewardLog(rb.Log(arms, np.ones(84), rewards), ("a", "b"), ("x", "y"), codes)
    changed = as_others_report(reported_rows(log, codes), np.array([0]))
    assert changed[:80:2].tolist() == [0.0] * 20 + [0.5] * 20  # block by block
    assert changed[1::2][:40].tolist() == rewards[1::2][:40].tolist()
    assert changed[80:].tolist() == [1.0] * 4  # nobody else reported on that arm


def lossy(luck: Any, rows: int, extra: float, first: int = 0) -> tuple[Exposures, tuple[Any, Any, Any]]:
    """Three arms at .2, .3, .5; one to nine in a hundred decisions are lost by the hour, of the first arm more."""
    share = np.array([0.2, 0.3, 0.5])
    arms, numbers = luck.choice(3, rows, p=share), np.arange(rows)
    loss = 0.05 + 0.04 * np.sin(numbers / 300)
    loss = np.where((arms == 0) & (numbers >= first), loss + (1 - loss) * extra, loss)
    lost = luck.random(rows) < loss
    shown = np.bincount(arms[~lost], minlength=3)
    return Exposures(numbers[lost], arms[lost], share[arms[lost]], numbers[lost], shown), (numbers, arms, share[arms])


def test_lost_exposures_are_found_and_clean_logs_are_quiet() -> None:
    """60 clean logs, looked at 100 times, at level .05: more than 9 would come with a probability below .002."""
    luck, marks = np.random.default_rng(8), np.arange(100, 10_001, 100)

    def rings(extra: float, first: int = 0) -> tuple[int | None, int]:
        logs = exposures_by_mark(*lossy(luck, 10_000, extra, first), marks)
        over = [mark for mark, one in zip(marks, logs, strict=True) if np.exp(one).mean() >= 20.0]
        return (int(over[0]) if over else None), int(logs[-1].argmax())

    assert sum(rings(0.0)[0] is not None for _ in range(60)) <= 9
    found = [rings(0.1) for _ in range(10)]
    assert all(row is not None and row < 5000 and arm == 0 for row, arm in found)
    assert all((rings(0.3, 5000)[0] or 0) > 5000 for _ in range(5))


def test_a_bet_on_lost_exposures_is_fair() -> None:
    """Exactly: with a fate that does not depend on the arm, the next lost decision leaves the wealth as it was."""
    share = np.array([0.2, 0.3, 0.5])
    before = Exposures(np.array([3]), np.array([1]), share[[1]], np.array([4]), np.ones(3, np.int64))
    decided = np.arange(5), np.array([0, 1, 2, 1, 0]), share[[0, 1, 2, 1, 0]]
    now = exposures_by_mark(before, decided, np.array([9]))[0]
    after = np.zeros(3)
    for arm in range(3):
        one = Exposures(np.array([3, 9]), np.array([1, arm]), share[[1, arm]], np.array([4, 9]), np.ones(3, np.int64))
        after += share[arm] * np.exp(exposures_by_mark(one, decided, np.array([9]))[0])
    assert after == pytest.approx(np.exp(now))
