"""What `robandit play` tells: each policy's numbers under the names of the contract, with notes in words."""

import argparse
import math
from typing import TYPE_CHECKING, Any

from robandit.cli.attacks import adversary_json, finite
from robandit.cli.flags import shape_json
from robandit.version import __version__

if TYPE_CHECKING:  # `robandit --help` does not wait for NumPy
    from robandit.game import Setting
    from robandit.lab.trace import Trace


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
            **contexts_json(environment),
        },
        "horizon": arguments.horizon,
        **shape_json(arguments, environment.family),
        "runs": arguments.runs,
        "seed": arguments.seed,
        "adversary": adversary_json(adversary),
        "results": [
            {
                **result_json(policy, environment, trace, adversary, setting),
                "difference": None if trace is traces[0] else difference(trace, traces[0]),
            }
            for policy, trace in zip(policies, traces, strict=True)
        ],
    }


def result_json(policy: Any, environment: Any, trace: "Trace", adversary: Any, setting: "Setting") -> dict[str, Any]:
    """One policy's row."""
    from robandit.lab.trace import summarised

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
        "best_arm_half_width_95": summarised(trace.best_shares)["half_width_95"],
        **team_json(trace),
        **({"slate": setting.slots} if setting.slots > 1 else {}),
        "ns_per_round": trace.nanoseconds,
        "notes": [
            *policy.notes(setting),
            *([] if environment.context_size else policy.notes_on_means(environment.means)),
            *engine_notes(trace),
            *adversary_notes(policy, adversary, trace),
            *slate_notes(policy, adversary, setting.slots),
        ],
    }


def difference(trace: "Trace", first: "Trace") -> dict[str, float | None] | None:
    """The regret less that of the first policy, run by run; None where plays by counts share no luck."""
    from robandit.lab.trace import summarised

    if "counts" in (trace.engine, first.engine):
        return None
    told = summarised(trace.regret[:, -1] - first.regret[:, -1])
    return {name: told[name] for name in ("mean", "half_width_95")}


def contexts_json(environment: Any) -> dict[str, Any]:
    """Who may come, and what not looking at them costs; nothing where the game stays the same."""
    if not environment.context_size:
        return {}
    told = {"users": len(environment.rows), "features": environment.context_size // len(environment.means)}
    return {"contexts": {**told, "blind_regret": environment.blind_regret}}


def team_json(trace: "Trace") -> dict[str, Any]:
    """What several agents sent, and the mean regret of each; nothing where there is one."""
    team = trace.team
    if team is None:
        return {}
    sent = {"messages_mean": float(team.messages.mean()), "bits_mean": float(team.bits.mean())}
    return {**sent, "regret_by_agent": team.regret(trace.gaps).mean(axis=0).tolist()}


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
