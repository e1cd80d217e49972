"""Step sizes: what is admissible, what a unit of corruption then costs at most, and the best step under a budget."""

import math
from functools import cache
from typing import Any

import numpy as np

from robandit.game import Floats
from robandit.theory.games import WARN_FROM, SambaGame
from robandit.theory.growth import growth_constant
from robandit.theory.potentials import best_potential
from robandit.theory.step_law import RULES, SAMBA

SHARES = (0.1, 0.25, 0.35, 0.4, 0.5, 0.7, 0.9)  # of the largest step
ALIKE = (0.25, 0.4)  # of SAMBA's largest step, where the other rules are set beside it
NODES = 200  # of the quadrature


def reflecting(p: float, rho: float) -> float:
    """Returns the regret for a unit of corruption if p* is held below p, as alpha and Delta go to 0 with rho fixed.

    g(p) = 2 k int_0^1 (1 - p u)^2 u^(k-3) exp(k p (1 - u)) du with k = 2/rho. With u = v^m, m = 1/(k-2), the power of u
    is gone; for larger k it does no harm and stays.
    """
    k = 2.0 / rho
    nodes, weights = quadrature()
    m = 1.0 / (k - 2.0) if k < 5.0 else 1.0
    u = nodes**m
    values = (1.0 - p * u) ** 2 * np.exp(k * p * (1.0 - u)) * (m if k < 5.0 else u ** (k - 3.0))
    return float(2.0 * k * (weights @ values))


@cache
def quadrature() -> tuple[Floats, Floats]:
    """Returns Gauss's nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return 0.5 * (nodes + 1.0), 0.5 * weights


def diffusion_ratio(rho: float) -> float:
    """Returns the best b over b_inf in that limit: above 1 from rho = 0.39 on, towards e as rho goes to 1."""
    return max(1.0, reflecting(0.5, rho) / reflecting(0.0, rho))


def price_step(means: tuple[float, float], rho: float) -> dict[str, float]:
    """Returns a step as a share of its limit, and the price of a unit of corruption in three ways.

    `least`, (2 + alpha)/(1 - rho), is proved: no b is smaller. `programme` is the linear programme over splines and
    `diffusion` the limit formula times `least`: both are numerical. `growth` is that of clean regret with ln T.
    """
    rate = rho * (means[0] / means[1] - 1.0)
    game = SambaGame.of(means, round(rate, 12))
    least = float(game.least_price)
    return {
        "rho": rho,
        "rate": rate,
        "least": least,
        "programme": best_potential(game, splines=True).price,
        "diffusion": least * diffusion_ratio(rho),
        "growth": growth_constant(means, rate),
    }


def equal_growth(means: tuple[float, float], rho: float) -> list[dict[str, Any]]:
    """Returns what a unit of corruption costs each rule of the family, at steps with which clean regret grows alike."""
    growth, rows = SAMBA.growth(rho * (means[0] / means[1] - 1.0), *means), []
    for rule in RULES:
        rate = rule.step_growing(growth, *means)
        row: dict[str, Any] = {"rule": rule.name, "growth": growth, "rate": rate, "least": None, "programme": None}
        if rate is not None:
            game = SambaGame.of(means, round(rate, 12))
            row["least"] = rule.least_price(rate, *means)
            row["programme"] = best_potential(game, splines=True, rule=rule).price
        rows.append(row)
    return rows


def best_step(means: tuple[float, float], horizon: int, budget: float) -> tuple[float, float]:
    """Returns the step with the least growth ln T + b*(rho) C by the limit formula, and that sum: no bound."""
    limit = means[0] / means[1] - 1.0
    shares = np.linspace(0.01, 0.99, 197)
    sums = [
        growth_constant(means, rho * limit) * math.log(horizon)
        + (2.0 + rho * limit) / (1.0 - rho) * diffusion_ratio(rho) * budget
        for rho in (float(share) for share in shares)
        if rho * limit < 1.0
    ]
    place = int(np.argmin(sums))
    return float(shares[place]) * limit, float(sums[place])


def advise_steps(means: tuple[float, float], horizon: int, budget: float) -> dict[str, Any]:
    """Returns limits, the table of prices, and the best step for this horizon and budget."""
    limit = means[0] / means[1] - 1.0
    rows = [price_step(means, rho) for rho in SHARES if rho * limit < 1.0]
    rate, total = best_step(means, horizon, budget)
    return {
        "means": list(means),
        "limit": limit,
        "proved_up_to": (means[0] - means[1]) / (means[0] + means[1]),
        "warn_from": WARN_FROM * limit,
        "steps": rows,
        "rules": [row for rho in ALIKE if rho * limit < 1.0 for row in equal_growth(means, rho)],
        "horizon": horizon,
        "budget": budget,
        "best_step": rate,
        "best_rho": rate / limit,
        "regret_about": total,
    }
