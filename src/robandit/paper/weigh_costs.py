"""Claims about computing time, from measurements made beside the study."""

from typing import Any

import numpy as np

from robandit.estimates import Estimate, estimate
from robandit.paper.estimates import FLAT, power_tests, power_values
from robandit.paper.verdicts import Verdict, every, signs, verdict_of
from robandit.study.results import Results

FASTER = 500  # "more than 500 times"


def faster_than_omd(results: Results, extras: dict[str, Any]) -> Verdict:
    """Holds where the ratio of CPU times is significantly above what the claim says."""
    times = extras.get("timing")
    if not times:
        return Verdict("not-tested", "The time table was not measured in this rendering.")
    ratios = np.array(times["ftrl-hybrid"]["ratios"])
    found = signs({"omd": estimate(ratios - FASTER)})
    shown = [
        f"{name} costs {times[name]['ratio']:.1f} times a SAMBA run ({min(times[name]['ratios']):.1f} to "
        f"{max(times[name]['ratios']):.1f} within one of {len(ratios)} interleaved repeats)"
        for name in ("ftrl-hybrid", "tsallis-inf-iw")
        if name in times
    ]
    paper = times["ftrl-hybrid"]["paper_ratio"]
    evidence = f"CPU time here, the fastest of each: {', '.join(shown)}. The paper's table gives {paper:.0f}."
    return Verdict(verdict_of([every(found.values())]), evidence, "time")


def ftpl_cost(results: Results, extras: dict[str, Any]) -> Verdict:
    """Holds for a way of resampling whose variance is linear in T and whose mean is flat."""
    measured = extras.get("ftpl")
    if not measured:
        return Verdict("not-tested", "The cost of resampling was not measured in this run.")
    tests: dict[tuple[str, str], Estimate] = {}
    told = []
    for resampling, rows in measured.items():
        horizons = [row["horizon"] for row in rows]
        spread, mean = (power_values([np.array(row[of]) for row in rows], horizons) for of in ("variances", "means"))
        assert spread is not None
        assert mean is not None
        tests |= power_tests({resampling: spread})
        tests[resampling, "flat"] = estimate(FLAT - mean)
        shown = ", ".join(f"{row['mean']:.1f} and {row['variance']:,.0f} at T={row['horizon']:,}" for row in rows)
        powers = [f"T^{told.mean:.2f}±{told.half_width:.2f}" for told in map(estimate, (mean, spread))]
        told.append(f"{resampling.capitalize()}: {shown}, growing as {powers[0]} and {powers[1]}")
    found = signs(tests)
    outcomes = [every(found[name, test] for test in ("above", "below", "flat")) for name in measured]
    evidence = "Mean and variance of the resamples a round, 9 arms, no corruption.\n" + ".\n".join(told) + "."
    return Verdict(verdict_of(outcomes[:1], outcomes[1:]), evidence)
