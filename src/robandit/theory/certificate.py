"""Certificates: a bound on SAMBA's regret under every adversary of threat model A, as a few decimals anyone can check.

The linear programme proposes a potential, its numbers are rounded to short decimals, and interval arithmetic verifies
the rounded ones (`verify.py`). `checker.py` checks the file again and shares nothing with what made it.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from robandit.errors import InputError
from robandit.theory.games import WARN_FROM, SambaGame
from robandit.theory.potentials import best_potential
from robandit.theory.verify import Check, RoundedPotential, verify

BASIS = ("1/p", "ln q", "-q")
MARGINS = (0.0005, 0.002, 0.005, 0.01, 0.03)  # slack for the programme, until the rounded numbers are verified
DIGITS = 6


@dataclass(frozen=True)
class Certificate:
    """E[regret] <= const + log_coefficient ln(1 + alpha T/(2 (1 - alpha))) + b C, for every T, C and adversary."""

    game: SambaGame
    potential: RoundedPotential
    const: Fraction
    log_coefficient: Fraction
    programme_price: float  # b of the linear programme without slack
    checks: tuple[Check, ...]

    @property
    def verified(self) -> bool:
        return all(check.verified for check in self.checks)

    def bound(self, horizon: int, budget: float) -> float:
        """Returns the right-hand side."""
        alpha = float(self.game.rate)
        grown = math.log1p(alpha * horizon / (2.0 * (1.0 - alpha)))
        return float(self.const) + float(self.log_coefficient) * grown + float(self.potential.price) * budget

    def as_json(self) -> dict[str, Any]:
        """Returns the file's content: its decimals are exact as they are written."""
        v = self.potential
        return {
            "policy": "samba",
            "means": [float(self.game.best), float(self.game.rival)],
            "learning_rate": float(self.game.rate),
            "basis": list(BASIS),
            "coefficients": [float(v.inverse), float(v.logarithm), float(v.linear)],
            "b": float(v.price),
            "const": float(self.const),
            "log_coefficient": float(self.log_coefficient),
            "lower_b": float(round_short(self.game.least_price, up=False)),
            "programme_b": self.programme_price,
            "rho": float(self.game.rho),
            "verified": self.verified,
            "checks": [
                {"inequality": c.name, "verified": c.verified, "cells": c.cells, "largest": c.largest}
                for c in self.checks
            ],
            "warning": warning(self.game),
        }


def certify(game: SambaGame, horizon: int | None = None, budget: float | None = None) -> Certificate:
    """Returns a verified certificate with the smallest b, or with the smallest bound at a horizon and budget.

    Raises InputError where none can be verified.
    """
    cheapest = best_potential(game, horizon=horizon, budget=budget).cheapest
    for margin in MARGINS:
        proposed = best_potential(game, horizon=horizon, budget=budget, margin=margin)
        potential = RoundedPotential(
            round_short(proposed.inverse),
            round_short(proposed.logarithm),
            round_short(proposed.linear),
            round_short(proposed.price, up=True),
        )
        checks = tuple(verify(game, potential))
        if all(check.verified for check in checks):
            return Certificate(game, potential, closing(game, potential), log_term(game, potential), cheapest, checks)
    failed = ", ".join(check.name for check in checks if not check.verified)
    raise InputError(
        f"no certificate of this form could be verified for means {float(game.best):g} and {float(game.rival):g} at "
        f"learning_rate {float(game.rate):g} (left open: {failed}): try a smaller step"
    )


def round_short(value: float | Fraction, up: bool | None = None) -> Fraction:
    """Returns a short decimal: the nearest, or the next one up or down."""
    scaled = Fraction(value) * 10**DIGITS
    whole = round(scaled) if up is None else math.ceil(scaled) if up else math.floor(scaled)
    return Fraction(whole, 10**DIGITS)


def log_term(game: SambaGame, v: RoundedPotential) -> Fraction:
    """Returns w/alpha, rounded up."""
    return round_short(v.logarithm / game.rate, up=True)


def closing(game: SambaGame, v: RoundedPotential) -> Fraction:
    """At least V(1/2) - V(p) without its logarithm: the largest (1/alpha)(A (2 - 1/p) + d (q - 1/2)) over p in (0, 1].

    It lies at p = 1, or at p = sqrt(A/d) if d > A, where it is 2 A - 2 sqrt(A d) + d/2.
    """
    most = v.inverse - v.linear / 2
    if v.linear > v.inverse:
        product = 4 * v.inverse * v.linear
        below = Fraction(math.isqrt(int(product * 10 ** (4 * DIGITS))), 10 ** (2 * DIGITS))  # of its root
        most = 2 * v.inverse + v.linear / 2 - below
    return round_short(most / game.rate, up=True)


def warning(game: SambaGame) -> str | None:
    """Returns what a step near its limit costs, in words."""
    if game.rho <= WARN_FROM:
        return None
    return (
        f"the step is {float(game.rho):.0%} of its limit {float(game.limit):g}: above {WARN_FROM:.0%} a unit of "
        "corruption costs more than (2 + alpha)/(1 - rho)"
    )
