"""The entry point: one parser, one error sentence, exit codes."""

import argparse
import os
import sys

from robandit.cli.flags import Parser, attack_flags, game_flags, json_flags, load_flags, load_own, study_flags
from robandit.errors import Refused
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
        parents=[game_flags(), attack_flags(), load_flags(), json_flags()],
        help="policies against one environment and one adversary: a table, a picture",
        description="Play policies against one environment and one adversary.",
    )
    play.add_argument("--plot", metavar="FILE", help="draw regret over time into a .png, .svg or .pdf file")
    reproduce = commands.add_parser(
        "reproduce",
        parents=[study_flags()],
        help="the whole paper: figures, tables, a verdict on each claim",
        description="Play the paper's simulation again and weigh each of its claims.",
    )
    reproduce.add_argument("--quick", action="store_true", help="the headline reading with few runs, under a minute")
    reproduce.add_argument("--no-timings", action="store_true", help="leave out the time table, all that varies")
    study = commands.add_parser(
        "study",
        parents=[study_flags(), json_flags()],
        help="your own question: run a spec, show how far it is, report",
        description="Run a study from a TOML spec, show how far it is, or report what is stored.",
    )
    study.add_argument("action", choices=("run", "status", "report"), help="run SPEC.toml, status DIR, report DIR")
    study.add_argument("target", help="the spec to run, or the folder of a study")
    for name, text in LISTS.items():
        commands.add_parser(name, parents=[load_flags(), json_flags()], help=text, description=f"List {text}.")
    return parser


def run(arguments: argparse.Namespace) -> None:
    """Call the command that was named; each is imported only when it runs."""
    if arguments.command == "play":
        from robandit.cli.play import play

        play(arguments)
    elif arguments.command == "reproduce":
        from robandit.cli.reproduce import reproduce

        reproduce(arguments)
    elif arguments.command == "study":
        from robandit.cli.study import study

        study(arguments)
    else:
        from robandit.cli.lists import show_list

        load_own(arguments)
        show_list(arguments.command, arguments.json)


def main(words: list[str] | None = None) -> int:
    """Run the command line; 0 when done, 2 for bad input, 130 after Ctrl-C."""
    try:
        run(build_parser().parse_known(sys.argv[1:] if words is None else words))
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
    return 0
