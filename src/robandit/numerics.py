"""Scalar kernels that several policies share."""

import math

import numpy as np
from numpy.typing import NDArray

from robandit.dice import Random

Floats = NDArray[np.float64]


def argmax(values: Floats) -> int:
    """The index of the largest value, the lowest one on ties."""
    best = 0
    for index in range(1, len(values)):
        if values[index] > values[best]:
            best = index
    return best


def beta_draw(a: float, b: float, random: Random) -> float:
    """A Beta(a, b) number for a, b >= 1 (Cheng 1978, algorithm BB; its symmetric case included)."""
    low, high = min(a, b), max(a, b)
    total = low + high
    if low <= 1.0:  # Beta(1, high) has a closed-form quantile
        small = 1.0 - math.pow(random.uniform(), 1.0 / high)
        return small if a == low else 1.0 - small
    slope = math.sqrt((total - 2.0) / (2.0 * low * high - total))
    shift = low + 1.0 / slope
    while True:
        u1 = random.uniform()
        u2 = random.uniform()
        v = slope * math.log(u1 / (1.0 - u1))
        w = low * math.exp(v)
        z = u1 * u1 * u2
        r = shift * v - 1.3862943611198906
        s = low + r - w
        if s + 2.6094379124341003 >= 5.0 * z:
            break
        logz = math.log(z)
        if s >= logz or r + total * math.log(total / (high + w)) >= logz:
            break
    return w / (high + w) if a == low else high / (high + w)


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


def tsallis_chances(losses: Floats, rate: float, root: float, chances: Floats) -> tuple[float, int]:
    """p_i = (a_i + z)^-2 with a_i = rate/2 (L_i - min L) and the z that makes them sum to 1; answers z and the steps.

    The sum is convex and decreasing in z and the root lies in [1, sqrt K], so Newton's method from
    the last root steps at most once too far and then climbs to it from the left.
    """
    arms = len(losses)
    least = losses[0]
    for arm in range(1, arms):
        least = min(least, losses[arm])
    if least > 1e6:  # only differences matter: keep them exact
        for arm in range(arms):
            losses[arm] -= least
        least = 0.0
    half = 0.5 * rate
    steps, moved = 0, 1.0
    while abs(moved) > 1e-12 and steps < 100:
        value, slope = -1.0, 0.0
        for arm in range(arms):
            inverse = 1.0 / (half * (losses[arm] - least) + root)
            square = inverse * inverse
            value += square
            slope += square * inverse
        after = min(max(root + 0.5 * value / slope, 1.0), math.sqrt(arms))
        moved = after - root
        root = after
        steps += 1
    total = 0.0
    for arm in range(arms):
        inverse = 1.0 / (half * (losses[arm] - least) + root)
        chances[arm] = inverse * inverse
        total += chances[arm]
    for arm in range(arms):
        chances[arm] /= total
    return root, steps


def hybrid_chances(
    losses: Floats, strength: float, b: float, chances: Floats, gradient: Floats, curvature: Floats
) -> int:
    """Minimise <p, L> - strength sum[sqrt p_i + sqrt(1 - p_i)/sqrt K] + b sum ln(1/p_i) on the simplex.

    Newton's method from the last p on all of it at once, with the multiplier of sum p = 1; the
    Hessian is diagonal. A step is shortened to stay inside (0, 1). Answers the number of steps.
    """
    arms = len(losses)
    if arms == 1:
        return 0
    mirror = 1.0 / math.sqrt(arms)
    steps, moved = 0, 1.0
    while moved > 1e-7 and steps < 100:
        total, weight, weighted = 0.0, 0.0, 0.0
        for arm in range(arms):
            p, q = chances[arm], 1.0 - chances[arm]
            low, high = 1.0 / math.sqrt(p), mirror / math.sqrt(q)
            gradient[arm] = losses[arm] - 0.5 * strength * (low - high) - b / p
            curvature[arm] = 0.25 * strength * (low / p + high / q) + b / (p * p)
            total += p
            weight += 1.0 / curvature[arm]
            weighted += gradient[arm] / curvature[arm]
        multiplier = (1.0 - total + weighted) / weight
        length, moved = 1.0, 0.0
        for arm in range(arms):
            p = chances[arm]
            step = (multiplier - gradient[arm]) / curvature[arm]
            gradient[arm] = step
            if step < 0.0:
                length = min(length, -0.9 * p / step)
            elif step > 0.0:
                length = min(length, 0.9 * (1.0 - p) / step)
            moved = max(moved, abs(step) / min(p, 1.0 - p))
        for arm in range(arms):
            chances[arm] += length * gradient[arm]
        steps += 1
    total = 0.0
    for arm in range(arms):
        total += chances[arm]
    for arm in range(arms):
        chances[arm] /= total
    return steps


def frechet(random: Random) -> float:
    """A perturbation with distribution function exp(-1/x^2)."""
    return 1.0 / math.sqrt(-math.log(random.uniform()))


def negative_entropy(mean: float) -> float:
    """m ln m + (1 - m) ln(1 - m), 0 at the ends."""
    if mean <= 0.0 or mean >= 1.0:
        return 0.0
    return mean * math.log(mean) + (1.0 - mean) * math.log(1.0 - mean)


def kl_upper_bound(mean: float, entropy: float, level: float) -> float:
    """The largest q with kl(mean, q) <= level, for Bernoulli laws; `entropy` is the mean's negative entropy.

    The divergence is convex in q, so Newton's method started above the root comes down to it.
    """
    if mean >= 1.0:
        return 1.0
    if mean <= 0.0:
        return 1.0 - math.exp(-level)
    q = min(mean + math.sqrt(0.5 * level), 1.0 - math.exp((entropy - level) / (1.0 - mean)))
    for _ in range(50):
        if q <= mean:
            return mean
        if q >= 1.0:
            return 1.0
        excess = entropy - mean * math.log(q) - (1.0 - mean) * math.log(1.0 - q) - level
        step = excess * q * (1.0 - q) / (q - mean)
        q -= step
        if step <= 1e-13:
            break
    return q
