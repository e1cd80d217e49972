"""No bound f(T) + b E[C] has b below (2 + alpha)/(1 - rho): the attack of the proof, its one-round facts, and a play.

The adversary exchanges the two means (c = Delta) whenever p >= p_0 and does nothing otherwise. docs/theory.md proves
that then a round costs Delta (1 - rho)/(2 + alpha) on average and loses Delta, as T grows and then p_0 goes to 0. What
that proof takes from the update rule are equalities about one round; `facts` works them out in fractions.
"""

from fractions import Fraction

import numpy as np

from robandit.game import Floats
from robandit.theory.games import TwoArms
from robandit.theory.paths import Paths
from robandit.theory.rounds import State, expected_change, inverse, q

PARTS = 40  # probabilities are multiples of one over this


def facts(game: TwoArms, p: State, c: Fraction) -> bool:
    """In one state, with nothing done (c = 0, the rival leads) or the means exchanged (c = Delta): the equalities hold.

    E[dp] = alpha (Delta - 2 c) min(p, q)^2; the drift of 1/q where the best arm leads; and, where the rival does, that
    of 1/p, which is what the bill is made up from, with an error between 0 and a constant times s.
    """
    alpha, gap, trailing = game.rate, game.gap, min(p)
    shown = game.best - c, game.rival + c
    held = [expected_change(lambda state: state[0], p, alpha, shown) == alpha * (gap - 2 * c) * trailing**2]
    if p[0] >= p[1]:
        s = p[1] / p[0]
        drift = alpha * (shown[0] / (1 - alpha * s) - shown[1] / (1 + alpha))
        held.append(expected_change(lambda state: 1 / q(state), p, alpha, shown) == drift)
    else:
        s = p[0] / p[1]
        error = (1 + alpha) * alpha * s * shown[1] / (1 - alpha * s)
        bill = -gap * (1 - game.rho) + (2 + alpha) * c + error
        held.append((1 + alpha) / alpha * expected_change(inverse, p, alpha, shown) == bill)
        held.append(0 <= error <= s * (1 + alpha) * alpha / (1 - alpha))
    return all(held)


def enumerated(games: tuple[TwoArms, ...]) -> tuple[int, int]:
    """States of a grid in which the facts were worked out, and in how many they are not so."""
    checked, broken = 0, 0
    for game in games:
        for part in range(1, PARTS):
            p = Fraction(part, PARTS), Fraction(PARTS - part, PARTS)
            for c in (game.gap,) if p[0] >= p[1] else (Fraction(0), game.gap):
                checked += 1
                broken += not facts(game, p, c)
    return checked, broken


def played(game: TwoArms, p0: float, rounds: int, runs: int, seed: int) -> tuple[Floats, Floats]:
    """The attack played: by run, regret and corruption a round over the second half of the rounds."""
    paths = Paths((0.5, 0.5), float(game.rate), runs, seed)
    true = np.array([float(game.best), float(game.rival)])
    behind, struck_rounds, late = np.zeros(runs), np.zeros(runs), rounds - rounds // 2
    for t in range(rounds):
        struck = paths.p[0] >= p0
        if t >= rounds - late:
            behind += paths.q
            struck_rounds += struck
        paths.play(np.where(struck, true[::-1, None], true[:, None]))
    gap = true[0] - true[1]
    return gap * behind / late, gap * struck_rounds / late
