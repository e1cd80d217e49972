"""From tests to a verdict: what is significant, what that says of a sentence, and what the sentence is then worth.

A claim is looked at in one or more ways (readings, schemes, algorithms); each way holds, fails or stays open.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from robandit.estimates import Estimate, adjust_p_values
from robandit.study.results import Results

Weighing = Callable[[Results, dict[str, Any]], "ClaimVerdict"]
Key = TypeVar("Key")

HOLDS, FAILS, OPEN = "holds", "fails", "open"
LEVEL = 0.05  # of every test, after Holm's correction: the level of the page's 95 % intervals


@dataclass(frozen=True)
class ClaimVerdict:
    """Reproduced, depends, not-reproduced or not-tested, with the numbers behind it."""

    verdict: str
    evidence: str
    figure: str = ""


@dataclass(frozen=True)
class PaperClaim:
    """A sentence of the paper, where it stands, how it is weighed; the note holds whatever is measured."""

    id: str
    text: str
    where: str
    weigh: Weighing
    note: str = ""
    theory: tuple[str, ...] = ()  # the statements of `robandit paper theory` it rests on


DECLARED: list[PaperClaim] = []


def claim(
    id: str, text: str, where: str, *, needs: Sequence[str] = (), note: str = "", theory: tuple[str, ...] = ()
) -> Callable[[Weighing], Weighing]:
    """Declare a claim beside the function that weighs it; it is weighed where the grids it needs are stored."""

    def declare(weigh: Weighing) -> Weighing:
        def weigh_stored(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
            absent = [grid for grid in needs if not results.has(grid)]
            if absent:
                return ClaimVerdict("not-tested", f"Needs the grid {absent[0]}, which is not part of this run.")
            return weigh(results, extras)

        DECLARED.append(PaperClaim(id, text, where, weigh_stored, note, theory))
        return weigh_stored

    return declare


def signs(tests: Mapping[Key, Estimate]) -> dict[Key, int]:
    """1 where a mean is significantly above 0, -1 where below, 0 where these runs cannot say; one family of tests."""
    corrected = adjust_p_values([test.p_value for test in tests.values()])
    return {
        key: 0 if p >= LEVEL else 1 if test.mean > 0 else -1
        for (key, test), p in zip(tests.items(), corrected, strict=True)
    }


def every(values: Iterable[int]) -> str:
    """A sentence about all: one significant exception refutes it, only all significant ones confirm it."""
    listed = list(values)
    return FAILS if -1 in listed else HOLDS if all(sign == 1 for sign in listed) else OPEN


def all_of(outcomes: Iterable[str]) -> str:
    """The same for outcomes: whether all of them hold."""
    return every({HOLDS: 1, FAILS: -1, OPEN: 0}[outcome] for outcome in outcomes)


def verdict_of(headline: Sequence[str], others: Sequence[str] = ()) -> str:
    """Headline ways decide; any other way can turn a clear answer into depends."""
    outcomes = [*headline, *others]
    if HOLDS in outcomes and FAILS in outcomes:
        return "depends"
    if all(outcome == HOLDS for outcome in headline):
        return "reproduced"
    return "not-reproduced" if FAILS in headline else "not-tested"
