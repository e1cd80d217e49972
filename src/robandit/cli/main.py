"""The entry point: one parser, one error sentence, exit codes."""

import argparse
import os
import sys
from importlib import import_module
from typing import Any

from robandit.cli.flags import (
    Parser,
    attack_flags,
    game_flags,
    json_flags,
    load_flags,
    load_own,
    number,
    numbers,
    study_flags,
    whole,
)
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
    for add in (add_redteam, add_price, add_optimum):
        add(commands)
    for name, text in LISTS.items():
        commands.add_parser(name, parents=[load_flags(), json_flags()], help=text, description=f"List {text}.")
    return parser


def add_redteam(commands: Any) -> None:
    """The command that searches for the worst attack."""
    redteam = commands.add_parser(
        "redteam",
        parents=[game_flags(), load_flags(), json_flags()],
        help="the worst attack on a policy within a budget",
        description="Search for the worst attack within a budget; chosen on one set of seeds, reported on another.",
    )
    search = redteam.add_argument_group("the attacker")
    search.add_argument(
        "--budget", type=number, action="append", metavar="C", help="what it may spend; may be repeated"
    )
    search.add_argument("--threat", default="A", help="A (before the draw, the default) or B (sees the draw)")
    search.add_argument("--charge", default="cost", help="cost (the definition) or rounds")
    search.add_argument(
        "--evaluations", type=whole, default=160, help="attacks of the adaptive family, about (default 160; 0: none)"
    )
    search.add_argument("--quick", action="store_true", help="only attacks that usually win: to compare many policies")
    search.add_argument(
        "--out", default="out/redteam", metavar="DIR", help="what was tried is kept here, to go on later"
    )
    redteam.add_argument("--plot", metavar="FILE", help="draw the attack over time, or regret against several budgets")


def add_price(commands: Any) -> None:
    """The command that prices policies."""
    price = commands.add_parser(
        "price",
        parents=[game_flags("all of them", "three environments of 9", 60), load_flags(), json_flags()],
        help="what it costs to turn each policy, and the frontier picture",
        description="Attack price by bisection: the smallest budget that turns a policy. Without --policy all of them, "
        "without --arms, --means or --environment the three environments of the frontier.",
    )
    turning = price.add_argument_group("the attacker")
    turning.add_argument("--threat", default="B", help="A (before the draw) or B (sees the draw, the default)")
    turning.add_argument("--attack", metavar="NAME", help="price this one attack (default: the cheapest of all)")
    turning.add_argument("--schedule", metavar="NAME[:...]", help="of --attack, in threat model A")
    turning.add_argument("--size", help="of --attack, in threat model A")
    turning.add_argument("--blocks", type=whole, default=3, help="disjoint blocks of --runs runs each (default 3)")
    turning.add_argument(
        "--out", default="out/price", metavar="DIR", help="what was played is kept here, to go on later"
    )
    price.add_argument("--plot", metavar="FILE", help="draw the frontier: clean regret against price")


def add_optimum(commands: Any) -> None:
    """The command that solves for the exact worst attack."""
    optimum = commands.add_parser(
        "optimum",
        parents=[json_flags()],
        help="the exact worst attack on SAMBA with two arms",
        description="Solve for the worst attack on SAMBA with two arms: a dynamic programme, exact up to its grid.",
    )
    optimum.add_argument("--means", type=numbers, default=(0.9, 0.8), help="the better arm first (default 0.9,0.8)")
    optimum.add_argument("--learning-rate", type=number, default=0.05, help="SAMBA's step (default 0.05)")
    optimum.add_argument("--horizon", type=whole, default=10_000, metavar="T", help="rounds (default 10000)")
    optimum.add_argument("--threat", default="A", help="A (before the draw, the default) or B (sees the draw)")
    optimum.add_argument("--budget", type=number, metavar="C", help="corruption no run may exceed")
    optimum.add_argument("--price", type=number, help="in place of a budget: a price per unit of corruption")
    optimum.add_argument(
        "--step", type=number, help="the grid's width in log-odds (default 0.05; 0.1 for a budget in A)"
    )
    optimum.add_argument("--confirm", type=whole, default=0, metavar="RUNS", help="play the optimum so many times, too")
    optimum.add_argument("--seed", type=whole, default=1, help="of --confirm (default 1)")
    optimum.add_argument("--plot", metavar="FILE", help="draw at which p(t) it strikes, over time")


def run(arguments: argparse.Namespace) -> None:
    """Call the command that was named; each lives in a module of its name, imported only when it runs."""
    if arguments.command in LISTS:
        from robandit.cli.lists import show_list

        load_own(arguments)
        show_list(arguments.command, arguments.json)
    else:
        getattr(import_module(f"robandit.cli.{arguments.command}"), arguments.command)(arguments)


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
