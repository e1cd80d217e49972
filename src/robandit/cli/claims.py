"""`robandit paper claims`: the verdict on each claim of the paper, from the whole reproduction that is stored here."""

import argparse
from typing import Any

from robandit.cli.flags import json_flags, print_json
from robandit.errors import unknown

READINGS = (
    "A reading fills in what the paper leaves open: the attack, how C is charged, how its rivals pull. The headline "
    "reading (flip, C in rounds) is the closest to its tables; the page of `robandit reproduce` defines them all. "
    "docs/glossary.md explains the words of the evidence."
)


def add(commands: Any) -> None:
    """The command and its flags."""
    parser = commands.add_parser(
        "claims",
        parents=[json_flags()],
        help="the verdict on each claim, from the stored reproduction",
        description="Print the verdict on each claim of the paper, or on some claims their evidence too. The numbers "
        "are those of a whole `robandit reproduce`, stored with the package.",
    )
    parser.add_argument("claims", nargs="*", metavar="ID", help="claims to print with evidence, such as c-over-delta")
    parser.set_defaults(run=print_claims)


def print_claims(arguments: argparse.Namespace) -> None:
    """All claims as a table, or some with their evidence."""
    from robandit.paper.stored import stored_claims
    from robandit.paper.tables import claims_table
    from robandit.report.terminal import show

    claims = stored_claims()
    for name in arguments.claims:
        if name not in claims:
            raise unknown("claim", name, claims)
    chosen = [claims[name] for name in arguments.claims or claims]
    if arguments.json:
        print_json(chosen)
        return
    show(claims_table(chosen), wide=arguments.wide)
    if not arguments.claims:
        show("`robandit paper claims ID` has the evidence for one.")
        return
    for claim in chosen:
        head = f"{claim['id']}: " if len(chosen) > 1 else ""
        show(f"{head}In the paper: {claim['where']}.", *claim["evidence"].splitlines(), claim["note"])
    show(READINGS)
