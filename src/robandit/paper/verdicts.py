"""From tests to a verdict: what is significant, what that says of a sentence, and what the sentence is then worth.

A claim is looked at in one or more ways (readings, schemes, algorithms); each way holds, fails or stays open.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from robandit.estimates import Estimate, adjust_p_values
from robandit.study.results import Results

Weighing = Callable[[Results, dict[str, Any]], "Verdict"]
Key = TypeVar("Key")

HOLDS, FAILS, OPEN = "holds", "fails", "open"
LEVEL = 0.05  # of every test, after Holm's correction: the level of the page's 95 % intervals


@dataclass(frozen=True)
class Verdict:
    """What was found about a claim: reproduced, depends, not-reproduced or not-tested, and the numbers."""

    verdict: str
    evidence: str
    figure: str = ""


def needs(*grids: str) -> Callable[[Weighing], Weighing]:
    """A weighing that is only made when these grids are there in full."""

    def wrap(weigh: Weighing) -> Weighing:
        def careful(results: Results, extras: dict[str, Any]) -> Verdict:
            absent = [grid for grid in grids if not results.has(grid)]
            if absent:
                return Verdict("not-tested", f"Needs the grid {absent[0]}, which is not part of this run.")
            return weigh(results, extras)

        return careful

    return wrap


def signs(tests: Mapping[Key, Estimate]) -> dict[Key, int]:
    """1 where a mean is significantly above 0, -1 where below, 0 where these runs cannot tell; one family of tests."""
    corrected = adjust_p_values([test.p_value for test in tests.values()])
    return {
        key: 0 if p >= LEVEL else 1 if test.mean > 0 else -1
        for (key, test), p in zip(tests.items(), corrected, strict=True)
    }


def every(found: Iterable[int]) -> str:
    """A sentence about all of them: one significant exception refutes it, only all significant ones confirm it."""
    told = list(found)
    return FAILS if -1 in told else HOLDS if all(sign == 1 for sign in told) else OPEN


def all_of(outcomes: Iterable[str]) -> str:
    """The same for outcomes: whether all of them hold."""
    return every({HOLDS: 1, FAILS: -1, OPEN: 0}[outcome] for outcome in outcomes)


def verdict_of(headline: Sequence[str], others: Sequence[str] = ()) -> str:
    """Headline ways decide; any other way can turn a clear answer into depends."""
    told = [*headline, *others]
    if HOLDS in told and FAILS in told:
        return "depends"
    if all(outcome == HOLDS for outcome in headline):
        return "reproduced"
    return "not-reproduced" if FAILS in headline else "not-tested"
