"""Bounds for SAMBA under corruption that hold across all leader changes, and the one-round inequality behind each.

Each theorem gives a potential V. If in every state E[V(p') - V(p)] + sum Delta_a p_a <= b c, the regret is at most
V(p_0) - E V(p_T) + b C. `round_of` works out both sides in fractions: logarithms are replaced by something larger
that is a fraction, ln(1 + x) <= x (and ln(1 + alpha) by a fraction just above it in Theorem 1'), so that a state in
which the inequality is confirmed is confirmed exactly. Proofs are in docs/proofs.md and
docs/proofs-lower.md.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from robandit.errors import InputError
from robandit.theory.games import SambaGame
from robandit.theory.rounds import Probabilities, after_success, leader_of


@dataclass(frozen=True)
class TheoremPotential:
    """V = inverse phi(p*) + (weight/alpha) sum of ln p_a over wrong arms, and the bound it proves."""

    inverse: Fraction
    weight: Fraction
    knee: Fraction | None  # phi is 1/p up to here and its tangent above; None: 1/p everywhere
    prices: tuple[Fraction, Fraction]  # b, and b where a* leads with p* < 1/2
    constant: Fraction  # V(p_0) - V(p_T) without logarithms, at most
    log_step: Fraction  # at least ln(1 + alpha)

    def phi(self, p: Fraction) -> Fraction:
        if self.knee is None or p <= self.knee:
            return 1 / p
        return 2 / self.knee - p / self.knee**2


@dataclass(frozen=True)
class Theorem:
    """What it says, when, and by which potential."""

    id: str
    text: str
    condition: str
    applies: Callable[[SambaGame], bool]
    potential: Callable[[SambaGame], TheoremPotential]

    def bound(self, game: SambaGame, horizon: int, budget: float, contested: float | None = None) -> float:
        """Returns the bound on the expected regret; `contested` is what is spent while a* leads below 1/2 (None: all).

        Raises InputError where the theorem does not apply.
        """
        if not self.applies(game):
            raise InputError(f"{self.id} needs {self.condition}")
        v, alpha, arms = self.potential(game), float(game.rate), game.arms
        grown = math.log1p(alpha * horizon / (2.0 * (1.0 - alpha)))
        if arms > 2 or v.knee is not None:
            grown = math.log((1.0 + alpha * horizon / arms) / (1.0 - alpha))
        logs = (arms - 1) * float(v.weight) / alpha * grown
        late = budget if contested is None else contested
        return logs + float(v.constant) + float(v.prices[0]) * (budget - late) + float(v.prices[1]) * late


def log_above(rate: Fraction) -> Fraction:
    """A fraction just above ln(1 + rate): 2 (z + z^3/3 + ... + z^15/15) with z = rate/(2 + rate), and its remainder."""
    z = rate / (2 + rate)
    total = sum((z ** (2 * k + 1) / (2 * k + 1) for k in range(8)), Fraction(0))
    exact = 2 * (total + z**17 / (17 * (1 - z * z)))
    return Fraction(math.ceil(exact * 10**15), 10**15)


def two(game: SambaGame, weight: Fraction, shape: Fraction, log_step: Fraction) -> TheoremPotential:
    """The two-armed potentials: shape (1 + alpha)/(alpha p) + (weight/alpha) ln q, b = 2 shape/(1 - alpha) + weight."""
    inverse = shape * (1 + game.rate) / game.rate
    price = 2 * shape / (1 - game.rate) + weight
    return TheoremPotential(inverse, weight, None, (price, price), inverse, log_step)


def first(game: SambaGame) -> TheoremPotential:
    return two(game, Fraction(1), 1 / (1 - game.rho), game.rate)


def sharp_weight(game: SambaGame) -> Fraction:
    """lambda = alpha Delta/(alpha r_1 - r_2 ln(1 + alpha)), or a fraction just above it."""
    alpha = game.rate
    return alpha * game.gap / (alpha * game.means[0] - game.rival * log_above(alpha))


def first_sharp(game: SambaGame) -> TheoremPotential:
    return two(game, sharp_weight(game), 1 / (1 - game.rho), log_above(game.rate))


def first_sharp_applies(game: SambaGame) -> bool:
    alpha, rho = game.rate, game.rho
    enough = rho * (1 + alpha) <= (1 - rho) * (1 - alpha)
    return game.arms == 2 and enough and 2 * rho * (1 + alpha) <= (1 - rho) * (1 - alpha) * (1 + sharp_weight(game))


def second(game: SambaGame) -> TheoremPotential:
    alpha, rho, limit = game.rate, game.rho, game.gap / game.rival
    shape = 2 / (1 - rho)
    noise = 2 * rho * (1 + alpha) / (1 - alpha)
    late = 1 + 2 * shape * (1 + alpha) / (1 - alpha) * max(rho * (2 + limit) - 1, Fraction(0))
    weight = max(Fraction(1), (max(shape * noise / 2 - 1, Fraction(0))) ** 2, late)
    return two(game, weight, shape, alpha)


def third(game: SambaGame) -> TheoremPotential:
    alpha, arms = game.rate, game.arms
    shape = game.spread / (1 - 2 * game.rho / (1 - alpha))
    inverse = shape * (1 + alpha) / alpha
    common = shape * (1 + alpha) * (2 - alpha) / (1 - alpha)
    return TheoremPotential(
        inverse, Fraction(1), None, (common + 2, common * (arms - 1) + 2), (arms - 1) * inverse, alpha
    )


def third_applies(game: SambaGame) -> bool:
    return game.arms >= 3 and game.rate * (game.arms * game.rival + game.gap) <= game.gap


def fourth(game: SambaGame) -> TheoremPotential:
    alpha, rho = game.rate, game.rho
    y = game.gap * (1 - rho) / (2 * (1 + alpha) * game.rival)
    knee = (1 - alpha) * min(Fraction(1), y / (alpha * (1 + y))) / game.arms
    inverse = 2 * (1 + alpha) * game.spread / (alpha * (1 - rho))
    price = alpha * inverse / (2 * knee**2 * (1 - alpha)) + 2
    constant = inverse / knee**2 * (1 - Fraction(1, game.arms))
    return TheoremPotential(inverse, Fraction(1), knee, (price, price), constant, alpha)


THEOREMS = (
    Theorem(
        "theorem-1",
        "Two arms: E R <= (1/alpha) ln(1 + alpha T/(2(1-alpha))) + (1+alpha)/(alpha(1-rho)) "
        "+ (1 + 2/((1-rho)(1-alpha))) C.",
        "two arms and alpha <= Delta/(r_1 + r_2)",
        lambda game: game.arms == 2 and game.rate * sum(game.means) <= game.gap,
        first,
    ),
    Theorem(
        "theorem-1-sharp",
        "Two Bernoulli arms: the same with lambda/alpha in front of the logarithm and lambda in place of 1 in b, "
        "lambda = alpha Delta/(alpha r_1 - r_2 ln(1+alpha)) < 1, the growth constant.",
        "alpha <= Delta/(r_1 + r_2) and 2 rho(1+alpha) <= (1-rho)(1-alpha)(1+lambda)",
        first_sharp_applies,
        first_sharp,
    ),
    Theorem(
        "theorem-2",
        "Two arms, every admissible step: E R <= (w/alpha) ln(1 + alpha T/(2(1-alpha))) + A "
        "+ (4/((1-rho)(1-alpha)) + w) C.",
        "two arms and alpha < Delta/r_2",
        lambda game: game.arms == 2 and game.rho < 1,
        second,
    ),
    Theorem(
        "theorem-3",
        "K arms: E R <= ((K-1)/alpha) ln((1 + alpha T/K)/(1-alpha)) + (K-1) A + b_1 C_1 + b_K C_2, with b of order "
        "K Delta_max/Delta for what is spent while a* leads below 1/2 (C_2) and Delta_max/Delta elsewhere (C_1).",
        "K >= 3 and alpha <= Delta/(K r_2 + Delta)",
        third_applies,
        third,
    ),
    Theorem(
        "theorem-4",
        "K arms, every admissible step: E R <= ((K-1)/alpha) ln((1 + alpha T/K)/(1-alpha)) + A (1-1/K)/theta^2 "
        "+ (alpha A/(2 theta^2 (1-alpha)) + 2) C, with b of order K^2 Delta_max/(Delta (1-rho)^3).",
        "r_2 > 0 and alpha < min(1, Delta/r_2)",
        lambda game: game.rival > 0 and game.rate < 1 and game.rho < 1,
        fourth,
    ),
)


def round_of(game: SambaGame, v: TheoremPotential, p: Probabilities) -> tuple[Fraction, Fraction, Fraction]:
    """In one state: at least E[V(p') - V(p)] + regret without corruption, at least its price, and the price allowed."""
    lead = leader_of(p)
    drift, price = Fraction(0), Fraction(0)
    for arm in range(game.arms):
        after = after_success(p, arm, game.rate, lead)
        change = v.inverse * (v.phi(after[0]) - v.phi(p[0]))
        for other in range(1, game.arms):
            if after[other] == p[other] * (1 + game.rate):
                change += v.weight / game.rate * v.log_step
            else:
                change += v.weight / game.rate * (after[other] / p[other] - 1)
        drift += p[arm] * game.means[arm] * change
        price += p[arm] * abs(change)
    regret = sum(
        ((game.means[0] - mean) * probability for mean, probability in zip(game.means, p, strict=True)), Fraction(0)
    )
    contested = lead == 0 and p[0] < Fraction(1, 2)
    return drift + regret, price, v.prices[1] if contested else v.prices[0]
