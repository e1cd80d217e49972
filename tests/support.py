"""Small things several tests need."""

from typing import Any

import numpy as np

from robandit.dice import Random, seed_words

MEANS9 = tuple(number / 10 for number in range(1, 10))


def stream(seed: int) -> Random:
    """A stream for a test of its own."""
    return Random(*map(int, seed_words(seed, range(1))[0, 0]))


def standard_error(values: Any) -> float:
    """The standard error of a mean."""
    return float(np.std(values, ddof=1) / len(values) ** 0.5)
