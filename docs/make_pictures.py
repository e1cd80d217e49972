"""Draws the pictures of the README and the docs: `make pictures`. Finished plays are stored under out/."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import robandit as rb
from robandit.catalogue import scaled, shipped
from robandit.cli.main import main
from robandit.forensics.report import draw_belief
from robandit.pictures.corruption import BudgetCurve, draw_regret_by_budget
from robandit.pictures.regret import draw_comparison
from robandit.suite.results import SuiteResults, read_stored
from robandit.suite.spec import read_suite

FOLDER = Path(__file__).parent / "pictures"
RUNS, HORIZON, BUDGET = 200, 100_000, 3000
RING = 20_000  # the decision from which on the ring of docs/audit.md reports
STORY = {
    "influence-bars": "audit-influence",
    "evidence-over-time": "audit-evidence",
}


def draw_all_policies() -> None:
    """Draw all policies, without corruption and under the paper's scheme 3; large published constants are scaled."""
    grid = {
        "id": "all",
        "policies": [str(assume_corruption(scaled(cls()))) for cls in shipped("policy").values()],
        "runs": RUNS,
    }
    grid |= {"attacks": "flip", "schedules": "middle", "charges": "rounds", "budgets": [0, BUDGET], "horizons": HORIZON}
    study = rb.run_study({"name": "comparison", "grid": [grid]}, "out/comparison")
    rows = {
        policy: (
            study.trace("all", policy=policy, budget=0).summary(),
            study.trace("all", policy=policy, budget=BUDGET).summary(),
        )
        for policy in dict.fromkeys(row["policy"] for row, _ in study.cells())
    }
    order = sorted(rows, key=lambda name: rows[name][1]["mean"])
    place, least = order.index("samba") + 1, f"{rows[order[0]][1]['mean']:,.0f}"
    message = f"One attack, fixed beforehand: {order[0]} loses least ({least}), SAMBA is number {place} of {len(order)}"
    rest = f"9 arms, means 0.1 to 0.9, T = {HORIZON:,}, {RUNS} runs, mean and 95 % interval"
    conditions = ("no corruption", f"flip for {BUDGET:,} rounds from T/4 on (threat model A)")
    draw_comparison(rows, conditions, message, rest).save(FOLDER / "comparison.png")


def assume_corruption(policy: Any) -> Any:
    """Returns the policy; one that needs C assumes the same C with and without an attack: it is one, not two."""
    return replace(policy, corruption=float(BUDGET)) if getattr(policy, "corruption", 0) is None else policy


def draw_corruption() -> None:
    """Draw the policies on the paper's grid under the suite's attacks, from its stored rows: nothing is played."""
    suite = read_suite()
    place = next(one for one in suite.environments if one.name == "grid")
    results = read_stored(suite)
    panels = [
        (f"model {threat}, {words}", [grid_curve(results, label, attacker) for label in policies_at(results, "grid")])
        for threat, words, attacker in (("A", "before the draw", "before"), ("B", "after the draw", "erase"))
    ]
    caption = f"9 arms, means 0.1 to 0.9, T = {place.horizon:,}; mean and 95 % interval of {suite.runs} runs"
    words = (
        f"{caption}. Attackers of the suite: in A they move means before the draw, in B they erase rewards after it."
    )
    draw_regret_by_budget(panels, words).save(FOLDER / "corruption.png")


def policies_at(results: SuiteResults, environment: str) -> list[str]:
    """Returns the policies that have rows in an environment."""
    return list(dict.fromkeys(row["policy"] for row in results.rows if row["environment"] == environment))


def grid_curve(results: SuiteResults, policy: str, attacker: str) -> BudgetCurve:
    """Returns regret on the grid by an attacker's budget; a score is 1 - regret / even, so even is known."""
    rows = [row for row in results.rows if (row["policy"], row["environment"]) == (policy, "grid")]
    rows = sorted((row for row in rows if row["attacker"] in ("none", attacker)), key=lambda row: row["level"] or 0.0)
    regrets = np.array([row["regret"] for row in rows])
    evens = np.array([row["regret"] / (1.0 - row["score"]) for row in rows])
    halves = np.array([row["half_width_95"] for row in rows]) * evens
    return BudgetCurve(policy, np.array([row["level"] or 0.0 for row in rows]), regrets, halves)


def draw_attacks() -> None:
    """Draw the frontier, one panel of it for the README, the shape of the optimum, and one attack over time."""
    main(["price", "--frontier", "docs/frontier-readme.toml", "--plot", str(FOLDER / "frontier-grid.png")])
    main(["price", "--frontier", "--plot", str(FOLDER / "frontier.png"), "--page", str(FOLDER / "frontier.html")])
    main(["paper", "optimum", "--price", "1.5", "--plot", str(FOLDER / "optimum.png")])
    main(["paper", "theory", "bounds", "--runs", "40", "--plot", str(FOLDER / "bounds.png")])
    main(["paper", "theory", "arms", "--plot", str(FOLDER / "price-by-arms.png")])
    main(["paper", "theory", "recoveries", "--plot", str(FOLDER / "recoveries.png")])
    main(["paper", "theory", "prices", "--means", "0.6,0.5", "--plot", str(FOLDER / "prices.png")])
    main(["redteam", "--policy", "ucb1", "--budget", "300", "--plot", str(FOLDER / "redteam.png")])


def draw_first_attack() -> None:
    """Draw the picture of the tutorial of that name."""
    policies = {"thompson": "thompson", "bonus-thompson": "bonus-thompson:withstand=20"}
    attacker = rb.attack("sink-shown", budget=20, capability="erase")
    game = ([0.02, 0.03, 0.05], attacker)
    traces = {name: rb.simulate(policy, *game, horizon=20_000, runs=100) for name, policy in policies.items()}
    rb.plot(traces).save(str(FOLDER / "first-attack.png"))


def draw_contexts() -> None:
    """Draw contexts under attack, for docs/wider.md."""
    policies = ("linear-thompson", "linucb:scale=0.3", "cw-oful:scale=0.3,bears=50", "thompson")
    flags = [word for policy in policies for word in ("--policy", policy)]
    game = ["--environment", "contexts", "--horizon", "20000", "--runs", "20", "--attack", "sink-best"]
    main(["play", *game, "--budget", "100", *flags, "--plot", str(FOLDER / "contexts.png")])


def draw_forgetting() -> None:
    """Draw both prices against memory, for docs/changing-worlds.md."""
    policies = [f"window:size={size}" for size in (300, 1000, 3000, 10_000, 30_000)]
    policies += [f"discount:rate={1 - 1 / memory!r}" for memory in (1000, 3000, 10_000)]
    flags = [word for policy in policies for word in ("--policy", policy)]
    main(["forgetting", "--runs", "6", *flags, "--plot", str(FOLDER / "forgetting.png")])


def draw_audit() -> None:
    """Draw the story of docs/audit.md: a ring of five changes the leader, and the journal is audited."""
    journal, page = Path("out/ring.journal"), Path("out/ring")
    journal.parent.mkdir(exist_ok=True)
    journal.unlink(missing_ok=True)
    attack = ["--attack", f"push-shown:lowered=0,raised=1,worst=true,first={RING}", "--budget", "1000"]
    main(["play", "--means", "0.40,0.45,0.50", *attack, "--horizon", "26000", "--log", str(journal)])
    main(["audit", str(journal), "--out", str(page)])
    for name, picture in STORY.items():
        shutil.copy(page / "figures" / f"{name}.png", FOLDER / f"{picture}.png")
    findings = rb.audit(str(journal), price=False)  # an audit does not know when a ring began; here we do
    draw_belief(findings, ((RING, "the ring begins"),)).save(FOLDER / "audit-belief.png")


if __name__ == "__main__":
    draw_first_attack()
    draw_audit()
    draw_contexts()
    draw_forgetting()
    draw_all_policies()
    draw_attacks()
    draw_corruption()
