"""The entry point: one parser, one error sentence, exit codes."""

import argparse
import sys

from robandit.cli.flags import Parser, attack_flags, game_flags, json_flags
from robandit.errors import InputError
from robandit.version import __version__

LISTS = {
    "policies": "every policy, with fidelity, needs, bound and cost a round",
    "adversaries": "every attack and every schedule",
    "environments": "every environment",
}


def build_parser() -> Parser:
    """All commands with their flags."""
    parser = Parser(prog="robandit", description="Bandits whose rewards cannot be trusted: simulate, compare, attack.")
    parser.add_argument("--version", action="version", version=f"robandit {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    play = commands.add_parser(
        "play",
        parents=[game_flags(), attack_flags(), json_flags()],
        help="policies against one environment and one adversary: a table, a picture",
        description="Play policies against one environment and one adversary.",
    )
    play.add_argument("--plot", metavar="FILE", help="draw regret over time into a .png, .svg or .pdf file")
    for name, text in LISTS.items():
        commands.add_parser(name, parents=[json_flags()], help=text, description=f"List {text}.")
    return parser


def run(arguments: argparse.Namespace) -> None:
    """Call the command that was named."""
    if arguments.command == "play":
        from robandit.cli.play import play

        play(arguments)
    else:
        from robandit.cli.lists import show_list

        show_list(arguments.command, arguments.json)


def main(words: list[str] | None = None) -> int:
    """Run the command line; 0 when done, 2 for bad input, 130 after Ctrl-C."""
    try:
        run(build_parser().parse_known(sys.argv[1:] if words is None else words))
    except InputError as error:
        print(f"robandit: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("robandit: stopped", file=sys.stderr)
        return 130
    return 0
