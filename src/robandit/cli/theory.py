"""`robandit paper theory`: a verdict on every statement of the paper, the theorems that hold, their consequences."""

import argparse
import os
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from robandit.cli.flags import json_flags, number, numbers, plot_flags, plot_from, print_json, whole
from robandit.cli.progress import Task, run_tasks
from robandit.errors import InputError, unknown
from robandit.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

LONG, USUAL = 100_000, 300.0  # rounds and budget, by default
TOPICS = {
    "statements": "every statement of the paper with a verdict, and the theorems that hold (the default; a minute)",
    "bounds": "bounds for each policy, and the two lower bounds (--plot draws them beside measured curves)",
    "steps": "step sizes: what is admissible, what a unit of corruption then costs, the best step under C",
    "growth": "the law of large steps for SAMBA and its relatives, against the exact growth",
    "prices": "where a unit of corruption buys most, for two and three arms (--plot draws it)",
    "arms": "what a unit of corruption costs as the number of arms grows (--plot draws it; two minutes)",
    "candidate": "a potential that would prove a price of order log K at a fixed rho, on states in exact fractions",
    "recoveries": "how long one run takes to recover from strikes, nested ones too (--plot draws it)",
    "shown": "threat model B: what it costs to hide every success of the best arm",
}
DRAWN, ANY_ARMS = ("bounds", "prices", "arms", "recoveries"), ("statements", "bounds", "prices")
USUAL_MEANS, EQUAL_RIVALS = (0.9, 0.8), (0.9, 0.5)
USUAL_RUNS, ARMS_RUNS = 20, 8  # plays beside a table, by default


def add(commands: Any) -> None:
    """Adds the command and its flags."""
    parser = commands.add_parser(
        "theory",
        parents=[json_flags(), plot_flags("with bounds, prices, arms and recoveries: draw them")],
        help="a verdict on every statement of the paper; the theorems that hold",
        description="Theory that can be run. " + " ".join(f"{topic}: {words}." for topic, words in TOPICS.items()),
    )
    parser.add_argument("topic", nargs="?", default="statements", help=f"{', '.join(TOPICS)}")
    parser.add_argument(
        "--means", type=numbers, help="the best arm first (default 0.9,0.8; arms 0.9,0.5, the second for every rival)"
    )
    parser.add_argument(
        "--learning-rate", type=number, default=0.05, help="with prices and recoveries: SAMBA's step (default 0.05)"
    )
    parser.add_argument(
        "--horizon", type=whole, metavar="T", help="rounds (default 100000; prices 10000 and 2000, recoveries 1000)"
    )
    parser.add_argument("--budget", type=number, metavar="C", help="with bounds (default 0) and steps (default 300)")
    parser.add_argument("--runs", type=whole, help="with bounds, shown (default 20) and arms (8): plays beside it")
    parser.add_argument("--arms", type=whole, default=768, metavar="K", help="with arms: no more than K (default 768)")
    parser.add_argument("--seed", type=whole, default=1, help="of those plays (default 1)")
    parser.set_defaults(run=theory)


def theory(arguments: argparse.Namespace) -> None:
    """Works out the topic named, and prints it."""
    by_arms = arguments.topic == "arms"
    arguments.means = arguments.means or (EQUAL_RIVALS if by_arms else USUAL_MEANS)
    arguments.runs = (ARMS_RUNS if by_arms else USUAL_RUNS) if arguments.runs is None else arguments.runs
    check(arguments)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads would only wait for each other
    result = work_out(arguments, plot_from(arguments))
    if arguments.json:
        print_json({"version": __version__, **result})
        return
    from robandit.report.terminal import show
    from robandit.theory.tables import tabulate

    show(*tabulate(arguments.topic, result), wide=arguments.wide)


def check(arguments: argparse.Namespace) -> None:
    """Raises InputError for flags that do not fit the topic."""
    topic, means = arguments.topic, arguments.means
    if topic not in TOPICS:
        raise unknown("topic", topic, TOPICS)
    if arguments.plot is not None and topic not in DRAWN:
        raise InputError("--plot draws bounds, prices, arms and recoveries: `robandit paper theory prices --plot FILE`")
    if arguments.horizon is not None and not 1 <= arguments.horizon <= 10**7:
        raise InputError(f"--horizon must be between 1 and 10,000,000, not {arguments.horizon:,}")
    if arguments.runs < 0:
        raise InputError(f"--runs must be a whole number of at least 0, not {arguments.runs}")
    if arguments.budget is not None and not 0 <= arguments.budget <= 10**9:
        raise InputError(f"--budget must be a number from 0 to 1e9, not {arguments.budget:g}")
    if topic == "arms" and not 3 <= arguments.arms <= 768:
        raise InputError(f"--arms must be a whole number from 3 to 768, not {arguments.arms}")
    two = topic not in ANY_ARMS
    if len(means) < 2 or (two and len(means) != 2) or not min(means) > 0.0 or not max(means[1:]) < means[0] <= 1.0:
        words = "two numbers" if two else "two or more numbers"
        raise InputError(f"--means must be {words} above 0 and at most 1, the best arm first, not {means!r}")


def work_out(arguments: argparse.Namespace, plot: "Path | None") -> dict[str, Any]:
    """Returns what theory has to say on the topic."""
    from robandit.theory import candidate, hiding, paths, policy_bounds, price_by_arms, price_map, step_law, steps

    means, rate, runs, seed = arguments.means, arguments.learning_rate, arguments.runs, arguments.seed
    horizon, budget = arguments.horizon or LONG, arguments.budget
    match arguments.topic:
        case "bounds":
            return policy_bounds.tabulate_bounds(means, horizon, budget or 0.0, runs, seed, plot)
        case "steps":
            return steps.advise_steps(means, horizon, USUAL if budget is None else budget)
        case "growth":
            return step_law.growth_table(means)
        case "prices":
            return price_map.map_prices(means, rate, arguments.horizon, plot)
        case "arms":
            work = partial(price_by_arms.tabulate_prices, means, runs, seed, arguments.arms, plot)
            return run_tasks([Task("arms", 1.0, lambda report: work(progress=report))])[0][0]
        case "candidate":
            return run_tasks([Task("candidate", 1.0, lambda report: candidate.tabulate_candidate(progress=report))])[0][
                0
            ]
        case "recoveries":
            return paths.trace_recoveries(means, rate, min(arguments.horizon or 1_000, 100_000), seed, plot)
        case "shown":
            return hiding.cost_of_hiding(means, horizon, runs, seed)
    return statements()


def statements() -> dict[str, Any]:
    """Returns every statement and theorem with its verdict, and how long that took."""
    from robandit.theory.statements import STATEMENTS, weigh_statements
    from robandit.theory.theorems import THEOREMS
    from robandit.theory.weigh_theorems import weigh_theorems

    begun = time.monotonic()
    tasks = [
        Task("statements", len(STATEMENTS), lambda report: weigh_statements(progress=report)),
        Task("theorems", len(THEOREMS) + 3, weigh_theorems),
    ]
    (statements, theorems), _ = run_tasks(tasks)
    return {"statements": statements, "theorems": theorems, "seconds": round(time.monotonic() - begun, 1)}
