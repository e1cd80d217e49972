"""A mean over runs with Student's 95 % interval, and the tests that go with it: the one home of both."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robandit.game import Floats
from robandit.numerics import beta_cdf, log_beta, student_quantile

Samples = Floats | Sequence[float]  # one number per run


@dataclass(frozen=True)
class Estimate:
    """The mean of independent values; a single value has an infinite spread, because it says nothing about it."""

    mean: float
    sd: float
    count: int

    def __format__(self, spec: str) -> str:
        """The mean with half of its interval, both in the format of a number: ",.1f" gives "1,234.5 ± 6.7"."""
        return f"{self.mean:{spec}} ± {self.half_width:{spec.lstrip('+')}}"

    @property
    def se(self) -> float:
        """The standard error of the mean."""
        return self.sd / float(self.count**0.5)

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval."""
        return student_quantile(self.count - 1) * self.se if self.count > 1 else math.inf

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval."""
        return self.mean + self.half_width

    @property
    def p_value(self) -> float:
        """The two-sided p-value of the hypothesis that the true mean is 0."""
        if self.count < 2 or self.mean == 0.0:
            return 1.0
        if self.se == 0.0:
            return 0.0
        degrees, t = self.count - 1, self.mean / self.se
        return beta_cdf(degrees / (degrees + t * t), 0.5 * degrees, 0.5, log_beta(0.5 * degrees, 0.5))


def estimate(values: Samples) -> Estimate:
    """Estimate a mean from one number per run."""
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else math.inf
    return Estimate(float(np.mean(values)), spread, len(values))


def estimate_difference(first: Samples, second: Samples) -> Estimate:
    """Estimate the mean of first - second, run by run, over the runs both have: pairs share their random numbers."""
    runs = min(len(first), len(second))
    return estimate(np.asarray(first[:runs]) - np.asarray(second[:runs]))


def estimate_ratio(above: Samples, below: Samples) -> Estimate:
    """Estimate mean(above)/mean(below), run by run: linear at the means (the delta method)."""
    first, second = np.asarray(above), np.asarray(below)
    ratio = first.mean() / second.mean()
    return estimate(ratio + (first - ratio * second) / second.mean())


def half_widths(samples: Floats) -> Floats | None:
    """Half of the 95 % interval of each column's mean; None for a single row."""
    rows = len(samples)
    if rows < 2:
        return None
    half: Floats = student_quantile(rows - 1) * samples.std(axis=0, ddof=1) / rows**0.5
    return half


def summarise(values: Samples) -> dict[str, float | None]:
    """Centre and spread as JSON has them, with the quantiles; None for what a single value does not show."""
    mean, several = estimate(values), len(values) > 1
    low, middle, high = (float(q) for q in np.quantile(values, [0.05, 0.5, 0.95]))
    return {
        "mean": mean.mean,
        "sd": mean.sd if several else None,
        "se": mean.se if several else None,
        "half_width_95": mean.half_width if several else None,
        "median": middle,
        "p05": low,
        "p95": high,
    }


def adjust_p_values(p_values: list[float]) -> list[float]:
    """Holm's correction for making several comparisons at once."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, p_values[index] * (len(p_values) - rank)))
        corrected[index] = largest
    return corrected
