"""What a page shows, as plain values: from what the engine keeps in memory and the last look, never from the database.

Numbers become words here, so that templates only place them.
"""

from datetime import UTC, datetime
from typing import Any

from robandit.service.experiment import Experiment
from robandit.service.service import Service
from robandit.service.watch import ALARMING, Look

LINES = 7  # arms that have a line of their own in a chart; the rest is one more
SHOWN = 25  # sources by influence
ARMS = 100  # rows of the table of arms
HISTORY = 12  # rows of the table beside a chart
TRAIL = 50

WORDS = {
    "rate": (
        "Some sources report unlike everybody else",
        "For the same arms, their rewards are higher or lower than what all others report. Luck alone would hardly "
        "ever do that.",
    ),
    "selection": (
        "Some sources report about certain arms only",
        "Nobody can choose which arm is shown. These sources report more often on some arms than the draw explains.",
    ),
    "bursts": (
        "Some sources report in bursts",
        "Many reports close to each other. Honest people do that too, so this alone is no alarm.",
    ),
    "delays": (
        "Some sources report sooner or later than others",
        "It may be a bot, or just another way of reporting, so this alone is no alarm.",
    ),
}
CAPABILITIES = {
    "erase": "make good rewards of the leader look bad",
    "add": "make bad rewards of another arm look good",
}


def listed(service: Service, experiments: list[Experiment]) -> dict[str, Any]:
    """All experiments that a visitor may see, a row each."""
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
                "state": state_of(one, service.watch.looks.get(one.id)),
            }
        )
    return {"experiments": rows, "notes": service.notes}


def most_shown(one: Experiment) -> str:
    """The arm that was shown most since the last points, where the policy cannot tell its probabilities."""
    counts = recent_shares(one) or one.tally.chosen
    return one.fold.roster.names[max(range(len(counts)), key=counts.__getitem__)]


def recent_shares(one: Experiment) -> list[float]:
    """Shares of each arm among the last decisions."""
    points = traffic(one.tally.points)
    return points[-1][2] if points else []


def state_of(one: Experiment, look: Look | None) -> dict[str, str]:
    """How an experiment is, in a word and a sentence."""
    if one.learning_again:
        return {"kind": "busy", "word": "Working", "sentence": "Learning everything again after an operator's act."}
    if one.standing.frozen is not None:
        sentence = "Learning is stopped: decisions go on as they were, rewards are recorded but not learnt."
        return {"kind": "stopped", "word": "Stopped", "sentence": sentence}
    if look is None:
        return {"kind": "new", "word": "Not looked at", "sentence": "No look was taken at the rewards yet."}
    if look.alarms:
        found = ". ".join(WORDS[name][0] for name in look.alarms)  # what was measured; why, no number can say
        sentence = f"{found}. If all were alike, the probability that this ever rings is at most 5\N{NO-BREAK SPACE}%."
        return {"kind": "alarm", "word": "Alarm", "sentence": sentence}
    if look.problem:
        return {"kind": "new", "word": "Cannot look", "sentence": f"The rewards cannot be looked at: {look.problem}"}
    return {"kind": "quiet", "word": "Quiet", "sentence": "Nothing unusual in the rewards."}


def shown(service: Service, one: Experiment, head: str) -> dict[str, Any]:
    """One experiment, for its page."""
    look = service.watch.looks.get(one.id)
    found = None if look is None else look.found
    told = service.engine.about(one)
    leader = max(told.arms, key=lambda arm: arm.probability or 0.0).name if told.arms[0].probability else ""
    return {
        "id": one.id,
        "name": one.name,
        "policy": told.policy,
        "trips": bool(one.about.get("trip")),
        "state": state_of(one, look),
        "frozen": told.frozen,
        "look": look and {"line": f"{look.line:,}", **moment(look.time), "seconds": f"{look.seconds:.0f}"},
        "alarms": alarms(look),
        "flagged": [] if look is None else look.flagged,
        "numbers": numbers(service, one, told),
        "arms": arms(told),
        "more_arms": max(len(told.arms) - ARMS, 0),
        "sources": sources(one, look),
        "source_count": 0 if found is None else len(found["sources"]),
        "leader": found["belief"]["leader"] if found else leader,
        "witness": witness(found),
        "price": price(found),
        "shadows": shadows(found),
        "notes": [] if found is None else found["notes"],
        "trail": trail(one),
        "head": head,
        "lines": f"{one.line:,}",
        "rules": [(name, value) for name, value in told.rules.items() if value not in (None, False, 0.0, "first")],
        "machine": machine(service),
        "chart": chart(one),
    }


def numbers(service: Service, one: Experiment, told: Any) -> list[tuple[str, str, str]]:
    """Counts with what they mean."""
    late = service.engine.late.get(one.id, 0)
    return [
        ("Decisions", f"{told.decisions:,}", "made so far"),
        ("Rewards", f"{told.rewards:,}", "recorded so far"),
        ("Pending", f"{told.pending:,}", "decisions that wait for a reward"),
        ("Expired", f"{told.expired:,}", "decisions whose time ran out"),
        ("Late", f"{late:,}", "rewards refused because they came too late, since the start"),
        ("Left out", f"{one.docket.left_out:,}", "rewards recorded that do not count"),
        ("Refused", f"{told.refused:,}", "requests that were told no, since the start"),
    ]


def arms(told: Any) -> list[dict[str, Any]]:
    """A row an arm; `line` is its place in the charts."""
    order = sorted(range(len(told.arms)), key=lambda place: -(told.arms[place].probability or 0.0))
    places = drawn_arms(len(told.arms), [arm.decisions for arm in told.arms])
    rows = []
    for place in order[:ARMS] if told.arms[0].probability is not None else range(min(len(told.arms), ARMS)):
        arm = told.arms[place]
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


def drawn_arms(count: int, chosen: list[int]) -> list[int]:
    """The arms with a line of their own: those shown most, in their usual order."""
    if count <= LINES + 1:
        return list(range(count))
    return sorted(sorted(range(count), key=lambda place: -chosen[place])[:LINES])


def traffic(points: list[Any]) -> list[tuple[float, int, list[float]]]:
    """Shares of what was shown between points some way apart: what happened, whatever counts today."""
    step = max(1, len(points) // 40)
    found = []
    for place in range(len(points)):
        time, number, _, chosen = points[place]
        before = points[place - step][3] if place >= step else []
        since = [count - (before[arm] if arm < len(before) else 0) for arm, count in enumerate(chosen)]
        found.append((time, number, [count / max(sum(since), 1) for count in since]))
    return found


def chart(one: Experiment) -> dict[str, Any]:
    """Two courses over time, by arm: what is believed under what counts today, and what was shown."""
    names, points = one.fold.roster.names, one.tally.points
    places = drawn_arms(len(names), one.tally.chosen)
    rest = len(places) < len(names)

    def columns(course: list[Any]) -> list[list[float]]:
        found = [[round(p[arm] if arm < len(p) else 0.0, 4) for _, _, p, *_ in course] for arm in places]
        if rest:
            found.append([round(1.0 - sum(column[row] for column in found), 4) for row in range(len(course))])
        return found

    labels = [names[arm] for arm in places] + (["all others"] if rest else [])
    times = [point[0] for point in points]
    believed, seen = columns(points), columns(traffic(points))
    rows = sorted({round(place * (len(points) - 1) / (HISTORY - 1)) for place in range(HISTORY)}) if points else []
    table = [
        {
            "time": moment(times[row])["clock"],
            "decisions": f"{points[row][1]:,}",
            "believed": [percent(column[row]) for column in believed],
            "shown": [percent(column[row]) for column in seen],
        }
        for row in rows
    ]
    return {
        "labels": labels,
        "decisions": [point[1] for point in points],
        "believed": believed,
        "shown": seen,
        "told": one.policy.explicit,
        "table": table,
    }


def alarms(look: Look | None) -> list[dict[str, Any]]:
    """What rings, in words."""
    if look is None or look.found is None:
        return []
    ringing = [name for name, row in look.found["alarms"].items() if row is not None]
    ringing.sort(key=lambda name: name not in ALARMING)
    return [{"title": WORDS[name][0], "means": WORDS[name][1], "alarm": name in ALARMING} for name in ringing]


def sources(one: Experiment, look: Look | None) -> list[dict[str, Any]]:
    """Those who moved the belief most, those who differ, and those of whom something was said."""
    found = (None if look is None else look.found) or {}
    told = {row["source"]: row for row in found.get("sources", [])}
    flagged = set() if look is None else set(look.flagged)
    in_witness = set((found.get("witness") or {"sources": []})["sources"])
    by_influence = sorted(told, key=lambda name: -abs(told[name]["influence"]))[:SHOWN]
    first = [name for name in told if name in flagged]
    names = list(dict.fromkeys([*first[:ARMS], *list(one.standing.sources)[-ARMS:], *by_influence]))
    rows = []
    for name in names:
        row, verdict = told.get(name), one.standing.verdict(name)
        marks = ["quarantined"] if verdict.quarantined else []
        marks += [f"at most {verdict.cap:,} a day"] if verdict.cap is not None else []
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
    """An e-value as a number that a person can compare."""
    return "over a million" if value > 1e6 else f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def witness(found: dict[str, Any] | None) -> dict[str, Any] | None:
    """The set without which another arm leads."""
    if found is None or found["witness"] is None:
        return None
    names = found["witness"]["sources"]
    return {"count": f"{len(names):,}", "names": names[:10], "more": max(len(names) - 10, 0)} | {
        "leader": found["witness"]["leader_without"]
    }


def price(found: dict[str, Any] | None) -> dict[str, Any] | None:
    """Forged rewards that would unseat the leader from here, by what an attacker can do."""
    told = None if found is None else found["price"]
    if told is None:
        return None
    rows = []
    for can, one in told["by_capability"].items():
        estimate = (
            "none that was tried succeeds" if one is None or one["estimate"] is None else f"{one['estimate']:,.0f}"
        )
        rows.append((CAPABILITIES[can], estimate))
    high = "more than any tried" if told["high"] is None else f"{told['high']:,.0f}"
    return {
        "fakes": None if told["future_fakes"] is None else f"{told['future_fakes']:,.0f}",
        "low": f"{told['low']:,.0f}" if told["low"] is not None else "0",
        "high": high,
        "rounds": f"{told['rounds_ahead']:,}",
        "runs": told["runs"] * told["blocks"],
        "rows": rows,
    }


def shadows(found: dict[str, Any] | None) -> list[dict[str, str]]:
    """What other policies would have earned on the same rewards."""
    told = None if found is None else found["off_policy"]
    if told is None:
        return []
    rows = (
        [{"name": "as it was", "leader": found["belief"]["leader"], "value": f"{told['mean_reward']:.4f}"}]
        if found
        else []
    )
    for name, one in told["policies"].items():
        value = one["value"] and one["value"]["dr"]
        half = value and (value["high"] - value["low"]) / 2
        rows.append(
            {
                "name": name,
                "leader": one["leader"],
                "value": f"{value['value']:.4f} ± {half:.4f}" if value else "unknown",
            }
        )
    return rows if told["policies"] else []


def trail(one: Experiment) -> list[dict[str, str]]:
    """Who did what, the last first."""
    rows = []
    for line, entry in reversed(one.acts[-TRAIL:]):
        rows.append({"line": f"{line:,}", "by": entry.get("by", ""), **moment(entry["time"]), "did": did(entry)})
    return rows


def did(entry: dict[str, Any]) -> str:
    """An act in words."""
    kind, change = entry["entry"], entry.get("change", "")
    if kind == "arm":
        return f"arm {entry['arm']} {change}"
    if kind == "source":
        more = {"capped": f" at {entry.get('cap')} a day", "weighted": f" {entry.get('weight')}"}.get(change, "")
        return f"source {entry['source']} {change}{more}"
    if kind == "breaker":
        return "learning stopped" if change == "tripped" else "learning goes on"
    if kind == "retract":
        return (
            f"reward of decision {entry['id']} taken back" if "id" in entry else f"source {entry['source']} taken back"
        )
    return "a backup was restored"


def machine(service: Service) -> list[tuple[str, str, str]]:
    """How the disk does."""
    writer = service.writer
    return [
        ("A sync of the disk", f"{service.sync_ms:.2f} ms", "median, measured at the start"),
        ("A commit", f"{1000 * writer.seconds:.1f} ms", "running mean: answers wait for it"),
        ("The longest commit lately", f"{1000 * writer.longest:.1f} ms", "a fading maximum"),
    ]


def moment(seconds: float) -> dict[str, str]:
    """A time for people and for machines."""
    told = datetime.fromtimestamp(seconds, UTC)
    return {"clock": f"{told:%Y-%m-%d %H:%M:%S} UTC", "iso": f"{told:%Y-%m-%dT%H:%M:%SZ}"}


def percent(share: float | None) -> str:
    """A share for people."""
    return "" if share is None else f"{100 * share:.1f} %"
