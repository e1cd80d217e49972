"""Numbers for Prometheus: each with its type and what it means, of the process and of the experiments one may see."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from robandit.forensics.statistics import STATISTICS
from robandit.service.experiment import Experiment
from robandit.service.service import REPLAY, Service, replay_name
from robandit.service.supervisor import Duty
from robandit.service.tokens import Token
from robandit.version import __version__

Labels = Mapping[str, object]
Samples = Iterable[tuple[Labels, float] | tuple[Labels, float, str]]  # labels, value, and how the name ends


class MetricFamily(NamedTuple):
    """Numbers of one name."""

    name: str
    kind: str  # counter, gauge or histogram
    meaning: str
    samples: Samples


def escape(value: object) -> str:
    """Returns a label's value: no name can end the label it stands in."""
    return str(value).replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def write_metrics(families: Iterable[MetricFamily]) -> Iterator[str]:
    """Yields the lines of Prometheus' text format."""
    for name, kind, meaning, samples in families:
        yield f"# HELP robandit_{name} {meaning}"
        yield f"# TYPE robandit_{name} {kind}"
        for labels, value, *ending in samples:
            inside = ",".join(f'{label}="{escape(text)}"' for label, text in labels.items())
            yield f"robandit_{name}{''.join(ending)}{f'{{{inside}}}' if inside else ''} {value:.12g}"


def all_families(service: Service, token: Token) -> Iterator[MetricFamily]:
    """Yields every family: of the whole process, and of the experiments that a token may see."""
    visible = [one for one in service.engine.experiments.values() if token.sees(one.id, one.name)]
    yield from process_families(service)
    yield from task_families(visible_duties(service, token, visible))
    yield from experiment_families(visible)
    yield from watch_families(service, visible)


def process_families(service: Service) -> Iterator[MetricFamily]:
    """Yields what is about the process."""
    writer = service.writer
    requests: Samples = [
        ({"operation": operation, "status": status}, count)
        for (operation, status), count in sorted(service.requests.items())
    ]
    yield MetricFamily("info", "gauge", "The version of the program.", [({"version": __version__}, 1)])
    meaning = "Requests by the operation (as OpenAPI names it) and the status of the answer."
    yield MetricFamily("requests_total", "counter", meaning, requests)
    yield MetricFamily("commits_total", "counter", "Transactions that were committed.", [({}, writer.commits)])
    yield MetricFamily("lines_total", "counter", "Lines of journals that were committed.", [({}, writer.lines)])
    total, steps = 0, list[tuple[Labels, float, str]]()
    for bound, count in zip([*writer.BOUNDS, "+Inf"], writer.counts, strict=True):
        total += count
        steps.append(({"le": bound}, total, "_bucket"))
    sums: Samples = [({}, writer.total_seconds, "_sum"), ({}, total, "_count")]
    yield MetricFamily("commit_seconds", "histogram", "How long a commit took.", [*steps, *sums])
    yield MetricFamily(
        "sync_seconds", "gauge", "How long a sync of the disk took at the start.", [({}, service.sync_ms / 1e3)]
    )
    yield MetricFamily("waiting", "gauge", "Answers that wait for the next commit.", [({}, len(writer.queue))])
    yield MetricFamily(
        "degraded",
        "gauge",
        "1 while something beside the requests is wrong.",
        [({}, bool(service.supervisor.problems))],
    )
    yield MetricFamily(
        "leases_fresh", "gauge", "1 while this process may answer for its experiments.", [({}, service.ownership.fresh)]
    )


def visible_duties(service: Service, token: Token, visible: list[Experiment]) -> list[tuple[str, Duty]]:
    """Returns the background work that a token may know of: a replay is about one experiment."""
    replays = {replay_name(one.id) for one in visible}
    return [
        (name, duty)
        for name, duty in service.supervisor.duties.items()
        if token.experiments is None or not name.startswith(REPLAY) or name in replays
    ]


def task_families(duties: list[tuple[str, Duty]]) -> Iterator[MetricFamily]:
    """Yields what is about background work."""
    restarts: Samples = [({"task": task}, duty.restarts) for task, duty in duties]
    yield MetricFamily(
        "background_restarts_total", "counter", "Times that background work failed and began again.", restarts
    )
    up: Samples = [({"task": task}, not duty.problem) for task, duty in duties]
    yield MetricFamily("background_up", "gauge", "0 while background work is down.", up)


def experiment_families(visible: list[Experiment]) -> Iterator[MetricFamily]:
    """Yields what is about each experiment."""

    def each(value: Callable[[Experiment], float]) -> Samples:
        return [(label(one), value(one)) for one in visible]

    yield MetricFamily("experiment_decisions_total", "counter", "Decisions.", each(lambda one: one.fold.decisions))
    yield MetricFamily(
        "experiment_rewards_total", "counter", "Rewards that came.", each(lambda one: sum(one.tally.recorded))
    )
    yield MetricFamily(
        "experiment_verified_total", "counter", "Verified rewards that came.", each(lambda one: one.tally.verified)
    )
    yield MetricFamily(
        "experiment_pending", "gauge", "Decisions that wait for a reward.", each(lambda one: len(one.docket.cases))
    )
    yield MetricFamily(
        "experiment_expired",
        "gauge",
        "Decisions that no reward came for in time.",
        each(lambda one: one.docket.expired),
    )
    yield MetricFamily(
        "experiment_left_out", "gauge", "Rewards that do not count.", each(lambda one: one.docket.left_out)
    )
    guards = [(one, one.guardrail, arm) for one in visible if one.guardrail for arm in range(len(one.guardrail.count))]
    means: Samples = [
        ({**label(one), "arm": one.fold.roster.names[arm]}, guard.sums[arm] / guard.count[arm])
        for one, guard, arm in guards
        if guard.count[arm]
    ]
    yield MetricFamily("experiment_guardrail_mean", "gauge", "Mean of the second metric so far.", means)
    wealth: Samples = [
        ({**label(one), "arm": one.fold.roster.names[arm]}, guard.evidence(arm)) for one, guard, arm in guards
    ]
    meaning = "Evidence (an e-value) that the mean of the second metric is above its limit."
    yield MetricFamily("experiment_guardrail_evidence", "gauge", meaning, wealth)
    stopped = each(lambda one: one.standing.frozen is not None)
    yield MetricFamily("experiment_learning_stopped", "gauge", "1 while the breaker is tripped.", stopped)


def watch_families(service: Service, visible: list[Experiment]) -> Iterator[MetricFamily]:
    """Yields what the audits found."""
    audits = [(one, service.watch.audits[one.id]) for one in visible if one.id in service.watch.audits]
    names = [name for name, statistic in STATISTICS.items() if statistic.is_alarm]
    alarms: Samples = [
        ({**label(one), "statistic": name}, name in audit.alarms) for one, audit in audits for name in names
    ]
    yield MetricFamily("experiment_alarm", "gauge", "1 while a statistic of the last audit raises an alarm.", alarms)
    evidence: Samples = [
        ({**label(one), "statistic": name}, value)
        for one, audit in audits
        for name, value in (audit.findings or {}).get("evidence", {}).items()
    ]
    yield MetricFamily("experiment_evidence", "gauge", "The e-value of a statistic in the last audit.", evidence)
    forged: Samples = [
        ({**label(one), "bound": bound}, known["difference"][bound])
        for one, audit in audits
        if (known := (audit.findings or {}).get("forged")) is not None
        for bound in ("low", "value", "high")
    ]
    meaning = "Mean of unverified less verified rewards of the same decisions, with its 95 % interval."
    yield MetricFamily("experiment_forged", "gauge", meaning, forged)
    flagged: Samples = [(label(one), len(audit.flagged)) for one, audit in audits]
    yield MetricFamily("experiment_flagged_sources", "gauge", "Sources that an alarm names.", flagged)
    times: Samples = [(label(one), audit.time) for one, audit in audits]
    yield MetricFamily("experiment_audit_time_seconds", "gauge", "When the last audit ended, since 1970.", times)
    failed: Samples = [(label(one), bool(audit.problem)) for one, audit in audits]
    yield MetricFamily("experiment_audit_failed", "gauge", "1 where the last audit could not be made.", failed)


def label(experiment: Experiment) -> Labels:
    """Returns the labels of an experiment's numbers."""
    return {"experiment": experiment.id, "name": experiment.name}
