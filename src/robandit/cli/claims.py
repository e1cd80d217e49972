"""`robandit paper claims`: the verdict on each claim of the paper, from the whole reproduction that is stored here."""

import argparse
from typing import Any

from robandit.cli.flags import json_flags, print_json
from robandit.errors import unknown


def add(commands: Any) -> None:
    """The command and its flags."""
    parser = commands.add_parser(
        "claims",
        parents=[json_flags()],
        help="the verdict on each claim, from the stored reproduction",
        description="Print the verdict on each claim of the paper, or on one claim its evidence too. The numbers are "
        "those of a whole `robandit reproduce`, stored with the package.",
    )
    parser.add_argument("claim", nargs="?", metavar="ID", help="one claim, such as c-over-delta")
    parser.set_defaults(run=print_claims)


def print_claims(arguments: argparse.Namespace) -> None:
    """All claims as a table, or one with its evidence."""
    from robandit.paper.stored import stored_claims
    from robandit.paper.tables import claims_table
    from robandit.report.terminal import show

    claims = stored_claims()
    if arguments.claim is not None and arguments.claim not in claims:
        raise unknown("claim", arguments.claim, claims)
    chosen = list(claims.values()) if arguments.claim is None else [claims[arguments.claim]]
    if arguments.json:
        print_json(chosen)
        return
    show(claims_table(chosen), wide=arguments.wide)
    if arguments.claim is None:
        show(f"`robandit paper claims ID` has the evidence for one: {', '.join(claims)}.")
    for claim in chosen if arguments.claim else []:
        show(f"In the paper: {claim['where']}.", *claim["evidence"].splitlines(), claim["note"])
