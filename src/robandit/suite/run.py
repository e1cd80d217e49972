"""Running a suite: the tasks of some policies that are not in the folder's journal, on threads or on a cluster."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from robandit.catalogue import SHIPPED, Catalogue, scaled
from robandit.conformance.law import waivers
from robandit.errors import InputError
from robandit.executor import Executor
from robandit.game import Policy
from robandit.redteam.frontier import with_assumed_corruption
from robandit.store.journal import Journal
from robandit.suite.measure import RowTask, measure_rows
from robandit.suite.spec import Suite, SuiteAttacker, SuiteEnvironment

JOURNAL = "rows.jsonl"
GAMES = ("arms", "features", "slates")  # that have an environment here; several agents have none
Finished = Callable[[str, float], None]  # called with the policy of each finished task, and the seconds it took


@dataclass(frozen=True)
class SuiteFolder:
    """What was measured of a suite: one journal, each entry written whole or not at all."""

    suite: Suite
    folder: Path
    journal: Journal

    def policies(self) -> dict[str, dict[str, Any]]:
        """What is known of each policy that was ever measured here, with the keys of its tasks, by its text."""
        entries = self.journal.values.items()
        return {key.removeprefix("policy "): value for key, value in entries if key.startswith("policy ")}

    def rows(self, label: str) -> list[dict[str, Any]]:
        """The rows of a policy that are measured, in the order of the suite."""
        tasks = self.policies()[label]["tasks"]
        done = [(task, self.journal.get(task["key"])) for task in tasks]
        return [
            {"policy": label, "environment": task["environment"], "attacker": task["attacker"], **row}
            for task, record in done
            if record is not None
            for row in record["rows"]
        ]

    def progress(self, label: str) -> dict[str, Any]:
        """How many tasks of a policy are done, how many there are, and the seconds that those done took."""
        tasks = self.policies()[label]["tasks"]
        records = [record for task in tasks if (record := self.journal.get(task["key"])) is not None]
        return {"done": len(records), "of": len(tasks), "seconds": sum(record["seconds"] for record in records)}


@dataclass(frozen=True)
class Entrants:
    """The policies that are measured, and the files they come from."""

    policies: tuple[Policy[Any], ...]
    load: tuple[str, ...] = ()
    catalogue: Catalogue = field(default=SHIPPED, compare=False)


def open_folder(suite: Suite, folder: Path) -> SuiteFolder:
    """The folder of a suite's results; raises InputError if it is that of another suite."""
    journal = Journal(folder / JOURNAL)
    name = hashlib.sha256(repr(suite).encode()).hexdigest()[:16]
    if journal.get("suite") not in (None, name):
        raise InputError(f"the folder {str(folder)!r} holds rows of another suite than {suite.name}: give another one")
    if journal.get("suite") is None:
        journal.put("suite", name)
    return SuiteFolder(suite, folder, journal)


def shipped_policies(catalogue: Catalogue = SHIPPED) -> tuple[Policy[Any], ...]:
    """Every policy that comes with the package and plays a game of the suite, as it learns within usual horizons.

    No environment of a suite lists its slates, so that policies for lists have none.
    """
    classes = [cls for cls in catalogue.policies().values() if cls.plays in GAMES]
    policies = [with_assumed_corruption(scaled(cls())) for cls in classes]
    return tuple(policy for policy in policies if getattr(policy, "takes", "both") != "lists")


def plan(suite: Suite, policy: Policy[Any], catalogue: Catalogue) -> tuple[list[dict[str, Any]], dict[str, RowTask]]:
    """The tasks of a policy: each with its place in the suite and its key, or the reason it is left out."""
    places, tasks = list[dict[str, Any]](), dict[str, RowTask]()
    for environment in suite.environments:
        for attacker in suite.attackers:
            task = task_of(suite, policy, environment, attacker)
            if not task.levels:
                continue
            place: dict[str, Any] = {"environment": environment.name, "attacker": attacker.name}
            try:
                if policy.plays == "slates" and environment.slate == 1:
                    raise InputError("a policy for slates is measured where several items are shown")
                task.check(catalogue)
            except InputError as error:
                places.append({**place, "key": None, "reason": str(error)})
                continue
            key = task.key(catalogue)
            places.append({**place, "key": key})
            tasks[key] = task
    return places, tasks


def task_of(suite: Suite, policy: Policy[Any], environment: SuiteEnvironment, attacker: SuiteAttacker) -> RowTask:
    """What is measured of a policy in one environment against one attacker."""
    return RowTask(
        policy=str(policy),
        environment=environment.text,
        means=environment.means,
        slate=environment.slate,
        horizon=environment.horizon,
        threat=attacker.threat,
        can=attacker.can,
        has=attacker.has,
        levels=suite.levels(environment, attacker),
        attacks=tuple((one.attack, one.schedule, one.size) for one in suite.attacks(environment, attacker)),
        race=suite.race,
        history=suite.history,
        runs=suite.runs,
        seed=suite.seed_of(environment),
    )


def begin(folder: SuiteFolder, entrants: Entrants) -> dict[str, tuple[str, RowTask]]:
    """Write down who is measured; returns the tasks that are not done, by key, each with the policy's text.

    Raises InputError for a policy that can play in no environment of the suite.
    """
    todo = dict[str, tuple[str, RowTask]]()
    for policy in entrants.policies:
        places, tasks = plan(folder.suite, policy, entrants.catalogue)
        label = str(policy)
        if not tasks:
            raise InputError(f"{label} can play in no environment of {folder.suite.name}: {places[0]['reason']}")
        record = {
            **describe(policy, entrants),
            "tasks": [place for place in places if place["key"]],
            "left_out": gaps_in(places),
        }
        if folder.journal.get(f"policy {label}") != record:
            folder.journal.put(f"policy {label}", record)
        todo |= {key: (label, task) for key, task in tasks.items() if folder.journal.get(key) is None}
    return todo


def gaps_in(places: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Where a policy is not measured: one entry per environment and reason, with the attackers."""
    gaps: dict[tuple[str, str], list[str]] = {}
    for place in places:
        if not place["key"]:
            gaps.setdefault((place["environment"], place["reason"]), []).append(place["attacker"])
    return [{"environment": where, "attackers": who, "reason": reason} for (where, reason), who in gaps.items()]


def describe(policy: Policy[Any], entrants: Entrants) -> dict[str, Any]:
    """What the results say of a policy."""
    about, own = policy.about, entrants.catalogue.parts("adversary").keys() - SHIPPED.parts("adversary").keys()
    shipped = policy.name in SHIPPED.policies()
    return {
        "name": policy.name,
        "parameters": policy.parameters(),
        "summary": about.summary,
        "game": policy.plays,
        "family": about.family,
        "fidelity": about.fidelity,
        "reference": about.reference,
        "waived_laws": waivers(policy),
        "files": [] if shipped else [digest_of(path) for path in entrants.load],
        "own_attacks": sorted(own),
    }


def digest_of(path: str) -> str:
    """The digest of a file, by which others know that they have the same one."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def run_tasks(
    folder: SuiteFolder,
    todo: dict[str, tuple[str, RowTask]],
    executor: Executor,
    load: Iterable[str],
    finished: Finished,
) -> list[str]:
    """Measure what is not done and write each task down the moment it is; returns the errors of those that failed."""
    jobs = {key: (asdict(task), list(load), key) for key, (_, task) in todo.items()}
    errors = []
    with executor.running(measure_rows, jobs) as answers:
        for key, answer in answers:
            label = todo[key][0]
            try:
                record = answer()
            except Exception as error:
                errors.append(f"{label}: {type(error).__name__}: {error}")
                continue
            folder.journal.put(key, record)
            finished(label, record["seconds"])
    return errors
