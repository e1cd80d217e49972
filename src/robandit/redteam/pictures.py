"""Pictures of findings: one attack over time, regret against several budgets, or two prices against memory."""

from dataclasses import replace

import numpy as np

from robandit.errors import InputError
from robandit.pictures.attack import draw_attack
from robandit.pictures.corruption import BudgetCurve, draw_regret_by_budget
from robandit.pictures.forgetting import MemoryCurve, PricePoint, draw_forgetting
from robandit.pictures.rendered import Rendered
from robandit.pictures.style import colour_of
from robandit.redteam.forgetting import ForgettingPrice
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
    regrets = [first.clean, *(one.regret for one in findings)]
    return BudgetCurve(
        label,
        np.array([0.0, *(one.budget for one in findings)]),
        np.array([regret["mean"] for regret in regrets]),
        np.array([regret["half_width_95"] or 0.0 for regret in regrets]),
        scenario.policy.slope_under_attack(scenario.environment.means) if first.options.threat == "A" else None,
    )


def draw_prices_of_memory(prices: list[ForgettingPrice]) -> Rendered:
    """Both prices against memory; raises InputError unless two windows or discounts were priced."""
    known = sorted(
        (one for one in prices if one.memory is not None and one.price.learns), key=lambda one: one.memory or 0
    )
    if len({one.memory for one in known}) < 2:
        raise InputError("the picture needs at least two windows or discounts of different memory")
    good, once = ([point_of(one, which) for one in known] for which in ("price", "flip"))
    laws = [(one.memory or 0.0, one.law) for one in known if one.law is not None]
    curves = [
        MemoryCurve([point for point in points if point is not None], [(memory, law[number]) for memory, law in laws])
        for number, points in enumerate((good, once))
    ]
    scenario = known[0].scenario
    message = "The less is remembered, the more a lasting lie costs, and the less it costs to flip the leader once"
    rest = f"{scenario.arms} arms, T = {scenario.horizon:,}; the best arm's successes are erased (threat model B)\n"
    rest += f"for good: median and range of 3 blocks of {scenario.runs} runs; once: quartiles, {3 * scenario.runs} runs"
    return draw_forgetting(curves[0], curves[1], message, rest)


def point_of(one: ForgettingPrice, which: str) -> PricePoint | None:
    """One price of a policy as a point; None where it was not reached."""
    ends = one.to_json()[which]
    if ends is None or None in (ends["low"], ends["estimate"], ends["high"]):
        return None
    return PricePoint(one.memory or 0.0, one.scenario.policy.name, ends["low"], ends["estimate"], ends["high"])
