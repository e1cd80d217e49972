"""Ratios, slopes and powers as one number per run, so that Student's test applies to them as to any mean.

Each is linear in the runs' regrets, or made so at their means (the delta method); runs keep their pairing.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from robandit.estimates import Estimate, estimate
from robandit.game import Floats
from robandit.paper.verdicts import every

# A power counts as linear where it is nearer to 1 than to a square root or a square, the next orders in use:
# half way to either.
ROOT, SQUARE = 0.75, 1.5
FLAT = 0.25  # and as flat where it is nearer to 0 than to a square root


def shared(samples: Sequence[Floats]) -> Floats:
    """Samples cut to the runs all have, one row each."""
    runs = min(len(sample) for sample in samples)
    return np.array([sample[:runs] for sample in samples])


def ratio_values(above: Floats, below: Floats) -> Floats:
    """Values whose mean is mean(above)/mean(below)."""
    above, below = shared([above, below])
    ratio = above.mean() / below.mean()
    values: Floats = ratio + (above - ratio * below) / below.mean()
    return values


def slope_values(samples: Sequence[Floats], by: Sequence[float]) -> Floats:
    """Values whose mean is the slope of a line through the samples' means."""
    centred = np.array(by) - np.mean(by)
    values: Floats = (centred / (centred @ centred)) @ shared(samples)
    return values


def power_values(samples: Sequence[Floats], by: Sequence[float]) -> Floats | None:
    """Values whose mean is the power of `by` that the means grow with; None where a mean is not positive."""
    rows = shared(samples)
    means = rows.mean(axis=1, keepdims=True)
    if means.min() <= 0.0:
        return None
    return slope_values(list(np.log(means) + rows / means - 1.0), np.log(by).tolist())


def power_tests(powers: Mapping[str, Floats | None]) -> dict[tuple[str, str], Estimate]:
    """Two tests for each power that could be taken: above the lower limit of linear, below the upper."""
    tests = {}
    for name, values in powers.items():
        if values is not None:
            tests[name, "above"], tests[name, "below"] = estimate(values - ROOT), estimate(SQUARE - values)
    return tests


def linear(significant: Mapping[tuple[str, str], int], name: str) -> str:
    """Whether a power is linear by its two tests; one that could not be taken stays open."""
    return every(significant.get((name, side), 0) for side in ("above", "below"))


def steps_by_decade(samples: Sequence[Floats]) -> list[Floats]:
    """What each decade of T adds, run by run."""
    rows = shared(samples)
    return [after - before for before, after in pairwise(rows)]


def square_growth(horizons: Sequence[float]) -> float:
    """How the last decade's step compares with the one two before if regret grows as log^2 T; 1 if as log T."""
    last, first = np.log10(horizons[-1]), np.log10(horizons[-3])
    return float((2 * last - 1) / (2 * first - 1))


def squared_excess(samples: Sequence[Floats], horizons: Sequence[float]) -> Floats:
    """Above 0 where growth is nearer to log^2 T than to log T, below 0 the other way round: half way is the limit."""
    steps = steps_by_decade(samples)
    values: Floats = steps[-1] - 0.5 * (1.0 + square_growth(horizons)) * steps[-3]
    return values
