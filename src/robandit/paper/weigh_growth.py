"""Claims about how regret grows: with log T, with C, with K; and SAMBA's log T against CBARBAR's log^2 T."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from robandit.estimates import estimate
from robandit.game import Floats
from robandit.paper.estimates import (
    linear,
    power_tests,
    power_values,
    square_growth,
    squared_excess,
    steps_by_decade,
)
from robandit.paper.published import FIVE, K_SWEEP, READINGS, SCHEMES
from robandit.paper.verdicts import ClaimVerdict, claim, every, signs, verdict_of
from robandit.study.results import Results, values


def by_horizon(results: Results, grid: str, policy: str) -> tuple[list[int], list[Floats]]:
    """The horizons of a grid, rising, and one policy's runs at each."""
    horizons = sorted(values(results.study.grid(grid), "horizon"))
    return horizons, [results.runs(grid, policy=policy, horizon=horizon) for horizon in horizons]


def describe_growth(name: str, horizons: Sequence[int], samples: Sequence[Floats]) -> str:
    """Steps by decade in words, and how they compare with log^2 T."""
    steps = steps_by_decade(samples)
    listed = ", ".join(f"{step:,.0f}" for step in map(estimate, steps))
    return (
        f"{name}: {samples[0].mean():,.0f} at T={horizons[0]:,} to {samples[-1].mean():,.0f} at T={horizons[-1]:,}, "
        f"by decade {listed}; the last step is {steps[-1].mean() / steps[-3].mean():.2f} times the one two before "
        f"(1 if log T, {square_growth(horizons):.2f} if log^2 T)."
    )


@claim(
    "log-t",
    "Without corruption SAMBA's regret is O(log T).",
    "Fact 1, Theorem 2",
    needs=("log-t",),
    note="No finite horizon proves an order; these steps can only be nearer to one than to the other.",
    theory=("fact-1",),
)
def log_t(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds where growth is significantly nearer to log T than to log^2 T."""
    policies = values(results.study.grid("log-t"), "policy")
    if len(values(results.study.grid("log-t"), "horizon")) < 4:
        return ClaimVerdict("not-tested", "Needs four horizons: three steps to compare.")
    sentences, tests = [], {}
    for policy in policies:
        horizons, samples = by_horizon(results, "log-t", policy)
        tests[policy] = estimate(-squared_excess(samples, horizons))
        sentences.append(describe_growth(policy, horizons, samples))
    outcomes = [every([sign]) for sign in signs(tests).values()]
    return ClaimVerdict(verdict_of(outcomes[:1], outcomes[1:]), "\n".join(sentences), "log-t-by-horizon")


@claim(
    "log-t-less-than-cbarbar",
    "SAMBA saves one log T factor against CBARBAR.",
    "abstract, section 3",
    needs=("log-t", "log-t-cbarbar"),
    note=(
        "The paper compares upper bounds. CBARBAR needs T and plans with log T, so each of its horizons is a game of "
        "its own."
    ),
)
def log_t_less_than_cbarbar(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds where SAMBA's growth is significantly nearer to log T and CBARBAR's to log^2 T."""
    horizons, samples = by_horizon(results, "log-t", "samba")
    if len(horizons) < 4:
        return ClaimVerdict("not-tested", "Needs four horizons: three steps to compare.")
    tests = {"samba": estimate(-squared_excess(samples, horizons))}
    sentences = [describe_growth("samba", horizons, samples)]
    rivals = values(results.study.grid("log-t-cbarbar"), "policy")
    for rival in rivals:
        horizons, samples = by_horizon(results, "log-t-cbarbar", rival)
        tests[rival] = estimate(squared_excess(samples, horizons))
        sentences.append(describe_growth(rival, horizons, samples))
    significant = signs(tests)
    outcomes = [every([significant["samba"], significant[rival]]) for rival in rivals]
    return ClaimVerdict(verdict_of(outcomes[:1], outcomes[1:]), "\n".join(sentences), "log-t-cbarbar-by-horizon")


@claim(
    "linear-in-c",
    "SAMBA's regret is linear in C.",
    "Theorem 2",
    needs=("levels",),
    note="Rounds fixed beforehand are not the worst attack: `robandit redteam` looks for that.",
    theory=("theorem-2",),
)
def linear_in_c(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds in a reading where the worst scheme's extra regret is linear in C."""
    budgets = sorted(budget for budget in values(results.study.grid("levels"), "budget") if budget > 0)
    if len(budgets) < 3:
        return ClaimVerdict("not-tested", "Needs at least three levels of corruption.")
    grids = ["levels", *(f"levels-{reading}" for reading in READINGS if results.has(f"levels-{reading}"))]
    powers, sentences = {}, []
    for grid in grids:
        worst = [worst_scheme(results, grid, budget) for budget in budgets]
        powers[grid] = power_values([extra for _, extra in worst], budgets)
        rates = ", ".join(f"{e.mean() / c:.2f} ({s})" for (s, e), c in zip(worst, budgets, strict=True))
        name = "Headline reading" if grid == "levels" else grid.removeprefix("levels-").capitalize()
        sentences.append(f"{name}: {rates}, so C^{format_power(powers[grid])}.")
    sentences.insert(
        0, f"Extra regret per unit of C in the worst of four schemes, C={budgets[0]:,.0f} to {budgets[-1]:,.0f}."
    )
    significant = signs(power_tests(powers))
    outcomes = [linear(significant, grid) for grid in grids]
    return ClaimVerdict(verdict_of(outcomes[:1], outcomes[1:]), "\n".join(sentences), "levels-by-budget")


def worst_scheme(results: Results, grid: str, budget: float) -> tuple[str, Floats]:
    """The scheme with the largest mean, and SAMBA's extra regret there run by run."""
    clean = results.runs(grid, policy="samba", budget=0)
    extras = {s: results.runs(grid, policy="samba", schedule=s, budget=budget) - clean for s in SCHEMES}
    return max(extras.items(), key=lambda item: float(item[1].mean()))


@claim(
    "linear-in-k",
    "Regret grows about linearly with K.",
    "Table 3",
    needs=("k-sweep",),
    note="With means i/(K+1) the gap shrinks as 1/(K+1), so the bound K/Delta itself grows as K^2 along this sweep.",
)
def linear_in_k(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds for an algorithm whose regret is linear in K."""
    arms = values(results.study.grid("k-sweep"), "arms")
    if len(arms) < 3:
        return ClaimVerdict("not-tested", "Needs at least three numbers of arms.")
    powers = {
        policy: power_values([results.runs("k-sweep", policy=policy, arms=k) for k in arms], arms) for policy in FIVE
    }
    sentences = []
    for policy, name in FIVE.items():
        rows = K_SWEEP[policy.partition(":")[0]]
        theirs = power_values([np.array([rows[k]]) for k in arms], arms) if set(arms) <= set(rows) else None
        beside = "" if theirs is None else f" (the paper's own row K^{theirs.mean():.2f})"
        sentences.append(f"{name} K^{format_power(powers[policy])}{beside}")
    evidence = f"Fitted power of K from {arms[0]} to {arms[-1]}, linear being 1: " + ", ".join(sentences) + "."
    significant = signs(power_tests(powers))
    return ClaimVerdict(verdict_of([linear(significant, policy) for policy in FIVE]), evidence, "k-sweep-by-arms")


def format_power(power: Floats | None) -> str:
    """A power with its interval."""
    if power is None:
        return "(none: it does not grow)"
    mean = estimate(power)
    return f"{mean.mean:.2f}±{mean.half_width:.2f}"
