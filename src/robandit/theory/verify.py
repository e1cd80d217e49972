"""Does a potential prove its bound? Verified for every state and every corruption, cell by cell.

With V = (1/alpha)(A/p + w ln q - d q) the one-round inequality E[V(p') - V(p)] + Delta q <= b c is, written out,
`rival_leads` and `best_leads` below: functions of the trailing arm's probability over the leader's, s in [0, 1]. What
the attacker does enters through the means of the round; V falls in p (`falls`), so the worst with a cost c is to lower
the best arm and raise the rival by c, and between the corners of `SambaGame.sizes` the inequality is linear in c.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from robandit.theory.games import SambaGame
from robandit.theory.interval import ONE, Interval, constant, log1p, log_ratio
from robandit.theory.rounds import corrupt

FIRST, MOST = 2_000, 2_000_000  # cells at the beginning, and at most


@dataclass(frozen=True)
class RoundedPotential:
    """V = (1/alpha)(inverse/p + logarithm ln q - linear q), and the price b of a unit of corruption."""

    inverse: Fraction
    logarithm: Fraction
    linear: Fraction
    price: Fraction


@dataclass(frozen=True)
class Check:
    """One inequality over all of [0, 1]: whether every cell was verified, and how many it took."""

    name: str
    verified: bool
    cells: int
    largest: float  # the largest upper bound met: at most 0 where it is verified


def verify(game: SambaGame, potential: RoundedPotential) -> list[Check]:
    """Returns every inequality the bound rests on; the bound is proved if all are verified."""
    smallest = min(potential.inverse, potential.logarithm, potential.price)  # the closing drops what has this sign
    checks = [
        everywhere("V falls in p", partial(falls, potential)),
        Check("A, w, b are not negative", smallest >= 0, 1, float(-smallest)),
    ]
    for size in game.sizes:
        checks.append(everywhere(f"rival leads, c = {size}", partial(rival_leads, game, potential, size)))
        checks.append(everywhere(f"best leads, c = {size}", partial(best_leads, game, potential, size)))
    return checks


def everywhere(name: str, excess: Callable[[Interval], Interval]) -> Check:
    """Returns whether the excess is at most 0 on all of [0, 1]; undecided cells are cut in four, up to a limit."""
    edges = np.linspace(0.0, 1.0, FIRST + 1)
    low, high = edges[:-1], edges[1:]
    cells, largest = 0, -np.inf
    while len(low):
        bounds = excess(Interval(low, high))
        cells += len(low)
        if np.any(bounds.low > 0.0) or cells > MOST:
            return Check(name, False, cells, float(bounds.high.max()))
        proved = bounds.high <= 0.0
        largest = max(largest, float(np.max(bounds.high[proved], initial=-np.inf)))
        low, high = low[~proved], high[~proved]
        cuts = [low + (high - low) * part for part in (0.25, 0.5, 0.75)]
        low, high = np.concatenate([low, *cuts]), np.concatenate([*cuts, high])
    return Check(name, True, cells, largest)


def falls(v: RoundedPotential, p: Interval) -> Interval:
    """dV/dp times p^2 q, to be at most 0."""
    q = ONE - p
    return constant(v.linear) * p * p * q - constant(v.inverse) * q - constant(v.logarithm) * p * p


def rival_leads(game: SambaGame, v: RoundedPotential, size: Fraction, s: Interval) -> Interval:
    """The excess where the rival leads, s = p/q."""
    alpha, best, rival, bill = terms(game, v, size)
    q = ONE / (ONE + s)
    p = ONE - q
    square = s * s
    inverse = (rival - best + alpha * (rival + s * best)) / ((ONE - alpha * s) * (ONE + alpha))
    logarithm = q * square * (rival * log_ratio(alpha * square) - best * log_ratio(-(alpha * s)))
    linear = p * p * (rival - best)
    return combine(v, inverse, logarithm, linear) + constant(game.gap) * q - bill


def best_leads(game: SambaGame, v: RoundedPotential, size: Fraction, s: Interval) -> Interval:
    """The excess where the best arm leads, s = q/p; without corruption divided by q, so that q = 0 is decided too."""
    alpha, best, rival, bill = terms(game, v, size)
    q = ONE - ONE / (ONE + s)
    square = s * s
    inverse = (rival - best + alpha * s * (best + s * rival)) / ((ONE - alpha * s) * (ONE + alpha * square))
    logarithm = rival * (log1p(alpha) / alpha) - best * log_ratio(-(alpha * s))
    linear = q * (rival - best)
    if size == 0:
        return combine(v, s * (ONE + s) * inverse, logarithm, linear) + constant(game.gap)
    return combine(v, square * inverse, q * logarithm, q * linear) + constant(game.gap) * q - bill


def terms(game: SambaGame, v: RoundedPotential, size: Fraction) -> tuple[Interval, Interval, Interval, Interval]:
    """Returns the step, the two corrupted means, and b c."""
    best, rival = corrupt(game.means, size)
    return constant(game.rate), constant(best), constant(rival), constant(v.price * size)


def combine(v: RoundedPotential, inverse: Interval, logarithm: Interval, linear: Interval) -> Interval:
    """Returns the drift of V from the drifts of its three functions."""
    return constant(v.inverse) * inverse + constant(v.logarithm) * logarithm - constant(v.linear) * linear
