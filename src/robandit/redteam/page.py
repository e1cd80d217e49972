"""The frontier as one page that needs no network: data as JSON, drawn and filtered by a few lines of plain script."""

import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from robandit.pictures.frontier import PRICES, FrontierPanel
from robandit.pictures.style import FAMILIES, family_of
from robandit.report.page import render
from robandit.store.files import write_atomically
from robandit.version import __version__


def write_frontier_page(panels: list[FrontierPanel], lead: str, path: Path) -> None:
    """Render the page and write it."""
    page = render("frontier.html.j2", lead=lead, data=page_data(panels), version=__version__)
    write_atomically(path, page.encode())


def page_data(panels: list[FrontierPanel]) -> dict[str, Any]:
    """What the page draws; an infinite price is null."""
    used = {family_of(dot.policy) for panel in panels for dot in panel.dots}
    return {
        "families": [{"name": name, "colour": colour} for name, colour in FAMILIES.items() if name in used],
        "attackers": list(dict.fromkeys(panel.attacker for panel in panels)),
        "places": list(dict.fromkeys(panel.place for panel in panels)),
        "prices": PRICES,
        "panels": [
            {**asdict(panel), "dots": [{**finite(asdict(dot)), "family": family_of(dot.policy)} for dot in panel.dots]}
            for panel in panels
        ],
    }


def finite(dot: dict[str, Any]) -> dict[str, Any]:
    """The same with null for infinity, which JSON does not have."""
    return {name: None if isinstance(value, float) and math.isinf(value) else value for name, value in dot.items()}
