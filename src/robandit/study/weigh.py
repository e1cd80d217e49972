"""A claim of a study weighed: a test on each of its cells, one verdict, and the numbers behind it."""

import math
from collections.abc import Callable
from typing import Any

from robandit.estimates import adjust_p_values, estimate_difference
from robandit.study.axes import COORDINATES
from robandit.study.cell import Cell
from robandit.study.claims import StudyClaim
from robandit.study.results import Results

LEVEL = 0.05


def weigh(results: Results, claim: StudyClaim) -> dict[str, Any]:
    """The claim with its verdict and evidence, as a page shows it."""
    words = {"id": claim.id, "text": claim.text, "where": f"grid {claim.grid}", "figure": "", "note": "", "theory": []}
    cells = claim.among(results.study.grid(claim.grid).cells)
    if any(results.trace(cell) is None for cell in cells):
        return {**words, "verdict": "not-tested", "evidence": "Not all of its cells are there yet."}
    verdict, evidence = TESTS[claim.says](results, claim, cells)
    return {**words, "verdict": verdict, "evidence": evidence}


def verdict_of(signs: list[int]) -> str:
    """One significant exception refutes a sentence about all, only all significant ones confirm it."""
    return "fails" if -1 in signs else "holds" if signs and all(sign == 1 for sign in signs) else "open"


def judge_fooled(results: Results, claim: StudyClaim, cells: list[Cell]) -> tuple[str, str]:
    """Whether more than half of the runs of every cell are fooled; or, for `not-fooled`, fewer."""
    counts = [int((results.stored(cell).best_shares < 0.5).sum()) for cell in cells]
    corrected = adjust_p_values([coin_p_value(count, cell.runs) for count, cell in zip(counts, cells, strict=True)])
    wanted = 1 if claim.says == "fooled" else -1
    signs = [
        0 if p >= LEVEL else wanted if 2 * count > cell.runs else -wanted
        for cell, count, p in zip(cells, counts, corrected, strict=True)
    ]
    rows = [f"{cell.policy}: {count} of {cell.runs} runs fooled" for cell, count in zip(cells, counts, strict=True)]
    return verdict_of(signs), "; ".join(rows) + "."


def judge_less_regret(results: Results, claim: StudyClaim, cells: list[Cell]) -> tuple[str, str]:
    """Whether the first of two policies has less regret than the second, run by run, wherever both were played."""
    first, second = claim.policies
    pairs = [(a, b) for a in cells for b in cells if (a.policy, b.policy) == (first, second) and is_same_game(a, b)]
    differences = [estimate_difference(results.finals(a), results.finals(b)) for a, b in pairs]
    corrected = adjust_p_values([one.p_value for one in differences])
    signs = [0 if p >= LEVEL else 1 if one.mean < 0 else -1 for one, p in zip(differences, corrected, strict=True)]
    evidence = "; ".join(f"{one:+,.1f} over {one.count} pairs" for one in differences)
    return verdict_of(signs), f"Regret of {first} minus that of {second}: {evidence}."


def is_same_game(one: Cell, other: Cell) -> bool:
    """Whether two cells differ in the policy only."""
    return all(getattr(one, name) == getattr(other, name) for name in COORDINATES)


def coin_p_value(heads: int, throws: int) -> float:
    """The two-sided p-value of the hypothesis that a coin is fair."""
    tail = min(heads, throws - heads)
    return min(1.0, 2.0 * sum(math.comb(throws, count) for count in range(tail + 1)) / 2.0**throws)


Test = Callable[[Results, StudyClaim, list[Cell]], tuple[str, str]]
TESTS: dict[str, Test] = {"fooled": judge_fooled, "not-fooled": judge_fooled, "less-regret": judge_less_regret}
