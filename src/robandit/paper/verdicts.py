"""What weighing a claim of the paper needs: its tables, the readings, and verdicts only where the cells are there."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from robandit.study.results import Results, values

Weighing = Callable[[Results, dict[str, Any]], "Verdict"]

K_SWEEP = {  # the paper's Table 3
    "samba": {6: 629.9, 8: 884.2, 10: 1054.8, 15: 1722.7, 20: 2947.4, 30: 3534.4},
    "fast-slow-aae": {6: 1473.7, 8: 2265.3, 10: 3519.8, 15: 7955.8, 20: 10269.1, 30: 12661.2},
    "barbar": {6: 2010.5, 8: 8813.9, 10: 3599.2, 15: 4800.7, 20: 8675.4, 30: 10695.7},
    "cbarbar": {6: 4189.2, 8: 6901.2, 10: 6285.2, 15: 11874.3, 20: 12668.2, 30: 14644.0},
    "ftrl-hybrid": {6: 2038.3, 8: 2839.5, 10: 3322.7, 15: 4575.6, 20: 8460.1, 30: 10189.2},
}
FIVE = {  # the paper's five, under the names of its tables
    "samba": "SAMBA",
    "fast-slow-aae": "Fast-Slow",
    "barbar:scale=1": "BARBAR",
    "cbarbar:scale=1": "CBARBAR",
    "ftrl-hybrid": "OMD",
}
BASELINES = [name for name in FIVE if name != "samba"]
SCHEMES = ("start", "even", "middle", "random")
READINGS = ("invert-rounds", "lift-others-rounds", "flip-cost", "invert-cost", "lift-others-cost")


@dataclass(frozen=True)
class Verdict:
    """What was found about a claim: reproduced, depends, not-reproduced or not-tested, and the numbers."""

    verdict: str
    evidence: str
    figure: str = ""


TOO_FEW = Verdict("not-tested", "Fewer than 25 runs of the baselines cannot decide a ranking.")


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


def enough(results: Results, grid: str) -> bool:
    """Whether the baselines have runs enough to tell a ranking."""
    return min(cell.runs for cell in results.study.grid(grid).cells) >= 25


def settings(results: Results, grid: str) -> list[tuple[str, float]]:
    """The distinct (scheme, C) of a levels grid; C = 0 once."""
    budgets = [budget for budget in values(results.study.grid(grid), "budget") if budget > 0]
    return [("start", 0.0)] + [(scheme, budget) for scheme in SCHEMES for budget in budgets]
