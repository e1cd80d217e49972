"""Prices as JSON and as tables."""

import argparse
from typing import TYPE_CHECKING, Any

from robandit.cli.attacks import as_flags, finite
from robandit.cli.flags import shape_json
from robandit.version import __version__

if TYPE_CHECKING:  # `robandit --help` does not wait for NumPy
    from robandit.redteam.evaluate import Game
    from robandit.redteam.frontier import Attacker, Frontier, Priced
    from robandit.redteam.price import Price


def as_json(found: "list[Priced]", plan: "Frontier", arguments: argparse.Namespace) -> dict[str, Any]:
    """The prices under the names of the contract; what differs from row to row is null at the top."""
    from robandit.redteam.dominance import fronts

    who = [attacker_json(attacker) for attacker in plan.attackers]
    alone = who[0] if len(who) == 1 else dict.fromkeys(who[0])
    horizons, front = {place.horizon for place in plan.places}, fronts(found)
    return {
        "version": __version__,
        **{name: alone[name] for name in ("threat", "capability", "budget")},
        "horizon": next(iter(horizons)) if len(horizons) == 1 else None,
        **shape_json(arguments, plan.places[0].environment.family),
        "turned": arguments.turned,
        "runs": plan.runs,
        "blocks": plan.blocks,
        "tolerance": plan.tolerance,
        "seed": arguments.seed,
        "results": [
            {
                "attacker": attacker_json(one.attacker),
                "environment": {
                    "name": one.place.name,
                    "title": one.place.title,
                    "means": list(one.place.environment.means),
                },
                "horizon": one.place.horizon,
                "policy": one.game.policy.name,
                "label": str(one.game.policy),
                "line": one.turned.line,
                "parameters": one.game.policy.parameters(),
                "fidelity": one.game.policy.about.fidelity,
                "attack": as_flags(one.price.attack, one.attacker.capability),
                "clean_regret": one.price.clean,
                "learns": one.price.learns,
                "spending": one.price.spending,
                "price": price_json(one.price),
                "limit": one.price.limit,
                "front": number in front,
                "blocks": list(one.price.blocks),
                "by_attack": {as_flags(attack): cost for attack, cost in one.price.by_attack.items()},
                "notes": notes(one.game, one.price),
            }
            for number, one in enumerate(found)
        ],
    }


def attacker_json(attacker: "Attacker") -> dict[str, Any]:
    """Who attacks."""
    can = attacker.capability
    return {
        "name": attacker.name,
        "title": attacker.title,
        "threat": attacker.threat,
        "capability": {**can.parameters(), "words": can.words()} if attacker.threat == "B" else None,
        "unit": "share" if attacker.share else "reward",
        "budget": finite(attacker.budget),
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
        wrong = {
            "share": "plays the best arm in fewer than half of the rounds",
            "regret": "has more than half of the runner-up's regret",
        }
        said.append(f"{wrong[priced.reading]} without any attack: no price, nothing to turn")
    elif missed:
        turned = len(priced.blocks) - missed
        where = f"on {turned} of {len(priced.blocks)} blocks only" if turned else "on no block"
        said.append(f"turned {where}, whatever the attack {'owns' if priced.unit == 'share' else 'spends'}")
    if hasattr(game.policy, "corruption"):
        said.append(f"is told C = {game.policy.corruption:g}, in peace as in war")
    return said


def print_prices(told: dict[str, Any], only_front: bool, wide: bool) -> None:
    """One table an attacker and environment, the cheapest to turn first; of a whole frontier only what is on it."""
    from robandit.cli.sheet import show
    from robandit.cli.tables import price_table

    panels = dict[tuple[str, str], list[dict[str, Any]]]()
    for row in told["results"]:
        panels.setdefault((row["attacker"]["title"], row["environment"]["title"]), []).append(row)
    for rows in panels.values():
        shown = [row for row in rows if row["front"]] if only_front else rows
        beaten = f"On the front: {len(shown)} of {len(rows)}." if only_front else ""
        show(price_table(shown or rows, told, beaten), wide=wide)
        for note in dict.fromkeys(note for row in shown for note in row["notes"]):
            who = ", ".join(row["label"] for row in shown if note in row["notes"])
            show(f"note on {who}: {note}")
