"""All experiments of a service: requests become lines and answers. Nothing here knows HTTP or waits for a disk."""

import math
import secrets
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import takewhile
from typing import Any

import msgspec

from robandit.errors import InputError, Refused
from robandit.online.rules import FIRST
from robandit.online.standing import Entry
from robandit.service import messages
from robandit.service.clock import SteadyClock
from robandit.service.experiment import Experiment, open_experiment, settled_as
from robandit.service.ids import read_id
from robandit.service.planning import plan_experiment
from robandit.service.problems import Problem
from robandit.service.recent import Room
from robandit.service.stores.base import ExperimentRecord, Row, ServiceStore, StoreRefusal

FAULTS = (  # of our own code, with an experiment that nobody thought of; a database has other errors
    *(ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError),
    Refused,
)


class Answer(msgspec.Struct):
    """What to reply once the lines are durable."""

    status: int
    message: Any
    rows: list[Row]


class Engine:
    """Experiments by id and by name, the key of all ids, and what requests do to them."""

    def __init__(
        self,
        store: ServiceStore,
        clock: Callable[[], float] | None = None,
        records: Iterable[ExperimentRecord] | None = None,
        room: Room | None = None,
    ) -> None:
        self.store, self.clock = store, SteadyClock() if clock is None else clock
        self.room = Room() if room is None else room
        self.key = store.meta("key", secrets.token_bytes(32))
        self.experiments: dict[int, Experiment] = {}
        self.by_name: dict[str, Experiment] = {}  # by id and by name as text; a name is no number
        self.refused: dict[int, int] = {}  # refused requests by experiment, since the start
        self.late: dict[int, int] = {}  # those of them that came too late
        self.aside: dict[int, tuple[ExperimentRecord, str]] = {}  # experiments that failed, and why
        self.on_fault: Callable[[Experiment, Exception], None] = self.set_aside
        records = list(store.experiments() if records is None else records)
        self.opening = len(records)  # experiments that will be served when all have been read
        self.share_room()
        for record in records:
            self.open(record)
        self.opening = 0
        self.share_room()

    def share_room(self) -> None:
        """Share what this process remembers among its experiments, as many as there are now."""
        self.room.share_among(max(len(self.experiments), self.opening))

    def read(self, record: ExperimentRecord) -> Experiment:
        """Returns an experiment as its journal says, not served yet; any thread may do this."""
        return open_experiment(self.store, record, self.key, room=self.room)

    def open(self, record: ExperimentRecord) -> None:
        """Read an experiment and serve it; one that fails is set aside, and the others are served."""
        try:
            self.adopt(self.read(record))
        except FAULTS as error:
            self.aside[record.id] = (record, f"experiment {record.id} cannot be read: {error!r}")

    def adopt(self, experiment: Experiment) -> None:
        """Serve an experiment."""
        self.experiments[experiment.id] = experiment
        self.by_name[experiment.name] = self.by_name[str(experiment.id)] = experiment
        self.aside.pop(experiment.id, None)
        self.share_room()

    def set_aside(self, experiment: Experiment, error: Exception) -> None:
        """Serve an experiment no more after a fault in the middle of a change: its memory may not be its journal."""
        self.forget(experiment.id)
        self.aside[experiment.id] = (experiment.record, f"experiment {experiment.id} failed: {error!r}")

    def find_aside(self, id: str) -> tuple[ExperimentRecord, str] | None:
        """Returns an experiment that is set aside, by its id or its name, and why."""
        return next((one for one in self.aside.values() if id in (str(one[0].id), one[0].name)), None)

    def forget(self, experiment: int) -> None:
        """Serve an experiment no more."""
        self.aside.pop(experiment, None)
        forgotten = self.experiments.pop(experiment, None)
        if forgotten is not None:
            del self.by_name[forgotten.name], self.by_name[str(experiment)]
            self.share_room()

    def forget_all(self) -> None:
        """Serve nothing, until journals are read again."""
        self.experiments.clear()
        self.by_name.clear()
        self.aside.clear()

    def get(self, id: str | int) -> Experiment | None:
        """Returns an experiment by its id or its name, if it is served here."""
        return self.by_name.get(str(id))

    def find(self, id: str | int) -> Experiment:
        """Returns the same. Raises a Problem if there is none."""
        experiment = self.get(id)
        if experiment is None:
            raise Problem(404, f"there is no experiment {str(id)!r}")
        return experiment

    def create(self, request: messages.NewExperiment) -> Answer:
        """Create an experiment; it is durable when this returns."""
        return self.serve_new(self.store_new(*plan_experiment(request, self.clock())))

    def store_new(self, name: str, about: str, first: str) -> Experiment:
        """Returns a new experiment that is stored, but not served yet; any thread may do this. Raises a Problem."""
        try:
            number = self.store.create(name, about, first)
        except StoreRefusal as error:
            raise Problem(409, str(error)) from error
        return self.read(ExperimentRecord(number, name, about))

    def serve_new(self, experiment: Experiment) -> Answer:
        """Serve an experiment that was stored."""
        self.adopt(experiment)
        return Answer(201, messages.Created(experiment.id), [])

    def decide(
        self, experiment: Experiment, request: messages.DecisionRequest, key: str | None, by: str | None = None
    ) -> Answer:
        """Decide once, or several times, for a token; a key that it used before gets the same decision again."""
        now, fold, unit, count = self.clock(), experiment.fold, request.unit, request.count
        asker = asker_of(experiment, request, by)
        replies: list[messages.DecisionReply] = []
        rows: list[Row] = []
        try:
            if key is not None:  # before the arms are checked: one that was eligible may be paused by now
                replies = self.recall(experiment, request, key, by)
            if len(replies) < (count or 1):
                if experiment.ended:
                    raise self.no(experiment, 410, "this experiment has ended: no decision is made any more")
                among = fold.roster.among(request.eligible)
                if among is not None:
                    fold.check_arms()
                fold.read(request.context)  # refused here if at all
        except InputError as error:
            raise self.no(experiment, 422, str(error)) from error
        for place in range(len(replies), count or 1):
            own_key = key if key is None or count is None else f"{key}\n{place}"
            reply = None if unit is None else experiment.recall_unit(unit, now, among)
            if reply is None:
                reply, row = experiment.decide(now, among, own_key, unit, by, asker, request.context)
                rows.append(row)
            replies.append(reply)
        message = replies[0] if count is None else messages.Decisions(replies)
        return Answer(201 if rows else 200, message, rows)

    def recall(
        self, experiment: Experiment, request: messages.DecisionRequest, key: str, by: str | None
    ) -> list[messages.DecisionReply]:
        """Returns the decisions of a key that a token used before, as many as there are. Raises InputError."""
        keys = [key] if request.count is None else [f"{key}\n{place}" for place in range(request.count)]
        replies = (experiment.recall_key(one, by, request.unit, request.eligible) for one in keys)
        return [reply for reply in takewhile(lambda reply: reply is not None, replies) if reply is not None]

    def number(self, experiment: Experiment, id: str) -> int:
        """Returns the number of a decision of this experiment. Raises a Problem if none has this id."""
        signed = read_id(self.key, id)
        docket = experiment.docket
        if signed is None or signed.experiment != experiment.id or signed.number >= docket.decisions:
            raise self.no(experiment, 404, "no decision has this id")
        if signed.epoch != docket.epoch(signed.number):
            raise self.no(experiment, 404, "no decision has this id: it is from before a restore and is gone")
        return signed.number

    def reward(
        self,
        experiment: Experiment,
        id: str,
        request: messages.Reward,
        source: str | None,
        stored: dict[int, float | None] | None = None,
    ) -> Answer:
        """Record a decision's reward: 201 recorded, 200 recorded before, 409 another value, 410 too late.

        `stored` are old values by decision, looked up already (`old_values`).
        """
        value, is_verified = request.reward + 0.0, request.verified  # -0.0 is 0.0
        terms, part = experiment.terms, request.part or ""
        if is_verified and experiment.rules.aggregate != FIRST:
            sentence = f"a verified reward needs the aggregate {FIRST}, not {experiment.rules.aggregate}"
            raise self.no(experiment, 422, sentence)
        if not terms.low <= value <= terms.high:
            sentence = f"a reward must be a number from {terms.low:g} to {terms.high:g}, not {value:g}"
            raise self.no(experiment, 422, sentence)
        number = self.number(experiment, id)
        row = experiment.reward(self.clock(), number, value, source, part, is_verified)
        if row is not None:
            return Answer(201, messages.Done(), [row])
        earlier = self.value_of(experiment, number, part, stored or {}, is_verified)
        if earlier is None:
            raise self.no(experiment, 410, "this decision does not wait for a reward any more")
        if earlier != value:
            raise self.no(experiment, 409, f"this decision has the reward {earlier:g} already")
        return Answer(200, messages.Done(False), [])

    def value_of(
        self,
        experiment: Experiment,
        number: int,
        part: str,
        stored: dict[int, float | None],
        is_verified: bool = False,
    ) -> float | None:
        """Returns the reward of a decision, or its verified one, if it has one."""
        value = experiment.values.get((number, part, is_verified))
        if value is None and experiment.rules.aggregate == FIRST:
            key = settled_as(number, is_verified)
            value = (stored or self.old_values(experiment.id, [key])).get(key)
        return value

    def forgotten(self, experiment: Experiment, reports: Iterable[tuple[str, str | None, bool]]) -> list[int]:
        """Returns which rewards only a database knows that may take its time, as the database numbers them."""
        if self.store.leased is None or experiment.rules.aggregate != FIRST:
            return []
        numbers = []
        for id, part, is_verified in reports:
            signed = read_id(self.key, id)
            if signed is not None and signed.experiment == experiment.id:
                waits = experiment.docket.waits(signed.number, is_verified=is_verified)
                if not waits and experiment.values.get((signed.number, part or "", is_verified)) is None:
                    numbers.append(settled_as(signed.number, is_verified))
        return numbers

    def old_values(self, experiment: int, numbers: Iterable[int]) -> dict[int, float | None]:
        """Returns the recorded rewards of some decisions, as the database numbers them."""
        bodies = {number: self.store.settled(experiment, number) for number in numbers}
        return {
            one: None if body is None else float(msgspec.json.decode(body)["value"]) for one, body in bodies.items()
        }

    def activate(self, experiment: Experiment, id: str) -> Answer:
        """Record that a decision was shown."""
        number = self.number(experiment, id)
        if not experiment.rules.activation:
            return Answer(200, messages.Done(False), [])
        row = experiment.activate(self.clock(), number)
        if row is not None:
            return Answer(201, messages.Done(), [row])
        if not experiment.activations.get(number):
            raise self.no(experiment, 410, "this decision's window has ended")
        return Answer(200, messages.Done(False), [])

    def no(self, experiment: Experiment, status: int, detail: str) -> Problem:
        """Returns a refusal, and counts it."""
        self.refused[experiment.id] = self.refused.get(experiment.id, 0) + 1
        if status == 410:
            self.late[experiment.id] = self.late.get(experiment.id, 0) + 1
        return Problem(status, detail)

    def change_arm(
        self, experiment: Experiment, name: str, change: str, by: str, values: dict[str, Any] | None = None
    ) -> Answer:
        """Add, pause, resume or retire an arm."""
        try:
            row = experiment.change_arm(self.clock(), name, change, by, values)
        except InputError as error:
            raise Problem(422, str(error)) from error
        return Answer(201 if change == "added" else 200, messages.Done(), [row])

    def end(self, experiment: Experiment, by: str) -> Answer:
        """End an experiment."""
        row = experiment.end(self.clock(), by)
        return Answer(200, messages.Done(row is not None), [] if row is None else [row])

    def act(self, experiment: Experiment, entry: Entry, by: str) -> Answer:
        """Record an act that changes what counts."""
        try:
            row = experiment.act(self.clock(), entry, by)
        except (InputError, KeyError) as error:
            raise Problem(422, str(error)) from error
        return Answer(200, messages.Done(), [row])

    def ticks(self) -> list[Row]:
        """Returns lines for what is due though no request came."""
        now, rows = self.clock(), []
        for experiment in list(self.experiments.values()):
            try:
                row = experiment.tick(now)
            except FAULTS as error:
                self.on_fault(experiment, error)
            else:
                rows += [] if row is None else [row]
        return rows

    def clock_problem(self) -> str:
        """Returns what is wrong with the system clock, or with the times of journals; empty if nothing is."""
        problems = [self.clock.problem] if isinstance(self.clock, SteadyClock) else []
        ahead = [one for one in self.experiments.values() if one.lead is not None and one.lead.is_long]
        if ahead:
            problems.append(f"experiments {', '.join(str(one.id) for one in ahead[:9])}: {ahead[0].lead}")
        return "; ".join(filter(None, problems))

    def about(self, experiment: Experiment) -> messages.ExperimentReply:
        """Returns an experiment as it stands."""
        fold, docket, tally = experiment.fold, experiment.docket, experiment.tally
        probabilities, arms = self.probabilities(experiment), []
        for index, (name, status) in enumerate(zip(fold.roster.names, fold.roster.status, strict=True)):
            count = tally.recorded[index]
            mean = tally.sums[index] / count if count else None
            arms.append(messages.ArmReply(name, status, tally.chosen[index], count, mean, probabilities.get(name)))
        return messages.ExperimentReply(
            id=experiment.id,
            name=experiment.name,
            policy=experiment.terms.policy,
            arms=arms,
            rules=experiment.all_rules(),
            shadow=experiment.about["shadow"],
            decisions=fold.decisions,
            rewards=sum(tally.recorded),
            verified=tally.verified,
            pending=len(docket.cases),
            expired=docket.expired,
            refused=self.refused.get(experiment.id, 0),
            frozen=experiment.standing.frozen is not None,
            learning_again=experiment.learning_again,
            ended=experiment.ended,
            lines=experiment.line,
            head="",
        )

    def what_if(self, experiment: Experiment, sources: list[str], numbers: list[int]) -> Answer:
        """Returns the belief without some sources and some decisions' rewards; slow, so it runs in another thread."""
        if experiment.policy.rewards_fixed:
            raise Problem(422, f"{experiment.policy.name} cannot unlearn: {experiment.policy.rewards_fixed}")
        standing = deepcopy(experiment.standing)
        for source in sources:
            standing.sources[source] = standing.verdict(source)._replace(quarantined=True)
        standing.retracted |= {("id", number): experiment.line + 1 for number in numbers}
        now, then = (
            open_experiment(self.store, experiment.record, snapshots=False, standing=one)
            for one in (experiment.standing, standing)
        )
        left_out = then.docket.left_out - now.docket.left_out
        return Answer(200, messages.WhatIfReply(self.belief(now), self.belief(then), left_out), [])

    def belief(self, experiment: Experiment) -> messages.BeliefReply:
        """Returns who leads, and the probability of each active arm: estimated by trials where the policy has none."""
        probabilities = self.probabilities(experiment) or experiment.fold.trial_shares()
        return messages.BeliefReply(max(probabilities, key=probabilities.__getitem__), probabilities)

    def probabilities(self, experiment: Experiment) -> dict[str, float]:
        """Returns p(t) of the active arms; empty where the policy has no explicit one."""
        probabilities = experiment.fold.probabilities() or {}
        return {name: probability for name, probability in probabilities.items() if math.isfinite(probability)}


def asker_of(experiment: Experiment, request: messages.DecisionRequest, by: str | None) -> str | None:
    """Returns for whom is decided: the source that is named, or the unit where silence is learnt as the default."""
    label = request.source
    if label is None and experiment.rules.default is not None:
        label = request.unit
    return label if label is None or by is None else f"{by}/{label}"
