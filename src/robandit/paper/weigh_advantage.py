"""Claims about SAMBA's advantage: the best baseline's regret over SAMBA's, by C; and the surge in the middle."""

from typing import Any

import numpy as np

from robandit.estimates import estimate, estimate_difference
from robandit.game import Floats
from robandit.paper.estimates import ratio_values, slope_values
from robandit.paper.published import SCHEMES, baselines_of
from robandit.paper.verdicts import ClaimVerdict, claim, every, signs, verdict_of
from robandit.study.results import Results, values


def budgets_of(results: Results) -> list[float]:
    """The levels of corruption above 0, rising."""
    return sorted(budget for budget in values(results.study.grid("levels"), "budget") if budget > 0)


def grids_of(results: Results) -> dict[str, str]:
    """The headline grid and, where it is there, the one whose baselines pull in blocks; in words."""
    named = {"levels": "Headline reading", "levels-blocks": "Blocks"}
    return {grid: name for grid, name in named.items() if results.has(grid)}


def advantage(results: Results, grid: str, scheme: str, budget: float) -> Floats:
    """Values whose mean is the regret of the baseline with the lowest mean over SAMBA's."""
    at = {"schedule": scheme, "budget": budget}
    best = min(baselines_of(grid), key=lambda name: results.mean(grid, policy=name, **at))
    return ratio_values(results.runs(grid, policy=best, **at), results.runs(grid, policy="samba", **at))


@claim(
    "largest-at-zero",
    "SAMBA's advantage is largest at C = 0.",
    "Figure 3, section 5",
    needs=("levels",),
    note=(
        "Fast-Slow expects the play's C. At C = 0 it draws its slow copy always, the fast one never: its regret there "
        "is above that at C = 1,000."
    ),
)
def largest_at_zero(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds in a scheme where the advantage at C = 0 is significantly above that at every other C."""
    budgets, grids = budgets_of(results), grids_of(results)
    clean = {grid: advantage(results, grid, "start", 0.0) for grid in grids}
    ratios = {(g, s, c): advantage(results, g, s, c) for g in grids for s in SCHEMES for c in budgets}
    significant = signs({place: estimate_difference(clean[place[0]], values) for place, values in ratios.items()})
    outcomes = {(g, s): every(significant[g, s, c] for c in budgets) for g in grids for s in SCHEMES}
    lines = [
        f"Best baseline's regret over SAMBA's; above C=0 each tested against C=0 ({len(ratios)} comparisons, Holm)."
    ]
    for grid, name in grids.items():
        sentences = []
        for scheme in SCHEMES:
            largest, at = max((estimate(ratios[grid, scheme, c]).mean, c) for c in budgets)
            sentences.append(f"{scheme}: at most {largest:.2f} (C={at:,.0f}), {outcomes[grid, scheme]}")
        lines.append(f"{name}: {estimate(clean[grid]):.2f} at C=0; {'; '.join(sentences)}.")
    headline, others = ([o for (g, _), o in outcomes.items() if (g == "levels") == side] for side in (True, False))
    return ClaimVerdict(verdict_of(headline, others), "\n".join(lines), "levels-by-budget")


@claim(
    "shrinks-with-c",
    "SAMBA's advantage shrinks as C grows.",
    "section 5",
    needs=("levels",),
)
def shrinks_with_c(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds in a scheme where the advantage falls significantly along C."""
    budgets, grids = budgets_of(results), grids_of(results)
    ratios = {(g, s): [advantage(results, g, s, budget) for budget in budgets] for g in grids for s in SCHEMES}
    thousands = [budget / 1000 for budget in budgets]
    falls = {place: estimate(-slope_values(samples, thousands)) for place, samples in ratios.items()}
    significant = signs(falls)
    lines = [
        f"Best baseline's regret over SAMBA's from C={budgets[0]:,.0f} to C={budgets[-1]:,.0f}, and its trend for each "
        "1,000 of C."
    ]
    for grid, name in grids.items():
        sentences = []
        for scheme in SCHEMES:
            fall = falls[grid, scheme]
            first, last = (estimate(ratios[grid, scheme][place]).mean for place in (0, -1))
            sentences.append(f"{scheme}: {first:.2f} to {last:.2f}, {-fall.mean:+.3f} ± {fall.half_width:.3f}")
        sides = [significant[grid, scheme] for scheme in SCHEMES]
        lines.append(
            f"{name}: {'; '.join(sentences)}. It shrinks significantly in {sides.count(1)} of {len(SCHEMES)} schemes "
            f"and grows in {sides.count(-1)}."
        )
    headline, others = ([every([s]) for (g, _), s in significant.items() if (g == "levels") == side] for side in (1, 0))
    return ClaimVerdict(verdict_of(headline, others), "\n".join(lines), "levels-by-budget")


SURGES = {"samba": "SAMBA", "barbar:scale=1,pulls=blocks": "BARBAR in blocks", "barbar:scale=1": "BARBAR at random"}


@claim(
    "barbar-surge",
    "Corruption in the middle makes BARBAR's regret surge; SAMBA tolerates it.",
    "Figure 4",
    needs=("over-time",),
    note="The paper pulls arm by arm in blocks; BARBAR's analysis asks for random pulls.",
)
def barbar_surge(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds where BARBAR surges and SAMBA does not; the paper pulls in blocks, random pulls are another way."""
    grid = results.study.grid("over-time")
    horizon, budget = grid.cells[0].horizon, max(values(grid, "budget"))
    tests, sentences = {}, []
    for policy, name in SURGES.items():
        clean, struck = (regret_after(results, policy, c, horizon // 4) for c in (0.0, budget))
        # A surge is read as more than doubling what the policy collects in these rounds anyway, and to tolerate
        # is to stay below that: the text gives no number, and one limit for both favours neither.
        tests[policy] = estimate(struck - 2.0 * clean)
        extra = estimate_difference(struck, clean)
        sentences.append(f"{name} {clean.mean():,.0f} without corruption, {extra:+,.0f} with it")
    significant = signs(tests)
    blocks, random = (every([significant[policy], -significant["samba"]]) for policy in list(SURGES)[1:])
    words = {1: "more than doubles", -1: "does not double", 0: "cannot be distinguished from doubling"}
    said = "; ".join(f"{name} {words[significant[policy]]}" for policy, name in SURGES.items())
    evidence = f"Regret collected after T/4, C={budget:,.0f}, scheme 3:\n" + "; ".join(sentences) + f".\n{said}."
    return ClaimVerdict(verdict_of([blocks], [random]), evidence, "over-time-over-time")


def regret_after(results: Results, policy: str, budget: float, start: int) -> Floats:
    """The regret collected after a round, run by run."""
    trace = results.stored(results.find("over-time", policy=policy, schedule="middle", budget=budget))
    before = int(np.searchsorted(trace.rounds, start, side="right")) - 1
    collected: Floats = trace.regret[:, -1] - trace.regret[:, before]
    return collected
