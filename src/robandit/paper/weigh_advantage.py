"""Claims about SAMBA's advantage: the best baseline's regret over SAMBA's, by C; and the surge in the middle."""

from typing import Any

import numpy as np

from robandit.estimates import estimate, estimate_difference
from robandit.game import Floats
from robandit.paper.estimates import ratio_values, slope_values
from robandit.paper.published import BASELINES, SCHEMES
from robandit.paper.verdicts import ClaimVerdict, claim, every, signs, verdict_of
from robandit.study.results import Results, values


def budgets_of(results: Results) -> list[float]:
    """The levels of corruption above 0, rising."""
    return sorted(budget for budget in values(results.study.grid("levels"), "budget") if budget > 0)


def advantage(results: Results, scheme: str, budget: float) -> Floats:
    """Values whose mean is the regret of the baseline with the lowest mean over SAMBA's."""
    at = {"schedule": scheme, "budget": budget}
    best = min(BASELINES, key=lambda name: results.mean("levels", policy=name, **at))
    return ratio_values(results.runs("levels", policy=best, **at), results.runs("levels", policy="samba", **at))


@claim(
    "largest-at-zero",
    "SAMBA's advantage is largest at C = 0.",
    "Figure 3, section 5",
    needs=("levels",),
)
def largest_at_zero(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds in a scheme where the advantage at C = 0 is significantly above that at every other C."""
    clean, sentences = advantage(results, "start", 0.0), []
    ratios = {(s, c): advantage(results, s, c) for s in SCHEMES for c in budgets_of(results)}
    significant = signs({place: estimate_difference(clean, values) for place, values in ratios.items()})
    outcomes = {scheme: every(significant[scheme, c] for c in budgets_of(results)) for scheme in SCHEMES}
    for scheme, outcome in outcomes.items():
        largest, at = max((estimate(ratios[scheme, c]).mean, c) for c in budgets_of(results))
        sentences.append(f"{scheme}: at most {largest:.2f} (C={at:,.0f}), {outcome}")
    share = estimate(clean)
    evidence = f"Best baseline's regret over SAMBA's, headline reading: {share:.2f} at C=0. "
    evidence += f"Above 0, each tested against that ({len(ratios)} comparisons, Holm):\n" + "; ".join(sentences) + "."
    return ClaimVerdict(verdict_of(list(outcomes.values())), evidence, "levels-by-budget")


@claim(
    "shrinks-with-c",
    "SAMBA's advantage shrinks as C grows.",
    "section 5",
    needs=("levels",),
)
def shrinks_with_c(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds in a scheme where the advantage falls significantly along C."""
    budgets, sentences = budgets_of(results), []
    ratios = {scheme: [advantage(results, scheme, budget) for budget in budgets] for scheme in SCHEMES}
    thousands = [budget / 1000 for budget in budgets]
    falls = {scheme: estimate(-slope_values(samples, thousands)) for scheme, samples in ratios.items()}
    significant = signs(falls)
    for scheme, fall in falls.items():
        first, last = (estimate(ratios[scheme][place]).mean for place in (0, -1))
        sentences.append(f"{scheme}: {first:.2f} to {last:.2f}, {-fall.mean:+.3f} ± {fall.half_width:.3f}")
    evidence = (
        f"Best baseline's regret over SAMBA's, headline reading, from C={budgets[0]:,.0f} to C={budgets[-1]:,.0f}, "
        "and its trend for each 1,000 of C:\n" + "; ".join(sentences) + "."
    )
    shrinks, grows = ([s for s in SCHEMES if significant[s] == side] for side in (1, -1))
    evidence += f"\nIt shrinks significantly in {len(shrinks)} of {len(SCHEMES)} schemes and grows in {len(grows)}."
    return ClaimVerdict(verdict_of([every([sign]) for sign in significant.values()]), evidence, "levels-by-budget")


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
    words = {1: "more than doubles", -1: "does not double", 0: "cannot be told from doubling"}
    said = "; ".join(f"{name} {words[significant[policy]]}" for policy, name in SURGES.items())
    evidence = f"Regret collected after T/4, C={budget:,.0f}, scheme 3:\n" + "; ".join(sentences) + f".\n{said}."
    return ClaimVerdict(verdict_of([blocks], [random]), evidence, "over-time-over-time")


def regret_after(results: Results, policy: str, budget: float, start: int) -> Floats:
    """The regret collected after a round, run by run."""
    trace = results.stored(results.find("over-time", policy=policy, schedule="middle", budget=budget))
    before = int(np.searchsorted(trace.rounds, start, side="right")) - 1
    collected: Floats = trace.regret[:, -1] - trace.regret[:, before]
    return collected
