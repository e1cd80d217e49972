"""E-values: against naive betting, by exact enumeration under the hypothesis, and on clean logs row by row."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.forensics.blocks import BLOCK, STAKES
from robandit.forensics.evidence import WINDOWS, Evidence, flag_sources, mixture, two_rates
from robandit.forensics.price import mean_bounds
from robandit.forensics.reward_log import RewardLog
from robandit.forensics.statistics import ALIKE, ALIKE_SHARES, all_evidence
from robandit.numerics import log_gamma


def table_of(
    arms: Any, rewards: Any, codes: Any, probabilities: Any, count: int, sources: int, **more: Any
) -> RewardLog:
    names = tuple(f"s{number}" for number in range(sources))
    log = rb.Log(np.array(arms), np.array(probabilities, float), np.array(rewards, float))
    return RewardLog(log, tuple("abcdef"[:count]), names, np.array(codes), **more)


def last(table: RewardLog) -> dict[str, Evidence]:
    return {one.name: one for one in all_evidence(table, table.codes)}


def test_the_gamma_function() -> None:
    values = np.array([0.5, 1.0, 1.5, 2.0, 7.25, 100.5, 12_345.5, 1e7 + 0.5])
    assert np.allclose(log_gamma(values), [math.lgamma(value) for value in values], rtol=1e-12, atol=1e-11)


def predicted(ones: float, zeros: float, reward: float) -> float:
    """What the mixture stakes on a reward, given what it has seen: Krichevsky and Trofimov's rule."""
    probability = (ones + 0.5) / (ones + zeros + 1.0)
    return probability if reward == 1.0 else 1.0 - probability


def test_the_mixture_is_betting_row_by_row() -> None:
    luck = np.random.default_rng(1)
    rewards = (luck.random(60) < 0.3).astype(float)
    wealth, ones, zeros = 0.0, 0.0, 0.0
    for reward in rewards:
        wealth += math.log(predicted(ones, zeros, reward))
        ones, zeros = ones + reward, zeros + 1 - reward
    assert float(mixture(np.array(ones), np.array(zeros))) == pytest.approx(wealth, abs=1e-9)


@pytest.mark.parametrize("rewards", [(0.0, 1.0), (0.0, 0.5, 1.0)])
@pytest.mark.parametrize("mean", [0.2, 0.5])
def test_no_way_of_looking_earns_more_than_the_stake(rewards: tuple[float, ...], mean: float) -> None:
    """Every course of a few rows, whose sources depend on the rewards before, stopped as soon as it looks good."""
    middle = 0.3 if len(rewards) == 3 else 0.0
    probabilities = {1.0: mean - middle / 2, 0.0: 1 - mean - middle / 2, 0.5: middle}
    fixed = stopped = 0.0
    for course in itertools.product(rewards, repeat=8 if len(rewards) == 2 else 6):
        weight = math.prod(probabilities[reward] for reward in course)
        counts = np.zeros((2, 2))
        values = []
        for reward in course:
            source = 0 if counts[0].sum() == 0 or counts[:, 0].sum() < counts[:, 1].sum() else 1
            counts[source] += (reward, 1 - reward)
            (ones, zeros), (more, rest) = counts
            values.append(math.exp(float(two_rates(ones, zeros, more, rest))))
        fixed += weight * values[-1]
        stopped += weight * next((value for value in values if value > 1.0), values[-1])
    assert 0.05 < fixed <= 1.0 + 1e-9
    assert 0.05 < stopped <= 1.0 + 1e-9


def test_two_rates_that_differ_are_found() -> None:
    assert float(two_rates(np.array(90.0), np.array(10.0), np.array(500.0), np.array(500.0))) > math.log(1e10)
    assert float(two_rates(np.array(50.0), np.array(50.0), np.array(500.0), np.array(500.0))) < 0.0


def log_fisher(size: int, own: int, ones: int, x: int, odds: float) -> float:
    """The log-probability of x of a source's rows among the ones of a block, with some odds: summed out naively."""
    weights = {
        y: math.comb(own, y) * math.comb(size - own, ones - y) * odds**y
        for y in range(max(0, own + ones - size), min(own, ones) + 1)
    }
    return math.log(weights[x] / sum(weights.values()))


def naive_gain(blocks: list[list[tuple[int, int]]], source: int, alike: float, stake: float) -> float:
    """Block after block of (source, outcome): what a bettor on higher or lower odds owns."""
    wealth = 0.0
    for block in blocks:
        mine = [outcome for code, outcome in block if code == source]
        size, own, ones, x = len(block), len(mine), sum(outcome for _, outcome in block), sum(mine)
        if own:
            wealth += log_fisher(size, own, ones, x, alike * stake) - log_fisher(size, own, ones, x, alike)
    return wealth


def naive_blocks(rows: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    return [rows[first : first + BLOCK] for first in range(0, len(rows) - BLOCK + 1, BLOCK)]


def test_statistics_of_a_table_are_the_naive_ones() -> None:
    luck = np.random.default_rng(3)
    rows, sources, arms = 600, 5, 3
    codes, shown = luck.integers(0, sources + 1, rows), luck.integers(0, arms, rows)  # the last code: not known
    rewards, probabilities = (luck.random(rows) < 0.3).astype(float), luck.uniform(0.1, 0.9, rows)
    table = table_of(shown, rewards, codes, probabilities, arms, sources, delays=luck.random(rows) * (1 + codes))
    found = last(table)
    assert set(found) == {"rate", "selection", "level", "homogeneity", "bursts", "delays"}
    by_arm = [
        naive_blocks([(int(c), int(r)) for c, r, a in zip(codes, rewards, shown, strict=True) if a == arm])
        for arm in range(arms)
    ]
    for source in range(sources):
        wealth = []
        for stake in STAKES:
            ups = [naive_gain(blocks, source, ALIKE, stake) for blocks in by_arm]
            downs = [naive_gain(blocks, source, 1 / ALIKE, 1 / stake) for blocks in by_arm]
            wealth += [*ups, *downs, *(up + sum(downs) - down for up, down in zip(ups, downs, strict=True))]
        assert found["rate"].sources[source] == pytest.approx(math.log(np.mean(np.exp(wealth))), abs=1e-8)
        wealth = [
            sum(naive_gain(blocks, source, 1.0, stake) for blocks in by_arm) for stake in (1.25, 2.0, 1 / 1.25, 0.5)
        ]
        assert found["level"].sources[source] == pytest.approx(math.log(np.mean(np.exp(wealth))), abs=1e-8)
        wealth = [
            naive_gain(
                naive_blocks([(int(c), int(a == arm)) for c, a in zip(codes, shown, strict=True)]),
                source,
                ALIKE_SHARES,
                s,
            )
            for arm in range(arms)
            for s in STAKES
        ]
        assert found["selection"].sources[source] == pytest.approx(math.log(np.mean(np.exp(wealth))), abs=1e-8)
        assert math.exp(found["bursts"].sources[source]) == pytest.approx(naive_bursts(codes, source), rel=1e-9)
        late = table.delays[100:] > np.median(table.delays[:100])  # type: ignore[index]
        mine = codes[100:] == source
        counts = [(late & mine).sum(), (~late & mine).sum(), (late & ~mine).sum(), (~late & ~mine).sum()]
        expected = two_rates(*(np.array(float(count)) for count in counts))
        assert found["delays"].sources[source] == pytest.approx(float(expected), rel=1e-9)


def naive_bursts(codes: Any, source: int) -> float:
    """Row by row: whether the source reported within the last few rows, and whether it does now."""
    wealth = []
    for window in WINDOWS:
        counts, seen = np.zeros((2, 2)), -(10**9)
        for row, code in enumerate(codes):
            recent = 0 if row - seen <= window else 1
            counts[recent] += (1, 0) if code == source else (0, 1)
            seen = row if code == source else seen
        wealth.append(math.exp(float(two_rates(*counts[0], *counts[1]))))
    return float(np.mean(wealth))


def test_selection_and_bursts_find_what_they_are_for() -> None:
    luck = np.random.default_rng(4)
    rows, sources = 4000, 20
    shown, codes = luck.integers(0, 4, rows), luck.integers(0, sources, rows)
    codes[(shown == 2) & (codes == 7)] = 7
    codes[(shown != 2) & (codes == 7)] = 8  # source 7 reports on one arm only
    codes[1000:1060] = 11
    found = last(table_of(shown, luck.random(rows), codes, np.full(rows, 0.25), 4, sources))
    assert flag_sources(found["selection"].sources, 0.05) == [7]
    assert 11 in flag_sources(found["bursts"].sources, 0.05)
    assert found["selection"].alarm(0.01) is not None
    assert found["rate"].alarm(0.05) is None
    assert found["level"].alarm(0.05) is None


def test_e_bh_by_hand() -> None:
    logs = np.log(np.array([1.0, 100.0, 45.0, 30.0, 0.1]))
    assert flag_sources(logs, 0.05) == [1]  # needs 100, 50, 33.3
    assert flag_sources(np.log(np.array([1.0, 100.0, 50.0, 34.0, 0.1])), 0.05) == [1, 2, 3]
    assert flag_sources(np.zeros(0), 0.05) == []


def test_intervals_of_means_hold_at_every_row() -> None:
    """300 coins watched for 500 rows: the true mean leaves its 95 % interval ever in at most 5 % of them.

    With the bound met exactly, more than 30 of 300 would come with a probability below 1e-3.
    """
    luck = np.random.default_rng(7)
    tosses = (luck.random((300, 500)) < 0.3).cumsum(axis=1).astype(float)
    outside = np.zeros(300, bool)
    for row in range(0, 500, 5):
        low, high = mean_bounds(tosses[:, row], np.full(300, row + 1.0))
        outside |= (low > 0.3) | (high < 0.3)
    assert outside.sum() <= 30
    low, high = mean_bounds(np.array([0.0, 50.0, 100.0]), np.array([0.0, 100.0, 100.0]))
    assert (low[0], high[0]) == (0.0, 1.0)
    assert 0.33 < low[1] < 0.40 < 0.60 < high[1] < 0.67
    assert low[2] > 0.9
