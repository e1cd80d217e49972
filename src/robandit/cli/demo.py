"""`robandit demo`: why this package exists, in twenty lines and a few seconds."""

import argparse
from typing import Any

OFFERS = (0.02, 0.03, 0.05)  # the share of visitors who buy
VISITS, RUNS, SALES = 20_000, 200, 20
POLICIES = ("thompson", f"bonus-thompson:withstand={SALES}")


def add(commands: Any) -> None:
    """The command and its flags."""
    words = "an attacker hides a few sales: watch one policy fall and another stand"
    command = commands.add_parser("demo", help=words, description=words.capitalize() + ".")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Play each policy without and with the attacker, and print the share of the best offer."""
    print(f"Three offers sell to 2, 3 and 5 % of visitors. {VISITS:,} visits, {RUNS} runs.")
    print(f"An attacker may hide up to {SALES} sales of the best offer.\n")
    print(f"{'visits that see the best offer':31} {'no attack':>12} {'attack':>12} {'sales hidden':>13}")
    for row in measure():
        print(f"  {row['policy']:29} {row['clean']:>12} {row['attacked']:>12} {row['hidden']:>13}")
    print("\nMeans with 95 % intervals; the seed is fixed, so you see the same numbers.")
    print("Next: robandit advise --means 0.02,0.03,0.05 --horizon 2e4 --can erase --budget 20")


def measure() -> list[dict[str, str]]:
    """One row per policy: how often it shows the best offer without and with the attacker, and what they spend."""
    import robandit as rb
    from robandit.estimates import estimate

    attacker = rb.attack("sink-shown", budget=SALES, capability="erase")
    rows = []
    for policy in POLICIES:
        traces = [rb.simulate(policy, OFFERS, who, horizon=VISITS, runs=RUNS) for who in (None, attacker)]
        clean, attacked = (estimate(100.0 * trace.best_shares) for trace in traces)
        hidden = estimate(traces[1].corruption_paid[:, -1])
        rows.append(
            {
                "policy": policy,
                "clean": f"{clean:.1f} %",
                "attacked": f"{attacked:.1f} %",
                "hidden": f"{hidden:.1f}",
            }
        )
    return rows
