"""The catalogue commands: policies, adversaries, environments."""

import argparse
from typing import Any

from robandit.cli.flags import catalogue_from, json_flags, load_flags, print_json

LISTS = {
    "policies": "every policy, with fidelity, needs, bound and cost per round",
    "adversaries": "every attack and every schedule",
    "environments": "every environment",
}
KINDS = {
    "policies": ["policy", "linear policy", "team policy", "slate policy"],
    "adversaries": ["attack", "schedule", "adversary"],
    "environments": ["environment"],
}


def add(commands: Any) -> None:
    """The commands and their flags."""
    for name, text in LISTS.items():
        parser = commands.add_parser(name, parents=[load_flags(), json_flags()], help=text, description=f"List {text}.")
        parser.set_defaults(run=show_list, kinds=KINDS[name])


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
    if kind in KINDS["policies"]:
        told |= {"cost": about.cost, "late": about.late}
    if kind in KINDS["adversaries"]:
        told |= {"sees": list(about.sees), "threat": "B" if getattr(cls, "sees_draw", False) else "A"}
    return told


def parameters(cls: Any) -> list[dict[str, Any]]:
    """The parameters a user may set, with default, published and scaled values."""
    from dataclasses import MISSING

    from robandit.catalogue import parameters_of
    from robandit.parts import plain

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


def show_list(arguments: argparse.Namespace) -> None:
    """Print a catalogue."""
    catalogue, kinds = catalogue_from(arguments), arguments.kinds
    entries = [entry(kind, cls) for kind in kinds for cls in catalogue.all_parts(kind).values()]
    if arguments.json:
        print_json(entries)
        return
    from robandit.cli.sheet import room, show
    from robandit.cli.tables import catalogue_table

    listed = {kind: [told for told in entries if told["kind"] == kind] for kind in kinds}
    tables = [catalogue_table(kind, told, room(arguments.wide)) for kind, told in listed.items()]
    show(*tables, wide=arguments.wide)
