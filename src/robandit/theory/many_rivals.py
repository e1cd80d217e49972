"""What a unit of corruption costs grows with the number of arms: no bound f(T) + b E[C] has b below u/(2v).

The rivals are alike: means r_1 and K - 1 times r_2. The adversary exchanges r_1 and r_2 (c = Delta) in every round in
which the best arm leads, and does nothing else. Let Z be the sum of 1/p_a over the rivals. In a struck round Z falls by
at least u in expectation, in any other it grows by at most v; since Z stays positive, at most v/(u + v) of the rounds
are struck, and each of the others loses Delta/2 or more. For small steps u/(2v) nears (K - 1)/2. The proof is in
docs/proofs-lower.md and proofs/ManyRivals.v; this module checks the two drifts in fractions.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from robandit.errors import InputError
from robandit.game import Floats
from robandit.theory.games import SambaGame
from robandit.theory.rounds import Probabilities, expected_change, leader_of, states
from robandit.theory.search import DOUBT, in_fractions, random_states, shift

GRID = {2: 60, 3: 24, 4: 14, 5: 11}  # probabilities are multiples of one over this


@dataclass(frozen=True)
class RivalDrifts:
    """How far Z falls at least in a struck round, and grows at most in any other."""

    struck: Fraction
    idle: Fraction

    @property
    def least_price(self) -> Fraction:
        """u/(2v): no bound f(T) + b E[C] with f(T)/T -> 0 has a smaller b."""
        return max(self.struck / (2 * self.idle), Fraction(0))


def bound_drifts(game: SambaGame) -> RivalDrifts:
    """Returns u and v. Raises InputError unless all rivals have the same mean."""
    if len(set(game.means[1:])) != 1:
        raise InputError(f"the rivals must have one mean, not {', '.join(map(str, game.means[1:]))}")
    alpha, arms, best, rival, gap = game.rate, game.arms, game.best, game.rival, game.gap
    struck = (arms - 1) * alpha * (gap - alpha * (best + rival)) / (1 - alpha**2)
    rest = 2 * (arms - 2) * alpha**2 * rival / (1 - alpha**2)
    leader = alpha * gap / (1 - alpha) + alpha**2 * rival * arms * (arms - 1) / (1 - alpha)
    return RivalDrifts(struck, rest + leader)


def sum_of_inverses(p: Probabilities) -> Fraction:
    """Z: how far the rivals are forgotten."""
    return sum((1 / probability for probability in p[1:]), Fraction(0))


def shown_means(game: SambaGame, p: Probabilities) -> tuple[Fraction, ...]:
    """Returns the means the attack shows in this state: exchanged while the best arm leads, the true ones otherwise."""
    if leader_of(p) != 0:
        return game.means
    return (game.rival, *(game.best for _ in game.means[1:]))


def excess(game: SambaGame, p: Probabilities) -> Fraction:
    """Returns by how much E[dZ] is above what the proof allows in this state; at most 0 where it holds."""
    drifts = bound_drifts(game)
    drift = expected_change(sum_of_inverses, p, game.rate, shown_means(game, p))
    return drift + drifts.struck if leader_of(p) == 0 else drift - drifts.idle


def count_violations(games: tuple[SambaGame, ...]) -> tuple[int, int]:
    """Returns how many states of a grid were worked out in fractions, and in how many a drift is above its bound."""
    checked, broken = 0, 0
    for game in games:
        for p in states(game.arms, GRID[game.arms]):
            checked += 1
            broken += excess(game, p) > 0
    return checked, broken


def random_game(generator: np.random.Generator, arms: int) -> SambaGame:
    """Returns two means in hundredths, the second for every rival, and a step from far below to near its limit."""
    rival = Fraction(int(generator.integers(5, 90)), 100)
    best = rival + Fraction(int(generator.integers(1, 101 - int(100 * rival))), 100)
    share = [Fraction(1, 2 * arms**2), Fraction(1, arms**2), Fraction(3, 10 * arms), Fraction(1, 2)]
    rate = share[int(generator.integers(len(share)))] * (best - rival) / rival
    return SambaGame((best, *(rival for _ in range(arms - 1))), min(rate, Fraction(9, 10)))


def drift_in_floats(game: SambaGame, p: Floats) -> tuple[Floats, Floats]:
    """Returns E[dZ] under the attack in each state, and the sum of its absolute terms."""
    leads = p.argmax(axis=1) == 0
    exchanged = np.array([float(game.rival), *(float(game.best) for _ in game.means[1:])])
    true = np.array([float(mean) for mean in game.means])
    means = np.where(leads[:, None], exchanged, true)
    drift, scale = np.zeros(len(p)), np.zeros(len(p))
    for arm in range(game.arms):
        moved = shift(p, arm, float(game.rate))[:, 1:]
        gain = p[:, arm] * means[:, arm] * (-moved / (p[:, 1:] * (p[:, 1:] + moved))).sum(axis=1)
        drift += gain
        scale += np.abs(gain)
    return drift, scale


def search(arms: tuple[int, ...], games: int, count: int, seed: int) -> tuple[int, int, int]:
    """Tries random games and states. Returns the states, those worked out in fractions, and those that break a bound.

    In floats first; a state is worked out in fractions where rounding could decide.
    """
    generator, exact, broken = np.random.default_rng(seed), 0, 0
    for arm_count in arms:
        for _ in range(games):
            game = random_game(generator, arm_count)
            drifts = bound_drifts(game)
            p = random_states(generator, game, None, count)
            drift, scale = drift_in_floats(game, p)
            allowed = np.where(p.argmax(axis=1) == 0, -float(drifts.struck), float(drifts.idle))
            for row in np.flatnonzero(drift - allowed > -DOUBT * scale):
                exact += 1
                broken += excess(game, in_fractions(p[row])) > 0
    return len(arms) * games * count, exact, broken
