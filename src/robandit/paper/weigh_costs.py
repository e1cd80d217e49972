"""Claims about computing time, from measurements made beside the study."""

import math
from typing import Any

import numpy as np

from robandit.estimates import Estimate, estimate
from robandit.paper.estimates import FLAT, SQUARE, power_tests, power_values, slope_values
from robandit.paper.verdicts import FAILS, HOLDS, OPEN, ClaimVerdict, claim, every, signs, verdict_of
from robandit.paper.weigh_growth import format_power
from robandit.study.results import Results

FASTER = 500  # "more than 500 times"


@claim(
    "faster-than-omd",
    "SAMBA runs more than 500 times faster than OMD.",
    "Table 2, section 5",
    note=(
        "The paper's 1,733 s are 17 ms for each of 100,000 steps of 9 unknowns, and it names no solver; here Newton's "
        "method solves them. A factor between two algorithms is a factor between two solvers too."
    ),
)
def faster_than_omd(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds where the ratio of CPU times is significantly above what the claim says."""
    times = extras.get("timing")
    if not times:
        return ClaimVerdict("not-tested", "The time table was not measured in this rendering.")
    ratios = np.array(times["ftrl-hybrid"]["ratios"])
    significant = signs({"omd": estimate(ratios - FASTER)})
    listed = [
        f"{name} costs {times[name]['ratio']:.1f} times a SAMBA run ({min(times[name]['ratios']):.1f} to "
        f"{max(times[name]['ratios']):.1f} within one of {len(ratios)} interleaved repeats)"
        for name in ("ftrl-hybrid", "tsallis-inf-iw")
        if name in times
    ]
    paper = times["ftrl-hybrid"]["paper_ratio"]
    evidence = f"CPU time here, the fastest of each: {', '.join(listed)}. The paper's table gives {paper:.0f}."
    return ClaimVerdict(verdict_of([every(significant.values())]), evidence, "time")


@claim(
    "ftpl-cost",
    "The variance of FTPL's cost per round is O(T), its mean O(K).",
    "section 1.2",
    note=(
        "Geometric resampling draws 1/p_a times on average for the arm a it chose: K over all arms, whatever p is. "
        "Each resample draws one noise per arm, so the operations are K^2; conditional resampling needs K log K."
    ),
)
def ftpl_cost(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds for a way of resampling whose variance is linear in T, with a mean flat in T and linear in K."""
    measured = extras.get("ftpl")
    if not measured:
        return ClaimVerdict("not-tested", "The cost of resampling was not measured in this run.")
    tests: dict[tuple[str, str], Estimate] = {}
    sentences = []
    for resampling, rows in measured.items():
        horizons = [row["horizon"] for row in rows]
        spread, mean = (power_values([np.array(row[of]) for row in rows], horizons) for of in ("variances", "means"))
        tests |= power_tests({resampling: spread})
        tests |= {} if mean is None else {(resampling, "flat"): estimate(FLAT - mean)}
        listed = ", ".join(f"{row['mean']:.1f} and {row['variance']:,.0f} at T={row['horizon']:,}" for row in rows)
        powers = [f"T^{format_power(power)}" for power in (mean, spread)]
        sentences.append(f"{resampling.capitalize()}: {listed}, growing as {powers[0]} and {powers[1]}")
    for resampling, rows in (extras.get("ftpl_arms") or {}).items():
        arms = [row["arms"] for row in rows]
        operations = power_values([row["arms"] * np.array(row["means"]) for row in rows], arms)
        tests |= {} if operations is None else {(resampling, "arms"): estimate(SQUARE - operations)}
        listed = ", ".join(f"{row['mean']:.1f} at K={row['arms']}" for row in rows)
        sentences.append(
            f"{resampling.capitalize()}, by arms: {listed} resamples, each of K noises, so that operations grow as "
            f"K^{format_power(operations)}"
        )
    significant = signs(tests)
    weighed = ("above", "below", "flat", *(("arms",) if extras.get("ftpl_arms") else ()))
    outcomes = [every(significant.get((name, test), 0) for test in weighed) for name in measured]
    evidence = "Mean and variance of the resamples per round, 9 arms, no corruption.\n" + ".\n".join(sentences) + "."
    return ClaimVerdict(verdict_of(outcomes[:1], outcomes[1:]), evidence)


def growth_in_horizon(solver: dict[str, list[dict[str, Any]]]) -> dict[str, Estimate]:
    """How many more Newton steps per round a policy needs for each tenfold T."""
    return {
        name: estimate(
            slope_values([np.array(row["means"]) for row in rows], [math.log10(row["horizon"]) for row in rows])
        )
        for name, rows in solver.items()
    }


@claim(
    "omd-cost-t",
    "The complexity of each step of OMD depends on T.",
    "section 1.2",
    note=(
        "The paper argues that T problems must be solved to a precision of about 1/T. Newton's method doubles the "
        "digits with each step and starts from the last solution: here 12 digits (7 for ftrl-hybrid) at every T."
    ),
)
def omd_cost_t(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds for a policy whose Newton steps per round grow significantly with T, fails where they fall."""
    solver = extras.get("solver")
    if not solver:
        return ClaimVerdict("not-tested", "The solver's steps were not counted in this run.")
    growth = growth_in_horizon(solver)
    significant = signs(growth)
    lines = []
    for name, rows in solver.items():
        listed = ", ".join(f"{row['mean']:.2f} at T={row['horizon']:,}" for row in rows)
        lines.append(f"{name}: {listed}, {growth[name]:+.2f} for each tenfold T.")
    outcomes = {name: every([sign]) for name, sign in significant.items()}
    evidence = "Newton steps per round, 9 arms, no corruption.\n" + "\n".join(lines)
    return ClaimVerdict(verdict_of(list(outcomes.values())), evidence)


@claim(
    "combinatorial",
    "Tsallis-INF, FTRL and FTPL are not combinatorial; Fast-Slow, Multi-Layer, BARBAR, CBARBAR and SAMBA are.",
    "Table 1",
    note=(
        'The paper calls an algorithm combinatorial that only enumerates and calculates, "with computational cost in '
        'each time step independent of the time horizon". Only that second half can be measured.'
    ),
)
def combinatorial(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds for an algorithm whose work per round grows with T where the column says no, and does not where yes."""
    solver, resamples = extras.get("solver"), extras.get("ftpl")
    if not solver or not resamples:
        return ClaimVerdict("not-tested", "The work per round was not counted in this run.")
    grows = signs(growth_in_horizon(solver))
    rows = resamples["geometric"]
    spread = power_values([np.array(row["variances"]) for row in rows], [row["horizon"] for row in rows])
    if spread is not None:
        grows |= signs({"ftpl": estimate(spread)})
    outcomes = {name: every([sign]) for name, sign in grows.items()}  # the column says no: the work must grow
    for name, counts in extras["copies"].items():  # the column says yes: it must not
        outcomes[name] = HOLDS if len(set(counts.values())) == 1 else FAILS
    listed = "; ".join(
        f"{name} runs {', '.join(f'{count} at T={int(horizon):,}' for horizon, count in counts.items())}"
        for name, counts in extras["copies"].items()
    )
    sides = {word: [name for name, outcome in outcomes.items() if outcome == word] for word in (HOLDS, FAILS, OPEN)}
    evidence = (
        "Work per round against T. Says no: the Newton steps of tsallis-inf and ftrl-hybrid (claim omd-cost-t) and the "
        f"variance of ftpl's resamples (claim ftpl-cost), which grows as T^{format_power(spread)}. Says yes: the "
        f"copies of elimination side by side ({listed}). barbar, cbarbar and samba have no loop but over their arms.\n"
        f"The column is right for {', '.join(sides[HOLDS]) or 'none'}; wrong for "
        f"{', '.join(sides[FAILS]) or 'none'}" + (f"; open for {', '.join(sides[OPEN])}." if sides[OPEN] else ".")
    )
    return ClaimVerdict(verdict_of(list(outcomes.values())), evidence)
