"""Scalar kernels that several policies share."""

import math

import numpy as np
from numpy.typing import NDArray

from robandit.dice import Random


def argmax(values: NDArray[np.float64]) -> int:
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
    if x <= 0.0:
        return 0.0
    for _ in range(100):
        excess = beta_cdf(x, a, b, log_beta) - uniform
        if excess > 0.0:
            high = x
        else:
            low = x
        slope = math.exp((a - 1.0) * math.log(x) + (b - 1.0) * math.log1p(-x) - log_beta)
        step = x - excess / slope if slope > 0.0 else -1.0
        after = step if low < step < high else 0.5 * (low + high)
        if abs(after - x) <= 1e-14 * x or after <= 0.0 or after >= 1.0:
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
