"""One game from all sides: a certificate above, the exact optimum, and the best attack played below it."""

from dataclasses import dataclass
from typing import Any

from robandit.catalogue import SHIPPED
from robandit.environments.bernoulli import Bernoulli
from robandit.errors import InputError
from robandit.lab.batch import simulate
from robandit.policies.samba import Samba
from robandit.theory.certificate import Certificate, certify
from robandit.theory.games import SambaGame, two_arms
from robandit.theory.optimal_attack import optimal_attack

THRESHOLDS = (0.02, 0.05, 0.1, 0.2, 0.3)  # strike while p* is above this
SEARCH = 1_000_003  # added to the seed for choosing, so that the report draws from a stream of its own


@dataclass(frozen=True)
class Sandwich:
    """Bounds and values at one horizon and budget, from above to below."""

    horizon: int
    budget: float
    certificate: float
    optimum: float
    clean: float
    attack: str
    played: dict[str, Any]


def whole_budget(game: SambaGame, budget: float) -> float:
    """Returns the largest budget up to this one of whole strikes of the smaller useful size."""
    unit = game.sizes[1]
    return float(int(budget / float(unit) + 1e-9) * unit)


def sandwich(certificate: Certificate, horizon: int, budget: float, runs: int, seed: int) -> Sandwich:
    """Solves for the optimum; chooses the threshold of `leading` on other seeds, then plays it."""
    game = certificate.game
    means = float(game.best), float(game.rival)
    alpha, unit = float(game.rate), float(game.sizes[1])
    exact = optimal_attack(means, learning_rate=alpha, horizon=horizon, budget=budget)

    def play(threshold: float, seed: int) -> Any:
        adversary = SHIPPED.attack("invert", schedule=f"leading:theta={threshold}", size=unit, budget=budget)
        return simulate(Samba(alpha), Bernoulli(means), adversary, horizon=horizon, runs=runs, seed=seed, checkpoints=1)

    chosen = max(THRESHOLDS, key=lambda threshold: float(play(threshold, seed + SEARCH).regret[:, -1].mean()))
    bound, attack = certificate.bound(horizon, budget), f"invert by {unit:g} while p* >= {chosen:g}"
    return Sandwich(horizon, budget, bound, exact.regret, exact.clean_regret, attack, play(chosen, seed).summary())


def certify_and_play(
    means: tuple[float, ...],
    learning_rate: float,
    horizon: int | None = None,
    budget: float | None = None,
    runs: int = 200,
    seed: int = 1,
) -> dict[str, Any]:
    """Returns a certificate as plain values, with `runs` also the values it is above (`sandwich`).

    Args:
        means: Two, the better arm first.
        horizon: With `budget`: the certificate has the smallest bound there; without both, the smallest b.

    Raises InputError where the terms make no sense or no certificate can be verified.
    """
    if (horizon is None) != (budget is None):
        raise InputError("horizon and budget go together: give both, or neither for the least b")
    if horizon is not None and not 1 <= horizon <= 10**7:
        raise InputError(f"horizon must be between 1 and 10,000,000, not {horizon:,}")
    if budget is not None and not 0 <= budget <= 10**7:
        raise InputError(f"budget must be a number from 0 to 10,000,000, not {budget:g}")
    if runs < 0:
        raise InputError(f"runs must be a whole number of at least 0, not {runs}")
    game = two_arms(means, learning_rate)
    certificate = certify(game, horizon, budget)
    sides = None
    if runs:
        spent = whole_budget(game, 60.0 if budget is None else budget)
        sides = vars(sandwich(certificate, horizon or 10_000, spent, runs, seed))
    return {**certificate.as_json(), "sandwich": sides}
