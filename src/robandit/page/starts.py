"""What a policy's state holds before round one, as a word for each field that a browser can spell out.

The word is found by trying: the policy starts games of several sizes, and one word must fit them all.
"""

import math
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from robandit.errors import PartError
from robandit.game import Floats, Policy, Setting
from robandit.layout import Layout, layout_of

# one entry per arm
ARRAYS: dict[str, Callable[[int], Floats]] = {
    "zeros": np.zeros,
    "ones": np.ones,
    "even": lambda arms: np.full(arms, 1.0 / arms),
    "first": lambda arms: np.eye(arms)[0],
}
SCALARS: dict[str, Callable[[int], float]] = {"0": lambda _: 0, "1": lambda _: 1, "root": math.sqrt}
GAMES = [(arms, horizon) for arms in (2, 3, 7, 20) for horizon in (100, 30_000)]


def describe_start(policy: Policy[Any]) -> dict[str, str]:
    """A word for each field of the state, by its path.

    Raises:
        PartError: for a policy whose state begins in another way, or depends on the horizon or on a parameter.
    """
    states = [(arms, one.start(Setting(arms, horizon))) for arms, horizon in GAMES for one in (policy, *turned(policy))]
    return {path: word_for(policy, path, states) for path, _ in leaves(layout_of(states[0][1]))}


def turned(policy: Policy[Any]) -> list[Policy[Any]]:
    """The policy with each of its numbers at another value."""
    numbers = [item.name for item in fields(policy) if isinstance(getattr(policy, item.name), float)]
    return [replace(policy, **{name: 0.5 * getattr(policy, name) + 0.25}) for name in numbers]


def leaves(layout: Layout, before: str = "") -> list[tuple[str, str]]:
    """The path and kind of each number or array inside."""
    found: list[tuple[str, str]] = []
    for name, kind in layout.items:
        found += leaves(kind, f"{before}{name}.") if isinstance(kind, Layout) else [(before + name, kind)]
    return found


def value_at(value: Any, path: str) -> Any:
    """The value that a path leads to."""
    for name in path.split("."):
        value = getattr(value, name)
    return value


def word_for(policy: Policy[Any], path: str, states: list[tuple[int, Any]]) -> str:
    """The word that fits a field in every game."""
    values = [(arms, value_at(state, path)) for arms, state in states]
    words: dict[str, Callable[[int], Any]] = ARRAYS if isinstance(values[0][1], np.ndarray) else SCALARS
    for word, start in words.items():
        if all(np.shape(value) == np.shape(start(arms)) and np.all(value == start(arms)) for arms, value in values):
            return word
    raise PartError(f"{policy.name}: a browser cannot start it, its {path} begins with {values[0][1]}")
