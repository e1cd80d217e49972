"""Statements of the paper: what each says, the function that weighs it, and the verdict that function returns."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import wraps

HOLDS, FAILS, STRONGER, OPEN = "holds", "fails", "holds under a stronger condition", "open"
DEPENDS = "depends on the reading"

# the label: an argument or a counterexample to redo by hand; exactly, but only in the states named; computed
PROVED, ENUMERATED, NUMERICAL = "proved", "enumerated", "numerical"


@dataclass(frozen=True)
class StatementVerdict:
    """A verdict, its evidence and its label.

    `open`: the printed proof fails, the statement is not refuted. `depends on the reading`: true as one may read the
    words, false as another may; the evidence has both.
    """

    verdict: str
    evidence: str
    label: str = NUMERICAL


Weighing = Callable[[], StatementVerdict]
Checks = Iterator[tuple[bool, str]]  # whether a case holds, and which case it is


@dataclass(frozen=True)
class Statement:
    """One sentence of the paper."""

    id: str
    where: str
    text: str
    weigh: Weighing


BY_ID: dict[str, Statement] = {}  # filled by `statement` as the weigh_*.py modules are imported


def statement(id: str, where: str) -> Callable[[Weighing], Weighing]:
    """Marks the function that weighs a statement; its docstring is the paper's sentence."""

    def mark(weigh: Weighing) -> Weighing:
        BY_ID[id] = Statement(id, where, " ".join((weigh.__doc__ or "").split()), weigh)
        return weigh

    return mark


def all_hold(checks: Checks, what: str) -> StatementVerdict:
    """Holds if every check does; fails with the words of the first that does not."""
    checked, broken = 0, []
    for holds, words in checks:
        checked += 1
        if not holds:
            broken.append(words)
    if broken:
        evidence = f"Broken in {len(broken):,} of {checked:,} {what}; the first: {broken[0]}."
        return StatementVerdict(FAILS, evidence, PROVED)
    return StatementVerdict(HOLDS, f"Enumerated in exact fractions: {checked:,} {what}, no exception.", ENUMERATED)


def enumerated(id: str, where: str, what: str) -> Callable[[Callable[[], Checks]], Weighing]:
    """Marks the function that yields the cases of a statement; `what` says what they are."""

    def mark(checks: Callable[[], Checks]) -> Weighing:
        @wraps(checks)
        def weigh() -> StatementVerdict:
            return all_hold(checks(), what)

        return statement(id, where)(weigh)

    return mark


def spell(value: Fraction) -> str:
    """Returns a fraction and, where it is not short, about how much that is."""
    return str(value) if value.denominator < 100 else f"{value} (about {float(value):.3g})"


def spell_state(p: tuple[Fraction, ...]) -> str:
    """Returns a state in words."""
    return "p = (" + ", ".join(str(probability) for probability in p) + ")"
