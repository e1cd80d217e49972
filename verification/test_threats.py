"""The pages on threats say what their commands say: every table, and every number of their prose.

The tables take an hour from nothing and go on where they were; the rest is quick.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.redteam.frontier import read_frontier

ROOT = Path(__file__).parents[1]
PAGES = ("threats.md", "threat-models.md", "threats-measured.md", "attacks-measured.md")
PAGE = " ".join(word for name in PAGES for word in (ROOT / "docs" / name).read_text(encoding="utf-8").split())
GRID = rb.Bernoulli([number / 10 for number in range(1, 10)])
ROUNDS = 100_000


def regret(policy: str, attack: str, runs: int, environment: Any = GRID, **terms: Any) -> float:
    """Returns the mean regret under an attack of C = 300."""
    adversary = rb.attack(attack, budget=300, **terms)
    trace = rb.simulate(rb.policy(policy), environment, adversary, horizon=ROUNDS, runs=runs, seed=1, checkpoints=1)
    return float(trace.regret[:, -1].mean())


def test_every_table_is_what_its_commands_say() -> None:
    process = subprocess.run(
        [sys.executable, "docs/make_tables.py", "--check"], cwd=ROOT, capture_output=True, text=True, timeout=14_400
    )
    assert process.returncode == 0, process.stderr


def test_the_two_models_by_their_exact_optima() -> None:
    clean, before, after = (
        rb.optimal_attack((0.9, 0.8), horizon=10_000, **terms).regret
        for terms in ({"price": 1e9}, {"budget": 60}, {"budget": 60, "threat": "B"})
    )
    assert (
        f"(0.9 and 0.8, T = 10,000, clean regret {clean:.0f}) can be driven to {before:.0f} with C = 60 in A and to "
        f"{after:.0f} in B"
    ) in PAGE


def test_a_price_for_each_unit_is_not_a_hard_budget() -> None:
    optimum = rb.optimal_attack((0.9, 0.8), horizon=10_000, price=1.5)
    spending = optimum.spending
    assert spending is not None
    hard = rb.optimal_attack((0.9, 0.8), horizon=10_000, budget=round(spending))
    assert f"{optimum.regret:.0f} against {hard.regret:.0f} at C = {spending:.0f} in A" in PAGE
    falls = [rb.optimal_attack((0.9, 0.8), horizon=10_000, price=price, threat="B").spending for price in (11.0, 12.0)]
    assert f"from {falls[0]:.0f} to {falls[1]:.0f} between the prices 11 and 12" in PAGE


def test_limits_of_a_ring() -> None:
    assert f"The limit Δ/(1+Δ) is {rb.Capability().limit(np.array([0.5, 0.6])):.4f} in both games" in PAGE


def test_size_matters_more_than_timing() -> None:
    efficient, full = (
        regret("samba", "invert", 400, schedule="leading:theta=0.05", size=size) for size in ("efficient", "full")
    )
    print(f"\nefficient {efficient:.0f}, full {full:.0f}: {100 * (efficient / full - 1):+.0f} %")
    assert f"beats full strength by {100 * (efficient / full - 1):.0f} %" in PAGE


def test_the_heuristic_for_samba_before_the_draw() -> None:
    step, limit = 0.05, 0.9 / 0.8 - 1
    assert f"its clean regret plus {(2 + step) / (1 - step / limit):.1f} C" in PAGE


def test_one_arm_is_not_enough() -> None:
    one, four = (regret("ucb1", f"push:lowered={count},raised={9 - count}", 100, schedule="band") for count in (1, 4))
    print(f"\none {one:.0f}, four {four:.0f}: {four / one:.2f} times")
    assert "does three times the harm" in PAGE
    assert four / one == pytest.approx(3.0, abs=0.5)


def test_a_contested_lead_costs_twice() -> None:
    rivals = rb.Bernoulli([0.5] * 7 + [0.6])
    clean = float(rb.simulate(rb.Samba(), rivals, horizon=ROUNDS, runs=200, seed=1).regret[:, -1].mean())
    contested, *others = (
        (regret("samba", "invert", 200, rivals, schedule=schedule, size="efficient") - clean) / 300
        for schedule in ("contested", "leading:theta=0.05", "leading:theta=0.2", "leading:theta=0.5")
    )
    print(f"\na unit costs {contested:.2f} where the lead is contested; {[round(other, 2) for other in others]}")
    assert f"{contested:.1f} per unit with eight arms, where `leading` gets {max(others):.1f}" in PAGE
    assert contested > 4.5


def test_a_cap_on_sources_turns_a_share_into_a_number() -> None:
    shares = []
    for can in ("both:share=0.3,sources=400,each=1", "both:share=0.3"):
        ring = rb.attack("push-shown:raised=1", budget=float("inf"), capability=can)
        trace = rb.simulate(rb.Thompson(), GRID, ring, horizon=ROUNDS, runs=48, seed=1)
        shares.append(trace.best_arm_share)
    with_cap, without_cap = (f"{100 * share:.0f} %" for share in shares)
    assert f"best arm in {with_cap} of the rounds; without the cap that ring leaves it {without_cap}" in PAGE


def test_what_the_frontier_sweeps() -> None:
    frontier = read_frontier()
    numbers = {4: "four", 6: "six"}
    assert f"{numbers[len(frontier.environments)]} environments with a horizon each" in PAGE
    assert f"and {numbers[len(frontier.attackers)]} attackers" in PAGE
    assert f"blocks of {frontier.runs} runs, bisection to {100 * (frontier.tolerance - 1):.0f} %" in PAGE
