"""`robandit play`: policies against one environment and one adversary."""

import argparse
import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from robandit.cli.flags import adversary_from, environment_from, load_own, on_terminal, policies_from
from robandit.game import Setting
from robandit.lab.batch import simulate
from robandit.lab.play import REFRESH, TRIALS
from robandit.lab.trace import Trace
from robandit.pictures.style import check_plot
from robandit.version import __version__


def play(arguments: argparse.Namespace) -> None:
    """Simulate, print, draw."""
    if arguments.plot is not None:
        check_plot(Path(arguments.plot))
    load_own(arguments)
    policies = policies_from(arguments)
    environment, adversary = environment_from(arguments), adversary_from(arguments)
    traces, stopped = play_all(policies, environment, adversary, arguments)
    result = as_json(policies[: len(traces)], environment, adversary, arguments, traces)
    if arguments.json:
        print(json.dumps(result, indent=2, allow_nan=False))
    else:
        print_table(result)
    if arguments.plot:
        from robandit.pictures.regret import regret_over_time

        labels = [row["label"] for row in result["results"]]
        regret_over_time(list(zip(labels, traces, strict=True)), result, Path(arguments.plot))
        if not arguments.json:
            print(f"picture: {arguments.plot}")
    if stopped:
        raise KeyboardInterrupt


def play_all(
    policies: list[Any], environment: Any, adversary: Any, arguments: argparse.Namespace
) -> tuple[list[Trace], bool]:
    """One trace per policy; after Ctrl-C those that were finished."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    traces: list[Trace] = []
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not on_terminal()) as bar:
        try:
            for policy in policies:
                task = bar.add_task(str(policy), total=1.0)
                traces.append(
                    simulate(
                        policy,
                        environment,
                        adversary,
                        horizon=arguments.horizon,
                        runs=arguments.runs,
                        seed=arguments.seed,
                        threads=arguments.threads,
                        progress=lambda share, task=task: bar.update(task, completed=share),  # type: ignore[misc]  # bound now
                    )
                )
        except KeyboardInterrupt:
            if not traces:
                raise
            return traces, True
    return traces, False


def as_json(
    policies: list[Any], environment: Any, adversary: Any, arguments: argparse.Namespace, traces: list[Trace]
) -> dict[str, Any]:
    """The result under the names of the contract."""
    setting = Setting(len(environment.means), arguments.horizon, adversary.budget if adversary else 0.0)
    return {
        "version": __version__,
        "environment": {
            "name": environment.name,
            "means": list(environment.means),
            "parameters": environment.parameters(),
        },
        "horizon": arguments.horizon,
        "runs": arguments.runs,
        "seed": arguments.seed,
        "adversary": adversary_json(adversary),
        "results": [
            result_json(policy, trace, adversary, setting) for policy, trace in zip(policies, traces, strict=True)
        ],
    }


def adversary_json(adversary: Any) -> dict[str, Any] | None:
    """The adversary as it could be given again."""
    if adversary is None:
        return None
    if not hasattr(adversary, "attack"):
        bare = str(replace(adversary, budget=0.0, charge="cost"))
        told = {"attack": bare, "schedule": "start", "size": "full", "charge": adversary.charge}
    else:
        told = {name: str(getattr(adversary, name)) for name in ("attack", "schedule", "size", "charge")}
    return {"threat": "B" if adversary.sees_draw else "A", **told, "budget": finite(adversary.budget)}


def finite(number: float) -> float | None:
    """A number JSON can hold; an unlimited budget is null."""
    return number if math.isfinite(number) else None


def result_json(policy: Any, trace: Trace, adversary: Any, setting: Setting) -> dict[str, Any]:
    """One policy's row."""
    budget = adversary.budget if adversary else 0.0
    return {
        "policy": policy.name,
        "label": str(policy),
        "parameters": policy.parameters(),
        "fidelity": policy.about.fidelity,
        "engine": trace.engine,
        "regret": trace.summary(),
        "corruption": {
            "budget": finite(budget),
            "paid_mean": float(trace.corruption_paid[:, -1].mean()),
            "rounds_mean": float(trace.rounds_changed.mean()),
        },
        "best_arm_share": trace.best_arm_share,
        "ns_per_round": trace.nanoseconds,
        "notes": policy.notes(setting) + engine_notes(trace) + adversary_notes(policy, adversary, trace),
    }


def engine_notes(trace: Trace) -> list[str]:
    """What a play by counts gives up."""
    if trace.engine == "rounds":
        return []
    return ["played by counts: exact in law, but its luck is not shared with plays round by round"]


def adversary_notes(policy: Any, adversary: Any, trace: Trace) -> list[str]:
    """What could not be spent, and what a watching adversary was shown."""
    notes: list[str] = []
    if adversary is None:
        return notes
    spent = trace.rounds_changed.mean() if adversary.charge == "rounds" else trace.corruption_paid[:, -1].mean()
    if math.isfinite(adversary.budget) and adversary.budget - spent > 1e-6 * adversary.budget:
        notes.append(
            f"{adversary.budget - spent:,.1f} of the budget {adversary.budget:,g} was not spent (mean over runs)"
        )
    if adversary.watches and not policy.explicit:
        shown = f"frequencies of {TRIALS} trial choices, renewed every {REFRESH} rounds"
        notes.append(f"p(t) has no closed form: the adversary was shown {shown}")
    return notes


def print_table(result: dict[str, Any]) -> None:
    """The table and its notes."""
    from rich.console import Console

    from robandit.cli.tables import play_table

    table = play_table(result)
    console = Console()
    if not sys.stdout.isatty():  # a pipe has no width: let nothing be cut
        console = Console(width=max(100, console.measure(table).maximum))
    console.print(table)
    for row in result["results"]:
        for note in row["notes"]:
            console.print(f"note on {row['label']}: {note}", highlight=False)
