"""A service's engine over several stores at once, driven by hypothesis against a plain statement of its promises."""

import tempfile
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from robandit.catalogue import SHIPPED
from robandit.game import Choice
from robandit.online.fold import Fold
from robandit.service import messages
from robandit.service.engine import Answer, Engine
from robandit.service.experiment import Experiment, open_experiment
from robandit.service.ids import issue_id
from robandit.service.problems import Problem
from robandit.service.stores.base import ServiceStore
from robandit.service.stores.memory import MemoryStore
from robandit.service.stores.sqlite import SqliteStore
from tests.naive.docket import Journal

KEY = bytes(range(32))
STORES: list[Callable[[Path], ServiceStore]] = [lambda path: MemoryStore(), lambda path: SqliteStore(path / "db")]
SOURCES = [None, "shop", "shop/a", "shop/b", "bot"]
PLACES = st.sampled_from([0, 0, 0, 1, 1, 2, 3, 5, 12])  # how many decisions ago
GOOD = st.sampled_from([0.0, 0.25, 1.0])
WINDOW = 10.0


class Promise:
    """What was promised so far: decisions, rewards, who was shown what, and which arms there are."""

    def __init__(self, rules: dict[str, Any], patience: int) -> None:
        self.rules, self.patience = rules, patience
        self.decided: list[tuple[float, messages.DecisionReply]] = []
        self.keys: dict[str, tuple[messages.DecisionReply, str | None]] = {}  # with the unit
        self.units: dict[str, int] = {}
        self.values: dict[tuple[int, str], float] = {}
        self.activated: set[int] = set()
        self.arms = dict.fromkeys(["a", "b", "c"], "active")

    def open(self, number: int, now: float) -> bool:
        """Whether a decision still waits."""
        window = self.rules.get("window")
        young = len(self.decided) - number <= self.patience
        return young and (window is None or now < self.decided[number][0] + window)

    def reward(self, number: int, now: float, value: float, part: str) -> int:
        """The status of a reward, which is then remembered."""
        if not 0.0 <= value <= 1.0:
            return 422
        key = (number, "" if self.rules["aggregate"] == "first" else part)
        if key in self.values:
            return 200 if self.values[key] == value else 409
        if not self.open(number, now):
            return 410
        self.values[key] = value
        return 201

    def activate(self, number: int, now: float) -> int:
        """The status of an activation."""
        if not self.rules["activation"] or number in self.activated:
            return 200
        if not self.open(number, now):
            return 410
        self.activated.add(number)
        return 201

    def stuck(self, unit: str | None, now: float, among: list[str]) -> messages.DecisionReply | None:
        """The decision that a unit has, while it lasts."""
        if unit is None or not self.rules["sticky"] or unit not in self.units:
            return None
        time, decision = self.decided[self.units[unit]]
        lasts = self.rules.get("window") is None or now < time + self.rules["window"]
        return decision if lasts and decision.arm in among else None


class Machine(RuleBasedStateMachine):
    """Every request goes to an engine over each store, and to the promise."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.now = 1000.0
        self.stores = [make(Path(self.folder.name)) for make in STORES]
        for store in self.stores:
            assert store.meta("key", KEY) == KEY
        self.engines = [Engine(store, lambda: self.now) for store in self.stores]

    @initialize(
        policy=st.sampled_from(["exp3", "ucb1", "thompson"]),
        window=st.sampled_from([None, WINDOW]),
        aggregate=st.sampled_from(["first", "sum", "max"]),
        flags=st.tuples(st.booleans(), st.booleans(), st.booleans()),
        more=st.sampled_from([{}, {"cap": 2}, {"token_cap": 1}, {"hold": 3.0}, {"holdout": 0.5}, {"default": 0.5}]),
        patience=st.sampled_from([4, 1000]),
    )
    def begin(
        self, policy: str, window: float | None, aggregate: str, flags: Any, more: dict[str, Any], patience: int
    ) -> None:
        """Two experiments: one to be looked at, and one whose ids are not its."""
        activation, sticky, shadow = flags
        rules = {"window": window, "aggregate": aggregate if window else "first", "activation": activation}
        rules |= {"sticky": sticky} | ({} if "default" in more and window is None else more)
        self.promise = Promise(rules, patience)
        request = messages.NewExperiment("one", ["a", "b", "c"], policy, seed=7, patience=patience)
        request.rules, request.shadow = messages.ExperimentRules(**rules), ["exp3"] if shadow else []
        self.same(lambda engine: engine.create(request))
        self.same(lambda engine: engine.create(messages.NewExperiment("other", ["a", "b"], "exp3", seed=8)))
        assert self.same(lambda engine: engine.create(request)).status == 409
        other = self.same(lambda engine: engine.decide(engine.find("other"), messages.DecisionRequest(), None))
        self.foreign = other.message.id

    def same(self, ask: Callable[[Engine], Answer]) -> Any:
        """One answer, or one refusal, of all engines; its lines are committed."""
        answers = []
        for engine, store in zip(self.engines, self.stores, strict=True):
            before = {one.id: one.line for one in engine.experiments.values()}
            try:
                answer = ask(engine)
            except Problem as problem:
                assert {one.id: one.line for one in engine.experiments.values()} == before
                answers.append(problem)
            else:
                store.commit(answer.rows)
                answers.append(answer)
        first = answers[0]
        for other in answers[1:]:
            assert type(other) is type(first)
            assert other.status == first.status
            assert getattr(other, "detail", None) == getattr(first, "detail", None)
            assert getattr(other, "message", None) == getattr(first, "message", None)
            assert getattr(other, "rows", None) == getattr(first, "rows", None)
        return first

    def one(self, engine: Engine) -> Experiment:
        """The experiment that is looked at."""
        return engine.find("one")

    @rule(
        key=st.sampled_from([None, None, "k", "l", "m"]),
        unit=st.sampled_from([None, None, "u", "v"]),
        eligible=st.sampled_from([None, None, ["a"], ["b", "c"], ["new 3"]]),
        count=st.sampled_from([None, None, None, 1, 3]),
    )
    def decide(self, key: str | None, unit: str | None, eligible: list[str] | None, count: int | None) -> None:
        """A decision, or the one that is there already."""
        ask, promise = messages.DecisionRequest(eligible, unit, count), self.promise
        outcome = self.same(lambda engine: engine.decide(self.one(engine), ask, key))
        active = [arm for arm, status in promise.arms.items() if status == "active"]
        among = active if eligible is None else [arm for arm in active if arm in eligible]
        unknown = any(arm not in promise.arms for arm in eligible or ())
        names = [key if count is None or key is None else f"bulk {key} {place}" for place in range(count or 1)]
        used = [promise.keys[name] for name in names if name in promise.keys]
        other = any(old != unit or (eligible and decision.arm not in eligible) for decision, old in used)
        if other or (len(used) < len(names) and (not among or unknown)):
            assert outcome.status == 422
            return
        replies = [outcome.message] if count is None else outcome.message.decisions
        new = 0
        for name, decision in zip(names, replies, strict=True):
            earlier = promise.keys.get(name or "", (None,))[0] or promise.stuck(unit, self.now, among)
            if earlier is not None:
                assert decision == earlier
            else:
                assert decision.id == issue_id(KEY, 0, 1, len(promise.decided))
                assert decision.arm in among
                assert decision.probability is None or 0.0 < decision.probability <= 1.0
                assert not decision.holdout or decision.probability == 1.0 / len(among)
                new += 1
                if unit is not None:
                    promise.units[unit] = len(promise.decided)
                if name is not None:
                    promise.keys[name] = (decision, unit)
                promise.decided.append((self.now, decision))
        assert outcome.status == (201 if new else 200)

    def number(self, ago: int) -> int:
        """A decision, so many ago."""
        return max(len(self.promise.decided) - 1 - ago, 0)

    @precondition(lambda self: self.promise.decided)
    @rule(
        ago=PLACES,
        value=st.sampled_from([0.0, -0.0, 0.25, 1.0, 1.0000001, -1.0, float("inf"), float("nan")]),
        part=st.sampled_from([None, "x", "y"]),
        source=st.sampled_from(SOURCES),
    )
    def reward(self, ago: int, value: float, part: str | None, source: str | None) -> None:
        """A reward: new, the same, another, late or none."""
        number = self.number(ago)
        id, request = self.promise.decided[number][1].id, messages.Reward(value, source, part)
        outcome = self.same(lambda engine: engine.reward(self.one(engine), id, request, source))
        assert outcome.status == self.promise.reward(number, self.now, value, part or "")

    @precondition(lambda self: self.promise.values)
    @rule(place=st.integers(0, 3), value=GOOD, other=st.booleans())
    def reward_again(self, place: int, value: float, other: bool) -> None:
        """What has a reward gets the same one, or maybe another."""
        number, part = list(self.promise.values)[-1 - place % len(self.promise.values)]
        value = value if other else self.promise.values[number, part]
        id, request = self.promise.decided[number][1].id, messages.Reward(value, None, part or None)
        outcome = self.same(lambda engine: engine.reward(self.one(engine), id, request, None))
        assert outcome.status == self.promise.reward(number, self.now, value, part)

    @precondition(lambda self: self.promise.decided)
    @rule(ago=PLACES, value=GOOD, source=st.sampled_from(SOURCES))
    def reward_well(self, ago: int, value: float, source: str | None) -> None:
        """A reward in range."""
        self.reward(ago, value, None, source)

    @precondition(lambda self: self.promise.decided)
    @rule(ago=PLACES)
    def activate(self, ago: int) -> None:
        """It was shown."""
        number = self.number(ago)
        id = self.promise.decided[number][1].id
        outcome = self.same(lambda engine: engine.activate(self.one(engine), id))
        assert outcome.status == self.promise.activate(number, self.now)

    @rule(letter=st.integers(0, 39), other=st.sampled_from("Ab0-"), epoch=st.integers(0, 1), beyond=st.integers(0, 2))
    def forge(self, letter: int, other: str, epoch: int, beyond: int) -> None:
        """Ids that were never given out: changed, of another experiment, of a decision to come, of another epoch."""
        good = issue_id(KEY, 0, 1, 0)
        changed = good[:letter] + other + good[letter + 1 :]
        ids = [self.foreign, issue_id(KEY, 1, 1, 0), issue_id(bytes(32), 0, 1, 0), good + "A", ""]
        ids += [issue_id(KEY, epoch, 1, len(self.promise.decided) + beyond), *([changed] if changed != good else [])]
        for id in ids:
            outcome = self.same(lambda engine, id=id: engine.reward(self.one(engine), id, messages.Reward(1.0), None))
            assert outcome.status == 404
            assert self.same(lambda engine, id=id: engine.activate(self.one(engine), id)).status == 404

    @rule(name=st.sampled_from("abc"), change=st.sampled_from(["paused", "resumed", "retired", "added"]))
    def arms(self, name: str, change: str) -> None:
        """An arm comes, goes, or cannot."""
        arms = self.promise.arms
        name = f"new {len(arms)}" if change == "added" and len(arms) < 6 else name
        outcome = self.same(lambda engine: engine.change_arm(self.one(engine), name, change, "op"))
        before = {"paused": ("active",), "resumed": ("paused",), "retired": ("active", "paused"), "added": (None,)}
        after = dict(arms) | {name: {"resumed": "active", "added": "active"}.get(change, change)}
        if arms.get(name) in before[change] and "active" in after.values():
            assert outcome.status == (201 if change == "added" else 200)
            self.promise.arms = after
        else:
            assert outcome.status == 422

    @rule(
        source=st.sampled_from(["shop", "shop/a", "bot"]),
        act=st.sampled_from(
            [{"change": "quarantined"}, {"change": "released"}, {"change": "weighted", "weight": 0.5}]
            + [{"change": "capped", "cap": cap} for cap in (None, 0, 1)]
        ),
        at_once=st.booleans(),
    )
    def judge(self, source: str, act: dict[str, Any], at_once: bool) -> None:
        """An operator's word about a source; it is worked in at once, or requests come in between."""
        self.act({"entry": "source", "source": source, **act}, at_once)

    @rule(tripped=st.booleans(), back=st.integers(0, 9), at_once=st.booleans())
    def breaker(self, tripped: bool, back: int, at_once: bool) -> None:
        """Learning stops, now or as of some lines ago; or goes on."""
        since = max(self.one(self.engines[0]).line - back, 1)
        self.act(
            {"entry": "breaker", "change": "tripped", "since": since}
            if tripped
            else {"entry": "breaker", "change": "released"},
            at_once,
        )

    @precondition(lambda self: self.promise.decided)
    @rule(ago=PLACES, at_once=st.booleans())
    def retract(self, ago: int, at_once: bool) -> None:
        """A reward is taken back."""
        self.act({"entry": "retract", "id": self.number(ago)}, at_once)

    def act(self, entry: dict[str, Any], at_once: bool) -> None:
        """An act; from then on the state is out of date until the journal was folded again."""
        assert self.same(lambda engine: engine.act(self.one(engine), entry, "op")).status == 200
        for engine in self.engines:
            experiment = self.one(engine)
            if not experiment.learning_again:
                experiment.learning_again, experiment.since = True, []
        if at_once:
            self.fold_again()

    @rule()
    def fold_again(self) -> None:
        """What operators said is worked in."""
        for engine, store in zip(self.engines, self.stores, strict=True):
            experiment, record = self.one(engine), store.experiments()[0]
            if experiment.learning_again:
                rebuilt = open_experiment(store, record, snapshots=False, standing=deepcopy(experiment.standing))
                experiment.take_over(rebuilt)
                experiment.learning_again, experiment.since = False, []

    @rule(seconds=st.sampled_from([0.0, 0.5, 3.0, WINDOW, 90_000.0]), tick=st.booleans())
    def wait(self, seconds: float, tick: bool) -> None:
        """Time goes by, and what is due happens, maybe though nobody comes."""
        self.now += seconds
        if tick:
            self.same(lambda engine: Answer(200, None, engine.ticks()))

    @rule(snapshot=st.booleans())
    def restart(self, snapshot: bool) -> None:
        """The process ends, with its state kept or not, and another one begins."""
        for place, (engine, store) in enumerate(zip(self.engines, self.stores, strict=True)):
            experiment = self.one(engine)
            if snapshot and not experiment.learning_again:
                store.commit([], [experiment.snapshot()])
            if isinstance(store, SqliteStore):
                store.close()
                self.stores[place] = SqliteStore(Path(self.folder.name) / "db")
            self.engines[place] = Engine(self.stores[place], lambda: self.now)

    @invariant()
    def states_are_the_same(self) -> None:
        """Over every store, and in number as promised."""
        if not hasattr(self, "promise"):
            return
        bodies = {self.one(engine).snapshot().body for engine in self.engines}
        assert len(bodies) == 1
        about = self.engines[0].about(self.one(self.engines[0]))
        assert (about.decisions, about.rewards) == (len(self.promise.decided), len(self.promise.values))
        assert {arm.name: arm.status for arm in about.arms} == self.promise.arms

    def teardown(self) -> None:
        """At last: the state is what the rules say of the journal, and what a new process reads."""
        try:
            if hasattr(self, "promise"):
                self.fold_again()
                self.check_end()
        finally:
            for store in self.stores:
                store.close()
            self.folder.cleanup()

    def check_end(self) -> None:
        """The journal read again from its first line, and by the naive rules."""
        experiment = self.one(self.engines[0])
        for store in self.stores:
            assert open_experiment(store, store.experiments()[0], snapshots=False).snapshot() == experiment.snapshot()
        journal = Journal(experiment.terms)
        for _, entry in entries_of(self.stores[-1], 1):
            assert journal.accepts(entry)
            journal.append(entry)
        outcome, fold = journal.told(), Fold(SHIPPED.policy(experiment.terms.policy), experiment.terms)
        for kind, *words in outcome.heard:
            if kind == "decided":
                probability = float("nan") if words[1] is None else words[1]
                fold.record_decision(Choice(fold.index(words[0]), probability, words[2]), words[3])
            elif kind == "rewarded":
                fold.learn_reward(*words[:2])
            else:
                fold.change_arm(*words)
        assert fold.save_state() == experiment.fold.save_state()
        assert (outcome.expired, outcome.left_out) == (experiment.docket.expired, experiment.docket.left_out)


def entries_of(store: ServiceStore, experiment: int) -> list[tuple[int, Any]]:
    """The lines of a journal behind its terms."""
    return [(line, msgspec.json.decode(body)) for line, body in store.lines(experiment, 1)]
