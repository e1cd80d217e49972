"""Findings over several budgets as curves, with a heuristic slope where the policy has one."""

import numpy as np

from robandit.pictures.corruption import BudgetCurve
from robandit.redteam.search import AttackFinding


def curves_of(findings: list[AttackFinding]) -> list[BudgetCurve]:
    """One curve per policy, in the order of the findings."""
    groups: dict[str, list[AttackFinding]] = {}
    for finding in findings:
        groups.setdefault(str(finding.scenario.policy), []).append(finding)
    return [curve(label, sorted(group, key=lambda one: one.budget)) for label, group in groups.items()]


def curve(label: str, findings: list[AttackFinding]) -> BudgetCurve:
    """A policy's regret by budget."""
    first, scenario = findings[0], findings[0].scenario
    return BudgetCurve(
        label,
        np.array([one.budget for one in findings]),
        np.array([one.regret["mean"] for one in findings]),
        np.array([one.regret["half_width_95"] or 0.0 for one in findings]),
        first.clean["mean"],
        scenario.policy.slope_under_attack(scenario.environment.means) if first.options.threat == "A" else None,
    )
