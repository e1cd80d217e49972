"""A search for states that break a theorem's one-round inequality: many at once in floats, doubtful ones exactly.

Floats that come within a billionth of a violation are worked out again in fractions, so that neither a violation nor
its absence is due to rounding.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from robandit.errors import InputError
from robandit.game import Floats
from robandit.theory.games import SambaGame
from robandit.theory.rounds import Probabilities
from robandit.theory.theorems import Theorem, TheoremPotential, round_of

DOUBT = 1e-9  # relative to the sum of absolute terms, far above what rounding can do


@dataclass(frozen=True)
class SearchResult:
    """How far a search went, and how many states break the theorem."""

    states: int
    games: int
    exact: int  # states that were worked out in fractions
    violations: int
    largest_price: float  # as a share of the price allowed


def random_game(generator: np.random.Generator, arms: int, theorem: Theorem) -> SambaGame:
    """Returns means in hundredths and a step somewhere below what the theorem allows.

    Raises InputError if it applies to no game with so many arms.
    """
    for _ in range(10_000):
        means = np.sort(generator.integers(1, 101, arms))[::-1]
        if generator.random() < 0.3:
            means[1:] = means[1]  # equal rivals are the hard case
        if means[0] == means[1]:
            continue
        exact = tuple(Fraction(int(mean), 100) for mean in means)
        limit = exact[0] / exact[1] - 1
        if theorem.id == "theorem-3":
            limit = (exact[0] - exact[1]) / (arms * exact[1] + exact[0] - exact[1])
        share = Fraction(int(generator.choice([20, 50, 80, 95, 100 if theorem.id == "theorem-3" else 97])), 100)
        game = SambaGame(exact, share * limit)
        if game.rate < 1 and theorem.applies(game):
            return game
    raise InputError(f"{theorem.id} needs {theorem.condition}: no such game with {arms} arms")


def random_states(generator: np.random.Generator, game: SambaGame, knee: Fraction | None, count: int) -> Floats:
    """Returns states of many kinds: spread out, near a corner, near a tie with the leader, all alike, near the knee."""
    arms, alpha = game.arms, float(game.rate)
    weights = np.exp(
        generator.normal(0.0, 1.0, (count, arms)) * generator.choice([0.02, 0.3, 1.0, 3.0, 6.0], (count, 1))
    )
    kind = generator.integers(0, 4, count)
    near = np.exp(generator.normal(0.0, alpha, count))
    weights[kind == 1, 0] = (weights[:, 1:].max(axis=1) * near)[kind == 1]
    weights[kind == 2, 0] = weights[kind == 2, 1:].max(axis=1)  # a tie, which the first arm wins
    if knee is not None:
        odds = float(knee) / (1.0 - float(knee)) * weights[:, 1:].sum(axis=1) * near
        weights[kind == 3, 0] = odds[kind == 3]
    return np.asarray(np.maximum(weights / weights.sum(axis=1, keepdims=True), 1e-14))


def shift(p: Floats, arm: int, alpha: float) -> Floats:
    """Returns how far each probability moves after a success of this arm: (states, arms)."""
    count, lead = np.arange(len(p)), p.argmax(axis=1)
    by_leader = -alpha * p * p / p[count, lead][:, None]
    by_leader[count, lead] = 0.0
    by_leader[count, lead] = -by_leader.sum(axis=1)
    by_other = np.zeros_like(p)
    by_other[:, arm] = alpha * p[:, arm]
    by_other[count, lead] -= alpha * p[:, arm]
    return np.where((lead == arm)[:, None], by_leader, by_other)


def changes(game: SambaGame, v: TheoremPotential, p: Floats) -> Floats:
    """Returns at least V(p') - V(p) after a success of each arm: (states, arms); ln(1 + x) <= x as in `round_of`."""
    alpha, change = float(game.rate), np.zeros_like(p)
    for arm in range(game.arms):
        moved = shift(p, arm, alpha)
        inverse = float(v.inverse) * phi_change(v, p[:, 0], moved[:, 0])
        change[:, arm] = inverse + float(v.weight) / alpha * (moved[:, 1:] / p[:, 1:]).sum(axis=1)
    return change


def phi_change(v: TheoremPotential, p: Floats, step: Floats) -> Floats:
    """Returns phi(p + step) - phi(p) without cancellation on either side of the knee."""
    plain = -step / (p * (p + step))
    if v.knee is None:
        return np.asarray(plain)
    knee = float(v.knee)
    straight = -step / knee**2
    mixed = [np.where(x <= knee, 1.0 / x, 2.0 / knee - x / knee**2) for x in (p + step, p)]
    below, above = np.maximum(p, p + step) <= knee, np.minimum(p, p + step) >= knee
    return np.asarray(np.where(below, plain, np.where(above, straight, mixed[0] - mixed[1])))


def in_fractions(p: Floats) -> Probabilities:
    """Returns the state in fractions that sum to 1 exactly."""
    weights = [Fraction(float(weight)) for weight in p]
    total = sum(weights)
    return tuple(weight / total for weight in weights)


def search(theorem: Theorem, arms: range, games: int, states: int, seed: int) -> SearchResult:
    """Tries random games for each number of arms, random states in each."""
    generator = np.random.default_rng(seed)
    searched, exact, violations, largest = 0, 0, 0, 0.0
    for count in arms:
        for _ in range(games):
            game = random_game(generator, count, theorem)
            v = theorem.potential(game)
            p = random_states(generator, game, v.knee, states)
            gain = changes(game, v, p)
            means = np.array([float(mean) for mean in game.means])
            regret = p @ (means[0] - means)
            drift, scale = (p * means * gain).sum(axis=1) + regret, (p * means * np.abs(gain)).sum(axis=1) + regret
            price = (p * np.abs(gain)).sum(axis=1)
            contested = (p.argmax(axis=1) == 0) & (p[:, 0] < 0.5)
            allowed = np.where(contested, float(v.prices[1]), float(v.prices[0]))
            doubtful = (drift > -DOUBT * scale) | (price > (1.0 - DOUBT) * allowed)
            for row in np.flatnonzero(doubtful):
                exact_drift, exact_price, exact_allowed = round_of(game, v, in_fractions(p[row]))
                exact += 1
                violations += exact_drift > 0 or exact_price > exact_allowed
            searched += len(p)
            largest = max(largest, float((price / allowed).max()))
    return SearchResult(searched, len(arms) * games, exact, violations, largest)
