"""What a law is: a function that plays a part and says what it saw when the law is broken."""

import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from robandit.game import Floats
from robandit.lab.runner import Runner
from robandit.parts import About, Part
from robandit.state import save_values

Law = Callable[[Any], None]


class BrokenLaw(AssertionError):
    """A part broke a law."""


def require(holds: Any, seen: str) -> None:
    """Raise unless the law holds."""
    if not bool(holds):
        raise BrokenLaw(seen)


def abouts(part: Part) -> list[About]:
    """The catalogue lines of a part and of those inside it."""
    inside = (getattr(part, item.name) for item in fields(part))
    own = [part.about] if hasattr(type(part), "about") else []
    return own + [about for value in inside if isinstance(value, Part) for about in abouts(value)]


def waivers(part: Part) -> dict[str, str]:
    """The laws that do not apply to a part, or to one inside it, with the reasons."""
    inside = (getattr(part, item.name) for item in fields(part))
    inherited = {law: reason for value in inside if isinstance(value, Part) for law, reason in waivers(value).items()}
    own = part.about.waived if hasattr(type(part), "about") else {}
    return {**inherited, **getattr(part, "waived", own)}


def check(part: Part, laws: dict[str, Law]) -> None:
    """Every law that is not waived; a waiver is a reason in words."""
    for name, law in laws.items():
        if name in waivers(part):
            continue
        try:
            law(part)
        except BrokenLaw as broken:
            raise BrokenLaw(f"{part} breaks the law {name!r}: {broken}") from broken


def require_distribution(values: Floats | list[float], when: str) -> None:
    """p(t) is on the simplex to 1e-12."""
    probabilities = np.asarray(values)
    total = probabilities.sum()
    if abs(total - 1.0) <= 1e-12 and probabilities.min() >= 0.0:  # called often: words only where it is broken
        return
    wrong = np.flatnonzero(~(probabilities >= 0.0) | np.isinf(probabilities))
    if len(wrong):
        raise BrokenLaw(f"{when} the probability of arm {wrong[0]} is {float(probabilities[wrong[0]])!r}")
    raise BrokenLaw(f"{when} the probabilities sum to {float(total)!r}")


def divergence(seen: float, probability: float) -> float:
    """kl(seen, probability) of two Bernoulli distributions."""
    sides = ((seen, probability), (1.0 - seen, 1.0 - probability))
    return sum(x * math.log(x / y) if y > 0.0 else math.inf for x, y in sides if x > 0.0)


def require_same_play(make: Callable[[], Runner], what: str, effort: str = "full") -> None:
    """Compiled and interpreted plays agree to the last bit: every number, the whole state, the whole memory."""
    fast, slow = make(), make()
    runs = slice(0, fast.scenario.runs)
    compiled, plain = fast.play_compiled(runs, effort).parts, slow.play_interpreted(runs).parts
    for name in ("regret", "paid", "pulls", "best_pulls", "changed", "checks"):
        same = np.array_equal(getattr(fast.buffers, name), getattr(slow.buffers, name))
        require(same, f"{what}: {name} differs between compiled and interpreted play")
    for one, other in ((compiled.state, plain.state), (compiled.memory, plain.memory)):
        require(save_values(one) == save_values(other), f"{what}: {type(one).__name__} differs after the play")
