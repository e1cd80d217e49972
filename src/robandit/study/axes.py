"""The axes of a study, each declared once: its name in a spec, its check, the field of a cell, and its words."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from robandit.adversaries.attacks import check_size
from robandit.catalogue import Catalogue, read_capability
from robandit.environments.means import check_means, spread_means
from robandit.errors import InputError, unknown, whole
from robandit.lab.scenario import CHARGES

Read = Callable[[Any, Catalogue], Any]
GAME, ATTACKER, SCALE = range(3)  # reports name coordinates in this order; without an attacker the second have no value


@dataclass(frozen=True)
class Axis:
    """What a grid can vary.

    Args:
        name: the field of a spec that lists the values.
        field: the coordinate of a cell that takes one of them.
        default: the value where the spec says nothing.
        read: checks a value and returns it as a cell holds it, or raises InputError.
        group: GAME, ATTACKER or SCALE.
        heading: of a column, where it is not the field.
        label: of the axis of a figure.
        title: the format of a value in the title of a panel.
    """

    name: str
    field: str
    default: Any
    read: Read
    group: int
    heading: str = ""
    label: str = ""
    title: str = ""


def read_whole(least: int) -> Read:
    """A check for whole numbers from `least` on; 1e5 is one too."""
    return lambda value, _: whole("", value, least)


def read_number(allowed: str, most: float) -> Read:
    """A check for numbers from 0 to `most`."""

    def read(value: Any, _: Catalogue) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
            raise InputError(f"must be a number {allowed}, not {value!r}")
        return float(value)

    return read


def read_text(check: Callable[[Catalogue, str], Any]) -> Read:
    """A check for the text of a part, which makes the part and keeps the text."""

    def read(value: Any, catalogue: Catalogue) -> str:
        if not isinstance(value, str):
            raise InputError(f"must be text, not {value!r}")
        check(catalogue, value)
        return value

    return read


def read_charge(value: Any, _: Catalogue) -> Any:
    """What the attacker is charged for."""
    if value not in CHARGES:
        raise unknown("value", str(value), CHARGES)
    return value


def read_size(value: Any, _: Catalogue) -> str:
    """How far an attack moves the means."""
    check_size(value)
    return str(value)


def read_means(value: Any, _: Catalogue) -> Any:
    """Means as a tuple, or the rule for them."""
    if isinstance(value, list):
        return check_means(value)
    means_by_rule(str(value), 2)
    return value


def means_by_rule(rule: str, arms: int) -> tuple[float, ...]:
    """Means for a number of arms: grid (i/(K+1)), linspace (0 to 1) or uniform:DRAW (the DRAW-th random draw)."""
    name, _, draw = rule.partition(":")
    if name == "grid" and not draw:
        return spread_means(arms)
    if name == "linspace" and not draw:
        return tuple(np.linspace(0.0, 1.0, arms).tolist())
    if name == "uniform" and draw.isdigit():
        return tuple(np.random.default_rng([arms, int(draw)]).uniform(size=arms).tolist())
    raise InputError(f"must be grid, linspace, uniform:DRAW or lists of numbers, not {rule!r}")


AXES = (  # cells are listed in this order, the last axis fastest
    Axis("policies", "policy", [], lambda value, catalogue: str(catalogue.policy(value)), GAME),
    Axis(
        "environments",
        "environment",
        "bernoulli",
        read_text(lambda catalogue, text: catalogue.find("environment", text)),
        GAME,
        title="{}",
    ),
    Axis("arms", "arms", 9, read_whole(1), GAME, "K", "number of arms K", "K = {:,}"),
    Axis("means", "means", "grid", read_means, GAME, title="game {}"),
    Axis("attacks", "attack", "flip", read_text(lambda catalogue, text: catalogue.attack(text, budget=1)), ATTACKER),
    Axis(
        "schedules", "schedule", "start", read_text(lambda catalogue, text: catalogue.make("schedule", text)), ATTACKER
    ),
    Axis("sizes", "size", "full", read_size, ATTACKER),
    Axis("charges", "charge", "cost", read_charge, ATTACKER),
    Axis("can", "can", "both", lambda value, _: str(read_capability(value)), ATTACKER),
    Axis(
        "shares",
        "share",
        1,
        read_number("from 0 to 1", 1.0),
        ATTACKER,
        "ring's share",
        "share of rounds that are the attacker's",
        "a ring of {:.3g} of the rounds",
    ),
    Axis("agents", "agents", 1, read_whole(1), GAME, "V", "agents V", "{} agents"),
    Axis("slates", "slate", 1, read_whole(1), GAME, "M", "items shown at once M", "slates of {}"),
    Axis(
        "budgets", "budget", 0, read_number("of at least 0", math.inf), SCALE, "C", "corruption budget C", "C = {:,g}"
    ),
    Axis("horizons", "horizon", 100_000, read_whole(1), SCALE, "T", "horizon T", "T = {:,}"),
    Axis("seeds", "seed", 1, read_whole(0), SCALE),
)
COORDINATES = {axis.field: axis for axis in sorted(AXES, key=lambda axis: axis.group) if axis.field != "policy"}
ADVERSARIAL = tuple(axis.field for axis in AXES if axis.group == ATTACKER)
ALONG = ("budget", "arms", "horizon", "share", "agents", "slate")  # a figure goes along the longest, in doubt the first
