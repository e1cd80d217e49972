"""A long journal read by one loop: the same state, to the bit, as line by line."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from robandit.online.standing import Standing, standing_of
from robandit.online.terms import read_terms
from robandit.service import messages
from robandit.service.engine import Engine
from robandit.service.experiment import Experiment
from robandit.service.problems import Problem
from robandit.service.quick import is_plain, read_entries
from robandit.service.stores.base import ServiceStore, extend_chain
from robandit.service.stores.memory import MemoryStore
from robandit.service.stores.sqlite import SqliteStore
from robandit.service.verify import verify_store

STORED = Path(__file__).parent / "stored"
POLICIES = ("samba", "thompson", "exp3", "ucb1", "epsilon-greedy")


def write_journal(policy: str, seed: int, rules: messages.ExperimentRules, steps: int = 400) -> ServiceStore:
    """A store with one experiment to which everything happened that its rules allow, in a random order."""
    random, store = np.random.default_rng(seed), MemoryStore()
    times = np.cumsum(random.exponential(1.0, 10_000)).tolist()
    engine = Engine(store, clock=lambda: times.pop(0))
    engine.create(messages.NewExperiment("one", ["a", "b", "c"], policy, patience=5, seed=7, rules=rules))
    experiment, ids = engine.find("one"), list[str]()
    for _ in range(steps):
        step, token = random.random(), f"token {random.integers(3)}"
        try:
            if step < 0.5:
                eligible = ["a", "c"] if step < 0.05 else None
                request = messages.DecisionRequest(unit=f"u{random.integers(4000)}", eligible=eligible, source="s")
                answer = engine.decide(experiment, request, None, token)
                ids.append(answer.message.id)
            elif step < 0.95 and ids:
                id = ids.pop(int(random.integers(len(ids))))
                answer = engine.reward(experiment, id, messages.Reward(float(random.random())), f"{token}/x")
            elif step < 0.97:
                answer = engine.change_arm(experiment, "b", "paused" if random.random() < 0.5 else "resumed", "me")
            else:
                store.commit([experiment.begin_epoch(engine.clock(), experiment.epoch + 1)])
                ids.clear()
                continue
        except Problem:
            continue
        store.commit(answer.rows)
    return store


def read_both_ways(store: ServiceStore, record: Any) -> tuple[Experiment, Experiment]:
    """An experiment read line by line, and as a service reads it."""
    entries = [(line, msgspec.json.decode(body)) for line, body in store.lines(record.id)]
    read = []
    for way in (lambda one, rest: [one.apply(*entry) for entry in rest], read_entries):
        standing = standing_of((line, msgspec.json.decode(body)) for line, body in store.lines(record.id, 1, acts=True))
        experiment = Experiment(record, read_terms(entries[0][1]), standing)
        way(experiment, entries[1:])
        read.append(experiment)
    return read[0], read[1]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("rules", [messages.ExperimentRules(), messages.ExperimentRules(holdout=0.2, sticky=True)])
def test_one_loop_comes_to_the_state_that_single_lines_come_to(policy: str, rules: messages.ExperimentRules) -> None:
    store = write_journal(policy, 3, rules)
    slow, quick = read_both_ways(store, store.experiments()[0])
    assert is_plain(quick)
    assert quick.snapshot() == slow.snapshot()
    assert (quick.docket.queues, quick.docket.cases.keys()) == (slow.docket.queues, slow.docket.cases.keys())
    assert slow.docket.cases
    assert slow.fold.decisions > 150
    assert [result.sound for result in verify_store(store)] == [True]


@pytest.mark.parametrize("name", ["service/rules.db", "first/shop.db"])
def test_stored_journals_are_read_to_the_same_state(name: str, tmp_path: Path) -> None:
    (tmp_path / "db").write_bytes((STORED / name).read_bytes())
    store = SqliteStore(tmp_path / "db")
    kinds = set()
    for record in store.experiments():
        slow, quick = read_both_ways(store, record)
        kinds.add(is_plain(quick))
        assert quick.snapshot() == slow.snapshot()
    store.close()
    assert False in kinds or name != "service/rules.db"


def test_other_rules_and_acts_are_not_read_by_the_loop() -> None:
    store = write_journal("samba", 1, messages.ExperimentRules(window=5.0), 50)
    assert not is_plain(read_both_ways(store, store.experiments()[0])[1])
    store = write_journal("samba", 1, messages.ExperimentRules(), 50)
    experiment = read_both_ways(store, store.experiments()[0])[1]
    assert is_plain(experiment)
    experiment.standing = Standing(frozen=3)
    assert not is_plain(experiment)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("field", ["arm", "chance", "note"])
def test_a_decision_that_its_stream_does_not_give_is_named(field: str, compiled: bool) -> None:
    """Whoever changes a line and all hashes after it is found by the draw, compiled as interpreted."""
    store = write_journal("samba", 5, messages.ExperimentRules())
    assert isinstance(store, MemoryStore)
    rows = store.rows[1]
    place, entry = next(
        (place, entry)
        for place, row in enumerate(rows)
        if (entry := msgspec.json.decode(row.body)).get("entry") == "decide" and entry["id"] > 70
        if entry["eligible"] is None
    )
    change = {"arm": "a" if entry["arm"] != "a" else "c", "chance": entry["chance"] * 0.999, "note": 1}
    entry[field] = change[field]
    rows[place] = rows[place]._replace(body=msgspec.json.encode(entry).decode())
    chain = bytes(16)
    for row in rows:
        chain = extend_chain(chain, row.body)
    store.heads[1] = store.heads[1]._replace(chain=chain)
    (result,) = verify_store(store, compiled=compiled)
    assert (result.chain, result.dice) == (True, False)
    assert f"decision {entry['id']} (line {place + 1}) is not what its random stream gives" in result.notes
