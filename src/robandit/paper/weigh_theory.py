"""The claims of the paper's theory, weighed by simulation."""

import math
from itertools import pairwise
from typing import Any

import numpy as np

from robandit.paper.verdicts import SCHEMES, Verdict, needs
from robandit.study.results import Results, values


@needs("log-t")
def log_t(results: Results, extras: dict[str, Any]) -> Verdict:
    horizons = values(results.study.grid("log-t"), "horizon")
    runs = [results.runs("log-t", policy="samba", horizon=horizon) for horizon in horizons]
    told = ", ".join(f"{final.mean():,.0f} at T={horizon:,}" for final, horizon in zip(runs, horizons, strict=True))
    steps = [after - before for before, after in pairwise(runs)]  # a longer run continues the shorter one
    spread = [1.96 * step.std(ddof=1) / math.sqrt(len(step)) for step in steps]
    grown = ", ".join(f"{step.mean():,.0f} ± {half:,.0f}" for step, half in zip(steps, spread, strict=True))
    squared = (2 * math.log10(horizons[-1]) - 1) / (2 * math.log10(horizons[-3]) - 1)  # growth of steps if log^2 T
    last, first = steps[-1], steps[-3]
    excess = last - 0.5 * (1.0 + squared) * first  # below 0: nearer to constant steps than to log^2 T
    bound = excess.mean() + 2 * excess.std(ddof=1) / math.sqrt(len(excess))
    evidence = (
        f"SAMBA without corruption: {told}. Growth by decade, run by run: {grown}. Constant steps mean log T; "
        f"log^2 T would make the last step {squared:.2f} times the one two decades before, "
        f"it is {last.mean() / first.mean():.2f} times."
    )
    return Verdict("reproduced" if bound < 0.0 else "not-reproduced", evidence, "log-t-by-horizon")


@needs("levels")
def linear_in_c(results: Results, extras: dict[str, Any]) -> Verdict:
    budgets = [budget for budget in values(results.study.grid("levels"), "budget") if budget > 0]
    if len(budgets) < 5:
        return Verdict("not-tested", "Needs at least five budgets.")
    clean, told, rates = results.mean("levels", policy="samba", budget=0), [], []
    for scheme in SCHEMES:
        extra = [results.mean("levels", policy="samba", schedule=scheme, budget=c) - clean for c in budgets]
        rates.append([gain / c for gain, c in zip(extra, budgets, strict=True)])
        told.append(
            f"{scheme} {rates[-1][0]:.2f} at C={budgets[0]:,.0f} to {rates[-1][-1]:.2f} at C={budgets[-1]:,.0f}"
        )
    evidence = (
        "Extra regret per corrupted round, headline reading: " + "; ".join(told) + ". The theorem is an upper bound: "
        "no scheme goes beyond the rate of scheme 1, which is nearly flat; scheme 4 grows faster but stays below."
    )
    flat = max(rates[0]) <= 1.3 * min(rates[0])
    below = all(rate <= 1.1 * max(rates[0]) for scheme in rates for rate in scheme)
    return Verdict("reproduced" if flat and below else "not-reproduced", evidence, "levels-by-budget")


@needs("step-sizes")
def alpha_condition(results: Results, extras: dict[str, Any]) -> Verdict:
    limit, told, wrong = 0.125, [], {}
    for cell in results.study.grid("step-sizes").cells:
        trace = results.trace(cell)
        assert trace is not None
        rate = float(cell.policy.partition("=")[2] or 0.05)
        last = (trace.regret[:, -1] - trace.regret[:, -2]) / (trace.rounds[-1] - trace.rounds[-2])
        wrong[rate] = float((last > 0.5 * trace.gaps[trace.gaps > 0].min()).mean())
        told.append(f"{rate:g}: {100 * wrong[rate]:.1f} %")
    below = max(share for rate, share in wrong.items() if rate < limit)
    above = max(share for rate, share in wrong.items() if rate > limit)
    evidence = (
        f"Runs (of 400, T = 100,000) that end on a wrong arm, by step size; the theorem's limit here is {limit}: "
        + ", ".join(told)
        + ". The paper's own K = 30 breaks the condition: with means i/(K+1) the limit falls below 0.05 from K = 21 on."
    )
    return Verdict("reproduced" if below <= 0.01 < above else "not-reproduced", evidence, "step-sizes-regret")


@needs("power-before", "power-after")
def adversary_power(results: Results, extras: dict[str, Any]) -> Verdict:
    clean = results.mean("power-before", budget=0)
    told, stronger = [], []
    for budget in values(results.study.grid("power-after"), "budget"):
        before, after = (results.mean(grid, budget=budget) for grid in ("power-before", "power-after"))
        stronger.append(before > after)
        told.append(f"C={budget:g}: {before:,.0f} before the draw, {after:,.0f} after it")
    evidence = (
        f"Two arms (.9/.8), SAMBA, T = 10,000, clean regret {clean:,.0f}. " + "; ".join(told) + ". "
        "Per unit of cost an attacker who sees the arm and the reward does more harm than one who moves all means "
        "before the draw: he pays only when the best arm is shown. The paper compares constraints, not attacks."
    )
    return Verdict("reproduced" if all(stronger) else "not-reproduced", evidence, "power-after-by-budget")


def ftpl_cost(results: Results, extras: dict[str, Any]) -> Verdict:
    found = extras.get("ftpl")
    if not found:
        return Verdict("not-tested", "The cost of resampling was not measured in this run.")
    told, powers = [], {}
    for resampling, rows in found.items():
        horizons = [row["horizon"] for row in rows]
        powers[resampling] = float(np.polyfit(np.log(horizons), np.log([row["variance"] for row in rows]), 1)[0])
        shown = ", ".join(f"{row['mean']:.1f} and {row['variance']:,.0f} at T={row['horizon']:,}" for row in rows)
        told.append(f"{resampling}: {shown} (variance grows as T^{powers[resampling]:.2f})")
    evidence = "Mean and variance of the resamples a round, 9 arms, no corruption. " + "; ".join(told) + "."
    grows = powers["geometric"] > 0.5
    tamed = powers["conditional"] < powers["geometric"] - 0.2
    return Verdict("depends" if grows and tamed else "reproduced" if grows else "not-reproduced", evidence)
