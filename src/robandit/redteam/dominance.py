"""Who is on the front: dominance judged with intervals, so that nobody is beaten by chance."""

import math

from robandit.redteam.price import Price
from robandit.redteam.pricing import PolicyPrice


def pareto_front(points: dict[str, Price]) -> list[str]:
    """Policies that no other is surely better than, from the lowest clean regret up; ties stay.

    A policy that does not learn cannot be fooled, so it has no place here, and beats nobody.
    """
    learning = {name: price for name, price in points.items() if price.learns}
    front = [
        name for name, price in learning.items() if not any(surely_better(rival, price) for rival in learning.values())
    ]
    return sorted(front, key=lambda name: (points[name].clean["mean"], -price_range(points[name])[0]))


def comparable(rows: list[PolicyPrice]) -> list[list[int]]:
    """The positions of prices that can be compared: one list per attacker and environment."""
    groups = dict[tuple[str, str], list[int]]()
    for number, row in enumerate(rows):
        groups.setdefault((row.attacker.title, row.environment.title), []).append(number)
    return list(groups.values())


def fronts(rows: list[PolicyPrice]) -> set[int]:
    """The positions of those on the front of their own attacker and environment."""
    chosen = set[int]()
    for group in comparable(rows):
        labels = {str(rows[number].scenario.policy): number for number in group}
        chosen |= {labels[name] for name in pareto_front({name: rows[at].price for name, at in labels.items()})}
    return chosen


def surely_better(one: Price, other: Price) -> bool:
    """Whether one has less clean regret, beyond both 95 % intervals, a higher price, on all blocks, and no more checks.

    Checks are a third cost: a policy that asks for them is never better than one that does without.
    """
    checks = [0.0 if price.checks is None else price.checks["mean"] for price in (one, other)]
    is_better = clean_range(one)[1] < clean_range(other)[0] and price_range(one)[0] > price_range(other)[1]
    return is_better and checks[0] <= checks[1]


def clean_range(price: Price) -> tuple[float, float]:
    """The 95 % interval of the clean regret."""
    mean, half = price.clean["mean"], price.clean["half_width_95"] or 0.0
    return mean - half, mean + half


def price_range(price: Price) -> tuple[float, float]:
    """The cheapest and the most expensive block; one that no attack fooled costs more than all others."""
    prices = [math.inf if block is None else block for block in price.blocks]
    return min(prices), max(prices)
