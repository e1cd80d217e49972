"""`robandit price`: what it costs to turn a policy, and the frontier picture."""

import argparse
import math
import sys
from typing import TYPE_CHECKING, Any

from robandit.cli.attacks import as_flags
from robandit.cli.flags import (
    capability_flags,
    capability_from,
    catalogue_from,
    environment_from,
    game_flags,
    json_flags,
    load_flags,
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
from robandit.version import __version__

if TYPE_CHECKING:  # `robandit --help` does not wait for NumPy
    from pathlib import Path

    from robandit.redteam.candidate import Candidate
    from robandit.redteam.evaluate import Game
    from robandit.redteam.frontier import Place
    from robandit.redteam.price import Price

    Found = list[tuple[Place, Game, Price]]


def add(commands: Any) -> None:
    """The command and its flags."""
    game = game_flags("all of them", "three environments of 9", 60)
    plot = plot_flags("draw the frontier: clean regret against price")
    parser = commands.add_parser(
        "price",
        parents=[game, load_flags(), json_flags(), plot],
        help="what it costs to turn each policy, and the frontier picture",
        description="Attack price by bisection: the smallest budget that turns a policy. Without --policy all of them, "
        "without --arms, --means or --environment the three environments of the frontier.",
    )
    turning = parser.add_argument_group("the attacker")
    turning.add_argument("--threat", default="B", help="A (before the draw) or B (sees the draw, the default)")
    turning.add_argument("--attack", metavar="NAME", help="price this one attack (default: the cheapest of all)")
    turning.add_argument("--schedule", metavar="NAME[:...]", help="of --attack, in threat model A")
    turning.add_argument("--size", help="of --attack, in threat model A")
    capability_flags(turning, priced=True)
    turning.add_argument(
        "--budget", type=number, metavar="C", help="with --share: what may be spent (default: no limit)"
    )
    turning.add_argument("--blocks", type=whole, default=3, help="disjoint blocks of --runs runs each (default 3)")
    turning.add_argument(
        "--out", default="out/price", metavar="DIR", help="what was played is kept here, to go on later"
    )
    parser.set_defaults(run=price)


def price(arguments: argparse.Namespace) -> None:
    """Price each policy on each environment, print, draw."""
    from robandit.redteam.candidate import check_threat

    plot = plot_from(arguments)
    check_threat(arguments.threat)
    found = all_priced(arguments)
    told = as_json(found, arguments)
    if arguments.json:
        print_json(told)
    else:
        print_prices(told)
    if plot:
        draw(found, plot, arguments)


def all_priced(arguments: argparse.Namespace) -> "Found":
    """Every policy on every environment, one after another."""
    from robandit.redteam.evaluate import Evaluator, Game, journal_for
    from robandit.redteam.frontier import default_policies, with_told
    from robandit.redteam.price import attack_price, check_pricing, planned_runs

    catalogue, can, terms = catalogue_from(arguments), capability_from(arguments), terms_from(arguments)
    given = policies_from(arguments, catalogue) if arguments.policy else default_policies(catalogue)
    policies, places = [with_told(policy) for policy in given], places_from(arguments, catalogue)
    attacks = {place: attacks_from(arguments, place, catalogue) for place in places}
    out, asked = out_from(arguments), []
    for place in places:
        for policy in policies:
            game = Game(policy, place.environment, arguments.horizon, arguments.seed)
            journal = journal_for(game, out, f"price-{arguments.threat}")
            evaluator = Evaluator(game, journal, arguments.threads, catalogue=catalogue, capability=can)
            check_pricing(evaluator, arguments.threat, attacks[place], arguments.runs, arguments.blocks)
            asked.append((place, evaluator))
    size = planned_runs(max(map(len, attacks.values())), arguments.runs, arguments.blocks)
    where = f"{counted(policies, 'policy', 'policies')} on {counted(places, 'environment', 'environments')}"
    work = f"roughly {size * len(asked):,} runs of {arguments.horizon:,} rounds"
    found = []
    with progress(size * len(asked), f"price: {where}, {work}") as tell:
        for number, (place, evaluator) in enumerate(asked):
            words = f"{evaluator.game.policy} on {place.title.partition(':')[0]}"
            evaluator.tell = stage(tell, size * number, size, words)
            found.append((place, evaluator.game, attack_price(evaluator, arguments.threat, attacks[place], **terms)))
    return found


def terms_from(arguments: argparse.Namespace) -> dict[str, Any]:
    """What is asked of each price: of the budget, or of the share of rounds within one."""
    share = arguments.share is not None and math.isnan(arguments.share)
    if arguments.budget is not None and not share:
        raise InputError("--budget is what may be spent where --share, without a number, is what is priced")
    if arguments.budget is not None and not arguments.budget > 0.0:
        raise InputError(f"--budget must be a number above 0, not {arguments.budget:g}")
    if arguments.threat == "A" and (arguments.can or arguments.share is not None):
        raise InputError("--can and --share are said of threat model B, which sees the draw, not of A")
    budget = math.inf if arguments.budget is None else arguments.budget
    return {"runs": arguments.runs, "blocks": arguments.blocks, "share": share, "budget": budget}


def places_from(arguments: argparse.Namespace, catalogue: Any) -> "list[Place]":
    """The environment the flags describe; without any, the three of the frontier."""
    from robandit.redteam.frontier import Place, default_places

    if arguments.means is None and arguments.arms is None and arguments.environment == "bernoulli":
        return default_places()
    environment = environment_from(arguments, catalogue)
    known = [place for place in default_places() if place.environment == environment]
    if known:
        return known
    shown = ", ".join(f"{mean:g}" for mean in environment.means[:12])
    more = ", ..." if len(environment.means) > 12 else ""
    return [Place(f"{environment.name}: means {shown}{more}", environment)]


def attacks_from(arguments: argparse.Namespace, place: "Place", catalogue: Any) -> "list[Candidate]":
    """The attack named, or all that a price is sought among."""
    from robandit.redteam.candidate import Candidate
    from robandit.redteam.price import pricing_attacks

    if arguments.attack is None:
        for name in ("schedule", "size"):
            if getattr(arguments, name) is not None:
                raise InputError(f"--{name} {getattr(arguments, name)} was given without --attack: name an attack too")
        found = pricing_attacks(arguments.threat, place.environment.means, catalogue, capability_from(arguments))
        if not found:
            raise InputError(f"--can {arguments.can}: no attack of the catalogue can be carried out")
        return found
    chosen = Candidate(arguments.attack, arguments.schedule or "start", arguments.size or "full")
    chosen.adversary(1.0, catalogue=catalogue)  # refuses what is none
    return [chosen]


def as_json(found: "Found", arguments: argparse.Namespace) -> dict[str, Any]:
    """The prices under the names of the contract."""
    can = capability_from(arguments)
    return {
        "version": __version__,
        "threat": arguments.threat,
        "capability": {**can.parameters(), "words": can.words()} if arguments.threat == "B" else None,
        "budget": arguments.budget,
        "horizon": arguments.horizon,
        "runs": arguments.runs,
        "blocks": arguments.blocks,
        "seed": arguments.seed,
        "results": [
            {
                "environment": {"title": place.title, "means": list(place.environment.means)},
                "policy": game.policy.name,
                "label": str(game.policy),
                "parameters": game.policy.parameters(),
                "fidelity": game.policy.about.fidelity,
                "attack": as_flags(priced.attack, can),
                "clean_regret": priced.clean,
                "learns": priced.learns,
                "spending": priced.spending,
                "price": price_json(priced),
                "limit": priced.limit,
                "blocks": list(priced.blocks),
                "by_attack": {as_flags(attack): cost for attack, cost in priced.by_attack.items()},
                "notes": notes(game, priced),
            }
            for place, game, priced in found
        ],
    }


def price_json(priced: "Price") -> dict[str, Any] | None:
    """The price with its range and unit; null where there is nothing to turn."""
    if not priced.learns:
        return None
    return {"low": priced.low, "estimate": priced.estimate, "high": priced.high, "unit": priced.unit}


def notes(game: "Game", priced: "Price") -> list[str]:
    """What a price does not say by itself."""
    said = []
    missed = sum(price is None for price in priced.blocks)
    if not priced.learns:
        said.append("plays the best arm in fewer than half of the rounds without any attack: no price, nothing to turn")
    elif missed:
        turned = len(priced.blocks) - missed
        where = f"on {turned} of {len(priced.blocks)} blocks only" if turned else "on no block"
        said.append(f"turned {where}, whatever the attack {'owns' if priced.unit == 'share' else 'spends'}")
    if hasattr(game.policy, "corruption"):
        said.append(f"is told C = {game.policy.corruption:g}, in peace as in war")
    return said


def print_prices(told: dict[str, Any]) -> None:
    """One table an environment, the cheapest to turn first."""
    from rich.console import Console

    from robandit.cli.tables import price_table

    console = Console() if sys.stdout.isatty() else Console(width=120)
    for title in dict.fromkeys(row["environment"]["title"] for row in told["results"]):
        rows = [row for row in told["results"] if row["environment"]["title"] == title]
        console.print(price_table(title, rows, told))
        for note in dict.fromkeys(note for row in rows for note in row["notes"]):
            who = ", ".join(row["label"] for row in rows if note in row["notes"])
            console.print(f"note on {who}: {note}", highlight=False)


def draw(found: "Found", path: "Path", arguments: argparse.Namespace) -> None:
    """The frontier, one panel an environment."""
    from robandit.pictures.frontier import frontier
    from robandit.redteam.frontier import FAMILIES

    panels = [panel_of(place, found) for place in dict.fromkeys(place for place, _, _ in found)]
    model = {"A": "before the draw", "B": "after the draw"}[arguments.threat]
    caption = (
        "What a policy costs in peace, and what it costs to turn it: up and left is better.\n"
        f"T = {arguments.horizon:,}; threat model {arguments.threat} ({model}); "
        f"price: median of {arguments.blocks} blocks of {arguments.runs} runs, bars: their range.\n"
        "Round dots, green line: no other policy here is better in both."
    )
    frontier(panels, FAMILIES, caption, path)
    if not arguments.json:
        print(f"picture: {path}")


def panel_of(place: "Place", found: "Found") -> Any:
    """The dots of one environment, and who could not be drawn."""
    from robandit.pictures.frontier import Dot, Panel
    from robandit.redteam.frontier import pareto_front

    prices = {str(game.policy): priced for there, game, priced in found if there == place}
    names = {str(game.policy): game.policy.name for _, game, _ in found}
    front = pareto_front(prices)
    dots, idle, firm = [], [], []
    for label, priced in prices.items():
        if not priced.learns or priced.low == 0.0:  # the axis is logarithmic
            idle.append(label)
        elif priced.estimate is None or priced.low is None:
            firm.append(label)
        else:
            high = math.inf if priced.high is None else priced.high
            half = priced.clean["half_width_95"] or 0.0
            regret = priced.clean["mean"]
            short = label.replace("learning_rate=", "").replace(":scale=", ":").replace(":temper=", ":")
            dots.append(Dot(short, names[label], regret, half, priced.low, priced.estimate, high, label in front))
    words = [
        f"{what}: {', '.join(who)}" for what, who in (("do not learn within T", idle), ("never turned", firm)) if who
    ]
    return Panel(place.title, dots, "\n".join(words))
