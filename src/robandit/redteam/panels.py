"""The frontier as pictures and as a page: one panel per attacker and environment."""

import math
from pathlib import Path

from robandit.pictures.frontier import FrontierDot, FrontierPanel, draw_frontier
from robandit.redteam.dominance import comparable, fronts, price_range
from robandit.redteam.page import write_frontier_page
from robandit.redteam.pricing import PolicyPrice, Prices


def panels_of(rows: list[PolicyPrice]) -> list[FrontierPanel]:
    """One panel per attacker and environment: its dots, and who does not learn there."""
    panels, front = [], fronts(rows)
    for group in comparable(rows):
        attacker, place = rows[group[0]].attacker, rows[group[0]].environment
        dots = [dot_of(rows[number], number in front) for number in group if rows[number].price.learns]
        idle = tuple(str(rows[number].scenario.policy) for number in group if not rows[number].price.learns)
        limit = rows[group[0]].price.limit if attacker.unit == "share" else None
        panels.append(FrontierPanel(attacker.title, place.title, place.horizon, dots, idle, attacker.unit, limit))
    return panels


def dot_of(row: PolicyPrice, on_front: bool) -> FrontierDot:
    """A price as a dot."""
    price, (low, high) = row.price, price_range(row.price)
    middle = math.inf if price.estimate is None else price.estimate
    spread = (price.clean["mean"], price.clean["half_width_95"] or 0.0, low, middle, high)
    attack = price.attack.flags().partition(" ")[2]
    name, checks = str(row.scenario.policy), 0.0 if price.checks is None else float(price.checks["mean"])
    return FrontierDot(name, row.variant.line, row.variant.value, *spread, on_front, attack, checks)


def save_frontier(prices: Prices, plot: Path | None, page: Path | None) -> list[tuple[str, Path]]:
    """Draw pictures and write a page, where a path says so; returns what each file is."""
    panels, spec = panels_of(prices.rows), prices.plan.spec
    files = []
    legend = (
        "Up and left is better. Large dots: no policy here is surely better in both and asks for no more checks. "
        f"Price: median and range of {spec.blocks} blocks of {spec.runs} runs; "
        f"clean regret: mean and 95 % interval of {spec.blocks * spec.runs} runs."
    )
    knobs = " A number is the value of the policy's knob." if any(row.variant.value for row in prices.rows) else ""
    caption = f"What a policy costs without an attack (to the right) and what it costs to fool it (up). {legend}{knobs}"
    if plot:
        only = f"The attacker: {spec.attackers[0].title}. " if len(spec.attackers) == 1 else ""
        draw_frontier(panels, f"{only}{caption}").save(plot)
        files.append(("picture", plot))
        if len(spec.attackers) > 1 and len(spec.environments) > 1:
            for attacker in spec.attackers:
                own = [panel for panel in panels if panel.attacker == attacker.title]
                beside = plot.with_name(f"{plot.stem}-{attacker.name}{plot.suffix}")
                draw_frontier(own, f"The attacker: {attacker.title}. {caption}").save(beside)
                files.append(("picture", beside))
    if page:
        write_frontier_page(panels, legend, page)
        files.append(("page", page))
    return files
