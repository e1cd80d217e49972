"""Bounds on each policy's regret: with their constants where these are explicit, orders elsewhere.

Regret is always counted by the true means, so a bound against any rewards gains 2 C: each round of cost c moves what
the best arm and the arm pulled would have paid by at most c each.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from robandit.catalogue import SHIPPED
from robandit.environments.bernoulli import Bernoulli
from robandit.errors import InputError
from robandit.estimates import estimate, summarise
from robandit.game import Floats
from robandit.lab.batch import simulate
from robandit.theory.games import SambaGame
from robandit.theory.growth import growth_constant, lai_robbins
from robandit.theory.theorems import THEOREMS

Means = Sequence[float]
POINTS = 48  # of a curve, from the fourth root of T on


@dataclass(frozen=True)
class PolicyBound:
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
    """The smallest of our theorems that applies; they are proved, docs/proofs.md."""
    game = SambaGame.of(sorted(means, reverse=True), policy.learning_rate)
    if game.gap <= 0 or game.rho >= 1:
        return None
    return min(theorem.bound(game, horizon, budget) for theorem in THEOREMS if theorem.applies(game))


def anything(factor: float, logs: bool, plus: float = 0.0) -> Callable[[Means, Any, int, float], float | None]:
    """Returns the formula factor sqrt(T K [ln K]) + plus + 2 C."""

    def bound(means: Means, policy: Any, horizon: int, budget: float) -> float | None:
        if getattr(policy, "scale", 1.0) != 1.0:
            return None
        arms = len(means)
        return factor * math.sqrt(horizon * arms * (math.log(arms) if logs else 1.0)) + plus + 2.0 * budget

    return bound


def tsallis_iw(means: Means, policy: Any, horizon: int, budget: float) -> float:
    """Zimmert & Seldin 2021 with importance weights: against any rewards, and without corruption by the gaps."""
    arms, logs = len(means), math.log(horizon)
    anyhow = 4.0 * math.sqrt(arms * horizon) + 1.0 + 2.0 * budget
    by_gaps = sum((4.0 * logs + 20.0) / gap for gap in gaps(means)) + 4.0 * math.sqrt(arms)
    return anyhow if budget > 0.0 else min(anyhow, by_gaps)


def tsallis_rv(means: Means, policy: Any, horizon: int, budget: float) -> float:
    """The same with reduced variance. Its theorem prints 10 K ln T against any rewards; its proof gives 14 K ln T."""
    arms, logs = len(means), math.log(horizon)
    anyhow = 2.0 * math.sqrt(arms * horizon) + 14.0 * arms * logs + 16.0 + 2.0 * budget
    by_gaps = sum((logs + 3.0) / gap for gap in gaps(means)) + 2.0 / min(gaps(means))
    by_gaps += 28.0 * arms * logs + 1.5 * math.sqrt(arms) + 32.0
    return anyhow if budget > 0.0 else min(anyhow, by_gaps)


BOUNDS = {
    "samba": PolicyBound(
        "proved here (Theorems 1 to 4)", samba, lambda means, policy: growth_constant(means, policy.learning_rate), True
    ),
    "ucb1": PolicyBound("Auer et al. 2002, Theorem 1", ucb1),
    "kl-ucb": PolicyBound(
        "Garivier & Cappe 2011: the least growth there is", growth=lambda means, policy: lai_robbins(means)
    ),
    "thompson": PolicyBound("Agrawal & Goyal 2017: the least growth", growth=lambda means, policy: lai_robbins(means)),
    "exp3": PolicyBound(
        "Bubeck & Cesa-Bianchi 2012, Theorem 3.1: 2 sqrt(T K ln K), and 2 C", anything(2.0, True), None, True
    ),
    "tsallis-inf-iw": PolicyBound(
        "Zimmert & Seldin 2021 (recalled): 4 sqrt(K T) + 1, and 2 C; or, for C = 0, sum of (4 ln T + 20)/Delta + "
        "4 sqrt K",
        tsallis_iw,
        None,
        True,
    ),
    "tsallis-inf-rv": PolicyBound(
        "Zimmert & Seldin 2021 (recalled): 2 sqrt(K T) + 14 K ln T + 16, and 2 C (the theorem prints 10, its proof "
        "gives 14); or, for C = 0, sum of (ln T + 3)/Delta + 2/Delta_min + 28 K ln T + 1.5 sqrt K + 32",
        tsallis_rv,
        None,
        True,
    ),
    "uniform": PolicyBound(
        "exact", lambda means, policy, horizon, budget: horizon * sum(gaps(means)) / len(means), None, True
    ),
}


def formula(name: str, means: Means, horizon: int, budget: float) -> float | None:
    """Returns the bound of a policy with its usual constants, where one is explicit and covers this budget."""
    entry = BOUNDS.get(name)
    if entry is None or entry.bound is None or (budget > 0.0 and not entry.corruption):
        return None
    return entry.bound(means, SHIPPED.policy(name), horizon, budget)


def measure(name: str, means: Means, rounds: list[int], runs: int, seed: int) -> Floats:
    """Returns the regret of a policy by run and round, played without an attack."""
    policy, game = SHIPPED.policy(name), Bernoulli(tuple(means))
    return simulate(policy, game, horizon=rounds[-1], runs=runs, seed=seed, checkpoints=rounds).regret


def curves(means: Means, horizon: int, budget: float, runs: int, seed: int) -> tuple[list[int], list[dict[str, Any]]]:
    """Returns rounds, evenly spaced in ln T, and for each policy with more than an order what to draw there."""
    rounds = sorted({max(1, round(horizon ** (k / POINTS))) for k in range(POINTS // 4, POINTS + 1)})
    panels = []
    for name in (policy for policy in SHIPPED.parts("policy") if policy in BOUNDS):
        estimates = [estimate(column) for column in measure(name, means, rounds, runs, seed).T]
        bounds = [formula(name, means, t, budget) for t in rounds]
        panels.append(
            {
                "policy": name,
                "mean": np.array([regret.mean for regret in estimates]),
                "half": np.array([regret.half_width for regret in estimates]),
                "bound": None if None in bounds else bounds,
                "least": [lai_robbins(means) * math.log(t) for t in rounds],
            }
        )
    return rounds, panels


def tabulate_bounds(
    means: Means, horizon: int, budget: float, runs: int, seed: int, picture: Path | None = None
) -> dict[str, Any]:
    """Returns every policy of the catalogue with its bound, and the two lower bounds.

    With `runs` each is measured as well, without corruption. With a `picture` bounds and measured curves are drawn into
    that file; then InputError is raised for fewer than two runs.

    The lower bound `omega_c` is C: means (r + Delta, r) or (r, r + Delta) can both be made to look like r + Delta/2
    twice, at Delta/2 per round, for 2 C/Delta rounds; in one of the two half of those rounds cost Delta each.
    """
    if picture:
        draw_curves(means, horizon, budget, runs, seed, picture)
    early, rows = max(1, horizon // 10), []
    for name in SHIPPED.parts("policy"):
        policy, entry = SHIPPED.policy(name), BOUNDS.get(name)
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
            first, last = measure(name, means, [early, horizon], runs, seed).T
            row["measured"] = summarise(last)
            row["measured_growth"] = summarise((last - first) / math.log(horizon / early))
        rows.append(row)
    return {
        "means": list(means),
        "horizon": horizon,
        "budget": budget,
        "lower_bounds": {"lai_robbins": lai_robbins(means) * math.log(horizon), "omega_c": budget},
        "policies": rows,
        "picture": None if picture is None else str(picture),
    }


def draw_curves(means: Means, horizon: int, budget: float, runs: int, seed: int, picture: Path) -> None:
    """Draws what `curves` returns."""
    from robandit.pictures.bounds import draw_bounds

    if runs < 2:
        raise InputError(f"the picture has measured curves with intervals: runs must be at least 2, not {runs}")
    rounds, panels = curves(means, horizon, budget, runs, seed)
    title = f"Regret and what is known of it: means {', '.join(f'{mean:g}' for mean in means)}, {runs} runs"
    draw_bounds(panels, rounds, title + (f"; bounds for C = {budget:g}" if budget else "")).save(picture)
