"""The median of means over groups of sources: against a naive one, with rings, and where a log cannot carry it."""

import statistics

import numpy as np
import pytest

from robandit.forensics.grouped import grouped_means, number_of_groups
from robandit.forensics.statistics import ReportedRows
from verification.grouping import log_with_ring, shares

MEANS = np.array([0.02, 0.03, 0.05])


def test_it_is_the_median_of_the_means_of_groups() -> None:
    log = log_with_ring(np.random.default_rng(2), MEANS, 10, 1.0)
    found = grouped_means(log, seed=7)
    assert found is not None
    assert found.groups % 2 == 1
    dealt = np.random.default_rng(7).permutation(200) % found.groups
    for arm in range(3):
        groups: list[list[float]] = [[] for _ in range(found.groups)]
        for code, pulled, reward in zip(log.codes, log.arms, log.rewards, strict=True):
            if pulled == arm:
                groups[dealt[code]].append(float(reward))
        assert found.medians[arm] == pytest.approx(statistics.median(sum(one) / len(one) for one in groups))
        assert found.means[arm] == pytest.approx(log.rewards[log.arms == arm].mean())
    named = found.as_json(("a", "b", "c"))
    assert named["leader"] == "c"
    assert named["medians"]["b"] == found.medians[1]


def test_few_accounts_move_the_means_and_not_the_medians() -> None:
    """On .02, .03, .05 with ten of 200 accounts a ring: 20 of 20 logs; measured, 100 % of 200."""
    found = shares(MEANS, 10, 1.0, logs=20)
    assert found["mean"] == found["cap 20"] == 0.0
    assert found["groups"] == 1.0


def test_too_few_sources_or_rewards_have_no_groups() -> None:
    assert number_of_groups(4, 500.0, 1000.0) == 0
    assert number_of_groups(200, 19.0, 1000.0) == 0
    assert number_of_groups(200, 20.0, 1000.0) == 5
    assert number_of_groups(200, 980.0, 1000.0) == 5  # failures are as rare
    assert number_of_groups(200, 24.0, 1000.0) == 5
    assert number_of_groups(10**6, 1e6, 2e6) == 101
    nothing = np.zeros(0, np.int64)
    assert grouped_means(ReportedRows(nothing, nothing, nothing, nothing.astype(float), None, 0, 2, nothing)) is None


def test_an_arm_without_rewards_stays_out() -> None:
    log = log_with_ring(np.random.default_rng(3), MEANS, 0, 1.0)
    wider = ReportedRows(log.rows, log.codes, log.arms, log.rewards, None, 200, 4, log.numbers)
    found = grouped_means(wider)
    assert found is not None
    assert np.isnan(found.medians[3])
    assert found.leaders == (2, 2)
    assert found.as_json(("a", "b", "c", "d"))["medians"]["d"] is None
