"""What a page shows, as plain values: from the engine's memory and the last audit, never from the database.

Numbers become words here, so that templates only place them.
"""

from typing import Any

from robandit.forensics.statistics import STATISTICS
from robandit.service.chart import LINES, describe_chart, drawn_arms, moment, percent, traffic
from robandit.service.experiment import Experiment
from robandit.service.messages import ArmReply, ExperimentReply
from robandit.service.service import Service
from robandit.service.watch import JournalAudit

SOURCES = 25  # by influence
ARMS = 100  # rows of the table of arms
TRAIL = 50

CAPABILITIES = {
    "erase": "make good rewards of the leader look bad",
    "add": "make bad rewards of another arm look good",
}


def version(service: Service, experiments: list[Experiment]) -> list[Any]:
    """Returns what differs whenever the page of some experiments does, but for the times of the disk."""
    refused, times = service.engine.refused, {id: audit.time for id, audit in service.watch.audits.items()}
    return [(one.id, one.line, one.learning_again, refused.get(one.id), times.get(one.id)) for one in experiments]


def describe_list(service: Service, experiments: list[Experiment]) -> dict[str, Any]:
    """Returns one row per experiment."""
    rows = []
    for one in experiments:
        probabilities = service.engine.probabilities(one)
        leader = max(probabilities, key=probabilities.__getitem__) if probabilities else most_shown(one)
        rows.append(
            {
                "id": one.id,
                "name": one.name,
                "leader": leader,
                "probability": percent(probabilities.get(leader)) if probabilities else "",
                "decisions": f"{one.fold.decisions:,}",
                "rewards": f"{sum(one.tally.recorded):,}",
                "state": state_of(one, service.watch.audits.get(one.id)),
            }
        )
    return {"experiments": rows, "notes": service.notes + service.supervisor.problems}


def most_shown(one: Experiment) -> str:
    """Returns the arm that was shown most lately, for a policy without explicit probabilities."""
    points = traffic(one.tally.points)
    counts = points[-1][2] if points else one.tally.chosen
    return one.fold.roster.names[max(range(len(counts)), key=counts.__getitem__)]


def state_of(one: Experiment, audit: JournalAudit | None) -> dict[str, str]:
    """Returns how an experiment is, in a word and a sentence."""
    if one.learning_again:
        return {"kind": "busy", "word": "Working", "sentence": "Learning everything again after an operator's act."}
    if one.ended:
        sentence = "It decides no more; open decisions take their rewards."
        return {"kind": "stopped", "word": "Ended", "sentence": sentence}
    if one.standing.frozen is not None:
        sentence = "Learning is stopped: decisions go on as they were, rewards are recorded but not learnt."
        return {"kind": "stopped", "word": "Stopped", "sentence": sentence}
    if audit is None:
        return {"kind": "new", "word": "No audit yet", "sentence": "The rewards have not been audited yet."}
    if audit.alarms:
        titles = ". ".join(STATISTICS[name].title for name in audit.alarms)  # what was measured; why, no number can say
        sentence = (
            f"{titles}. In honest shops the probability that an alarm ever rings is at most 5\N{NO-BREAK SPACE}%."
        )
        sentence += f" The last audit failed, so this is the one before it: {audit.problem}." if audit.problem else ""
        return {"kind": "alarm", "word": "Alarm", "sentence": sentence}
    if audit.problem:
        return {"kind": "new", "word": "No audit", "sentence": f"The rewards cannot be audited: {audit.problem}"}
    return {"kind": "quiet", "word": "Quiet", "sentence": "Nothing unusual in the rewards."}


def describe_experiment(service: Service, one: Experiment, head: str) -> dict[str, Any]:
    """Returns one experiment for its page."""
    audit = service.watch.audits.get(one.id)
    findings = None if audit is None else audit.findings
    reply = service.engine.about(one)
    leader = max(reply.arms, key=lambda arm: arm.probability or 0.0).name if reply.arms[0].probability else ""
    return {
        "id": one.id,
        "name": one.name,
        "policy": reply.policy,
        "trips": bool(one.about.get("trip")),
        "state": state_of(one, audit),
        "frozen": reply.frozen,
        "ended": reply.ended,
        "audit": audit and {"line": f"{audit.line:,}", **moment(audit.time), "seconds": f"{audit.seconds:.0f}"},
        "alarms": alarms(audit),
        "flagged": [] if audit is None else audit.flagged,
        "numbers": numbers(service, one, reply),
        "arms": arms(reply.arms),
        "more_arms": max(len(reply.arms) - ARMS, 0),
        "sources": sources(one, audit),
        "source_count": 0 if findings is None else len(findings["sources"]),
        "leader": findings["belief"]["leader"] if findings else leader,
        "forged": ((findings or {}).get("forged") or {}).get("text", ""),
        "witness": witness(findings),
        "price": price(findings),
        "shadows": shadows(findings),
        "notes": [] if findings is None else findings["notes"],
        "trail": trail(one),
        "head": head,
        "lines": f"{one.line:,}",
        "rules": [(name, value) for name, value in reply.rules.items() if value not in (None, False, 0.0, "first")],
        "machine": machine(service),
        "chart": describe_chart(one),
    }


def numbers(service: Service, one: Experiment, reply: ExperimentReply) -> list[tuple[str, str, str]]:
    """Returns counts with what they mean."""
    late = service.engine.late.get(one.id, 0)
    return [
        ("Decisions", f"{reply.decisions:,}", "so far"),
        ("Rewards", f"{reply.rewards:,}", "recorded so far"),
        *([("Verified", f"{reply.verified:,}", "rewards that somebody made sure of")] if reply.verified else []),
        *guarded(one),
        ("Pending", f"{reply.pending:,}", "decisions that wait for a reward"),
        ("Expired", f"{reply.expired:,}", "decisions whose time ran out"),
        ("Late", f"{late:,}", "rewards refused because they came too late, since the start"),
        ("Left out", f"{one.docket.left_out:,}", "rewards recorded that do not count"),
        ("Refused", f"{reply.refused:,}", "requests, since the start"),
    ]


def guarded(one: Experiment) -> list[tuple[str, str, str]]:
    """Returns the arm with the largest mean of the second metric; nothing where there is none."""
    guard, names = one.guardrail, one.fold.roster.names
    if guard is None or not any(guard.count):
        return []
    means = {
        arm: total / count for arm, (total, count) in enumerate(zip(guard.sums, guard.count, strict=True)) if count
    }
    arm = max(means, key=means.__getitem__)
    meaning = f"mean of {names[arm]}, the largest; the limit is {guard.terms.limit:g}"
    if guard.over:
        meaning += f"; surely above it: {', '.join(names[place] for place in guard.over)}"
    return [(guard.terms.name, f"{means[arm]:.3g}", meaning)]


def arms(replies: list[ArmReply]) -> list[dict[str, Any]]:
    """Returns one row per arm; `line` is its place in the charts."""
    order = sorted(range(len(replies)), key=lambda place: -(replies[place].probability or 0.0))
    places = drawn_arms(len(replies), [arm.decisions for arm in replies])
    rows = []
    for place in order[:ARMS] if replies[0].probability is not None else range(min(len(replies), ARMS)):
        arm = replies[place]
        rows.append(
            {
                "name": arm.name,
                "status": arm.status,
                "line": places.index(place) if place in places else LINES,
                "probability": percent(arm.probability),
                "share": 0.0 if arm.probability is None else round(arm.probability, 4),
                "decisions": f"{arm.decisions:,}",
                "rewards": f"{arm.rewards:,}",
                "mean": "" if arm.mean_reward is None else f"{arm.mean_reward:.3g}",
            }
        )
    return rows


def alarms(audit: JournalAudit | None) -> list[dict[str, Any]]:
    """Returns what rings, in words, alarms before notices."""
    if audit is None or audit.findings is None:
        return []
    rows = []
    for signal in audit.findings["signals"]:
        statistic = STATISTICS[signal["statistic"]]
        rows.append(
            {
                "title": statistic.title,
                "means": statistic.meaning if signal["is_alarm"] else "",
                "size": signal["text"],
                "assumes": signal["assumption"] if signal["is_alarm"] else "",
                "alarm": signal["is_alarm"],
            }
        )
    return rows


def sources(one: Experiment, audit: JournalAudit | None) -> list[dict[str, Any]]:
    """Returns the sources that moved the belief most, those that differ, and those on which an operator acted."""
    findings = (None if audit is None else audit.findings) or {}
    reports = {row["source"]: row for row in findings.get("sources", [])}
    flagged = set() if audit is None else set(audit.flagged)
    in_witness = set((findings.get("witness") or {"sources": []})["sources"])
    by_influence = sorted(reports, key=lambda name: -abs(reports[name]["influence"]))[:SOURCES]
    first = [name for name in reports if name in flagged]
    names = list(dict.fromkeys([*first[:ARMS], *list(one.standing.sources)[-ARMS:], *by_influence]))
    rows = []
    for name in names:
        row, verdict = reports.get(name), one.standing.verdict(name)
        marks = ["quarantined"] if verdict.quarantined else []
        marks += [f"at most {verdict.cap:,} per day"] if verdict.cap is not None else []
        marks += [f"weight {verdict.weight:g}"] if verdict.weight < 1 else []
        marks += ["differs"] if name in flagged else []
        marks += ["in the witness set"] if name in in_witness else []
        rows.append(
            {
                "name": name,
                "marks": marks,
                "differs": name in flagged,
                "quarantined": verdict.quarantined,
                "rewards": f"{row['rows']:,}" if row else "",
                "influence": f"{100 * row['influence']:+.2f}" if row else "",
                "evidence": evidence(row["e_value"]) if row and row["e_value"] is not None else "",
            }
        )
    return rows


def evidence(value: float) -> str:
    """Returns an e-value as a number that a person can compare."""
    return "over a million" if value > 1e6 else f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def witness(findings: dict[str, Any] | None) -> dict[str, Any] | None:
    """Returns the set of sources without which another arm leads."""
    if findings is None or findings["witness"] is None:
        return None
    names, leader = findings["witness"]["sources"], findings["witness"]["leader_without"]
    return {"count": f"{len(names):,}", "names": names[:10], "more": max(len(names) - 10, 0), "leader": leader}


def price(findings: dict[str, Any] | None) -> dict[str, Any] | None:
    """Returns how many forged rewards would unseat the leader from here, by what an attacker can do."""
    attack = None if findings is None else findings["price"]
    if attack is None:
        return None
    rows = []
    for can, one in attack["by_capability"].items():
        failed = one is None or one["estimate"] is None
        rows.append((CAPABILITIES[can], "none that was tried succeeds" if failed else f"{one['estimate']:,.0f}"))
    return {
        "fakes": None if attack["future_fakes"] is None else f"{attack['future_fakes']:,.0f}",
        "low": f"{attack['low'] or 0:,.0f}",
        "high": "more than any tried" if attack["high"] is None else f"{attack['high']:,.0f}",
        "rounds": f"{attack['rounds_ahead']:,}",
        "runs": attack["runs"] * attack["blocks"],
        "rows": rows,
    }


def shadows(findings: dict[str, Any] | None) -> list[dict[str, str]]:
    """Returns what other policies would have earned on the same rewards, after a first row for the one that decided."""
    values = None if findings is None else findings["off_policy"]
    if findings is None or values is None or not values["policies"]:
        return []
    rows = [("as it was", findings["belief"]["leader"], f"{values['mean_reward']:.4f}")]
    for name, one in values["policies"].items():
        value = one["value"] and one["value"]["dr"]
        half = value and (value["high"] - value["low"]) / 2
        rows.append((name, one["leader"], f"{value['value']:.4f} ± {half:.4f}" if value else "unknown"))
    return [{"name": name, "leader": leader, "value": value} for name, leader, value in rows]


def trail(one: Experiment) -> list[dict[str, str]]:
    """Returns who did what, the last first."""
    return [
        {"line": f"{line:,}", "by": entry.get("by", ""), **moment(entry["time"]), "did": describe_act(entry)}
        for line, entry in reversed(one.acts[-TRAIL:])
    ]


def describe_act(entry: dict[str, Any]) -> str:
    """Returns an act in words."""
    kind, change = entry["entry"], entry.get("change", "")
    if kind == "arm":
        return f"arm {entry['arm']} {change}"
    if kind == "source":
        more = {"capped": f" at {entry.get('cap')} per day", "weighted": f" {entry.get('weight')}"}.get(change, "")
        return f"source {entry['source']} {change}{more}"
    if kind == "end":
        return "the experiment ended"
    if kind == "forget":
        return f"a source's name forgotten in {entry['lines']:,} lines"
    if kind == "breaker":
        why = entry.get("why", {})
        if "guardrail" in why:
            return f"learning stopped: {why['guardrail']} of {', '.join(why['arms'])} is above its limit"
        return "learning stopped" if change == "tripped" else "learning goes on"
    if kind == "retract":
        return (
            f"reward of decision {entry['id']} taken back" if "id" in entry else f"source {entry['source']} taken back"
        )
    return "a backup was restored"


def machine(service: Service) -> list[tuple[str, str, str]]:
    """Returns how long the disk takes."""
    writer = service.writer
    return [
        ("A sync of the disk", f"{service.sync_ms:.2f} ms", "median, measured at the start"),
        ("A commit", f"{1000 * writer.seconds:.1f} ms", "running mean: answers wait for it"),
        ("The longest commit lately", f"{1000 * writer.longest:.1f} ms", "a fading maximum"),
    ]
