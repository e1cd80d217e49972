"""Interval arithmetic on arrays, rounded outward, that trusts nothing but IEEE's four operations.

An Interval holds for each cell a lower and an upper bound of a real number. Each operation is rounded to nearest
and then moved one step outward, so the real result stays inside. Logarithms are enclosed by their series
ln(1+y) = 2 (z + z^3/3 + z^5/5 + ...), z = y/(2+y), with its remainder, not by the machine's log.
"""

import math
from fractions import Fraction
from functools import cache

import numpy as np

from robandit.game import Floats

TERMS, MOST = 30, 400  # of the series; the remainder below is counted, so that fewer would be looser, not wrong


class Interval:
    """Arrays of lower and upper bounds."""

    def __init__(self, low: Floats, high: Floats) -> None:
        self.low, self.high = low, high

    def __add__(self, other: "Interval") -> "Interval":
        return outward(self.low + other.low, self.high + other.high)

    def __neg__(self) -> "Interval":
        return Interval(-self.high, -self.low)

    def __sub__(self, other: "Interval") -> "Interval":
        return self + -other

    def __mul__(self, other: "Interval") -> "Interval":
        products = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return outward(np.minimum.reduce(products), np.maximum.reduce(products))

    def __truediv__(self, other: "Interval") -> "Interval":
        if np.any(other.low <= 0.0):
            raise ZeroDivisionError("only positive intervals divide")
        quotients = [a / b for a in (self.low, self.high) for b in (other.low, other.high)]
        return outward(np.minimum.reduce(quotients), np.maximum.reduce(quotients))

    def ends(self) -> tuple["Interval", "Interval"]:
        """Returns the lower and the upper bounds, each as an interval of no width."""
        return Interval(self.low, self.low), Interval(self.high, self.high)


def outward(low: Floats, high: Floats) -> Interval:
    """Returns bounds that were rounded to nearest, one step further out."""
    return Interval(np.nextafter(low, -np.inf), np.nextafter(high, np.inf))


def constant(value: Fraction | int) -> Interval:
    """Returns a fraction between its two neighbours."""
    near = float(value)
    if Fraction(near) == value:
        return Interval(np.array(near), np.array(near))
    return outward(np.array(near), np.array(near))


@cache
def reciprocal(number: int) -> Interval:
    """Returns 1/number."""
    return constant(Fraction(1, number))


ONE, TWO = constant(1), constant(2)


def log_ratio(y: Interval) -> Interval:
    """ln(1+y)/y, which falls in y, for intervals in (-1, 1]: from its values at both ends; at 0 it is 1."""
    below, above = y.ends()
    return Interval(series(above).low, series(below).high)


def log1p(y: Interval) -> Interval:
    """ln(1+y), which grows in y."""
    below, above = (end * series(end) for end in y.ends())
    return Interval(below.low, above.high)


def series(y: Interval) -> Interval:
    """ln(1+y)/y at single points: (2/(2+y)) (1 + z^2/3 + z^4/5 + ...), and what the series leaves out.

    Nothing in the sum is negative, so that lower bounds come from lower ones, and upper ones from upper ones.
    """
    z = y / (TWO + y)
    square = z * z
    square = Interval(np.maximum(square.low, 0.0), square.high)
    total, power = Interval(np.zeros_like(y.low), np.zeros_like(y.low)), np.ones_like(y.low)
    largest = min(float(square.high.max(initial=0.0)), 0.99)
    terms = TERMS if largest < 0.3 else min(MOST, math.ceil(-37.0 / math.log(largest)))  # about 1e-16 is left out
    for k in range(terms, -1, -1):
        total = outward(total.low * square.low, total.high * square.high) + reciprocal(2 * k + 1)
        power = np.nextafter(power * square.high, np.inf)
    left_out = Interval(np.zeros_like(power), power) / (constant(2 * terms + 3) * (ONE - square))
    return TWO / (TWO + y) * Interval(total.low, (total + left_out).high)
