"""No bound f(T) + b E[C] has b below (2 + alpha)/(1 - rho): the attack of the proof, its equalities, and a play.

The adversary exchanges the two means (c = Delta) whenever p >= p_0 and does nothing otherwise. docs/proofs-lower.md
proves that then a round costs Delta (1 - rho)/(2 + alpha) on average and loses Delta, as T grows and then p_0 goes to
0. What that proof takes from the update rule are equalities about one round; `equalities_hold` checks them in
fractions.
"""

from fractions import Fraction

import numpy as np

from robandit.game import Floats
from robandit.theory.games import SambaGame
from robandit.theory.paths import SambaRuns
from robandit.theory.rounds import Probabilities, expected_change, inverse, q

PARTS = 40  # probabilities are multiples of one over this


def equalities_hold(game: SambaGame, p: Probabilities, c: Fraction) -> bool:
    """Whether they do in one state, with nothing done (c = 0, the rival leads) or the means exchanged (c = Delta).

    E[dp] = alpha (Delta - 2 c) min(p, q)^2; the drift of 1/q where the best arm leads; and, where the rival does, that
    of 1/p, which is what the bill is made up from, with an error between 0 and a constant times s.
    """
    alpha, gap, trailing = game.rate, game.gap, min(p)
    means = game.best - c, game.rival + c
    equalities = [expected_change(lambda state: state[0], p, alpha, means) == alpha * (gap - 2 * c) * trailing**2]
    if p[0] >= p[1]:
        s = p[1] / p[0]
        drift = alpha * (means[0] / (1 - alpha * s) - means[1] / (1 + alpha))
        equalities.append(expected_change(lambda state: 1 / q(state), p, alpha, means) == drift)
    else:
        s = p[0] / p[1]
        error = (1 + alpha) * alpha * s * means[1] / (1 - alpha * s)
        bill = -gap * (1 - game.rho) + (2 + alpha) * c + error
        equalities.append((1 + alpha) / alpha * expected_change(inverse, p, alpha, means) == bill)
        equalities.append(0 <= error <= s * (1 + alpha) * alpha / (1 - alpha))
    return all(equalities)


def count_violations(games: tuple[SambaGame, ...]) -> tuple[int, int]:
    """Returns how many states of a grid were worked out, and in how many an equality does not hold."""
    checked, broken = 0, 0
    for game in games:
        for part in range(1, PARTS):
            p = Fraction(part, PARTS), Fraction(PARTS - part, PARTS)
            for c in (game.gap,) if p[0] >= p[1] else (Fraction(0), game.gap):
                checked += 1
                broken += not equalities_hold(game, p, c)
    return checked, broken


def play_attack(game: SambaGame, p0: float, rounds: int, runs: int, seed: int) -> tuple[Floats, Floats]:
    """Plays the attack; returns by run the regret and corruption per round over the second half of the rounds."""
    samba = SambaRuns((0.5, 0.5), float(game.rate), runs, seed)
    true = np.array([float(game.best), float(game.rival)])
    behind, struck_rounds, late = np.zeros(runs), np.zeros(runs), rounds - rounds // 2
    for t in range(rounds):
        struck = samba.p[0] >= p0
        if t >= rounds - late:
            behind += samba.q
            struck_rounds += struck
        samba.play(np.where(struck, true[::-1, None], true[:, None]))
    gap = true[0] - true[1]
    return gap * behind / late, gap * struck_rounds / late
