"""E-values: against naive betting, by exact enumeration under the hypothesis, and on clean logs row by row."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.forensics.evidence import SHARES, WINDOWS, Evidence, flag_sources, mixture, rates, two_rates
from robandit.forensics.price import mean_bounds
from robandit.forensics.reward_log import RewardLog
from robandit.forensics.statistics import all_evidence
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


def test_statistics_of_a_table_are_the_naive_ones() -> None:
    luck = np.random.default_rng(3)
    rows, sources, arms = 300, 5, 3
    codes, shown = luck.integers(0, sources + 1, rows), luck.integers(0, arms, rows)  # the last code: not known
    rewards, probabilities = luck.random(rows).round(1), luck.uniform(0.1, 0.9, rows)
    table = table_of(shown, rewards, codes, probabilities, arms, sources, delays=luck.random(rows) * (1 + codes))
    found = last(table)
    assert set(found) == {"rate", "selection", "bursts", "delays"}
    for source in range(sources):
        wealth = []
        for arm in range(arms):
            mine, others = (codes == source) & (shown == arm), (codes != source) & (shown == arm)
            counts = [
                part for rows_of in (mine, others) for part in (rewards[rows_of].sum(), (1 - rewards[rows_of]).sum())
            ]
            wealth.append(math.exp(float(two_rates(*map(np.array, counts)))))
        assert math.exp(found["rate"].sources[source]) == pytest.approx(np.mean(wealth), rel=1e-9)
        wealth = []
        for arm, share in itertools.product(range(arms), SHARES):
            owned = 1.0
            for row in np.nonzero(codes == source)[0]:
                owned *= 1.0 + share * ((1.0 / probabilities[row] if shown[row] == arm else 0.0) - 1.0)
            wealth.append(owned)
        assert math.exp(found["selection"].sources[source]) == pytest.approx(np.mean(wealth), rel=1e-9)
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


def test_e_bh_by_hand() -> None:
    logs = np.log(np.array([1.0, 100.0, 45.0, 30.0, 0.1]))
    assert flag_sources(logs, 0.05) == [1]  # needs 100, 50, 33.3
    assert flag_sources(np.log(np.array([1.0, 100.0, 50.0, 34.0, 0.1])), 0.05) == [1, 2, 3]
    assert flag_sources(np.zeros(0), 0.05) == []


def test_false_alarms_on_two_hundred_clean_logs_looked_at_after_every_row() -> None:
    """Arms are chosen by what was seen (greedily), sources at random; the level is .05, the bound 10 alarms of 200."""
    luck = np.random.default_rng(6)
    logs, rows, sources, means = 200, 400, 20, np.array([0.3, 0.5, 0.6])
    sums, pulls = np.zeros((2, logs, sources, 3))
    most = np.full(logs, -np.inf)
    every = np.arange(logs)
    for _ in range(rows):
        totals = sums.sum(axis=1), pulls.sum(axis=1)
        greedy = ((totals[0] + 1.0) / (totals[1] + 1.0)).argmax(axis=1)
        arm = np.where(luck.random(logs) < 0.2, luck.integers(0, 3, logs), greedy)
        source = luck.integers(0, sources, logs)
        sums[every, source, arm] += luck.random(logs) < means[arm]
        pulls[every, source, arm] += 1.0
        found = rates(sums, pulls, sums.sum(axis=1), pulls.sum(axis=1))
        most = np.maximum(most, np.logaddexp.reduce(found, axis=1) - math.log(sources))
    alarms = int((most >= math.log(20.0)).sum())
    assert alarms <= 10
    assert most.max() > math.log(0.1)  # it moved at all


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
