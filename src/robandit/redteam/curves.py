"""Findings over several budgets as curves, with SAMBA's heuristic slope where it applies."""

import math

import numpy as np

from robandit.environments.means import admissible_step
from robandit.lab.scenario import Scenario
from robandit.pictures.corruption import Curve
from robandit.policies.samba import Samba
from robandit.redteam.search import AttackFinding


def curves_of(findings: list[AttackFinding]) -> list[Curve]:
    """One curve per policy, in the order of the findings."""
    groups: dict[str, list[AttackFinding]] = {}
    for finding in findings:
        groups.setdefault(str(finding.scenario.policy), []).append(finding)
    return [curve(label, sorted(group, key=lambda one: one.budget)) for label, group in groups.items()]


def curve(label: str, findings: list[AttackFinding]) -> Curve:
    """A policy's regret by budget."""
    first = findings[0]
    return Curve(
        label,
        np.array([one.budget for one in findings]),
        np.array([one.regret["mean"] for one in findings]),
        np.array([one.regret["half_width_95"] or 0.0 for one in findings]),
        first.clean["mean"],
        slope(first.scenario) if first.options.threat == "A" else None,
    )


def slope(scenario: Scenario) -> float | None:
    """(2 + alpha)/(1 - alpha/alpha_max): what a unit of corruption costs SAMBA in model A if 1/p is large; no bound."""
    if not isinstance(scenario.policy, Samba):
        return None
    rate, limit = scenario.policy.learning_rate, admissible_step(scenario.environment.means)
    return (2.0 + rate) / (1.0 - rate / limit) if rate < limit < math.inf else None
