"""Regret in four worlds, with and without forgetting: the table of docs/changing-worlds.md.

`python verification/worlds.py` plays what is missing (the rest is stored in out/worlds.json) and prints the table;
`python verification/worlds.py prices` prints the two prices of policies that forget (plays: out/forgetting).
"""

import json
import sys
from pathlib import Path
from typing import Any

from robandit.catalogue import environment, policy
from robandit.environments.means import spread_means
from robandit.lab.batch import simulate
from robandit.lab.scenario import Scenario
from robandit.redteam.evaluate import journal_for
from robandit.redteam.forgetting import forgetting_price
from robandit.redteam.tables import price_range, short_range
from robandit.report.numbers import short, with_half

RUNS, HORIZON = 24, 100_000
RESULTS = Path("out/worlds.json")
WORLDS = {
    "still": "bernoulli",
    "shifts, every 5,000": "shifts:every=5000",
    "drift, step 0.003": "drift:step=0.003",
    "season of 10,000": "season:period=10000",
}
INSIDE = (
    "thompson",
    "bonus-thompson:withstand=20",
    "ucb1",
    "kl-ucb",
    "epsilon-greedy",
    "tsallis-inf-rv",
    "exp3",
    "samba",
)
FORGETTING = {
    "nothing": ("{}", ""),
    "window 3,000": ("window:size=3000,inner=({})", "can_unlearn"),
    "discount 1 - 1/3,000": ("discount:rate=0.99966667,inner=({})", "can_fade"),
    "restart": ("restart:inner=({})", "can_restart"),
}
POLICIES = (
    "thompson",
    *(f"window:size={size}" for size in (300, 1000, 3000, 10_000, 30_000)),
    *(f"discount:rate={1 - 1 / memory!r}" for memory in (1000, 3000, 10_000)),
    "restart",
    "restart:withstand=50",
    "restart:inner=(floor:share=0.05,inner=thompson)",
    "bonus-thompson:withstand=20",
    "ucb1",
    "samba",
)


def measure() -> dict[str, dict[str, Any]]:
    """Returns the regret of each policy in each world, with its interval."""
    results: dict[str, dict[str, Any]] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for inner in INSIDE:
        for text, way in FORGETTING.values():
            if way and not getattr(policy(inner), way):
                continue
            for world in WORLDS.values():
                key = f"{text.format(inner)} in {world}"
                if key not in results:
                    ground = environment(world, spread_means(9))
                    trace = simulate(policy(text.format(inner)), ground, horizon=HORIZON, runs=RUNS)
                    results[key] = trace.summary()
                    RESULTS.parent.mkdir(exist_ok=True)
                    RESULTS.write_text(json.dumps(results, indent=1))
                    print(f"{key}: {results[key]['mean']:,.0f} ± {results[key]['half_width_95']:,.0f}", file=sys.stderr)
    return results


def print_regrets() -> None:
    """Print one row per policy and way to forget; in bold what may be the least regret of its world."""
    results = measure()
    least = {
        world: min(
            (one["mean"] + one["half_width_95"] for key, one in results.items() if key.endswith(f" in {world}")),
            default=0.0,
        )
        for world in WORLDS.values()
    }
    print(f"| policy | forgets | {' | '.join(WORLDS)} |")
    print("| --- | --- |" + " ---: |" * len(WORLDS))
    for inner in INSIDE:
        for words, (text, _) in FORGETTING.items():
            cells = [
                format_cell(results.get(f"{text.format(inner)} in {world}"), least[world]) for world in WORLDS.values()
            ]
            if any(cell != "-" for cell in cells):
                print(f"| {inner} | {words} | {' | '.join(cells)} |")


def format_cell(summary: dict[str, Any] | None, least: float) -> str:
    """Returns a mean with its interval, bold where it may be the least."""
    if summary is None:
        return "-"
    text = f"{summary['mean']:,.0f} ± {summary['half_width_95']:,.0f}"
    return f"**{text}**" if summary["mean"] - summary["half_width_95"] <= least else text


def print_prices() -> None:
    """Print clean regret, both prices with their laws, and how long a lie lasts."""
    print("| policy | clean regret | for good | law | flip once | law | leads again after | after a long lie |")
    print("| --- |" + " ---: |" * 7)
    for text in POLICIES:
        scenario = Scenario(text, spread_means(9), horizon=HORIZON, runs=6)
        row = forgetting_price(scenario, journal_for(scenario, Path("out/forgetting"), "forgetting")).to_json()
        law = row["law"] or {"price": None, "flip": None}
        flip = f"{short(row['flip']['estimate'])} ({short_range(row['flip'])})"
        lasts = [row["recovery_rounds"]["estimate"], row["held"]["recovery_rounds"]["estimate"]]
        cells = [with_half(row["clean_regret"]), price_range(row), short(law["price"]), flip, short(law["flip"])]
        print(f"| {text} | {' | '.join([*cells, *map(short, lasts)])} |", flush=True)


if __name__ == "__main__":
    print_prices() if sys.argv[1:] == ["prices"] else print_regrets()
