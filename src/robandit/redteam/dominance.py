"""Who is on the front: dominance judged with intervals, so that luck beats nobody."""

import math

from robandit.redteam.frontier import Priced
from robandit.redteam.price import Price


def pareto_front(points: dict[str, Price]) -> list[str]:
    """Policies that no other is surely better than, from the lowest clean regret up; ties stay.

    One that does not learn has nothing to turn, so it has no place here, and beats nobody.
    """
    learning = {name: price for name, price in points.items() if price.learns}
    front = [
        name for name, price in learning.items() if not any(surely_better(rival, price) for rival in learning.values())
    ]
    return sorted(front, key=lambda name: (points[name].clean["mean"], -price_range(points[name])[0]))


def panels(found: list[Priced]) -> list[list[int]]:
    """The places of prices in a list that can be compared: one attacker, one environment."""
    groups = dict[tuple[str, str], list[int]]()
    for number, one in enumerate(found):
        groups.setdefault((one.attacker.title, one.place.title), []).append(number)
    return list(groups.values())


def fronts(found: list[Priced]) -> set[int]:
    """The places in the list of those on the front of their own panel."""
    chosen = set[int]()
    for panel in panels(found):
        labels = {str(found[number].game.policy): number for number in panel}
        chosen |= {labels[name] for name in pareto_front({name: found[at].price for name, at in labels.items()})}
    return chosen


def surely_better(one: Price, other: Price) -> bool:
    """Whether one has less clean regret, beyond both 95 % intervals, and a higher price, on all blocks of both."""
    return clean_range(one)[1] < clean_range(other)[0] and price_range(one)[0] > price_range(other)[1]


def clean_range(price: Price) -> tuple[float, float]:
    """The 95 % interval of the clean regret."""
    mean, half = price.clean["mean"], price.clean["half_width_95"] or 0.0
    return mean - half, mean + half


def price_range(price: Price) -> tuple[float, float]:
    """The cheapest and the dearest block; a block that no attack turned is dearer than all."""
    return min(map(dear, price.blocks)), max(map(dear, price.blocks))


def dear(block: float | None) -> float:
    """A block's price as a number to compare."""
    return math.inf if block is None else block
