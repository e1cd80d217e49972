"""The service over long stretches: every power cut, every fault, many kills, a million rewards, values and draws."""

import json
import math
import random
import re
import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

import tests.machine
import tests.test_docket
from robandit.service import messages
from robandit.service.engine import Engine
from robandit.service.experiment import open_experiment
from robandit.service.perform import decode_body
from robandit.service.problems import Problem
from robandit.service.stores import sqlite
from robandit.service.stores.address import open_store
from robandit.service.stores.base import ServiceStore
from robandit.service.stores.memory import MemoryStore
from tests.machine import Machine
from tests.postgres_server import Server
from tests.power import cuts, recorded
from tests.test_campaign import run_campaign
from tests.test_power import Early, check_fault, folder

MILLION = 1_000_000


def create_experiment(**rules: Any) -> tuple[Engine, Any, list[float]]:
    """Create an experiment in memory; returns its engine, itself, and a clock to be set."""
    clock = [0.0]
    engine = Engine(MemoryStore(), lambda: clock[0])
    terms = messages.NewExperiment("one", list("abcde"), "exp3", seed=5, patience=10**7, reward_range=[-2.0, 3.0])
    terms.rules = messages.ExperimentRules(**rules)
    engine.create(terms)
    return engine, engine.find("one"), clock


def test_twenty_thousand_journals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tests.test_docket, "JOURNALS", 20_000)
    tests.test_docket.test_the_docket_does_what_the_rules_say()


def test_the_engine_keeps_its_promises_for_long() -> None:
    many = settings(max_examples=600, stateful_step_count=80, deadline=None, derandomize=True, database=None)
    run_state_machine_as_test(Machine, settings=many)


def test_the_engine_keeps_its_promises_over_postgresql_too(monkeypatch: pytest.MonkeyPatch) -> None:
    server, databases = Server(), list[str]()

    def open_postgres(folder: Path) -> ServiceStore:
        if databases:
            server.give_back(databases.pop())
        databases.append(server.database())
        store = open_store(databases[0])
        store.take_all()
        return store

    monkeypatch.setattr(tests.machine, "STORES", [*tests.machine.STORES, open_postgres])
    many = settings(max_examples=150, stateful_step_count=60, deadline=None, derandomize=True, database=None)
    try:
        run_state_machine_as_test(Machine, settings=many)
    finally:
        server.close()


def test_a_power_cut_at_every_operation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four draws of what survives at each of the writes, syncs, names and truncations of 200 commits."""
    monkeypatch.setattr(sqlite, "PAGES", 40)
    tape, errors = recorded(folder(tmp_path, "run") / "db", 200)
    assert errors == []
    counts = cuts(tape.ops, folder(tmp_path, "cut"), every=1, draws=4)
    print(dict(Counter(op.kind for op in tape.ops)), counts)
    assert (counts["lost"], counts["broken"]) == (0, 0)
    assert counts["cuts"] == 4 * sum(op.kind != "say" for op in tape.ops)


@pytest.mark.parametrize("wrong", [{"writer_of": Early}, {"pragma": "PRAGMA synchronous=OFF"}])
def test_a_power_cut_shows_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: Any) -> None:
    monkeypatch.setattr(sqlite, "PAGES", 40)
    tape, _ = recorded(folder(tmp_path, "run") / "db", 200, **wrong)
    counts = cuts(tape.ops, folder(tmp_path, "cut"), every=4)
    print(wrong, counts)
    assert counts["cuts that lost"] + counts["broken"] > 100


@pytest.mark.parametrize("fault", [apsw.IOError, apsw.FullError])
def test_a_fault_at_every_write_and_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Any) -> None:
    """All of a run of 60 commits, those that prepare the database included."""
    monkeypatch.setattr(sqlite, "PAGES", 40)
    tape, _ = recorded(folder(tmp_path, "run") / "db", 60)
    closing = recorded(folder(tmp_path, "short") / "db", 1)[0].risky  # at least so many while it closes and begins
    faults = range(1, tape.risky - closing)
    for at in faults:
        check_fault(tmp_path, 60, at, fault)
    print(f"{len(faults)} faults of {fault.__name__}")


def test_two_hundred_kills_of_the_server(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tests.server_kills", str(tmp_path), "200"]
    counts = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    print(counts)
    assert counts["kills"] == 200
    assert [counts[what] for what in ("lost", "twice", "states that differ", "wrong answers")] == [0, 0, 0, 0]
    assert counts["acknowledged"] > 5000


@pytest.mark.parametrize("flags", [["--seed", "1"], ["--seed", "2", "--postgres"]])
def test_two_minutes_of_faults(tmp_path: Path, flags: list[str]) -> None:
    outcome = run_campaign(tmp_path, "--seconds", "120", "--every", "2", *flags)
    print(outcome)
    assert sum(outcome["faults"].values()) >= 12
    assert outcome["acknowledged"] > 2000


def test_a_million_rewards_doubled_shuffled_and_contradicted() -> None:
    """Each decision is rewarded in bulk order, 30 % again, 5 % with another value; some come after their window."""
    engine, experiment, clock = create_experiment(window=300_000.0)
    stream, store = random.Random(1), engine.store
    reports: list[tuple[float, int, float]] = []  # when, which decision, what
    count = int(MILLION / 1.35)
    for number in range(count):
        value = stream.choice([-2.0, 0.0, 0.5, 3.0])
        reports.append((number + stream.expovariate(1 / 60_000), number, value))
        if stream.random() < 0.30:
            reports.append((number + stream.expovariate(1 / 60_000), number, value))
        if stream.random() < 0.05:
            reports.append((number + stream.expovariate(1 / 60_000), number, 1.25))
    reports.sort()
    expected: Counter[int] = Counter()
    values, sums = dict[int, float](), Counter[str]()
    statuses: Counter[int] = Counter()
    ids, arms, decisions = list[str](), list[str](), 0
    for time, number, value in reports:
        while decisions <= min(time, count - 1):
            clock[0] = float(decisions)
            answer = engine.decide(experiment, messages.DecisionRequest(), None)
            store.commit(answer.rows)
            ids.append(answer.message.id)
            arms.append(answer.message.arm)
            decisions += 1
        clock[0] = round(time, 3)
        is_late = clock[0] >= number + 300_000.0
        if number in values:
            expected[200 if values[number] == value else 409] += 1
        else:
            expected[410 if is_late else 201] += 1
            if not is_late:
                values[number] = value
                sums[arms[number]] += value
        try:
            answer = engine.reward(experiment, ids[number], messages.Reward(value), None)
            store.commit(answer.rows)
            statuses[answer.status] += 1
        except Problem as problem:
            statuses[problem.status] += 1
    print(f"{len(reports):,} rewards: {dict(statuses)}")
    assert len(reports) > 0.99 * MILLION
    assert statuses == expected
    assert min(statuses[status] for status in (200, 201, 409, 410)) > 1000
    about = engine.about(experiment)
    assert (about.decisions, about.rewards) == (count, len(values))
    for arm in about.arms:
        assert arm.mean_reward * arm.rewards == pytest.approx(sums[arm.name], abs=1e-6)
    again = open_experiment(store, store.experiments()[0], snapshots=False)
    assert again.snapshot() == experiment.snapshot()


NUMBER = re.compile(rb"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")  # of JSON
ODD = [b'"1"', b"true", b"null", b"[1]", b"{}", b"1_0", b"0x1", b"+1", b".5", b"1.", b"01", b"", b"NaN", b"-Infinity"]
ODD += [
    b"-0",
    b"0e5",
    b"1E-400",
    b"1e999",
    b"-1e999",
    b"2.5",
    b"-1.9999999999999999999",
    b"3.0000000000000001",
    b"1e+0",
]
ODD += [
    "١".encode(),
    b"1 ",
    b"\t1",
    b"1\x00",
    b"1,",
    b'1,"reward":2',
    b'1,"reward":1',
    b'1,"x":1',
    b"\xff",
    b"-",
    b"1e",
]


def draw_hostile_value(stream: random.Random) -> bytes:
    """Draw the text of a value that may be a number, and may be in range."""
    kind = stream.randrange(5)
    if kind == 0:
        return repr(
            struct.unpack("d", stream.randbytes(8))[0]
        ).encode()  # any bits, with nan and inf as Python spells them
    if kind == 1:
        value = stream.choice([-2.0, 3.0, 0.0])
        return repr(stream.choice([value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf)])).encode()
    if kind == 2:
        return str(stream.choice([stream.randrange(-4, 6), stream.randrange(-(10**30), 10**30), 10**400])).encode()
    if kind == 3:
        return f"{stream.uniform(-3, 4):.{stream.randrange(20)}{stream.choice('efg')}}".encode()
    return stream.choice(ODD)


def test_a_million_hostile_values() -> None:
    """Accepted if and only if it is a number of JSON, finite and in range; and recorded as the number it is."""
    engine, experiment, _ = create_experiment()
    stream, counts = random.Random(2), Counter[bool]()
    id, number = "", -1
    for _ in range(MILLION):
        text = draw_hostile_value(stream)
        bare = text.strip(b" \t")
        value = float(bare) if NUMBER.fullmatch(bare) else math.nan
        is_good = math.isfinite(value) and -2.0 <= value <= 3.0
        if not id:
            answer = engine.decide(experiment, messages.DecisionRequest(), None)
            id, number = answer.message.id, number + 1
        lines = experiment.line
        try:
            answer = engine.reward(experiment, id, decode_body(messages.Reward, b'{"reward":' + text + b"}"), None)
            status = answer.status
        except Problem as problem:
            status = problem.status
        assert status == (201 if is_good else 422), text
        assert experiment.line == lines + is_good
        if is_good:
            record = experiment.values.get((number, ""))
            assert json.loads(answer.rows[0].body)["value"] == value == record, text
            assert math.copysign(1.0, record) == (-1.0 if value < 0 else 1.0)
            id = ""
        counts[is_good] += 1
    print(f"{counts[True]:,} accepted, {counts[False]:,} refused")
    assert min(counts.values()) > 100_000


def test_logged_probabilities_by_chi_square() -> None:
    """A million decisions in one state, of all arms, of some, and held out, each against its own probability.

    The bound is Laurent and Massart's: chi-square of d degrees exceeds d + 2 sqrt(d x) + 2x with probability e^-x; for
    four groups and the share held out the test is wrong with probability 5e-9 or less.
    """
    engine, experiment, _ = create_experiment(holdout=0.2)
    for number in range(60):
        decision = engine.decide(experiment, messages.DecisionRequest(), None).message
        engine.reward(
            experiment, decision.id, messages.Reward(3.0 if decision.arm in "ab" and number % 3 else -2.0), None
        )
    counts: Counter[tuple[str, bool, str]] = Counter()
    probability_of: dict[tuple[str, bool, str], float] = {}
    for number in range(MILLION):
        eligible = None if number % 2 else ["b", "c", "e"]
        decision = engine.decide(experiment, messages.DecisionRequest(eligible), None).message
        kind = ("some" if eligible else "all", decision.holdout, decision.arm)
        counts[kind] += 1
        assert probability_of.setdefault(kind, decision.probability) == decision.probability
    x = math.log(1e9)
    holdouts = sum(count for (_, holdout, _), count in counts.items() if holdout)
    spread = (holdouts - 0.2 * MILLION) ** 2 / (0.2 * 0.8 * MILLION)
    print(f"held out: {holdouts:,}, chi-square {spread:.1f} of 1 degree")
    assert spread <= 1 + 2 * math.sqrt(x) + 2 * x
    for of, holdout in [("all", False), ("some", False), ("all", True), ("some", True)]:
        group = {arm: counts[of, holdout, arm] for one, other, arm in counts if (one, other) == (of, holdout)}
        total, probabilities = sum(group.values()), {arm: probability_of[of, holdout, arm] for arm in group}
        assert sum(probabilities.values()) == pytest.approx(1.0, abs=1e-9)
        distance = sum((group[arm] - total * probabilities[arm]) ** 2 / (total * probabilities[arm]) for arm in group)
        degrees = len(group) - 1
        print(f"{of}, held out {holdout}: {total:,} draws, chi-square {distance:.1f} of {degrees} degrees")
        assert len(group) == (5 if of == "all" else 3)
        assert distance <= degrees + 2 * math.sqrt(degrees * x) + 2 * x
