"""Several policies on one environment against one adversary: their numbers as JSON has them, and notes."""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from robandit.adversaries.limited import Limited
from robandit.adversaries.nobody import Nobody
from robandit.adversaries.scheduled import ScheduledAttack
from robandit.estimates import summarise
from robandit.extras import require
from robandit.game import Adversary, Environment, Policy
from robandit.lab.matched import ContextLog, Matched
from robandit.lab.play import REFRESH, TRIALS
from robandit.lab.scenario import Scenario
from robandit.lab.trace import Trace
from robandit.version import __version__


@dataclass(frozen=True)
class Comparison:
    """Plays that differ in their policy only, in the order in which they were asked for."""

    scenarios: list[Scenario]
    traces: list[Trace]

    def to_json(self) -> dict[str, Any]:
        """Everything a program may want to know, under the names of the contract."""
        first = self.scenarios[0]
        environment = first.environment
        return {
            "version": __version__,
            "environment": {
                "name": environment.name,
                "means": list(environment.means),
                "parameters": environment.parameters(),
                **contexts_record(environment),
                **({"changes": True} if environment.changes else {}),
            },
            "horizon": first.horizon,
            **shape_record(first),
            "runs": first.runs,
            "seed": first.seed,
            "adversary": adversary_record(first.adversary),
            "results": [
                {
                    **policy_record(scenario, trace),
                    "difference": None if trace is self.traces[0] else difference(trace, self.traces[0]),
                }
                for scenario, trace in zip(self.scenarios, self.traces, strict=True)
            ],
        }

    def labelled(self) -> dict[str, Trace]:
        """Traces by the policy's text; a policy that was named twice is there once, it is the same play."""
        return {str(scenario.policy): trace for scenario, trace in zip(self.scenarios, self.traces, strict=True)}

    def to_arrow(self) -> Any:
        """A pyarrow table, one row per policy, run and checkpoint."""
        pyarrow = require("pyarrow", "a table of runs")
        return pyarrow.concat_tables(
            trace.to_arrow().add_column(0, "policy", pyarrow.array([label] * trace.regret.size))
            for label, trace in self.labelled().items()
        )

    def write_runs(self, path: Path) -> None:
        """Write that table to a .csv or .parquet file."""
        if path.suffix.lower() == ".csv":
            require("pyarrow.csv", "a table of runs").write_csv(self.to_arrow(), path)
        else:
            require("pyarrow.parquet", "a table of runs").write_table(self.to_arrow(), path)


def policy_record(scenario: Scenario, trace: Trace) -> dict[str, Any]:
    """One policy's row."""
    policy = scenario.policy
    return {
        "policy": policy.name,
        "label": str(policy),
        "parameters": policy.parameters(),
        "fidelity": policy.about.fidelity,
        "engine": trace.engine,
        "road": trace.road,
        "regret": trace.summary(),
        "corruption": {
            "budget": finite_or_none(scenario.adversary.budget),
            "paid_mean": float(trace.corruption_paid[:, -1].mean()),
            "rounds_mean": float(trace.rounds_changed.mean()),
        },
        "best_arm_share": trace.best_arm_share,
        "best_arm_half_width_95": summarise(trace.best_shares)["half_width_95"],
        **team_record(trace),
        **({} if trace.checks is None else {"checks": mean_checks(trace.checks)}),
        **({"slate": scenario.slots} if scenario.slots > 1 else {}),
        "ns_per_round": trace.nanoseconds,
        "notes": notes(scenario, trace),
    }


def mean_checks(checks: Any) -> dict[str, float | None]:
    """Rewards verified per run, with its interval."""
    summary = summarise([float(count) for count in checks])
    return {name: summary[name] for name in ("mean", "half_width_95")}


def difference(trace: Trace, first: Trace) -> dict[str, float | None] | None:
    """The regret less that of the first policy, run by run; None where plays by counts share no random streams."""
    if "counts" in (trace.engine, first.engine):
        return None
    summary = summarise(trace.regret[:, -1] - first.regret[:, -1])
    return {name: summary[name] for name in ("mean", "half_width_95")}


def contexts_record(environment: Environment[Any]) -> dict[str, Any]:
    """Who may come, and what ignoring their features costs; nothing where every round is the same."""
    if not environment.context_size:
        return {}
    users: Any = environment
    return {
        "contexts": {"users": len(users.rows), "features": environment.context_size, "blind_regret": users.blind_regret}
    }


def team_record(trace: Trace) -> dict[str, Any]:
    """What several agents sent, and the mean regret of each; nothing where there is one."""
    team = trace.team
    if team is None:
        return {}
    sent = {"messages_mean": float(team.messages.mean()), "bits_mean": float(team.bits.mean())}
    return {**sent, "regret_by_agent": team.regret(trace.gaps).mean(axis=0).tolist()}


def shape_record(scenario: Scenario) -> dict[str, int]:
    """How many agents play and how many items are shown at once, where it is more than one."""
    shape = {"agents": scenario.agents, "slate": scenario.slots}
    return {name: count for name, count in shape.items() if count > 1}


def adversary_record(adversary: Adversary[Any] | None) -> dict[str, Any] | None:
    """The adversary as it could be named again; one that decides by itself has neither schedule nor size."""
    if adversary is None or isinstance(adversary, Nobody):
        return None
    if isinstance(adversary, Limited):
        inner: Any = replace(adversary.inner, budget=adversary.budget, charge=adversary.charge)
        can = adversary.capability
        capability = {**can.parameters(), "text": str(can), "words": can.words()}
        return {**(adversary_record(inner) or {}), "capability": capability}
    record: dict[str, Any] = {"threat": "B" if adversary.sees_draw else "A"}
    if isinstance(adversary, ScheduledAttack):
        record |= {name: str(getattr(adversary, name)) for name in ("attack", "schedule", "size")}
    else:
        free: Any = adversary
        record |= {"attack": str(replace(free, budget=0.0, charge="cost")), "schedule": None, "size": None}
    return {**record, "charge": adversary.charge, "budget": finite_or_none(adversary.budget)}


def finite_or_none(number: float) -> float | None:
    """A number that JSON can hold; an unlimited budget is None."""
    return number if math.isfinite(number) else None


def notes(scenario: Scenario, trace: Trace) -> list[str]:
    """What a reader of a policy's numbers should know: from the policy, the engine, and how the adversary fared."""
    policy = scenario.policy
    return [
        *policy.notes(scenario.setting()),
        *([] if scenario.has_best_by_round else policy.notes_on_means(scenario.environment.means)),
        *tracking_notes(scenario),
        *engine_notes(trace),
        *([] if isinstance(scenario.adversary, Nobody) else adversary_notes(scenario, trace)),
    ]


def tracking_notes(scenario: Scenario) -> list[str]:
    """Why a policy cannot track a world that changes, where it says so and the world does."""
    reason = scenario.policy.cannot_forget
    return [reason] if scenario.environment.changes and reason != Policy.cannot_forget else []


def engine_notes(trace: Trace) -> list[str]:
    """What a play by counts gives up, and which road a kernel took if not the usual one."""
    if trace.engine == "counts":
        return ["played by counts: exact in law, but it shares no random streams with plays round by round"]
    slow = "compiled by numba as one piece, the slower road: a part of this play cannot be compiled alone"
    return [slow] if trace.road == "numba" else []


def adversary_notes(scenario: Scenario, trace: Trace) -> list[str]:
    """What could not be spent, what a watching adversary observes, and how slates are charged in threat model A."""
    policy, adversary, remarks = scenario.policy, scenario.adversary, list[str]()
    spent = trace.rounds_changed.mean() if adversary.charge == "rounds" else trace.corruption_paid[:, -1].mean()
    left = adversary.budget - spent
    if math.isfinite(adversary.budget) and left > 1e-6 * adversary.budget:
        remarks.append(f"{left:,.1f} of the budget {adversary.budget:,g} was not spent (mean over runs)")
    estimates = adversary.watches and not policy.explicit
    if estimates:
        frequencies = f"frequencies of {TRIALS} trial choices, renewed every {REFRESH} rounds"
        remarks.append(f"p(t) has no closed form: the adversary observes {frequencies}")
    if scenario.slots > 1 and not adversary.sees_draw:
        before = f"before each of the {scenario.slots} items, and each move is charged"
        remarks.append(f"model A on slates: the means are moved {before}")
        if estimates:
            remarks.append(
                "the slate is drawn before the adversary acts: it observes the draw, more than model A allows"
            )
    return remarks


def replay_record(
    log: ContextLog, replays: list[tuple[Policy[Any], Matched]], adversary: Adversary[Any] | None, seed: int
) -> dict[str, Any]:
    """What policies would have earned on logged contexts, as JSON: the log, and one entry per policy."""
    logger = Matched(log.rewards, len(log.rewards), 0.0)
    return {
        "rows": len(log.arms),
        "arms": list(log.names),
        "features": log.users.shape[1],
        "least_probability": log.least,
        "logged": {"mean_reward": logger.mean, "half_width_95": logger.half_width_95},
        "seed": seed,
        "adversary": adversary_record(adversary),
        "results": [
            {
                "policy": policy.name,
                "label": str(policy),
                "parameters": policy.parameters(),
                "fidelity": policy.about.fidelity,
                "rounds": one.rounds,
                "mean_reward": one.mean,
                "half_width_95": one.half_width_95,
                "corruption_paid": one.paid,
            }
            for policy, one in replays
        ],
    }
