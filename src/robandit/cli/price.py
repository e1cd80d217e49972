"""`robandit price`: what it costs to turn a policy, and the frontier picture."""

import argparse
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from robandit.cli.flags import environment_from, load_own, policies_from
from robandit.cli.progress import bar
from robandit.errors import InputError
from robandit.pictures.style import check_plot
from robandit.redteam.candidate import Candidate, check_threat
from robandit.redteam.evaluate import Evaluator, Game, journal_for
from robandit.redteam.frontier import FAMILIES, Place, default_places, default_policies, pareto_front, with_told
from robandit.redteam.price import Price, attack_price, pricing_attacks
from robandit.version import __version__

PLAYS = 45  # of one policy on one environment, roughly; for the bar


def price(arguments: argparse.Namespace) -> None:
    """Price each policy on each environment, print, draw."""
    if arguments.plot is not None:
        check_plot(Path(arguments.plot))
    check_threat(arguments.threat)
    load_own(arguments)
    policies = [with_told(one) for one in policies_from(arguments)] if arguments.policy else default_policies()
    places = places_from(arguments)
    attacks = [attacks_from(arguments, place) for place in places]
    found: list[tuple[Place, Game, Price]] = []
    total = PLAYS * arguments.runs * len(policies) * len(places)
    with bar(total, "") as tell:
        for place, choice in zip(places, attacks, strict=True):
            for policy in policies:
                game = Game(policy, place.environment, arguments.horizon, arguments.seed)
                found.append((place, game, price_of(game, place, choice, arguments, tell)))
    told = as_json(found, arguments)
    if arguments.json:
        print(json.dumps(told, indent=2, allow_nan=False))
    else:
        print_prices(told)
    if arguments.plot:
        draw(found, arguments)


def price_of(
    game: Game,
    place: Place,
    attacks: list[Candidate],
    arguments: argparse.Namespace,
    tell: Callable[[float, str], None],
) -> Price:
    """One policy on one environment, with its name beside the bar."""
    words = f"{game.policy} on {place.title.partition(':')[0]}"
    journal = journal_for(game, Path(arguments.out), f"price-{arguments.threat}")
    evaluator = Evaluator(game, journal, arguments.threads, lambda done: tell(done, words))
    return attack_price(evaluator, arguments.threat, attacks, runs=arguments.runs, blocks=arguments.blocks)


def places_from(arguments: argparse.Namespace) -> list[Place]:
    """The environment the flags describe; without any, the three of the frontier."""
    if arguments.means is None and arguments.arms is None and arguments.environment == "bernoulli":
        return default_places()
    environment = environment_from(arguments)
    known = [place for place in default_places() if place.environment == environment]
    if known:
        return known
    shown = ", ".join(f"{mean:g}" for mean in environment.means[:12])
    more = ", ..." if len(environment.means) > 12 else ""
    return [Place(f"{environment.name}: means {shown}{more}", environment)]


def attacks_from(arguments: argparse.Namespace, place: Place) -> list[Candidate]:
    """The attack named, or all that a price is sought among."""
    if arguments.attack is None:
        for name in ("schedule", "size"):
            if getattr(arguments, name) is not None:
                raise InputError(f"--{name} {getattr(arguments, name)} was given without --attack: name an attack too")
        return pricing_attacks(arguments.threat, place.environment.means)
    chosen = Candidate(arguments.attack, arguments.schedule or "start", arguments.size or "full")
    chosen.adversary(1.0)  # refuses what is none
    return [chosen]


def as_json(found: list[tuple[Place, Game, Price]], arguments: argparse.Namespace) -> dict[str, Any]:
    """The prices under the names of the contract."""
    return {
        "version": __version__,
        "threat": arguments.threat,
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
                "attack": priced.attack.flags(),
                "clean_regret": priced.clean,
                "spending": priced.spending,
                "price": {"low": priced.low, "estimate": priced.estimate, "high": priced.high},
                "blocks": list(priced.blocks),
                "by_attack": priced.by_attack,
                "notes": notes(game, priced),
            }
            for place, game, priced in found
        ],
    }


def notes(game: Game, priced: Price) -> list[str]:
    """What a price does not say by itself."""
    said = []
    missed = sum(price is None for price in priced.blocks)
    if priced.estimate == 0.0:
        said.append("plays the best arm in fewer than half of the rounds without any attack: there is nothing to turn")
    elif missed:
        turned = len(priced.blocks) - missed
        where = f"on {turned} of {len(priced.blocks)} blocks only" if turned else "on no block"
        said.append(f"turned {where}, whatever the attack spends")
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


def draw(found: list[tuple[Place, Game, Price]], arguments: argparse.Namespace) -> None:
    """The frontier, one panel an environment."""
    from robandit.pictures.frontier import frontier

    panels = [panel_of(place, found) for place in dict.fromkeys(place for place, _, _ in found)]
    model = {"A": "before the draw", "B": "after the draw"}[arguments.threat]
    caption = (
        "What a policy costs in peace, and what it costs to turn it: up and left is better.\n"
        f"T = {arguments.horizon:,}; threat model {arguments.threat} ({model}); "
        f"price: median of {arguments.blocks} blocks of {arguments.runs} runs, bars: their range.\n"
        "Round dots, green line: no other policy here is better in both."
    )
    frontier(panels, FAMILIES, caption, Path(arguments.plot))
    if not arguments.json:
        print(f"picture: {arguments.plot}")


def panel_of(place: Place, found: list[tuple[Place, Game, Price]]) -> Any:
    """The dots of one environment, and who could not be drawn."""
    from robandit.pictures.frontier import Dot, Panel

    prices = {str(game.policy): priced for there, game, priced in found if there == place}
    names = {str(game.policy): game.policy.name for _, game, _ in found}
    front = pareto_front(prices)
    dots, idle, firm = [], [], []
    for label, priced in prices.items():
        if priced.estimate is None:
            firm.append(label)
        elif not priced.estimate or not priced.low:
            idle.append(label)
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
