"""What is known of each policy's regret: bounds with their constants where these are explicit, orders elsewhere.

Regret is always counted by the true means, so a bound against any rewards gains 2 C: each round of cost c moves what
the best arm and the arm pulled would have paid by at most c each.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robandit.catalogue import SHIPPED
from robandit.environments.bernoulli import Bernoulli
from robandit.lab.batch import simulate
from robandit.lab.trace import summarised
from robandit.theory.games import exact
from robandit.theory.growth import growth_constant, lai_robbins
from robandit.theory.theorems import THEOREMS, Game

Means = Sequence[float]
POINTS = 48  # of a curve, from the fourth root of T on


@dataclass(frozen=True)
class Known:
    """A formula for the bound at (means, policy, T, C), one for the growth with ln T, and where they come from."""

    source: str
    bound: Callable[[Means, Any, int, float], float | None] | None = None
    growth: Callable[[Means, Any], float] | None = None
    corruption: bool = False  # whether the bound covers C > 0


def gaps(means: Means) -> list[float]:
    return [max(means) - mean for mean in means if mean < max(means)]


def ucb1(means: Means, policy: Any, horizon: int, budget: float) -> float | None:
    """Auer, Cesa-Bianchi & Fischer 2002, Theorem 1."""
    if policy.scale != 1.0:
        return None
    return sum(8.0 * math.log(horizon) / gap + (1.0 + math.pi**2 / 3.0) * gap for gap in gaps(means))


def samba(means: Means, policy: Any, horizon: int, budget: float) -> float | None:
    """The smallest of our theorems that applies; they are proved, docs/theory.md."""
    ordered = sorted(means, reverse=True)
    game = Game(tuple(exact(mean) for mean in ordered), exact(policy.learning_rate))
    if game.gap <= 0 or game.rho >= 1:
        return None
    return min(theorem.bound(game, horizon, budget) for theorem in THEOREMS if theorem.applies(game))


def anything(factor: float, logs: bool, plus: float = 0.0) -> Callable[[Means, Any, int, float], float | None]:
    """factor sqrt(T K [ln K]) + plus + 2 C."""

    def bound(means: Means, policy: Any, horizon: int, budget: float) -> float | None:
        if getattr(policy, "scale", 1.0) != 1.0:
            return None
        arms = len(means)
        return factor * math.sqrt(horizon * arms * (math.log(arms) if logs else 1.0)) + plus + 2.0 * budget

    return bound


KNOWN = {
    "samba": Known(
        "proved here (Theorems 1 to 4)", samba, lambda means, policy: growth_constant(means, policy.learning_rate), True
    ),
    "ucb1": Known("Auer et al. 2002, Theorem 1", ucb1),
    "kl-ucb": Known(
        "Garivier & Cappe 2011: the least growth there is", growth=lambda means, policy: lai_robbins(means)
    ),
    "thompson": Known("Agrawal & Goyal 2017: the least growth", growth=lambda means, policy: lai_robbins(means)),
    "exp3": Known(
        "Bubeck & Cesa-Bianchi 2012, Theorem 3.1: 2 sqrt(T K ln K), and 2 C", anything(2.0, True), None, True
    ),
    "tsallis-inf-iw": Known(
        "Zimmert & Seldin 2021, Theorem 1 (recalled): 4 sqrt(K T) + 1, and 2 C", anything(4.0, False, 1.0), None, True
    ),
    "tsallis-inf-rv": Known(
        "Zimmert & Seldin 2021, Theorem 1 (recalled): 2 sqrt(K T) + 10 K ln T + 16, and 2 C",
        lambda means, policy, horizon, budget: (
            2.0 * math.sqrt(len(means) * horizon) + 10.0 * len(means) * math.log(horizon) + 16.0 + 2.0 * budget
        ),
        None,
        True,
    ),
    "uniform": Known(
        "exact", lambda means, policy, horizon, budget: horizon * sum(gaps(means)) / len(means), None, True
    ),
}


def omega(budget: float) -> float:
    """No policy has less than C in both of two mirrored games, for T >= 2 C/Delta.

    Means (r + Delta, r) or (r, r + Delta): both can be made to look like r + Delta/2 twice, at Delta/2 a round, for
    2 C/Delta rounds; in one of them half of those rounds cost Delta each.
    """
    return budget


def formula(name: str, means: Means, horizon: int, budget: float) -> float | None:
    """The bound of a policy with its usual constants, where one is explicit and covers this budget."""
    entry = KNOWN.get(name)
    if entry is None or entry.bound is None or (budget > 0.0 and not entry.corruption):
        return None
    return entry.bound(means, SHIPPED.policy(name), horizon, budget)


def curves(means: Means, horizon: int, budget: float, runs: int, seed: int) -> tuple[list[int], list[dict[str, Any]]]:
    """Rounds, evenly spaced in ln T, and for each policy of which more than an order is known what to draw there."""
    rounds = sorted({max(1, round(horizon ** (k / POINTS))) for k in range(POINTS // 4, POINTS + 1)})
    panels = []
    for name in SHIPPED.parts("policy"):
        if name not in KNOWN:
            continue
        trace = simulate(
            SHIPPED.policy(name), Bernoulli(tuple(means)), horizon=horizon, runs=runs, seed=seed, checkpoints=rounds
        )
        told = [summarised(column) for column in trace.regret.T]
        bounds = [formula(name, means, t, budget) for t in rounds]
        panels.append(
            {
                "policy": name,
                "mean": np.array([row["mean"] for row in told]),
                "half": np.array([row["half_width_95"] or 0.0 for row in told]),
                "bound": None if None in bounds else bounds,
                "least": [lai_robbins(means) * math.log(t) for t in rounds],
            }
        )
    return rounds, panels


def known(means: Means, horizon: int, budget: float, runs: int, seed: int) -> dict[str, Any]:
    """Every policy of the catalogue, and the two lower bounds; measured without corruption if runs are asked for."""
    rows = []
    for name in SHIPPED.parts("policy"):
        policy, entry = SHIPPED.policy(name), KNOWN.get(name)
        row: dict[str, Any] = {
            "policy": name,
            "order": type(policy).about.bound,
            "source": entry.source if entry else "order only",
            "bound": formula(name, means, horizon, budget),
            "growth": entry.growth(means, policy) if entry and entry.growth else None,
            "measured": None,
            "measured_growth": None,
        }
        if runs:
            early = max(1, horizon // 10)
            trace = simulate(
                policy, Bernoulli(tuple(means)), horizon=horizon, runs=runs, seed=seed, checkpoints=[early, horizon]
            )
            row["measured"] = summarised(trace.regret[:, -1])
            decade = math.log(horizon / early)
            row["measured_growth"] = summarised((trace.regret[:, -1] - trace.regret[:, 0]) / decade)
        rows.append(row)
    return {
        "means": list(means),
        "horizon": horizon,
        "budget": budget,
        "lower_bounds": {"lai_robbins": lai_robbins(means) * math.log(horizon), "omega_c": omega(budget)},
        "policies": rows,
    }
