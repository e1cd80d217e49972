"""The catalogue commands: policies, adversaries, environments."""

import json
import sys
from dataclasses import MISSING
from typing import Any

from robandit.catalogue import catalogue, parameters_of
from robandit.parts import plain

KINDS = {
    "policies": ["policy"],
    "adversaries": ["attack", "schedule", "reward attack"],
    "environments": ["environment"],
}


def entry(kind: str, cls: Any) -> dict[str, Any]:
    """One part as the catalogue tells it."""
    about = cls.about
    told = {
        "name": about.name,
        "kind": kind,
        "summary": about.summary,
        "parameters": parameters(cls),
        "reference": about.reference,
        "fidelity": about.fidelity,
        "needs": list(about.needs),
        "bound": about.bound,
    }
    if kind == "policy":
        told |= {"cost": about.cost}
    if kind in ("attack", "schedule", "reward attack"):
        told |= {"threat": "B" if kind == "reward attack" else "A"}
    return told


def parameters(cls: Any) -> list[dict[str, Any]]:
    """The parameters a user may set, with default, published and scaled values."""
    listed = []
    for name, item in parameters_of(cls).items():
        default = None if item.default is MISSING else item.default
        listed.append(
            {
                "name": name,
                "default": plain(default),
                "published": item.metadata.get("published"),
                "scaled": item.metadata.get("scaled"),
                "description": item.metadata.get("description", ""),
            }
        )
    return listed


def show_list(command: str, as_json: bool) -> None:
    """Print a catalogue."""
    entries = [entry(kind, cls) for kind in KINDS[command] for cls in catalogue(kind).values()]
    if as_json:
        print(json.dumps(entries, indent=2))
        return
    from rich.console import Console

    from robandit.cli.tables import catalogue_table

    console = Console(width=None if sys.stdout.isatty() else 140)
    for kind in KINDS[command]:
        console.print(catalogue_table(kind, [told for told in entries if told["kind"] == kind]))
