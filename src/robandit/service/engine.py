"""All experiments of a service: requests become lines and answers; nothing here knows HTTP or waits for a disk."""

import json
import math
import secrets
import time
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import msgspec

from robandit.catalogue import SHIPPED
from robandit.errors import InputError
from robandit.game import Policy
from robandit.online.fold import Fold
from robandit.online.rules import FIRST, Rules
from robandit.online.standing import Entry
from robandit.online.terms import Terms
from robandit.service import messages as say
from robandit.service.experiment import Experiment, opened
from robandit.service.ids import issued, read_id
from robandit.service.problems import Problem
from robandit.service.stores.base import Kept, Refused, Row, Store


class Answer(msgspec.Struct):
    """What to say once the lines are durable."""

    status: int
    message: Any
    rows: list[Row]


class Engine:
    """Experiments by id and by name, the key of all ids, and what is done to them."""

    def __init__(
        self, store: Store, clock: Callable[[], float] = time.time, served: Iterable[Kept] | None = None
    ) -> None:
        self.store, self.clock = store, clock
        self.key = store.meta("key", secrets.token_bytes(32))
        self.experiments: dict[int, Experiment] = {}
        self.known: dict[str, Experiment] = {}  # by the texts that name them; a name is no number
        self.refused: dict[int, int] = {}  # requests by experiment that were told no, since the start
        self.late: dict[int, int] = {}  # those of them that came too late
        for kept in store.experiments() if served is None else served:
            self.adopt(opened(store, kept))

    def adopt(self, experiment: Experiment) -> None:
        """Serve an experiment."""
        self.experiments[experiment.id] = experiment
        self.known[experiment.name] = self.known[str(experiment.id)] = experiment

    def forget(self, experiment: int) -> None:
        """Serve an experiment no more."""
        found = self.experiments.pop(experiment, None)
        if found is not None:
            del self.known[found.name], self.known[str(experiment)]

    def forget_all(self) -> None:
        """Serve nothing, until journals are read again."""
        self.experiments.clear()
        self.known.clear()

    def get(self, id: str | int) -> Experiment | None:
        """An experiment by its id, or by its name, if it is served here."""
        return self.known.get(str(id))

    def find(self, id: str | int) -> Experiment:
        """The same; refused if there is none."""
        found = self.get(id)
        if found is None:
            raise Problem(404, f"there is no experiment {str(id)!r}")
        return found

    def create(self, asked: say.NewExperiment) -> Answer:
        """A new experiment; the store has kept it when this returns."""
        if "/" in asked.name or asked.name.isdigit():
            raise Problem(
                422, f"a name must not be a number and have no slash, for it stands in addresses: {asked.name!r}"
            )
        if "\0" in asked.name:
            raise Problem(422, "a name cannot have the character of the number 0")
        try:
            policy = policy_of(asked.policy)
            shadows = [str(policy_of(one)) for one in asked.shadow]
            low, high = asked.reward_range
            rules = Rules(**msgspec.structs.asdict(asked.rules))
            seed = secrets.randbits(64) if asked.seed is None else asked.seed
            given = (asked.horizon, float(asked.corruption), float(low), float(high), asked.patience, None, rules)
            terms = Terms(str(policy), tuple(asked.arms), seed, *given)
            Fold(policy, terms)
        except InputError as error:
            raise Problem(422, str(error)) from error
        if asked.trip and policy.rewards_fixed:
            raise Problem(422, f"{policy.name} cannot stop learning by itself: {policy.rewards_fixed}")
        about = json.dumps({"shadow": shadows, "trip": asked.trip, "created": self.clock()})
        first = msgspec.json.encode(terms.header()).decode()
        try:
            number = self.store.create(asked.name, about, first)
        except Refused as error:
            raise Problem(409, str(error)) from error
        self.adopt(opened(self.store, Kept(number, asked.name, about)))
        return Answer(201, say.Created(number), [])

    def decide(self, experiment: Experiment, ask: say.Ask, key: str | None) -> Answer:
        """One decision, or several."""
        now, fold = self.clock(), experiment.fold
        try:
            among = fold.roster.among(ask.eligible)
            if among is not None:
                fold.check_arms()
        except InputError as error:
            raise self.no(experiment, 422, str(error)) from error
        lines: list[Row] = []
        if ask.count is None:
            message = self.decision(experiment, now, among, key, ask.unit, lines)
            return Answer(201 if lines else 200, message, lines)
        keys = (None if key is None else f"{key}\n{place}" for place in range(ask.count))
        found = [self.decision(experiment, now, among, one, ask.unit, lines) for one in keys]
        return Answer(201 if lines else 200, say.Decisions(found), lines)

    def decision(
        self,
        experiment: Experiment,
        now: float,
        among: list[int] | None,
        key: str | None,
        unit: str | None,
        lines: list[Row],
    ) -> say.Decision:
        """A decision as it is told: the one that was made under this key, or a new one, whose line is added."""
        made = None if key is None and unit is None else experiment.made(key, unit, now, among)
        if made is None:
            made, row = experiment.decide(now, among, key, unit)
            lines.append(row)
        id = issued(self.key, experiment.docket.epoch(made.number), experiment.id, made.number)
        return say.Decision(id, made.arm, made.probability, made.holdout)

    def number(self, experiment: Experiment, id: str) -> int:
        """The number of a decision of this experiment, from its id."""
        named = read_id(self.key, id)
        docket = experiment.docket
        if named is None or named.experiment != experiment.id or named.number >= docket.decisions:
            raise self.no(experiment, 404, "no decision has this id")
        if named.epoch != docket.epoch(named.number):
            raise self.no(experiment, 404, "no decision has this id: it was made before a restore and is gone")
        return named.number

    def reward(self, experiment: Experiment, id: str, asked: say.Reward, source: str | None) -> Answer:
        """A decision's reward: 201 recorded, 200 known already, 409 another value, 410 too late."""
        value = asked.reward + 0.0  # -0.0 is 0.0
        terms, part = experiment.terms, asked.part or ""
        if not terms.low <= value <= terms.high:
            sentence = f"a reward must be a number from {terms.low:g} to {terms.high:g}, not {value:g}"
            raise self.no(experiment, 422, sentence)
        number = self.number(experiment, id)
        row = experiment.reward(self.clock(), number, value, source, part)
        if row is not None:
            return Answer(201, say.Done(), [row])
        known = self.value_of(experiment, number, part)
        if known is None:
            raise self.no(experiment, 410, "this decision does not wait for a reward any more")
        if known != value:
            raise self.no(experiment, 409, f"this decision has the reward {known:g} already")
        return Answer(200, say.Done(False), [])

    def value_of(self, experiment: Experiment, number: int, part: str) -> float | None:
        """What a decision was rewarded with, if it was."""
        found = experiment.values.get((number, part))
        if found is None and experiment.rules.aggregate == FIRST:
            body = self.store.settled(experiment.id, number)
            found = None if body is None else msgspec.json.decode(body)["value"]
        return None if found is None else float(found)

    def activate(self, experiment: Experiment, id: str) -> Answer:
        """A decision was shown."""
        number = self.number(experiment, id)
        if not experiment.rules.activation:
            return Answer(200, say.Done(False), [])
        row = experiment.activate(self.clock(), number)
        if row is not None:
            return Answer(201, say.Done(), [row])
        if not experiment.shown.get(number):
            raise self.no(experiment, 410, "this decision's window has ended")
        return Answer(200, say.Done(False), [])

    def no(self, experiment: Experiment, status: int, detail: str) -> Problem:
        """A refusal, counted."""
        self.refused[experiment.id] = self.refused.get(experiment.id, 0) + 1
        if status == 410:
            self.late[experiment.id] = self.late.get(experiment.id, 0) + 1
        return Problem(status, detail)

    def change_arm(self, experiment: Experiment, name: str, change: str, by: str) -> Answer:
        """An arm is added, paused, resumed or retired."""
        try:
            row = experiment.change_arm(self.clock(), name, change, by)
        except InputError as error:
            raise Problem(422, str(error)) from error
        return Answer(201 if change == "added" else 200, say.Done(), [row])

    def act(self, experiment: Experiment, entry: Entry, by: str) -> Answer:
        """An act that changes what counts."""
        try:
            row = experiment.act(self.clock(), entry, by)
        except (InputError, KeyError) as error:
            raise Problem(422, str(error)) from error
        return Answer(200, say.Done(), [row])

    def ticks(self) -> list[Row]:
        """Lines for what is due though nobody came."""
        now = self.clock()
        found = (experiment.tick(now) for experiment in self.experiments.values())
        return [row for row in found if row is not None]

    def about(self, experiment: Experiment) -> say.ExperimentTold:
        """An experiment as it stands."""
        fold, docket, tally = experiment.fold, experiment.docket, experiment.tally
        probabilities, arms = self.probabilities(experiment), []
        for index, (name, status) in enumerate(zip(fold.roster.names, fold.roster.status, strict=True)):
            count = tally.recorded[index]
            mean = tally.sums[index] / count if count else None
            arms.append(say.ArmTold(name, status, tally.chosen[index], count, mean, probabilities.get(name)))
        return say.ExperimentTold(
            experiment.id,
            experiment.name,
            experiment.terms.policy,
            arms,
            experiment.rules.as_json(),
            experiment.about["shadow"],
            fold.decisions,
            sum(tally.recorded),
            len(docket.cases),
            docket.expired,
            self.refused.get(experiment.id, 0),
            experiment.standing.frozen is not None,
            experiment.learning_again,
            experiment.line,
            "",
        )

    def what_if(self, experiment: Experiment, sources: list[str], numbers: list[int]) -> Answer:
        """The belief without some sources and some decisions' rewards; takes a while, and another thread."""
        if experiment.policy.rewards_fixed:
            raise Problem(422, f"{experiment.policy.name} cannot unlearn: {experiment.policy.rewards_fixed}")
        standing = deepcopy(experiment.standing)
        for source in sources:
            standing.sources[source] = standing.verdict(source)._replace(quarantined=True)
        standing.retracted |= {("id", number): experiment.line + 1 for number in numbers}
        kept = next(one for one in self.store.experiments() if one.id == experiment.id)
        now, then = (opened(self.store, kept, snapshots=False, standing=one) for one in (experiment.standing, standing))
        told = say.WhatIfTold(self.belief(now), self.belief(then), then.docket.left_out - now.docket.left_out)
        return Answer(200, told, [])

    def belief(self, experiment: Experiment) -> say.Belief:
        """Who leads, and how likely each active arm is next; trial choices where the policy cannot tell."""
        probabilities = self.probabilities(experiment) or experiment.fold.trial_shares()
        return say.Belief(max(probabilities, key=probabilities.__getitem__), probabilities)

    def probabilities(self, experiment: Experiment) -> dict[str, float]:
        """p(t) of the active arms; empty where the policy cannot tell."""
        probabilities = experiment.fold.probabilities() or {}
        return {name: probability for name, probability in probabilities.items() if math.isfinite(probability)}


def policy_of(asked: say.PolicyName | str) -> Policy[Any]:
    """A policy by its name and parameters, or from its text."""
    if isinstance(asked, str):
        return SHIPPED.policy(asked)
    given = []
    for name, value in asked.parameters.items():
        if not isinstance(value, bool | int | float | str) and value is not None:
            raise InputError(f"policy {asked.name!r}: {name} must be a number, a word or true or false, not {value!r}")
        given.append(f"{name}=({value})" if isinstance(value, str) else f"{name}={value!r}")
    return SHIPPED.policy(f"{asked.name}:{','.join(given)}" if given else asked.name)
