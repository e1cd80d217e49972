"""`robandit price`: what it costs to turn a policy, for one attacker or for the whole frontier."""

import argparse
import math
from typing import TYPE_CHECKING, Any

from robandit.cli.flags import (
    capability_flags,
    capability_from,
    catalogue_from,
    environment_from,
    game_flags,
    json_flags,
    load_flags,
    naming,
    number,
    out_from,
    plot_flags,
    plot_from,
    policies_from,
    print_json,
    whole,
)
from robandit.cli.progress import counted, progress, stage
from robandit.errors import InputError

if TYPE_CHECKING:  # `robandit --help` does not wait for NumPy
    from collections.abc import Callable
    from pathlib import Path

    from robandit.redteam.candidate import Candidate
    from robandit.redteam.frontier import Attacker, Frontier, Place, Priced

RUNS, HORIZON = 60, 100_000  # where neither a flag nor the frontier's file says it
WHO = ("threat", "attack", "schedule", "size", "can", "share", "budget")  # flags that say who attacks


def add(commands: Any) -> None:
    """The command and its flags."""
    game = game_flags("those of the frontier", "the environments of the frontier", RUNS)
    plot = plot_flags("draw clean regret against price, with --frontier all attackers and then each by itself")
    parser = commands.add_parser(
        "price",
        parents=[game, load_flags(), json_flags(), plot],
        help="what it costs to turn each policy, and the frontier picture",
        description="Attack price by bisection: the smallest budget that turns a policy. Without --policy those of the "
        "frontier, without --arms, --means or --environment its environments, each with a horizon of its own.",
    )
    parser.set_defaults(runs=None, horizon=None)
    parser.add_argument(
        "--frontier",
        nargs="?",
        const="",
        metavar="FILE.toml",
        help="every policy, knob, environment and attacker of a file (without a name: of the one that comes with it)",
    )
    parser.add_argument("--page", metavar="FILE.html", help="write the same as a page to point at and filter, offline")
    turning = parser.add_argument_group("the attacker")
    turning.add_argument("--threat", help="A (before the draw) or B (sees the draw, the default)")
    turning.add_argument("--attack", metavar="NAME", help="price this one attack (default: the cheapest of all)")
    turning.add_argument("--schedule", metavar="NAME[:...]", help="of --attack, in threat model A")
    turning.add_argument("--size", help="of --attack, in threat model A")
    capability_flags(turning, priced=True)
    turning.add_argument(
        "--budget", type=number, metavar="C", help="with --share: what may be spent (default: no limit)"
    )
    turning.add_argument(
        "--search", type=whole, default=0, metavar="N", help="look among so many more for a cheaper attack (default 0)"
    )
    turning.add_argument(
        "--turned",
        default="share",
        metavar="share|regret",
        help="turned is: the best arm in under half of the rounds (default), or over half of the runner-up's regret",
    )
    turning.add_argument("--blocks", type=whole, help="disjoint blocks of --runs runs each (default 3)")
    turning.add_argument(
        "--out", default="out/price", metavar="DIR", help="what was played is kept here, to go on later"
    )
    parser.set_defaults(run=price)


def price(arguments: argparse.Namespace) -> None:
    """Price each policy on each environment against each attacker, print, draw."""
    from robandit.cli.prices import as_json, print_prices

    plot, page = plot_from(arguments), page_from(arguments)
    catalogue = catalogue_from(arguments)
    plan = plan_from(arguments, catalogue)
    found = all_priced(plan, arguments, catalogue)
    told = as_json(found, plan, arguments)
    if arguments.json:
        print_json(told)
    else:
        print_prices(told, only_front=arguments.frontier is not None, wide=arguments.wide)
    if plot or page:
        from robandit.cli.frontier import panels_of, show

        files = show(panels_of(found), plan, plot, page)
        if not arguments.json:
            for kind, file in files:
                print(f"{kind}: {file}")


def page_from(arguments: argparse.Namespace) -> "Path | None":
    """Where the page goes, checked before anything is played."""
    if arguments.page is None:
        return None
    from pathlib import Path

    from robandit.pictures.style import check_file

    with naming("--page"):
        check_file(Path(arguments.page), "a page", (".html",))
    return Path(arguments.page)


def plan_from(arguments: argparse.Namespace, catalogue: Any) -> "Frontier":
    """What is priced: the frontier's file, and what flags put in its place."""
    from pathlib import Path

    from robandit.redteam.frontier import FRONTIER, Frontier, Turned, default_policies, read_frontier, with_told

    with naming("--frontier"):
        base = read_frontier(Path(arguments.frontier) if arguments.frontier else FRONTIER, catalogue)
    policies: list[Turned] = [Turned(with_told(one), one.name) for one in policies_from(arguments, catalogue)]
    if not arguments.policy:
        policies = default_policies(catalogue) if arguments.frontier is None else list(base.policies)
    terms: dict[str, Any] = {"runs": RUNS, "blocks": base.blocks}
    attackers = base.attackers
    if arguments.frontier is None:
        attackers = (attacker_from(arguments),)
    else:
        terms |= {"runs": base.runs, "tolerance": base.tolerance}
        for name in WHO:
            if getattr(arguments, name) is not None:
                raise InputError(f"--{name} cannot be given with --frontier: its file says who attacks")
    terms |= {name: getattr(arguments, name) for name in ("runs", "blocks") if getattr(arguments, name) is not None}
    return Frontier(tuple(policies), places_from(arguments, catalogue, base.places), attackers, **terms)


def attacker_from(arguments: argparse.Namespace) -> "Attacker":
    """The one attacker that the flags describe."""
    from robandit.redteam.candidate import check_threat
    from robandit.redteam.frontier import Attacker

    threat, can = arguments.threat or "B", capability_from(arguments)
    check_threat(threat)
    share = arguments.share is not None and math.isnan(arguments.share)
    if arguments.budget is not None and not share:
        raise InputError("--budget is what may be spent where --share, without a number, is what is priced")
    if arguments.budget is not None and not arguments.budget > 0.0:
        raise InputError(f"--budget must be a number above 0, not {arguments.budget:g}")
    if threat == "A" and (arguments.can or arguments.share is not None):
        raise InputError("--can and --share are said of threat model B, which sees the draw, not of A")
    if arguments.search < 0:
        raise InputError(f"--search must be at least 0, not {arguments.search}")
    words = can.words() if threat == "B" else "moves the means before the draw"
    return Attacker(words, threat, can, share, math.inf if arguments.budget is None else arguments.budget)


def places_from(arguments: argparse.Namespace, catalogue: Any, known: "tuple[Place, ...]") -> "tuple[Place, ...]":
    """The environment the flags describe, called as the frontier calls it; without any, those of the frontier."""
    from dataclasses import replace

    from robandit.redteam.frontier import Place

    if arguments.means is None and arguments.arms is None and arguments.environment == "bernoulli":
        return tuple(replace(place, horizon=arguments.horizon or place.horizon) for place in known)
    environment, horizon = environment_from(arguments, catalogue), arguments.horizon or HORIZON
    for place in known:
        if place.environment == environment:
            return (replace(place, horizon=horizon),)
    shown = ", ".join(f"{mean:g}" for mean in environment.means[:12])
    more = ", ..." if len(environment.means) > 12 else ""
    return (Place(f"{environment.name}: means {shown}{more}", environment, horizon),)


def all_priced(plan: "Frontier", arguments: argparse.Namespace, catalogue: Any) -> "list[Priced]":
    """Every policy on every environment against every attacker, one after another."""
    from robandit.redteam.evaluate import Evaluator, Game, journal_for
    from robandit.redteam.frontier import Priced
    from robandit.redteam.price import attack_price, check_pricing, most_regret, planned_runs

    out, asked, journals = out_from(arguments), [], dict[str, Any]()
    shape = {"agents": arguments.agents, "slate": arguments.slate}
    for attacker in plan.attackers:
        for place in plan.places:
            attacks = attacks_from(arguments, attacker, place, catalogue)
            size = planned_runs(len(attacks), plan.runs, plan.blocks)
            for turned in plan.policies:
                game = Game(turned.policy, place.environment, place.horizon, arguments.seed, **shape)
                name = f"{attacker.threat} {game}"
                journals[name] = journals.get(name) or journal_for(game, out, f"price-{attacker.threat}")
                terms: dict[str, Any] = {"catalogue": catalogue, "capability": attacker.capability}
                evaluator = Evaluator(game, journals[name], arguments.threads, **terms)
                most_regret(game, arguments.turned)  # refuses what is no reading
                check_pricing(evaluator, attacker.threat, attacks, plan.runs, plan.blocks)
                asked.append((attacker, place, turned, evaluator, attacks, size))
    where = f"{counted(plan.policies, 'policy', 'policies')} on {counted(plan.places, 'environment', 'environments')}"
    who = f" against {len(plan.attackers)} attackers" if len(plan.attackers) > 1 else ""
    total = sum(size * place.horizon for _, place, _, _, _, size in asked)
    horizons = {place.horizon for place in plan.places}
    spans = f"{min(horizons):,}" + (f" to {max(horizons):,}" if len(horizons) > 1 else "")
    opening = f"price: {where}{who}, roughly {sum(row[-1] for row in asked):,} runs of {spans} rounds"
    asked_for: dict[str, Any] = {
        "runs": plan.runs,
        "blocks": plan.blocks,
        "tolerance": plan.tolerance,
        "search": arguments.search,
    }
    asked_for["reading"] = arguments.turned
    done, found = 0, []
    with progress(total, opening) as tell:
        for attacker, place, turned, evaluator, attacks, size in asked:
            words = f"{turned.policy} on {place.title.partition(':')[0]}, {attacker.title}"
            evaluator.tell = rounds_told(stage(tell, done, size * place.horizon, words), place.horizon)
            limits: dict[str, Any] = {"share": attacker.share, "budget": attacker.budget}
            priced = attack_price(evaluator, attacker.threat, attacks, **limits, **asked_for)
            found.append(Priced(attacker, place, turned, evaluator.game, priced))
            done += size * place.horizon
    return found


def rounds_told(tell: "Callable[[float], None]", horizon: int) -> "Callable[[int], None]":
    """Runs told as the rounds they are, because a short one is done sooner."""
    return lambda runs: tell(runs * horizon)


def attacks_from(
    arguments: argparse.Namespace, attacker: "Attacker", place: "Place", catalogue: Any
) -> "list[Candidate]":
    """The attack named, or all that a price is sought among."""
    from robandit.redteam.candidate import Candidate
    from robandit.redteam.price import pricing_attacks

    if arguments.attack is None:
        for name in ("schedule", "size"):
            if getattr(arguments, name) is not None:
                raise InputError(f"--{name} {getattr(arguments, name)} was given without --attack: name an attack too")
        found = pricing_attacks(attacker.threat, place.environment, catalogue, attacker.capability, arguments.slate)
        if not found:
            raise InputError(f"--can {attacker.capability}: no attack of the catalogue can be carried out")
        return found
    chosen = Candidate(arguments.attack, arguments.schedule or "start", arguments.size or "full")
    chosen.adversary(1.0, catalogue=catalogue)  # refuses what is none
    return [chosen]
