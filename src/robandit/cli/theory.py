"""`robandit theory`: a verdict on every statement of the paper, and the theorems that hold."""

import argparse
import time
from typing import Any

from robandit.cli.flags import json_flags, print_json
from robandit.cli.progress import progress
from robandit.version import __version__


def add(commands: Any) -> None:
    """The command and its flags."""
    parser = commands.add_parser(
        "theory",
        parents=[json_flags()],
        help="a verdict on every statement of the paper; the theorems that hold",
        description="Weigh every numbered statement of the paper by exact fractions, exact optima and simulation, and "
        "check the theorems that hold. Takes about a minute; the numbers are always the same.",
    )
    parser.set_defaults(run=theory)


def theory(arguments: argparse.Namespace) -> None:
    """Weigh, then print."""
    from robandit.theory import statements, weigh_theorems
    from robandit.theory.theorems import THEOREMS

    begun, done = time.monotonic(), 0
    with progress(len(statements.STATEMENTS) + len(THEOREMS) + 2) as tell:

        def step(now: str) -> None:
            nonlocal done
            tell(done, now)
            done += 1

        told: dict[str, Any] = {
            "version": __version__,
            "statements": statements.weighed(step),
            "theorems": weigh_theorems.weighed(step),
        }
    told["seconds"] = round(time.monotonic() - begun, 1)
    if arguments.json:
        print_json(told)
    else:
        print_words(told)


def print_words(told: dict[str, Any]) -> None:
    """Two tables and a line."""
    from rich.console import Console

    from robandit.cli.tables import theory_tables

    for table in theory_tables(told):
        Console().print(table)
    verdicts = [statement["verdict"] for statement in told["statements"]]
    counted = ", ".join(f"{verdicts.count(word)} {word}" for word in dict.fromkeys(verdicts))
    print(f"{len(verdicts)} statements: {counted}; {told['seconds']:g} s")
