"""`robandit advise`: which policy to take against the attacker one fears, measured on one's own means."""

import argparse
import math
from typing import Any

from robandit.cli.attacks import as_flags, finite
from robandit.cli.flags import (
    Parser,
    capability_flags,
    capability_from,
    catalogue_from,
    environment_from,
    json_flags,
    load_flags,
    naming,
    number,
    numbers,
    print_json,
    whole,
)
from robandit.cli.progress import progress, stage
from robandit.errors import InputError
from robandit.version import __version__


def add(commands: Any) -> None:
    """The command and its flags."""
    parser: Parser = commands.add_parser(
        "advise",
        parents=[load_flags(), json_flags()],
        help="which policy to take against the attacker you fear",
        description="Measure a short list of policies on your means against an attacker who sees what was shown, and "
        "say which to take. In a minute or two; the numbers are measured, the choice is explained.",
    )
    game = parser.add_argument_group("your game")
    game.add_argument("--means", type=numbers, metavar="0.02,0.03,...", help="what the arms pay, about")
    game.add_argument("--data", metavar="F.csv", help="rewards seen, one column an arm, in place of --means")
    game.add_argument("--horizon", type=whole, default=100_000, metavar="T", help="rounds (default 100000)")
    game.add_argument("--seed", type=whole, default=1, help="the same seed gives the same numbers (default 1)")
    game.add_argument("--threads", type=whole, help="default: all cores; the numbers do not depend on it")
    fear = parser.add_argument_group("the attacker you fear")
    capability_flags(fear)
    fear.add_argument(
        "--budget", type=number, metavar="C", help="how many rewards can be forged (default: one in a thousand)"
    )
    parser.set_defaults(run=run_advise, environment="bernoulli", arms=None)


def run_advise(arguments: argparse.Namespace) -> None:
    """Measure, choose, say why."""
    from robandit.redteam.advice import advise, feared, listed, planned
    from robandit.redteam.price import pricing_attacks

    if (arguments.means is None) == (arguments.data is None):
        raise InputError("advise needs either --means or --data: what the arms pay")
    if arguments.budget is not None and not 0.0 < arguments.budget < math.inf:
        raise InputError(f"--budget must be a number above 0, not {arguments.budget:g}")
    if arguments.data is not None:
        arguments.environment = f"samples:file={arguments.data}"
    catalogue, can = catalogue_from(arguments), capability_from(arguments)
    with naming("--data" if arguments.data else "--means"):
        environment = environment_from(arguments, catalogue)
    size = planned(len(pricing_attacks("B", environment, catalogue, can)), can.share < 1.0)
    policies = listed(feared(can, arguments.budget, arguments.horizon))
    opening = f"advise: {len(policies)} policies, roughly {size * len(policies):,} runs of {arguments.horizon:,} rounds"
    with progress(size * len(policies), opening) as tell:
        found = advise(
            environment,
            can,
            horizon=arguments.horizon,
            budget=arguments.budget,
            seed=arguments.seed,
            threads=arguments.threads,
            catalogue=catalogue,
            tell=lambda text: stage(tell, size * policies.index(text), size, text),
        )
    told = as_json(found, environment, arguments)
    if arguments.json:
        print_json(told)
    else:
        print_advice(told, arguments.wide)


def as_json(found: Any, environment: Any, arguments: argparse.Namespace) -> dict[str, Any]:
    """The advice with everything it rests on."""
    from robandit.cli.prices import price_json

    rows = [
        {
            "label": str(one.policy),
            "policy": one.policy.name,
            "parameters": one.policy.parameters(),
            "clean_regret": one.clean,
            "learns": one.learns,
            "price": None if one.price is None else price_json(one.price),
            "attacked_regret": one.attacked,
            "best_share": one.best_share,
            "attack": as_flags(one.attack, found.capability),
        }
        for one in found.tried
    ]
    return {
        "version": __version__,
        "means": list(environment.means),
        "horizon": arguments.horizon,
        "seed": arguments.seed,
        "capability": {**found.capability.parameters(), "words": found.capability.words()},
        "budget": finite(found.budget),
        "limit": found.limit,
        "advice": None if found.chosen is None else str(found.chosen.policy),
        "reason": found.reason,
        "helps": found.helps,
        "results": rows,
    }


def print_advice(told: dict[str, Any], wide: bool) -> None:
    """The sentence first, then what it rests on."""
    from rich.text import Text

    from robandit.cli.sheet import show
    from robandit.cli.tables import advice_table

    take = ("Take ", (told["advice"], "bold")) if told["advice"] else (("No policy of the list will do", "bold"),)
    show(Text.assemble(*take, f": {told['reason']}."), f"The attacker {told['capability']['words']}.")
    show(f"{told['helps'][0].upper()}{told['helps'][1:]}.")
    if told["results"]:
        show(advice_table(told), wide=wide)
