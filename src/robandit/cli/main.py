"""The entry point: one parser, one error sentence, exit codes."""

import os
import sys
import warnings
from importlib import import_module
from typing import Any

from robandit.cli.examples import EXAMPLES, FIRST, told
from robandit.cli.flags import Parser
from robandit.errors import Refused
from robandit.version import __version__

LAB = ("demo", "play", "replay", "reproduce", "study")
ATTACKS = ("redteam", "price", "advise", "audit")
THEORY = ("optimum", "certify", "theory")
SERVICE = ("serve", "verify", "operate")
COMMANDS = (*LAB, *ATTACKS, *THEORY, *SERVICE, "lists", "completion")  # modules here, in the order of help


def build_parser() -> Parser:
    """All commands, each with the flags its own module gives it."""
    parser = Parser(
        prog="robandit",
        description="Bandits whose rewards cannot be trusted: simulate, compare, attack.",
        epilog=told(FIRST) + "\n\n`robandit COMMAND --help` has more.",
    )
    parser.add_argument("--version", action="version", version=f"robandit {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        import_module(f"robandit.cli.{name}").add(commands)
    for name, command in commands.choices.items():
        command.epilog = told(EXAMPLES.get(name, []))
    return parser


def main(words: list[str] | None = None) -> int:
    """Run the command line; 0 when done, 1 where a check found something, 2 for bad input, 130 after Ctrl-C."""
    try:
        words = sys.argv[1:] if words is None else words
        arguments = build_parser().parse_known(words or ["--help"])
        with warnings.catch_warnings():
            warnings.showwarning = noted  # type: ignore[assignment]  # it needs the message alone
            return arguments.run(arguments) or 0
    except Refused as error:
        print(f"robandit: {error}", file=sys.stderr)
        return 2
    except MemoryError:
        print("robandit: this does not fit into memory: fewer runs, arms or threads", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of a pipe has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("robandit: stopped", file=sys.stderr)
        return 130


def noted(message: Warning | str, *_: Any) -> None:
    """A warning as a sentence; the line of code it came from helps nobody here."""
    print(f"note: {message}", file=sys.stderr)
