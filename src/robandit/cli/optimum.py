"""`robandit paper optimum`: the exact worst attack on SAMBA with two arms, or with three at a price."""

import argparse
from typing import Any

from robandit.cli.flags import json_flags, number, numbers, plot_flags, plot_from, print_json, whole
from robandit.errors import InputError
from robandit.version import __version__


def add(commands: Any) -> None:
    """Adds the command and its flags."""
    parser = commands.add_parser(
        "optimum",
        parents=[json_flags(), plot_flags("draw at which p(t) it strikes, over time")],
        help="the exact worst attack on SAMBA with two or three arms",
        description="Solve for the worst attack on SAMBA with two arms, or with three at a price in threat model A: a "
        "dynamic programme, exact up to its grid.",
    )
    parser.add_argument(
        "--means", type=numbers, default=(0.9, 0.8), help="two or three, the best arm first (default 0.9,0.8)"
    )
    parser.add_argument("--learning-rate", type=number, default=0.05, help="SAMBA's step (default 0.05)")
    parser.add_argument("--horizon", type=whole, default=10_000, metavar="T", help="rounds (default 10000)")
    parser.add_argument("--threat", default="A", help="A (before the draw, the default) or B (sees the draw)")
    parser.add_argument("--budget", type=number, metavar="C", help="corruption no run may exceed")
    parser.add_argument("--price", type=number, help="in place of a budget: a price per unit of corruption")
    parser.add_argument(
        "--step", type=number, help="the grid's width in log-odds (default 0.05; 0.1 for a budget in A or three arms)"
    )
    parser.add_argument("--confirm", type=whole, default=0, metavar="RUNS", help="also play the optimum so many times")
    parser.add_argument("--seed", type=whole, default=1, help="of --confirm (default 1)")
    parser.set_defaults(run=optimum)


def optimum(arguments: argparse.Namespace) -> None:
    """Solves, confirms by simulation, prints, draws."""
    from robandit.theory.optimal_attack import OptimumTerms
    from robandit.theory.optimum import find_optimum

    if arguments.confirm < 0:
        raise InputError(f"--confirm must be a whole number of at least 0, not {arguments.confirm}")
    names = ("means", "learning_rate", "horizon", "threat", "price", "budget", "step")
    terms = OptimumTerms(**{name: getattr(arguments, name) for name in names})
    plot = plot_from(arguments)
    summary = find_optimum(terms, arguments.confirm, arguments.seed, plot)
    if arguments.json:
        print_json({"version": __version__, **summary})
        return
    print_summary(summary, str(terms))
    if plot:
        print(f"picture: {plot}")


def print_summary(summary: dict[str, Any], terms: str) -> None:
    """Prints the game, the regret without and under the attack, and what simulation says of it."""
    means = ", ".join(f"{mean:g}" for mean in summary["means"])
    print(
        f"samba (learning_rate={summary['learning_rate']:g}) on means {means}, {summary['horizon']:,} rounds; "
        f"threat model {summary['threat']}, {terms}"
    )
    print(f"  clean regret          {summary['clean_regret']:12,.1f}")
    print(f"  under the worst attack{summary['regret']:12,.1f}   (exact up to the grid; --step makes it finer)")
    if summary["budget"] is None:
        print(f"  corruption it spends  {summary['spending']:12,.1f}   (its expectation)")
    if simulated := summary["simulated"]:
        half = "-" if simulated["half_width_95"] is None else f"{simulated['half_width_95']:,.1f}"
        print(f"  the same, played      {simulated['mean']:12,.1f}   ± {half} (95 %, {simulated['runs']:,} runs)")
