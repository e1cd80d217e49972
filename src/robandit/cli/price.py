"""`robandit price`: what it costs to fool a policy, for one attacker or for the whole frontier."""

import argparse
import math
from typing import TYPE_CHECKING, Any

from robandit.cli.flags import (
    capability_flags,
    capability_from,
    catalogue_from,
    cluster_flags,
    environment_from,
    file_from,
    game_flags,
    json_flags,
    load_flags,
    naming,
    naming_scheduler,
    number,
    out_from,
    plot_flags,
    plot_from,
    policies_from,
    print_json,
    terms_from,
    undetected_flag,
    whole,
)
from robandit.cli.progress import Task, count, progress, run_tasks
from robandit.errors import InputError
from robandit.redteam import PRICE_RUNS

if TYPE_CHECKING:  # `robandit --help` does not wait for NumPy
    from robandit.redteam.candidate import Candidate
    from robandit.redteam.frontier import Attacker, TitledEnvironment
    from robandit.redteam.pricing import PricePlan, Prices

HORIZON = 100_000  # where neither a flag nor the frontier's file says it
WHO = ("threat", "attack", "schedule", "size", "can", "share", "budget", "undetected")  # flags that say who attacks


def add(commands: Any) -> None:
    """The command and its flags."""
    game = game_flags("those of the frontier", "the environments of the frontier", PRICE_RUNS)
    plot = plot_flags("draw clean regret against price, with --frontier all attackers and then each by itself")
    parser = commands.add_parser(
        "price",
        parents=[game, load_flags(), json_flags(), cluster_flags(), plot],
        help="what it costs to fool each policy, and the frontier picture",
        description="Attack price by bisection: the smallest budget that fools a policy, so that the best arm gets "
        "fewer than half of the rounds in at least half of the runs. Without --policy those of the frontier, without "
        "--arms, --means or --environment its environments, each with a horizon of its own.",
    )
    parser.set_defaults(horizon=None)
    parser.add_argument(
        "--frontier",
        nargs="?",
        const="",
        metavar="FILE.toml",
        help="every policy, knob, environment and attacker of a file (without a name: of the one that comes with it)",
    )
    parser.add_argument("--page", metavar="FILE.html", help="write the same as a page to point at and filter, offline")
    attacker = parser.add_argument_group("the attacker")
    attacker.add_argument("--threat", help="A (before the draw) or B (sees the draw, the default)")
    attacker.add_argument("--attack", metavar="NAME", help="price this one attack (default: the cheapest of all)")
    attacker.add_argument("--schedule", metavar="NAME[:...]", help="of --attack, in threat model A")
    attacker.add_argument("--size", help="of --attack, in threat model A")
    capability_flags(attacker, priced=True)
    attacker.add_argument(
        "--budget", type=number, metavar="C", help="with --share: what may be spent (default: no limit)"
    )
    attacker.add_argument(
        "--search", type=whole, default=0, metavar="N", help="look among so many more for a cheaper attack (default 0)"
    )
    attacker.add_argument(
        "--fooled",
        default="share",
        metavar="share|regret",
        help="fooled is: the best arm in under half of the rounds (default), or over half of the runner-up's regret",
    )
    undetected_flag(attacker)
    attacker.add_argument(
        "--history",
        type=whole,
        metavar="N",
        help="price in rows: what the attacker must append to a history of N honest rows that the policy learns first",
    )
    attacker.add_argument("--blocks", type=whole, help="disjoint blocks of --runs runs each (default 3)")
    attacker.add_argument(
        "--out", default="out/price", metavar="DIR", help="what was played is kept here, to go on later"
    )
    parser.set_defaults(run=price)


def price(arguments: argparse.Namespace) -> None:
    """Price each policy on each environment against each attacker, print, draw."""
    plot, page = plot_from(arguments), file_from(arguments, "page", "a page", (".html",))
    if arguments.history is not None:
        price_history(arguments)
        return
    prices = find_all(plan_from(arguments), arguments)
    result = prices.to_json()
    if arguments.json:
        print_json(result)
    else:
        print_prices(result, only_front=arguments.frontier is not None, wide=arguments.wide)
    if plot or page:
        from robandit.redteam.panels import save_frontier

        for kind, file in save_frontier(prices, plot, page):
            if not arguments.json:
                print(f"{kind}: {file}")


def price_history(arguments: argparse.Namespace) -> None:
    """Price each policy on each environment in rows appended to a history."""
    from robandit.lab.scenario import Scenario
    from robandit.redteam.injection import injection_price, injection_record
    from robandit.redteam.tables import injection_table
    from robandit.report.terminal import show

    aside = [
        name
        for name in (*WHO, "frontier", "plot", "page", "blocks", "scheduler")
        if getattr(arguments, name) is not None
    ]
    if aside:
        raise InputError(f"--{aside[0]} cannot be given with --history: rows are appended before anything is live")
    if not arguments.policy:
        raise InputError("--history needs --policy: the policies that learn it")
    plan = plan_from(arguments)
    for place in plan.spec.environments:
        terms = {**plan.terms, "runs": plan.spec.runs, "horizon": place.horizon}
        scenarios = [Scenario(variant.policy, place.environment, **terms) for variant in plan.spec.policies]
        with naming("--history"):
            prices = [injection_price(scenario, arguments.history) for scenario in scenarios]
        result = injection_record(scenarios[0], prices)
        if arguments.json:
            print_json(result)
        else:
            show(injection_table(result), wide=arguments.wide)


def plan_from(arguments: argparse.Namespace) -> "PricePlan":
    """What is priced: the frontier's file, and what flags put in its place."""
    from dataclasses import replace
    from pathlib import Path

    from robandit.redteam import frontier
    from robandit.redteam.price import TOLERANCE
    from robandit.redteam.pricing import PricePlan

    catalogue = catalogue_from(arguments)
    with naming("--frontier"):
        path = Path(arguments.frontier) if arguments.frontier else frontier.FRONTIER
        spec = frontier.read_frontier(path, catalogue)
    for name in WHO:
        if arguments.frontier is not None and getattr(arguments, name) is not None:
            raise InputError(f"--{name} cannot be given with --frontier: its file says who attacks")
    if arguments.frontier is None:
        attackers = (attacker_from(arguments),)
        spec = replace(spec, runs=PRICE_RUNS, tolerance=TOLERANCE, attackers=attackers)
    policies = spec.policies
    if arguments.policy:
        assumed = map(frontier.with_assumed_corruption, policies_from(arguments, catalogue))
        policies = tuple(frontier.PolicyVariant(policy, policy.name) for policy in assumed)
    elif arguments.frontier is None:
        policies = tuple(frontier.default_policies(catalogue))
    counts = {name: getattr(arguments, name) for name in ("runs", "blocks") if getattr(arguments, name) is not None}
    environments = environments_from(arguments, catalogue, spec.environments)
    spec = replace(spec, policies=policies, environments=environments, **counts)
    terms = terms_from(arguments, catalogue)
    named = attack_from(arguments, catalogue)
    return PricePlan(spec, named, arguments.search, arguments.fooled, terms, arguments.undetected)


def attacker_from(arguments: argparse.Namespace) -> "Attacker":
    """The one attacker that the flags describe."""
    from robandit.redteam.candidate import check_threat
    from robandit.redteam.frontier import Attacker

    threat, can, unit = arguments.threat or "B", capability_from(arguments), "reward"
    check_threat(threat)
    if arguments.share is True:
        unit = "share"
    elif arguments.budget is not None:
        raise InputError("--budget is what may be spent where --share, without a number, is what is priced")
    if arguments.budget is not None and not arguments.budget > 0.0:
        raise InputError(f"--budget must be a number above 0, not {arguments.budget:g}")
    if threat == "A" and (arguments.can or arguments.share is not None):
        raise InputError("--can and --share are said of threat model B, which sees the draw, not of A")
    if arguments.search < 0:
        raise InputError(f"--search must be at least 0, not {arguments.search}")
    words = can.words() if threat == "B" else "moves the means before the draw"
    return Attacker(words, threat, can, unit, math.inf if arguments.budget is None else arguments.budget)


def environments_from(
    arguments: argparse.Namespace, catalogue: Any, usual: "tuple[TitledEnvironment, ...]"
) -> "tuple[TitledEnvironment, ...]":
    """The environment the flags describe, called as the frontier calls it; without any, those of the frontier."""
    from dataclasses import replace

    from robandit.redteam.frontier import with_title

    if arguments.means is None and arguments.arms is None and arguments.environment == "bernoulli":
        return tuple(replace(one, horizon=arguments.horizon or one.horizon) for one in usual)
    return (with_title(environment_from(arguments, catalogue), arguments.horizon or HORIZON, usual),)


def attack_from(arguments: argparse.Namespace, catalogue: Any) -> "Candidate | None":
    """The attack named, if any."""
    from robandit.redteam.candidate import Candidate

    if arguments.attack is None:
        for name in ("schedule", "size"):
            if getattr(arguments, name) is not None:
                raise InputError(f"--{name} {getattr(arguments, name)} was given without --attack: name an attack too")
        return None
    candidate = Candidate(arguments.attack, arguments.schedule or "start", arguments.size or "full")
    candidate.adversary(1.0, catalogue=catalogue)  # raises for an attack that is none
    return candidate


def find_all(plan: "PricePlan", arguments: argparse.Namespace) -> "Prices":
    """Every policy on every environment against every attacker, one after another."""
    from robandit.redteam.pricing import Prices, price_elsewhere

    tasks, spec = plan.tasks(out_from(arguments), arguments.threads), plan.spec
    where = f"{count(spec.policies, 'policy', 'policies')} on {count(spec.environments, 'environment', 'environments')}"
    who = f" against {len(spec.attackers)} attackers" if len(spec.attackers) > 1 else ""
    horizons = [one.horizon for one in spec.environments]
    spans = " to ".join(dict.fromkeys(f"{end:,}" for end in (min(horizons), max(horizons))))
    opening = f"price: {where}{who}, roughly {sum(task.runs for task in tasks):,} runs of {spans} rounds"
    if arguments.scheduler:
        with naming_scheduler(arguments), progress(1.0, f"{opening}, on {arguments.scheduler}") as tell:
            price_elsewhere(tasks, arguments.scheduler, lambda share: tell(share, "on the cluster"))
        opening = ""
    return Prices(plan, run_tasks([Task(task.label, task.rounds, task.run) for task in tasks], opening)[0])


def print_prices(result: dict[str, Any], only_front: bool, wide: bool) -> None:
    """One table per attacker and environment, the cheapest to fool first; of a whole frontier only what is on it."""
    from robandit.redteam.tables import price_table
    from robandit.report.terminal import show

    panels = dict[tuple[str, str], list[dict[str, Any]]]()
    for row in result["results"]:
        panels.setdefault((row["attacker"]["title"], row["environment"]["title"]), []).append(row)
    for rows in panels.values():
        listed = [row for row in rows if row["front"]] if only_front else rows
        beaten = f"On the front: {len(listed)} of {len(rows)}." if only_front else ""
        show(price_table(listed or rows, result, beaten), wide=wide)
        for note in dict.fromkeys(note for row in listed for note in row["notes"]):
            who = ", ".join(row["label"] for row in listed if note in row["notes"])
            show(f"note on {who}: {note}")
