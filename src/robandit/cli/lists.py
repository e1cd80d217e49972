"""The catalogue commands: policies, adversaries, environments."""

import argparse
from typing import Any

from robandit.cli.flags import catalogue_from, json_flags, load_flags, print_json

LISTS = {
    "policies": "every policy, with fidelity, needs, bound and cost per round",
    "adversaries": "every attack and every schedule",
    "environments": "every environment",
}


def add(commands: Any) -> None:
    """The commands and their flags."""
    for name, text in LISTS.items():
        parser = commands.add_parser(name, parents=[load_flags(), json_flags()], help=text, description=f"List {text}.")
        parser.set_defaults(run=show_list, kinds=name)


def show_list(arguments: argparse.Namespace) -> None:
    """Print a catalogue."""
    from robandit.report.catalogue import KINDS, catalogue_table, describe_part
    from robandit.report.terminal import room, show

    catalogue, kinds = catalogue_from(arguments), KINDS[arguments.kinds]
    entries = {kind: [describe_part(kind, cls) for cls in catalogue.all_parts(kind).values()] for kind in kinds}
    if arguments.json:
        print_json([entry for kind in kinds for entry in entries[kind]])
        return
    tables = [catalogue_table(kind, entries[kind], room(arguments.wide)) for kind in kinds]
    show(*tables, wide=arguments.wide)
