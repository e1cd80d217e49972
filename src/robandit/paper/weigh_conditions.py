"""Claims about conditions: how large a step may be, and which attacker is the stronger one."""

from typing import Any

from robandit.paper.verdicts import FAILS, HOLDS, OPEN, Verdict, all_of, every, needs, signs, verdict_of
from robandit.paper.weigh_gaps import gap, limit, step
from robandit.study.results import Results, values
from robandit.study.statistics import estimate, paired

# Where no run at all ends wrong, the true share may still be 3/n (the rule of three); 300 runs leave 1 %.
ENOUGH = 300


@needs("step-sizes")
def alpha_condition(results: Results, extras: dict[str, Any]) -> Verdict:
    cells = sorted(results.study.grid("step-sizes").cells, key=step)
    wrong = {}
    for cell in cells:
        trace = results.trace(cell)
        assert trace is not None
        last = (trace.regret[:, -1] - trace.regret[:, -2]) / (trace.rounds[-1] - trace.rounds[-2])
        wrong[cell] = estimate((last > 0.5 * gap(cell)).astype(float))  # mostly on an arm that is not the best
    found = signs(wrong)
    below, above = ([c for c in cells if (step(c) < limit(c)) == side] for side in (True, False))
    kept = FAILS if any(found[c] == 1 for c in below) else HOLDS
    broken = HOLDS if any(found[c] == 1 for c in above) else FAILS if min(c.runs for c in above) >= ENOUGH else OPEN
    shown = ", ".join(f"{step(c):g}: {100 * wrong[c].mean:.1f} %{'*' if found[c] else ''}" for c in cells)
    evidence = (
        f"Runs (of {cells[0].runs}, T = {cells[0].horizon:,}) that spend most of the last stretch on a wrong arm, by "
        f"step size: {shown} (* significantly above 0). The theorem's limit here is {limit(cells[0]):.3g}: "
        f"significant in {sum(found[c] == 1 for c in below)} of {len(below)} steps below it and in "
        f"{sum(found[c] == 1 for c in above)} of {len(above)} above."
    )
    return Verdict(verdict_of([all_of([kept, broken])]), evidence, "step-sizes-regret")


@needs("power-before", "power-after")
def adversary_power(results: Results, extras: dict[str, Any]) -> Verdict:
    clean = results.runs("power-before", budget=0)
    budgets, told, tests = values(results.study.grid("power-after"), "budget"), [], {}
    for budget in budgets:
        before, after = (results.runs(grid, budget=budget) for grid in ("power-before", "power-after"))
        tests[budget] = paired(before, after)
        costs = [paired(struck, clean).mean / budget for struck in (before, after)]
        told.append(
            f"C={budget:g}: {before.mean():,.0f} before the draw, {after.mean():,.0f} after it "
            f"({costs[0]:.1f} and {costs[1]:.1f} per unit of C), difference {tests[budget].mean:+,.0f} ± "
            f"{tests[budget].half:,.0f}"
        )
    found = signs(tests)
    cell = results.study.grid("power-before").cells[0]
    sides = list(found.values())
    evidence = (
        f"Means {', '.join(f'{mean:g}' for mean in cell.means)}, {cell.policy}, T = {cell.horizon:,}, regret "
        f"{clean.mean():,.0f} without corruption.\n{'; '.join(told)}.\nMoving the means before the draw does "
        f"significantly more harm at {sides.count(1)} of {len(sides)} budgets, significantly less at {sides.count(-1)}."
    )
    return Verdict(verdict_of([every([sign]) for sign in sides]), evidence, "power-after-by-budget")
