"""Scalar kernels that several parts share."""

import math
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FAR = 1e12  # a loss no arm comes back from
FORGOTTEN = 1e-9  # a count that is none


def argmax(values: Floats) -> int:
    """The index of the largest value, the lowest one on ties."""
    best = 0
    for index in range(1, len(values)):
        if values[index] > values[best]:
            best = index
    return best


def barrier_step(probabilities: Floats, steps: Floats) -> None:
    """1/p falls by each arm's step, then rises by a level that all share, so that p is a distribution again.

    The level is the root of sum 1/(v + level) = 1, v = 1/p - step. Newton's method on the harmonic mean, which is
    concave, climbs to it from 1 - min v without passing it.
    """
    least = math.inf
    for arm in range(len(probabilities)):
        steps[arm] = 1.0 / probabilities[arm] - steps[arm]
        least = min(least, steps[arm])
    level = 1.0 - least
    for _ in range(100):
        total, slope = 0.0, 0.0
        for arm in range(len(probabilities)):
            term = 1.0 / (steps[arm] + level)
            total += term
            slope += term * term
        move = total * (total - 1.0) / slope
        level += move
        if move <= 1e-15 * (1.0 + abs(level)):
            break
    total = 0.0
    for arm in range(len(probabilities)):
        probabilities[arm] = 1.0 / (steps[arm] + level)
        total += probabilities[arm]
    for arm in range(len(probabilities)):
        probabilities[arm] /= total


def beta_quantile(uniform: float, a: float, b: float, log_beta: float) -> float:
    """The x at which the Beta(a, b) distribution function is `uniform`: Newton inside a shrinking bracket."""
    low, high = 0.0, 1.0
    x = min(a / (a + b), math.exp((math.log(uniform * a) + log_beta) / a))  # the tail's leading term, where it is small
    if x < 1e-300:
        return 0.0
    for _ in range(100):
        excess = beta_cdf(x, a, b, log_beta) - uniform
        if excess > 0.0:
            high = x
        else:
            low = x
        slope = math.exp(min((a - 1.0) * math.log(x) + (b - 1.0) * math.log1p(-x) - log_beta, 700.0))
        step = x - excess / slope if slope > 0.0 else -1.0
        after = step if low < step < high else 0.5 * (low + high)
        if abs(after - x) <= 1e-14 * x or after < 1e-300 or after >= 1.0:
            return min(max(after, 0.0), 1.0)
        x = after
    return x


def beta_cdf(x: float, a: float, b: float, log_beta: float) -> float:
    """The regularised incomplete beta function, by its continued fraction on the side where that converges fast."""
    if x < (a + 1.0) / (a + b + 2.0):
        return beta_tail(x, a, b, log_beta)
    return 1.0 - beta_tail(1.0 - x, b, a, log_beta)


def beta_tail(x: float, a: float, b: float, log_beta: float) -> float:
    """I_x(a, b) for x below about the mean (Lentz's method on DLMF 8.17.22)."""
    if x <= 0.0:
        return 0.0
    front = math.exp(a * math.log(x) + b * math.log1p(-x) - log_beta) / a
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    fraction = d
    for m in range(1, 400):
        even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        d, c = 1.0 + even * d, 1.0 + even / c
        d, c = 1.0 / (d if abs(d) > tiny else tiny), (c if abs(c) > tiny else tiny)
        fraction *= d * c
        d, c = 1.0 + odd * d, 1.0 + odd / c
        d, c = 1.0 / (d if abs(d) > tiny else tiny), (c if abs(c) > tiny else tiny)
        fraction *= d * c
        if abs(d * c - 1.0) < 1e-15:
            break
    return front * fraction


def log_beta(a: float, b: float) -> float:
    """The logarithm of the beta function."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def student_quantile(degrees: int) -> float:
    """The 97.5 % quantile of Student's t: half the width of a 95 % interval, in standard errors."""
    a, b = 0.5 * degrees, 0.5
    x = beta_quantile(0.05, a, b, log_beta(a, b))
    return math.sqrt(degrees * (1.0 - x) / x)


def no_longer_awaited(waiting: Floats, arm: int) -> int:
    """Take an arm's reward off those awaited; returns 1 if it was not, so that its choice is new."""
    if waiting[arm] == 0.0:
        return 1
    waiting[arm] = max(waiting[arm] - 1.0, 0.0)
    return 0


def uncount(pulls: Floats, sums: Floats, waiting: Floats, arm: int, outcome: float) -> float:
    """Take one reward of an arm back, with its share of those that are awaited and may never come; returns the mean."""
    before = pulls[arm]
    pulls[arm] -= 1.0
    waiting[arm] *= pulls[arm] / before
    sums[arm] = max(sums[arm] - outcome, 0.0) if pulls[arm] > 0.0 else 0.0
    return float(sums[arm] / pulls[arm]) if pulls[arm] > 0.0 else 0.0


def fade_counts(pulls: Floats, sums: Floats, waiting: Floats, share: float) -> None:
    """Keep a share of every count; what is next to nothing is nothing."""
    for arm in range(len(pulls)):
        pulls[arm] *= share
        sums[arm] *= share
        waiting[arm] *= share
        if pulls[arm] < FORGOTTEN:
            pulls[arm] = sums[arm] = 0.0
        if waiting[arm] < FORGOTTEN:
            waiting[arm] = 0.0


def choices_remembered(pulls: Floats, waiting: Floats) -> int:
    """How many choices the counts stand for, as a whole number."""
    seen, awaited = 0.5, 0
    for arm in range(len(pulls)):
        seen += pulls[arm]
        awaited += math.ceil(waiting[arm])
    return int(seen) + awaited


def fade_losses(losses: Floats, rounds: int, share: float) -> int:
    """Keep a share of every estimated loss; returns the rounds they stand for, at most 1/(1 - share)."""
    for arm in range(len(losses)):
        if losses[arm] < 0.5 * FAR:  # an arm that is gone stays far
            losses[arm] *= share
    return min(rounds, int(1.0 / (1.0 - share)))


def mean_of_all(sums: Floats, pulls: Floats) -> float:
    """The mean reward over all arms, a neutral guess for an arm of which nothing was seen; 1/2 before any reward."""
    total, count = 0.0, 0.0
    for arm in range(len(sums)):
        total += sums[arm]
        count += pulls[arm]
    return total / count if count > 0.0 else 0.5


def log_gamma(values: Floats) -> Floats:
    """The logarithm of the gamma function of positive numbers, entry by entry: Stirling's series, eight steps up."""
    x = np.asarray(values, np.float64)
    product = np.ones_like(x)
    for step in range(8):
        product = product * (x + step)
    z = x + 8.0
    series = (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * z * z)) / (z * z)) / (z * z)) / z
    logarithm: Floats = (z - 0.5) * np.log(z) - z + 0.9189385332046727 + series - np.log(product)
    return logarithm


def narrowed(state: Any, arms: list[int]) -> Any:
    """A state of some arms only, for a state that holds nothing but numbers and one entry an arm."""
    values = {item.name: getattr(state, item.name) for item in fields(state)}
    return replace(state, **{name: [v[arm] for arm in arms] for name, v in values.items() if hasattr(v, "__len__")})


def level_with_least(losses: Floats, arm: int, present: list[int]) -> None:
    """An arm that joins begins with the least loss of the others: as if it had slept while they were played."""
    losses[arm] = min((losses[other] for other in present if other != arm), default=0.0)


def give_share(probabilities: Floats, arm: int, present: list[int]) -> None:
    """An arm that joins gets a share of one among those present, taken from all alike: the leader stays the leader."""
    drop_share(probabilities, arm, [other for other in present if other != arm])
    share = 1.0 / len(present)
    for other in present:
        probabilities[other] = share if other == arm else probabilities[other] * (1.0 - share)


def drop_share(probabilities: Floats, arm: int, present: list[int]) -> None:
    """An arm that leaves keeps no probability; those present are scaled up."""
    probabilities[arm] = 0.0
    total = sum(probabilities[other] for other in present)
    for other in present:
        probabilities[other] = probabilities[other] / total if total > 0.0 else 1.0 / len(present)


def share_evenly(probabilities: Floats) -> None:
    """The same probability for every arm, as where p(t) has no closed form."""
    for arm in range(len(probabilities)):
        probabilities[arm] = 1.0 / len(probabilities)


def point_at(state: Any, arm: int) -> None:
    """All of p(t) on one arm, the next one, in a state that has a field `next_arm`."""
    state.probabilities[state.next_arm] = 0.0
    state.next_arm = arm
    state.probabilities[arm] = 1.0


def one_hot(arm: int, arms: int) -> list[float]:
    """All of the probability on one arm."""
    return [1.0 if other == arm else 0.0 for other in range(arms)]
