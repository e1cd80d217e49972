"""Claims about computing time, from measurements made beside the study."""

from typing import Any

import numpy as np

from robandit.estimates import Estimate, estimate
from robandit.paper.estimates import FLAT, power_tests, power_values
from robandit.paper.verdicts import ClaimVerdict, claim, every, signs, verdict_of
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
    note="Geometric resampling draws 1/p_a times on average for the arm a it chose: K over all arms, whatever p is.",
)
def ftpl_cost(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds for a way of resampling whose variance is linear in T and whose mean is flat."""
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
    significant = signs(tests)
    outcomes = [every(significant.get((name, test), 0) for test in ("above", "below", "flat")) for name in measured]
    evidence = "Mean and variance of the resamples per round, 9 arms, no corruption.\n" + ".\n".join(sentences) + "."
    return ClaimVerdict(verdict_of(outcomes[:1], outcomes[1:]), evidence)
