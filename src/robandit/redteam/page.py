"""The frontier as one page that needs no network: data as JSON, drawn and filtered by a few lines of plain script."""

import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from robandit.pictures.frontier import PRICES, Panel
from robandit.pictures.style import FAMILIES, family_of
from robandit.store.files import write_atomically
from robandit.version import __version__


def write_page(panels: list[Panel], lead: str, path: Path) -> None:
    """Render the page and write it."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(Path(__file__).parent)
    template = Environment(loader=loader, autoescape=True, undefined=StrictUndefined).get_template("frontier.html.j2")
    page = template.render(lead=lead, told=as_data(panels), version=__version__)
    write_atomically(path, page.encode())


def as_data(panels: list[Panel]) -> dict[str, Any]:
    """What the page draws; an infinite price is null."""
    used = {family_of(dot.policy) for panel in panels for dot in panel.dots}
    return {
        "families": [{"name": name, "colour": colour} for name, (colour, _) in FAMILIES.items() if name in used],
        "attackers": list(dict.fromkeys(panel.attacker for panel in panels)),
        "places": list(dict.fromkeys(panel.place for panel in panels)),
        "prices": PRICES,
        "panels": [
            {**asdict(panel), "dots": [{**finite(asdict(dot)), "family": family_of(dot.policy)} for dot in panel.dots]}
            for panel in panels
        ],
    }


def finite(dot: dict[str, Any]) -> dict[str, Any]:
    """The same with null for infinity, which JSON does not know."""
    return {name: None if isinstance(value, float) and math.isinf(value) else value for name, value in dot.items()}
