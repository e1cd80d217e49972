"""Claims about conditions: how large a step may be, and which attacker is the stronger one."""

from typing import Any

import numpy as np

from robandit.estimates import Estimate, estimate, estimate_difference
from robandit.game import Floats
from robandit.paper.verdicts import FAILS, HOLDS, OPEN, ClaimVerdict, all_of, claim, every, signs, verdict_of
from robandit.paper.weigh_gaps import gap, limit, step
from robandit.study.cell import Cell
from robandit.study.results import Results, values

# Where no run at all ends wrong, the true share may still be 3/n (the rule of three); 300 runs leave 1 %.
ENOUGH = 300


@claim(
    "alpha-condition",
    "The guarantee needs alpha < Delta/(r* - Delta).",
    "Fact 1, Theorem 2",
    needs=("step-sizes",),
    note=(
        "With means i/(K+1) the limit is 1/(K-1), so the paper's alpha = 0.05 breaks the condition from K = 21 on, "
        "and at K = 30 of its own table."
    ),
    theory=("inverse-drift", "zeta"),
)
def alpha_condition(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds where no step below the limit ends wrong and the worst above does so significantly more often."""
    cells = sorted(results.study.grid("step-sizes").cells, key=step)
    wrong = {cell: ended_wrong(results, cell) for cell in cells}
    below, above = ([c for c in cells if (step(c) < limit(c)) == side] for side in (True, False))
    worst_below, worst_above = (max(side, key=lambda cell: float(wrong[cell].mean())) for side in (below, above))
    tests: dict[Any, Estimate] = {cell: estimate(runs) for cell, runs in wrong.items()}
    tests["contrast"] = estimate_difference(wrong[worst_above], wrong[worst_below])
    significant = signs(tests)
    below_limit = FAILS if any(significant[c] == 1 for c in below) else HOLDS
    harmless = not any(significant[c] == 1 for c in above) and min(c.runs for c in above) >= ENOUGH
    above_limit = HOLDS if significant["contrast"] == 1 else FAILS if harmless else OPEN
    listed = ", ".join(f"{step(c):g}: {100 * wrong[c].mean():.1f} %{'*' if significant[c] else ''}" for c in cells)
    evidence = (
        f"Runs (of {cells[0].runs}, T = {cells[0].horizon:,}) that spend most of the last stretch on a wrong arm, by "
        f"step size: {listed} (* significantly above 0). The theorem's limit here is {limit(cells[0]):.3g}: "
        f"significant in {sum(significant[c] == 1 for c in below)} of {len(below)} steps below it and in "
        f"{sum(significant[c] == 1 for c in above)} of {len(above)} above; worst above minus worst below "
        f"{100 * tests['contrast'].mean:+.1f} ± {100 * tests['contrast'].half_width:.1f} % of runs."
    )
    return ClaimVerdict(verdict_of([all_of([below_limit, above_limit])]), evidence, "step-sizes-regret")


def ended_wrong(results: Results, cell: Cell) -> Floats:
    """1 for every run that is mostly on a wrong arm in its last stretch."""
    trace = results.stored(cell)
    last = (trace.regret[:, -1] - trace.regret[:, -2]) / (trace.rounds[-1] - trace.rounds[-2])
    return np.asarray(last > 0.5 * gap(cell), dtype=np.float64)


@claim(
    "adversary-power",
    "The paper's adversary could be more powerful than the classic one with the same C.",
    "section 2.2",
    needs=("power-before", "power-after"),
    note=(
        "The paper compares constraints, not attacks, and does not say whether the classic adversary knows which arm "
        "was drawn. Here it does, and pays only in rounds that show the best arm; without that it is no stronger. "
        "Wang, Zuo, Liu, Lui & Hajiesmaili (2025, recalled) prove such a separation."
    ),
    theory=("adversary-power",),
)
def adversary_power(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds at a budget where moving the means before the draw does significantly more harm."""
    clean = results.runs("power-before", budget=0)
    budgets, sentences, tests = values(results.study.grid("power-after"), "budget"), [], {}
    for budget in budgets:
        before, after = (results.runs(grid, budget=budget) for grid in ("power-before", "power-after"))
        tests[budget] = estimate_difference(before, after)
        costs = [estimate_difference(struck, clean).mean / budget for struck in (before, after)]
        sentences.append(
            f"C={budget:g}: {before.mean():,.0f} before the draw, {after.mean():,.0f} after it "
            f"({costs[0]:.1f} and {costs[1]:.1f} per unit of C), difference {tests[budget]:+,.0f}"
        )
    significant = signs(tests)
    cell = results.study.grid("power-before").cells[0]
    sides = list(significant.values())
    evidence = (
        f"Means {', '.join(f'{mean:g}' for mean in cell.means)}, {cell.policy}, T = {cell.horizon:,}, regret "
        f"{clean.mean():,.0f} without corruption.\n{'; '.join(sentences)}.\nMoving the means before the draw does "
        f"significantly more harm at {sides.count(1)} of {len(sides)} budgets, significantly less at {sides.count(-1)}."
    )
    return ClaimVerdict(verdict_of([every([sign]) for sign in sides]), evidence, "power-after-by-budget")
