"""`robandit play`: policies against one environment and one adversary."""

import argparse
import math
import sys
from typing import TYPE_CHECKING, Any

from robandit.cli.attacks import adversary_json, finite
from robandit.cli.flags import (
    adversary_from,
    attack_flags,
    catalogue_from,
    environment_from,
    game_flags,
    json_flags,
    load_flags,
    naming,
    plot_flags,
    plot_from,
    policies_from,
    print_json,
    shape_json,
    whole,
)
from robandit.cli.progress import progress
from robandit.errors import InputError
from robandit.version import __version__

if TYPE_CHECKING:  # `robandit --help` does not wait for NumPy
    from robandit.game import Setting
    from robandit.lab.trace import Trace


def add(commands: Any) -> None:
    """The command and its flags."""
    plot = plot_flags("draw regret over time into a file")
    parser = commands.add_parser(
        "play",
        parents=[game_flags(), attack_flags(), load_flags(), json_flags(), plot],
        help="policies against one environment and one adversary: a table, a picture",
        description="Play policies against one environment and one adversary.",
    )
    journal = parser.add_argument_group("a journal in place of the table's many runs")
    journal.add_argument(
        "--log", metavar="FILE", help="play one run and write its journal: decisions, rewards, sources"
    )
    journal.add_argument("--sources", type=whole, metavar="N", help="who tells the rewards (default 1000 sources)")
    journal.add_argument("--ring", type=whole, metavar="M", help="sources that tell the forged ones (default 5)")
    parser.set_defaults(run=play, runs=None)


def play(arguments: argparse.Namespace) -> None:
    """Simulate, print, draw."""
    plot, catalogue = plot_from(arguments), catalogue_from(arguments)
    policies = policies_from(arguments, catalogue)
    environment, adversary = environment_from(arguments, catalogue), adversary_from(arguments, catalogue)
    check_log(arguments, policies)
    if arguments.log is None:
        traces, stopped = play_all(policies, environment, adversary, arguments)
    else:
        traces, stopped = [play_logged(policies[0], environment, adversary, arguments)], False
    result = as_json(policies[: len(traces)], environment, adversary, arguments, traces)
    if arguments.json:
        print_json(result)
    else:
        print_table(result)
    if plot:
        from robandit.pictures.regret import regret_over_time

        labels = [row["label"] for row in result["results"]]
        regret_over_time(list(zip(labels, traces, strict=True)), result, plot)
        if not arguments.json:
            print(f"picture: {plot}")
    if arguments.log and not arguments.json:
        print(f"journal: {arguments.log}")
    if stopped:
        raise KeyboardInterrupt


def check_log(arguments: argparse.Namespace, policies: list[Any]) -> None:
    """One run of one policy where a journal is written; flags of the journal only there."""
    if arguments.log is None:
        for name in ("sources", "ring"):
            if getattr(arguments, name) is not None:
                raise InputError(f"--{name} {getattr(arguments, name)} was given without --log: name a file too")
        arguments.runs = 100 if arguments.runs is None else arguments.runs
        return
    for name, count in shape_json(arguments).items():
        raise InputError(f"--log writes the journal of one learner, one arm at a time: leave out --{name} {count}")
    if len(policies) > 1 or arguments.runs not in (None, 1):
        raise InputError("--log writes the journal of one run of one policy: give one --policy, and leave out --runs")
    arguments.runs = 1


def play_logged(policy: Any, environment: Any, adversary: Any, arguments: argparse.Namespace) -> "Trace":
    """One run whose journal is kept; after Ctrl-C it holds the rounds that were played."""
    from robandit.online.simulated import record

    terms = {name: getattr(arguments, name) for name in ("horizon", "seed")}
    terms |= {name: getattr(arguments, name) for name in ("sources", "ring") if getattr(arguments, name) is not None}
    with progress(1) as tell, naming("--log"):
        return record(
            arguments.log, policy, environment, adversary, **terms, progress=lambda share: tell(share, str(policy))
        )


def play_all(
    policies: list[Any], environment: Any, adversary: Any, arguments: argparse.Namespace
) -> "tuple[list[Trace], bool]":
    """One trace per policy; after Ctrl-C those that were finished."""
    from robandit.lab.batch import simulate

    traces: list[Trace] = []
    terms = {name: getattr(arguments, name) for name in ("horizon", "runs", "seed", "threads", "agents", "slate")}
    with progress(len(policies)) as tell:
        try:
            for policy in policies:

                def shown(share: float, label: str = str(policy)) -> None:
                    tell(len(traces) + share, label)

                shown(0.0)
                traces.append(simulate(policy, environment, adversary, **terms, progress=shown))
        except KeyboardInterrupt:
            if not traces:
                raise
            return traces, True
    return traces, False


def as_json(
    policies: list[Any], environment: Any, adversary: Any, arguments: argparse.Namespace, traces: "list[Trace]"
) -> dict[str, Any]:
    """The result under the names of the contract."""
    from robandit.game import Setting

    budget = adversary.budget if adversary else 0.0
    slots = arguments.slate if environment.family is None else environment.family.shape[1]
    told = environment.features, arguments.agents, slots, environment.family
    setting = Setting(len(environment.means), arguments.horizon * arguments.agents * slots, budget, *told)
    return {
        "version": __version__,
        "environment": {
            "name": environment.name,
            "means": list(environment.means),
            "parameters": environment.parameters(),
        },
        "horizon": arguments.horizon,
        **shape_json(arguments, environment.family),
        "runs": arguments.runs,
        "seed": arguments.seed,
        "adversary": adversary_json(adversary),
        "results": [
            result_json(policy, environment, trace, adversary, setting)
            for policy, trace in zip(policies, traces, strict=True)
        ],
    }


def result_json(policy: Any, environment: Any, trace: "Trace", adversary: Any, setting: "Setting") -> dict[str, Any]:
    """One policy's row."""
    budget = adversary.budget if adversary else 0.0
    return {
        "policy": policy.name,
        "label": str(policy),
        "parameters": policy.parameters(),
        "fidelity": policy.about.fidelity,
        "engine": trace.engine,
        "road": trace.road,
        "regret": trace.summary(),
        "corruption": {
            "budget": finite(budget),
            "paid_mean": float(trace.corruption_paid[:, -1].mean()),
            "rounds_mean": float(trace.rounds_changed.mean()),
        },
        "best_arm_share": trace.best_arm_share,
        **team_json(trace),
        **({"slate": setting.slots} if setting.slots > 1 else {}),
        "ns_per_round": trace.nanoseconds,
        "notes": [
            *policy.notes(setting),
            *step_notes(policy, environment.means),
            *engine_notes(trace),
            *adversary_notes(policy, adversary, trace),
            *slate_notes(policy, adversary, setting.slots),
        ],
    }


def team_json(trace: "Trace") -> dict[str, Any]:
    """What several agents sent, and the mean regret of each; nothing where there is one."""
    team = trace.team
    if team is None:
        return {}
    sent = {"messages_mean": float(team.messages.mean()), "bits_mean": float(team.bits.mean())}
    return {**sent, "regret_by_agent": team.regret(trace.gaps).mean(axis=0).tolist()}


def step_notes(policy: Any, means: tuple[float, ...]) -> list[str]:
    """What SAMBA cannot know of its own step, because it does not know the means."""
    from robandit.environments.means import admissible_step
    from robandit.policies.samba import Samba

    samba, limit = getattr(policy, "inner", policy), admissible_step(means)
    if not isinstance(samba, Samba) or samba.learning_rate < limit:
        return []
    step = f"learning_rate {samba.learning_rate:g} is not below r*/r_2 - 1 = {limit:.3g}, the admissible step"
    return [f"{step} for these means: the bound on regret does not hold"]


def engine_notes(trace: "Trace") -> list[str]:
    """What a play by counts gives up, and which road a kernel took if not the usual one."""
    if trace.engine == "counts":
        return ["played by counts: exact in law, but its luck is not shared with plays round by round"]
    slow = "compiled by numba as one piece, the slower road: a part of this play cannot be compiled alone"
    return [slow] if trace.road == "numba" else []


def adversary_notes(policy: Any, adversary: Any, trace: "Trace") -> list[str]:
    """What could not be spent, and what a watching adversary was shown."""
    from robandit.lab.play import REFRESH, TRIALS

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


def slate_notes(policy: Any, adversary: Any, slots: int) -> list[str]:
    """How an attack on slates is charged in threat model A, and what one that watches sees of an implicit policy."""
    if slots == 1 or adversary is None or adversary.sees_draw:
        return []
    told = [f"model A on slates: the means are moved before each of the {slots} items, and each move is charged"]
    if adversary.watches and not policy.explicit:
        told.append("its slate is drawn before the adversary looks: it was shown the draw, more than model A allows")
    return told


def print_table(result: dict[str, Any]) -> None:
    """The table and its notes."""
    from rich.console import Console

    from robandit.cli.tables import SPARE, play_table

    tables, console = [play_table(result, SPARE[:count]) for count in range(len(SPARE) + 1)], Console()
    free = console.options.update(width=1000)
    sizes = [console.measure(table, options=free) for table in tables]
    if not sys.stdout.isatty():  # a pipe has no width: let nothing be cut
        console = Console(width=max(100, sizes[0].maximum))
    fits = [number for number, size in enumerate(sizes) if size.minimum <= console.width]
    console.print(tables[fits[0] if fits else -1])  # rather a column less than a number cut
    for row in result["results"]:
        for note in row["notes"]:
            console.print(f"note on {row['label']}: {note}", highlight=False)
