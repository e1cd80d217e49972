"""A mean with its interval: Student's, as scipy has it; what one value shows; how it is written."""

import math

import numpy as np
import pytest
from scipy import stats

from robandit.estimates import adjust_p_values, estimate, estimate_difference, half_widths, summarise


def test_paired_differences_and_holm() -> None:
    random_ = np.random.default_rng(2)
    first = random_.normal(1, 1, 40)
    second = first + random_.normal(0.3, 1, 40)
    found, expected = estimate_difference(first, second), stats.ttest_rel(first, second)
    assert found.mean == pytest.approx((first - second).mean())
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-8)
    assert adjust_p_values([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert estimate_difference(first, first).p_value == 1.0
    assert found.half_width == pytest.approx(np.diff(expected.confidence_interval(0.95))[0] / 2, rel=1e-8)
    assert estimate([3.0]).p_value == 1.0
    assert estimate([3.0, 3.0]).p_value == 0.0


def test_one_value_has_no_spread_and_the_interval_lies_around_the_mean() -> None:
    alone, several = estimate([3.0]), estimate([1.0, 2.0, 6.0])
    assert (alone.mean, alone.half_width, alone.low) == (3.0, math.inf, -math.inf)
    assert summarise([3.0])["half_width_95"] is None
    low, high = stats.t.interval(0.95, 2, several.mean, several.se)
    assert (several.low, several.high) == pytest.approx((low, high), rel=1e-8)
    assert f"{estimate([1.0, 3.0]):+,.1f}" == "+2.0 ± 12.7"


def test_columns_have_the_half_widths_of_their_summaries() -> None:
    samples = np.random.default_rng(3).random((7, 4))
    halves = half_widths(samples)
    assert halves is not None
    assert halves == pytest.approx([summarise(column)["half_width_95"] for column in samples.T], rel=1e-12)
    assert half_widths(samples[:1]) is None
