"""The one kind of interval and the one kind of test of every page: Student's t over runs, Holm over comparisons."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robandit.game import Floats
from robandit.numerics import beta_cdf, log_beta, student_quantile


@dataclass(frozen=True)
class Estimate:
    """A mean over runs with what Student says about it."""

    mean: float
    se: float
    runs: int

    @property
    def half(self) -> float:
        """Half of the 95 % interval; infinite for one run."""
        return student_quantile(self.runs - 1) * self.se if self.runs > 1 else math.inf

    @property
    def p(self) -> float:
        """The two-sided p-value of a true mean of 0."""
        if self.runs < 2 or self.mean == 0.0:
            return 1.0
        if self.se == 0.0:
            return 0.0
        degrees, t = self.runs - 1, self.mean / self.se
        return beta_cdf(degrees / (degrees + t * t), 0.5 * degrees, 0.5, log_beta(0.5 * degrees, 0.5))


def estimate(values: Floats | Sequence[float]) -> Estimate:
    """The mean of one number a run."""
    runs = len(values)
    spread = float(np.std(values, ddof=1)) if runs > 1 else math.inf
    return Estimate(float(np.mean(values)), spread / math.sqrt(runs), runs)


def paired(first: Floats, second: Floats) -> Estimate:
    """The mean of first - second over the runs both have: the same luck for both, run by run."""
    runs = min(len(first), len(second))
    return estimate(np.asarray(first[:runs]) - np.asarray(second[:runs]))


def holm(p_values: list[float]) -> list[float]:
    """Holm's correction for looking at many comparisons at once."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, p_values[index] * (len(p_values) - rank)))
        corrected[index] = largest
    return corrected
