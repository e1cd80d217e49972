"""Pictures of findings: one attack over time, or regret against several budgets."""

from dataclasses import replace

import numpy as np

from robandit.pictures.attack import draw_attack
from robandit.pictures.corruption import BudgetCurve, draw_regret_by_budget
from robandit.pictures.rendered import Rendered
from robandit.pictures.style import colour_of
from robandit.redteam.search import AttackFinding
from robandit.redteam.story import attack_story

RUNS = 100  # of the picture over time, at most


def draw_findings(findings: list[AttackFinding], threads: int | None = None) -> Rendered:
    """One finding over time; several against the budget."""
    scenario, options = findings[0].scenario, findings[0].options
    if len(findings) == 1:
        return draw_over_time(findings[0], threads)
    arms = f"{scenario.arms} arms ({scenario.environment.name})"
    caption = f"{arms}, T = {scenario.horizon:,}, {scenario.runs} fresh runs, mean and 95 % interval"
    return draw_regret_by_budget([(f"threat model {options.threat}", curves_of(findings))], caption)


def draw_over_time(finding: AttackFinding, threads: int | None = None) -> Rendered:
    """Regret, pulls of the best arm and spending, under the attack and without it."""
    scenario, threat = replace(finding.scenario, runs=min(finding.scenario.runs, RUNS)), finding.options.threat
    attacked = replace(scenario, adversary=finding.adversary(finding.candidate))
    plays = (("under attack", attacked), ("no attack", scenario))
    stories = [(label, attack_story(play, threads)) for label, play in plays]
    harm, clean = (float(story.regret[:, -1].mean()) for _, story in stories)
    units = "forged units" if threat == "A" else "forged rewards"
    message = f"{finding.budget:,g} {units}: {harm / clean:,.0f} times the regret of {scenario.policy}"
    terms = f"{scenario.arms} arms, {scenario.runs} runs, mean, band 5 % to 95 %; threat model {threat}"
    rest = f"{terms}, C by {scenario.charge}\n{finding.candidate.flags(scenario.capability)}"
    return draw_attack(stories, colour_of(str(scenario.policy)), message, rest)


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
