"""The frontier of `robandit price` as pictures and as a page."""

import math
from typing import TYPE_CHECKING

from robandit.cli.attacks import as_flags

if TYPE_CHECKING:  # `robandit --help` does not wait for NumPy
    from pathlib import Path

    from robandit.pictures.frontier import FrontierDot, FrontierPanel
    from robandit.redteam.frontier import Frontier, Priced


def panels_of(found: "list[Priced]") -> "list[FrontierPanel]":
    """One panel an attacker and environment: its dots, and who does not learn there."""
    from robandit.pictures.frontier import FrontierPanel
    from robandit.redteam.dominance import fronts, panels

    drawn, front = [], fronts(found)
    for group in panels(found):
        attacker, place, *_ = found[group[0]]
        dots = [dot_of(found[number], number in front) for number in group if found[number].price.learns]
        idle = tuple(str(found[number].game.policy) for number in group if not found[number].price.learns)
        limit = next((found[number].price.limit for number in group), None)
        unit = "share" if attacker.share else "reward"
        drawn.append(
            FrontierPanel(
                attacker.title, place.title, place.horizon, dots, idle, unit, limit if attacker.share else None
            )
        )
    return drawn


def dot_of(one: "Priced", front: bool) -> "FrontierDot":
    """A price as a dot."""
    from robandit.pictures.frontier import FrontierDot
    from robandit.redteam.dominance import price_range

    price, (low, high) = one.price, price_range(one.price)
    middle = math.inf if price.estimate is None else price.estimate
    spread = (price.clean["mean"], price.clean["half_width_95"] or 0.0, low, middle, high)
    attack = as_flags(price.attack).removeprefix("--attack ")
    return FrontierDot(str(one.game.policy), one.turned.line, one.turned.value, *spread, front, attack)


def show(
    panels: "list[FrontierPanel]", plan: "Frontier", plot: "Path | None", page: "Path | None"
) -> "list[tuple[str, Path]]":
    """Draw and write what was asked for; answers what each file is."""
    from robandit.pictures.frontier import draw_frontier

    files = []
    reading = (
        "Up and left is better. Large dots: no policy here is surely better in both. "
        f"Price: median and range of {plan.blocks} blocks of {plan.runs} runs; "
        f"clean regret: mean and 95 % interval of {plan.blocks * plan.runs} runs."
    )
    caption = f"What a policy costs in peace (to the right) and what it costs to turn it (up). {reading}"
    if plot:
        alone = f"The attacker: {plan.attackers[0].title}. " if len(plan.attackers) == 1 else ""
        draw_frontier(panels, f"{alone}{caption}").save(plot)
        files.append(("picture", plot))
        if len(plan.attackers) > 1 and len(plan.places) > 1:
            for attacker in plan.attackers:
                own = [panel for panel in panels if panel.attacker == attacker.title]
                beside = plot.with_name(f"{plot.stem}-{attacker.name}{plot.suffix}")
                draw_frontier(own, f"The attacker: {attacker.title}. {caption}").save(beside)
                files.append(("picture", beside))
    if page:
        from robandit.redteam.page import write_frontier_page

        write_frontier_page(panels, reading, page)
        files.append(("page", page))
    return files
