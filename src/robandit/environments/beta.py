"""Beta rewards with a common concentration, by inverse CDF from a table that fills as it is used.

Between knots the quantile function is interpolated as logit(x) against logit(u), which is smooth and, in both tails,
nearly a straight line: cubic pieces with exact values and slopes are good to 1e-8 of a reward, and to 1e-10 from a
concentration of 1 on. Beyond the table, which a uniform leaves once in four million, the equation is solved.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robandit.environments.means import Means, move_reward
from robandit.game import Floats
from robandit.numerics import beta_quantile, log_beta
from robandit.parts import About, parameter

REACH = 16.0  # the table covers logit(u) from -16 to 16
KNOTS = 64  # in a unit of it


@dataclass
class Shapes:
    """For each arm its true mean, the shapes of its law, the logarithm of the beta function there, and its table."""

    means: Floats
    a: Floats
    b: Floats
    log_beta: Floats
    values: NDArray[np.float64]  # logit(x) at each knot, NaN until it is needed
    slopes: NDArray[np.float64]  # its derivative by logit(u), for a step from one knot to the next


@dataclass(frozen=True)
class Beta(Means[Shapes]):
    """Pays a Beta(concentration * mean, concentration * (1 - mean)) number."""

    about = About(name="beta", summary="reward anywhere in [0, 1]; a large concentration means little noise")
    concentration: float = parameter(
        10.0, "sum of the two shape parameters; variance is mean (1 - mean)/(concentration + 1)", above=0, below=1e6
    )

    def start(self) -> Shapes:
        means = np.array(self.means)
        a, b = self.concentration * means, self.concentration * (1.0 - means)
        inside = (means > 0.0) & (means < 1.0)
        logs = [log_beta(x, y) if ok else 0.0 for x, y, ok in zip(a, b, inside, strict=True)]
        knots = 2 * int(REACH) * KNOTS + 1
        values, slopes = np.full((2, len(means), knots), np.nan)
        return Shapes(means, a, b, np.array(logs), values, slopes)

    def reward(self, tables: Shapes, arm: int, mean: float, uniform: float) -> float:
        true_mean = tables.means[arm]
        if true_mean <= 0.0 or true_mean >= 1.0:
            return mean
        return move_reward(quantile(tables, arm, uniform), true_mean, mean)


def quantile(tables: Shapes, arm: int, uniform: float) -> float:
    """The reward whose distribution function is `uniform`."""
    place = (math.log(uniform / (1.0 - uniform)) + REACH) * KNOTS
    if place < 0.0:
        return beta_quantile(uniform, float(tables.a[arm]), float(tables.b[arm]), float(tables.log_beta[arm]))
    if place >= tables.values.shape[1] - 1:
        return 1.0 - beta_quantile(
            1.0 - uniform, float(tables.b[arm]), float(tables.a[arm]), float(tables.log_beta[arm])
        )
    knot = int(place)
    for fresh in range(knot, knot + 2):
        if math.isnan(tables.slopes[arm, fresh]):
            fill(tables, arm, fresh)
    s = place - knot
    first, last = tables.values[arm, knot], tables.values[arm, knot + 1]
    rise, fall = tables.slopes[arm, knot], tables.slopes[arm, knot + 1]
    secant = last - first
    logit = first + s * (rise + s * (3.0 * secant - 2.0 * rise - fall + s * (rise + fall - 2.0 * secant)))
    return 1.0 / (1.0 + math.exp(-logit))


def fill(tables: Shapes, arm: int, knot: int) -> None:
    """Solve for one knot, on the side where the tail is small."""
    t = knot / KNOTS - REACH
    a, b, log_of_beta = float(tables.a[arm]), float(tables.b[arm]), float(tables.log_beta[arm])
    lower = 1.0 / (1.0 + math.exp(-t))
    upper = 1.0 / (1.0 + math.exp(t))
    if t < 0.0:
        x = max(beta_quantile(lower, a, b, log_of_beta), 1e-300)
        rest = 1.0 - x
    else:
        rest = max(beta_quantile(upper, b, a, log_of_beta), 1e-300)
        x = 1.0 - rest
    x, rest = max(x, 1e-300), max(rest, 1e-300)
    density = math.exp(a * math.log(x) + b * math.log(rest) - log_of_beta)
    tables.values[arm, knot] = math.log(x / rest)
    tables.slopes[arm, knot] = lower * upper / max(density, 1e-300) / KNOTS
