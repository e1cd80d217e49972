"""The frontier: clean regret against attack price, for a set of policies on a few environments."""

import math
from dataclasses import dataclass, replace
from typing import Any

from robandit.catalogue import SHIPPED, Catalogue, policy, scaled
from robandit.environments.bernoulli import Bernoulli
from robandit.environments.means import spread_means
from robandit.game import Environment, Policy
from robandit.redteam.price import Price

VARIANTS = {
    "samba:learning_rate": (0.01, 0.02, 0.1),
    "ucb1:scale": (2, 4, 8),
    "tempered-thompson:temper": (3, 30),
}
TOLD = 100.0  # what a policy that must be told C is told, in peace as in war
FAMILIES = ("samba", "ucb1", "tempered-thompson")  # drawn as lines


@dataclass(frozen=True)
class Place:
    """An environment with a name people recognise."""

    title: str
    environment: Environment[Any]


def default_places() -> list[Place]:
    """The paper's grid, equal rivals, and small means as in click-through rates."""
    clicks = (0.02, 0.03, 0.04, 0.04, 0.05, 0.05, 0.06, 0.07, 0.10)
    return [
        Place("the paper's grid: means 0.1, 0.2, ... 0.9", Bernoulli(spread_means(9))),
        Place("equal rivals: eight arms of 0.5, one of 0.6", Bernoulli((0.5,) * 8 + (0.6,))),
        Place("clicks: nine arms of 2 % to 10 %, the runner-up 7 %", Bernoulli(clicks)),
    ]


def default_policies(catalogue: Catalogue = SHIPPED) -> list[Policy[Any]]:
    """Every policy once, with constants that let it learn; SAMBA, UCB1 and tempered Thompson at several strengths."""
    once = [with_told(scaled(cls())) for cls in catalogue.parts("policy").values()]
    more = [policy(f"{name}={value}") for name, values in VARIANTS.items() for value in values]
    return once + more


def with_told(given: Policy[Any]) -> Policy[Any]:
    """A policy that must be told C, told one number throughout: it cannot know what the attacker has."""
    changes: dict[str, Any] = {"corruption": TOLD} if getattr(given, "corruption", 0) is None else {}
    return replace(given, **changes)


def pareto_front(points: dict[str, Price]) -> list[str]:
    """Policies that no other beats in both clean regret and price, from the lowest regret up.

    One that no attack tried turned is dearer than all; one that does not learn has no price.
    """
    dear = {name: price.estimate or math.inf if price.learns else 0.0 for name, price in points.items()}
    front: list[str] = []
    for name in sorted(points, key=lambda name: (points[name].clean["mean"], -dear[name])):
        if dear[name] > (dear[front[-1]] if front else 0.0):
            front.append(name)
    return front
