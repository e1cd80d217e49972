"""One game from all sides: a certificate above, the exact optimum, and the best attack played below it."""

from dataclasses import dataclass
from typing import Any

from robandit.catalogue import SHIPPED
from robandit.environments.bernoulli import Bernoulli
from robandit.lab.batch import simulate
from robandit.policies.samba import Samba
from robandit.theory.certificate import Certificate
from robandit.theory.games import TwoArms
from robandit.theory.optimal_attack import optimal_attack

THRESHOLDS = (0.02, 0.05, 0.1, 0.2, 0.3)  # strike while p* is above this
SEARCH = 1_000_003  # added to the seed for choosing, so that the report uses luck of its own


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


def whole_budget(game: TwoArms, budget: float) -> float:
    """The largest budget up to this one that the exact optimum takes: whole strikes of the smaller useful size."""
    unit = game.sizes[1]
    return float(int(budget / float(unit) + 1e-9) * unit)


def sandwich(certificate: Certificate, horizon: int, budget: float, runs: int, seed: int) -> Sandwich:
    """Solve for the optimum; choose the threshold of `leading` on other seeds, then play it."""
    game = certificate.game
    means = float(game.best), float(game.rival)
    alpha, unit = float(game.rate), float(game.sizes[1])
    exact = optimal_attack(means, learning_rate=alpha, horizon=horizon, budget=budget)

    def play(threshold: float, seed: int) -> Any:
        adversary = SHIPPED.attack("invert", schedule=f"leading:theta={threshold}", size=unit, budget=budget)
        return simulate(Samba(alpha), Bernoulli(means), adversary, horizon=horizon, runs=runs, seed=seed, checkpoints=1)

    chosen = max(THRESHOLDS, key=lambda threshold: float(play(threshold, seed + SEARCH).regret[:, -1].mean()))
    words = f"invert by {unit:g} while p* >= {chosen:g}"
    return Sandwich(
        horizon,
        budget,
        certificate.bound(horizon, budget),
        exact.regret,
        exact.clean_regret,
        words,
        play(chosen, seed).summary(),
    )
