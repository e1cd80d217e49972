"""Findings over several budgets as curves, with SAMBA's heuristic slope where it applies."""

import numpy as np

from robandit.pictures.corruption import BudgetCurve
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
    game = group[0][0]
    found = [finding for _, finding in group]
    return BudgetCurve(
        label,
        np.array([one.budget for one in found]),
        np.array([one.regret["mean"] for one in found]),
        np.array([one.regret["half_width_95"] or 0.0 for one in found]),
        found[0].clean["mean"],
        game.policy.slope_under_attack(game.environment.means) if threat == "A" else None,
    )
