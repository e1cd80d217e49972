"""`robandit advise`: which policy to take against one's attacker, measured on one's own means."""

import argparse
import math
from typing import Any

from robandit.cli.flags import (
    Parser,
    capability_flags,
    capability_from,
    catalogue_from,
    cluster_flags,
    environment_from,
    json_flags,
    load_flags,
    naming,
    naming_scheduler,
    number,
    numbers,
    print_json,
    whole,
)
from robandit.cli.progress import progress
from robandit.errors import InputError


def add(commands: Any) -> None:
    """The command and its flags."""
    parser: Parser = commands.add_parser(
        "advise",
        parents=[load_flags(), json_flags(), cluster_flags()],
        help="which policy to take against your attacker",
        description="Measure a short list of policies on your means against an attacker who sees what was shown, and "
        "say which to take. In a minute or two; the numbers are measured, the choice is explained.",
    )
    game = parser.add_argument_group("your game")
    game.add_argument("--means", type=numbers, metavar="0.02,0.03,...", help="what the arms pay, about")
    game.add_argument("--data", metavar="F.csv", help="rewards seen, one column per arm, in place of --means")
    game.add_argument(
        "--changes",
        default="never",
        metavar="never|slow|fast|N",
        help="whether the arms change by themselves: never (default), slow (4 stretches), fast (20), or every N rounds",
    )
    game.add_argument("--horizon", type=whole, default=100_000, metavar="T", help="rounds (default 100000)")
    game.add_argument("--seed", type=whole, default=1, help="the same seed gives the same numbers (default 1)")
    game.add_argument("--threads", type=whole, help="default: all cores; the numbers do not depend on it")
    attacker = parser.add_argument_group("your attacker")
    capability_flags(attacker)
    attacker.add_argument(
        "--budget", type=number, metavar="C", help="how many rewards can be forged (default: one in a thousand)"
    )
    parser.set_defaults(run=run_advise, environment="bernoulli", arms=None)


def run_advise(arguments: argparse.Namespace) -> None:
    """Measure, choose, say why."""
    from robandit.redteam.advice import advise, first_scenario, planned_work
    from robandit.redteam.changing import change_every

    if (arguments.means is None) == (arguments.data is None):
        raise InputError("advise needs either --means or --data: what the arms pay")
    if arguments.budget is not None and not 0.0 < arguments.budget < math.inf:
        raise InputError(f"--budget must be a number above 0, not {arguments.budget:g}")
    if arguments.data is not None:
        arguments.environment = f"samples:file={arguments.data}"
    catalogue, can = catalogue_from(arguments), capability_from(arguments)
    with naming("--data" if arguments.data else "--means"):
        environment = environment_from(arguments, catalogue)
    with naming("--changes"):
        every = change_every(arguments.changes, arguments.horizon)
    if every is not None:
        environment = catalogue.environment(f"shifts:every={every}", environment.means)
    terms = {"horizon": arguments.horizon, "seed": arguments.seed, "catalogue": catalogue}
    policies, runs = planned_work(first_scenario(environment, capability=can, **terms), arguments.budget)
    opening = f"advise: {len(policies)} policies, roughly {runs * len(policies):,} runs of {arguments.horizon:,} rounds"
    with progress(len(policies), opening) as report:

        def tell(share: float) -> None:
            done = share * len(policies)
            report(done, policies[min(int(done), len(policies) - 1)])

        more = {"budget": arguments.budget, "threads": arguments.threads, "progress": tell}
        with naming_scheduler(arguments):
            advice = advise(environment, can, **terms, **more, scheduler=arguments.scheduler)
    if arguments.json:
        print_json(advice.to_json())
    else:
        print_advice(advice.to_json(), arguments.wide)


def print_advice(result: dict[str, Any], wide: bool) -> None:
    """The sentence first, then what it rests on."""
    from robandit.redteam.tables import advice_table
    from robandit.report.terminal import show, styled

    take = ["Take ", (result["advice"], "bold")] if result["advice"] else [("No policy of the list will do", "bold")]
    show(styled(*take, f": {result['reason']}."), f"The attacker {result['capability']['words']}.")
    show(f"{result['helps'][0].upper()}{result['helps'][1:]}.")
    show(result["checking"]["reason"])
    if result["results"]:
        show(advice_table(result), wide=wide)
