"""Findings over several budgets as curves, with SAMBA's heuristic slope where it applies."""

import math

import numpy as np

from robandit.environments.means import admissible_step
from robandit.pictures.corruption import BudgetCurve
from robandit.policies.samba import Samba
from robandit.redteam.evaluate import Game
from robandit.redteam.search import Finding


def curves_of(findings: list[tuple[Game, Finding]], threat: str) -> list[BudgetCurve]:
    """One curve a policy, in the order of the findings."""
    groups: dict[str, list[tuple[Game, Finding]]] = {}
    for game, finding in findings:
        groups.setdefault(str(game.policy), []).append((game, finding))
    return [curve(label, group, threat) for label, group in groups.items()]


def curve(label: str, group: list[tuple[Game, Finding]], threat: str) -> BudgetCurve:
    """A policy's regret by budget."""
    group = sorted(group, key=lambda pair: pair[1].budget)
    found = [finding for _, finding in group]
    return BudgetCurve(
        label,
        np.array([one.budget for one in found]),
        np.array([one.regret["mean"] for one in found]),
        np.array([one.regret["half_width_95"] or 0.0 for one in found]),
        found[0].clean["mean"],
        slope(group[0][0]) if threat == "A" else None,
    )


def slope(game: Game) -> float | None:
    """(2 + alpha)/(1 - alpha/alpha_max): what a unit of corruption costs SAMBA in model A if 1/p is large; no bound."""
    if not isinstance(game.policy, Samba):
        return None
    rate, limit = game.policy.learning_rate, admissible_step(game.environment.means)
    return (2.0 + rate) / (1.0 - rate / limit) if rate < limit < math.inf else None
