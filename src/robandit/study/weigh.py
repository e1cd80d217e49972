"""A claim of a study weighed: a test on each of its cells, one verdict, and the numbers behind it."""

import math
from collections.abc import Callable
from typing import Any

from robandit.estimates import adjust_p_values, estimate_difference
from robandit.study.cell import Cell
from robandit.study.claims import COORDINATES, Claim
from robandit.study.results import Results

LEVEL = 0.05


def weighed(results: Results, claim: Claim) -> dict[str, Any]:
    """The claim as a page tells it."""
    told = {"id": claim.id, "text": claim.text, "where": f"grid {claim.grid}", "figure": "", "note": "", "theory": []}
    cells = claim.among(results.study.grid(claim.grid).cells)
    if any(results.trace(cell) is None for cell in cells):
        return {**told, "verdict": "not-tested", "evidence": "Not all of its cells are there yet."}
    verdict, evidence = WEIGHED[claim.says](results, claim, cells)
    return {**told, "verdict": verdict, "evidence": evidence}


def verdict_of(signs: list[int]) -> str:
    """One significant exception refutes a sentence about all, only all significant ones confirm it."""
    return "fails" if -1 in signs else "holds" if signs and all(sign == 1 for sign in signs) else "open"


def turned(results: Results, claim: Claim, cells: list[Cell]) -> tuple[str, str]:
    """Whether more than half of the runs of every cell are turned; or, for `not-turned`, fewer."""
    found = []
    for cell in cells:
        trace = results.trace(cell)
        assert trace is not None
        found.append((cell, int((trace.best_shares < 0.5).sum()), len(trace.regret)))
    corrected = adjust_p_values([coin_p(count, runs) for _, count, runs in found])
    wanted = 1 if claim.says == "turned" else -1
    signs = [
        0 if p >= LEVEL else wanted if 2 * count > runs else -wanted
        for (_, count, runs), p in zip(found, corrected, strict=True)
    ]
    evidence = "; ".join(f"{cell.policy}: {count} of {runs} runs turned" for cell, count, runs in found)
    return verdict_of(signs), evidence + "."


def less(results: Results, claim: Claim, cells: list[Cell]) -> tuple[str, str]:
    """Whether the first of two policies has less regret than the second, run by run, wherever both were played."""
    first, second = claim.policies
    pairs = [(a, b) for a in cells for b in cells if (a.policy, b.policy) == (first, second) and same_game(a, b)]
    found = [estimate_difference(results.stored(a), results.stored(b)) for a, b in pairs]
    corrected = adjust_p_values([one.p_value for one in found])
    signs = [0 if p >= LEVEL else 1 if one.mean < 0 else -1 for one, p in zip(found, corrected, strict=True)]
    evidence = "; ".join(f"{one:+,.1f} over {one.count} pairs" for one in found)
    return verdict_of(signs), f"Regret of {first} minus that of {second}: {evidence}."


def same_game(one: Cell, other: Cell) -> bool:
    """Whether two cells differ in the policy only."""
    return all(getattr(one, name) == getattr(other, name) for name in (*COORDINATES[:-1], "means"))


def coin_p(heads: int, throws: int) -> float:
    """The two-sided p-value of a fair coin."""
    tail = min(heads, throws - heads)
    return min(1.0, 2.0 * sum(math.comb(throws, count) for count in range(tail + 1)) / 2.0**throws)


Weighing = Callable[[Results, Claim, list[Cell]], tuple[str, str]]
WEIGHED: dict[str, Weighing] = {"turned": turned, "not-turned": turned, "less-regret": less}
