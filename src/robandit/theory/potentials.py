"""The best bound a potential can prove for SAMBA, or a rule next to it, with two arms: a linear programme.

If E[V(p') - V(p)] + Delta q <= b c for every p and every corruption of size c, then the regret is at most
V(1/2) - E V(p_T) + b C. The inequality is linear in V, so the smallest b over a basis of functions is a linear
programme with one row for each state and size of corruption. `certificate.py` makes a proof of such a V; this module
is numerical.
"""

import math
from dataclasses import dataclass

import numpy as np

from robandit.game import Floats
from robandit.theory.games import SambaGame
from robandit.theory.linear import minimise
from robandit.theory.step_law import SAMBA, Rule

SPAN = 16.0  # log-odds beyond which the first three functions alone decide
REACH, KNOTS = 9.0, 91  # the splines' support in log-odds
LONG = 100_000  # rounds, by default


@dataclass(frozen=True)
class Changes:
    """What one success does to each function of the basis, by state: (states, functions)."""

    best_probability: Floats
    rival_probability: Floats
    best_succeeds: Floats
    rival_succeeds: Floats


@dataclass(frozen=True)
class BestPotential:
    """The solution: V = (1/alpha)(inverse/p + logarithm ln q - linear q) , with splines more, and its price b."""

    inverse: float
    logarithm: float
    linear: float
    price: float
    cheapest: float  # the smallest price any V of this basis has


def log_odds_after(gain: float, loss: Floats, odds: Floats) -> tuple[Floats, Floats]:
    """Returns where the log-odds of the best arm go after a success of it and of the rival, without cancellation."""
    s = np.exp(-np.abs(odds))  # the trailing arm's probability over the leader's
    trailing = np.log1p(gain) - np.log1p(-gain * s)
    leading = np.log1p(s * loss) - np.log1p(-loss)
    leads = odds >= 0.0
    return odds + np.where(leads, leading, trailing), odds - np.where(leads, trailing, leading)


def changes(game: SambaGame, odds: Floats, splines: bool, rule: Rule = SAMBA) -> Changes:
    """The basis is 1/p, ln q, -q, and with `splines` cubic splines of the log-odds; all times 1/alpha."""
    alpha = float(game.rate)
    p, q = 1.0 / (1.0 + np.exp(-odds)), 1.0 / (1.0 + np.exp(odds))
    s = np.exp(-np.abs(odds))
    gain, loss = rule.gain(alpha), rule.loss(alpha, s)
    up, down = gain / alpha, loss / alpha
    leads = odds >= 0.0
    success = [
        np.where(leads, -s * down / (p * (1.0 + s * loss)), -up / ((1.0 + gain) * p)),
        np.where(leads, np.log1p(-loss), np.log1p(-gain * s)) / alpha,
        np.where(leads, q * down, p * up),
    ]
    failure = [
        np.where(leads, up * s / (p * (1.0 - gain * s)), down / (p * (1.0 - loss))),
        np.where(leads, np.log1p(gain), np.log1p(s * loss)) / alpha,
        np.where(leads, -q * up, -p * down),
    ]
    best, rival = np.column_stack(success), np.column_stack(failure)
    if splines:
        here = bumps(odds)
        above, below = (bumps(after) - here for after in log_odds_after(gain, loss, odds))
        best, rival = np.column_stack([best, above / alpha]), np.column_stack([rival, below / alpha])
    return Changes(p, q, best, rival)


def bumps(odds: Floats) -> Floats:
    """Cubic B-splines on evenly spaced knots, each zero beyond its four intervals: (states, splines)."""
    knots = np.linspace(-REACH, REACH, KNOTS)
    width = knots[1] - knots[0]
    u = np.abs((odds[:, None] - knots[2:-2][None, :]) / width)
    near, far = 2.0 / 3.0 - u * u + 0.5 * u**3, np.maximum(2.0 - u, 0.0) ** 3 / 6.0
    return np.asarray(np.where(u < 1.0, near, far))


def grid(splines: bool) -> Floats:
    """Returns log-odds, denser where the lead changes; the three functions alone need fewer."""
    points = 801 if splines else 401
    coarse, fine = np.linspace(-SPAN, SPAN, points), np.linspace(-1.5, 1.5, points // 2)
    return np.unique(np.concatenate([coarse, fine, [-1e-9, 0.0]]))


def best_potential(
    game: SambaGame,
    *,
    horizon: int | None = None,
    budget: float | None = None,
    splines: bool = False,
    margin: float = 0.0,
    rule: Rule = SAMBA,
) -> BestPotential:
    """Returns the V with the smallest bound at this horizon and budget or, without them, with the smallest price b.

    Many V have nearly the smallest price; of those within 0.1 % the one is taken whose bound without corruption is
    the smallest. `margin` asks for slack in every row, as a share of what is lost and spent in that round.
    """
    rows, limits = constraints(game, splines, margin, rule)
    unknowns = rows.shape[1]
    clean = np.zeros(unknowns)  # the bound at C = 0
    reach = LONG if horizon is None or budget is None else horizon
    alpha = float(game.rate)
    clean[1], clean[-1] = math.log1p(alpha * reach / (2.0 * (1.0 - alpha))) / alpha, 1.0
    if horizon is not None and budget is not None:
        clean[-2] = budget
        solution = minimise(clean, rows, limits)
        return name_unknowns(solution, solution[-2])
    price = np.eye(unknowns)[-2]
    cheapest = minimise(price + 1e-7 * clean, rows, limits)
    if splines:  # they are there for the price alone
        return name_unknowns(cheapest, cheapest[-2])
    solution = minimise(clean, np.vstack([rows, price]), np.append(limits, 1.001 * cheapest[-2]))
    return name_unknowns(solution, cheapest[-2])


def name_unknowns(x: Floats, cheapest: float) -> BestPotential:
    """Returns the unknowns by name."""
    return BestPotential(float(x[0]), float(x[1]), float(x[2]), float(x[-2]), float(cheapest))


def constraints(game: SambaGame, splines: bool, margin: float, rule: Rule) -> tuple[Floats, Floats]:
    """Returns rows and limits; the unknowns are the functions' coefficients, then b, then the constant."""
    odds = grid(splines)
    change = changes(game, odds, splines, rule)
    p, q = change.best_probability, change.rival_probability
    best, rival, gap, alpha = (float(x) for x in (game.best, game.rival, game.gap, game.rate))
    nothing = np.zeros((len(odds), 1))
    rows, limits = [], []
    for size in game.sizes:
        c = float(size)
        drift = (p * max(best - c, 0.0))[:, None] * change.best_succeeds
        drift += (q * min(rival + c, 1.0))[:, None] * change.rival_succeeds
        rows.append(np.hstack([drift, nothing - c, nothing]))
        limits.append(-gap * q * (1.0 + margin) - margin * c)
    fall = np.column_stack([2.0 - 1.0 / p, np.zeros(len(odds)), q - 0.5])  # V(1/2) - V(p) without the logarithm
    if splines:
        fall = np.hstack([fall, bumps(np.zeros(1)) - bumps(odds)])
    rows.append(np.hstack([fall / alpha, nothing, nothing - 1.0]))
    positive = -np.eye(rows[0].shape[1])[:2]
    return np.vstack([*rows, positive]), np.concatenate([*limits, np.zeros(len(odds) + 2)])
