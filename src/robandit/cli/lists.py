"""The catalogue commands: policies, adversaries, environments."""

import json
from dataclasses import MISSING, fields
from typing import Any

from robandit.catalogue import catalogue, parameters_of

EXTRA = {
    (
        "samba",
        "min_lift",
    ): "in place of learning_rate: the smallest relative lift that matters; learning_rate = min_lift/2"
}
KINDS = {"policies": ["policy"], "adversaries": ["attack", "schedule"], "environments": ["environment"]}


def entry(kind: str, cls: Any) -> dict[str, Any]:
    """One part as the catalogue tells it."""
    about = cls.about
    told = {
        "name": about.name,
        "kind": kind,
        "summary": about.summary,
        "parameters": parameters(cls),
        "reference": about.reference,
    }
    if kind == "policy":
        told |= {"fidelity": about.fidelity, "needs": list(about.needs), "bound": about.bound, "cost": about.cost}
    if kind in ("attack", "schedule"):
        told |= {"threat": "A"}
    return told


def parameters(cls: Any) -> list[dict[str, Any]]:
    """The parameters a user may set, with default, published and scaled values."""
    about = cls.about
    settable = parameters_of(cls)
    known = {item.name: item for item in fields(cls)}
    listed = []
    for name in settable:
        item = known.get(name)
        metadata = item.metadata if item else {}
        default = None if item is None or item.default is MISSING else item.default
        listed.append(
            {
                "name": name,
                "default": str(default) if hasattr(default, "about") else default,
                "published": metadata.get("published"),
                "scaled": metadata.get("scaled"),
                "description": metadata.get("description") or EXTRA.get((about.name, name), ""),
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

    console = Console()
    for kind in KINDS[command]:
        console.print(catalogue_table(kind, [told for told in entries if told["kind"] == kind]))
