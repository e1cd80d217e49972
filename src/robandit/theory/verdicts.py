"""What was found about a statement: a word, and the numbers behind it."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

HOLDS, FAILS, STRONGER, OPEN = "holds", "fails", "holds under a stronger condition", "open"

# how it is known: an argument or a counterexample to be redone by hand; exactly, but in the states named only; computed
PROVED, ENUMERATED, NUMERICAL = "proved", "enumerated", "numerical"


@dataclass(frozen=True)
class Finding:
    """A verdict (`open`: the proof given fails, the statement is not refuted), its evidence and how it is known."""

    verdict: str
    evidence: str
    label: str = NUMERICAL


Weighing = Callable[[], Finding]


def all_hold(broken: list[str], checked: int, what: str) -> Finding:
    """Holds if nothing was broken in so many checks, fails with the first exception."""
    if broken:
        return Finding(FAILS, f"Broken in {len(broken):,} of {checked:,} {what}; the first: {broken[0]}.", PROVED)
    return Finding(HOLDS, f"Enumerated in exact fractions: {checked:,} {what}, no exception.", ENUMERATED)


def shown(value: Fraction) -> str:
    """A fraction and, where it is not short, about how much that is."""
    return str(value) if value.denominator < 100 else f"{value} (about {float(value):.3g})"


def told(p: tuple[Fraction, ...]) -> str:
    """A state."""
    return "p = (" + ", ".join(str(probability) for probability in p) + ")"
