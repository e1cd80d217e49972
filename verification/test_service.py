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


def begun(**rules: Any) -> tuple[Engine, Any, list[float]]:
    """An experiment in memory, and a clock to be set."""
    clock = [0.0]
    engine = Engine(MemoryStore(), lambda: clock[0])
    asked = messages.NewExperiment("one", list("abcde"), "exp3", seed=5, patience=10**7, reward_range=[-2.0, 3.0])
    asked.rules = messages.ExperimentRules(**rules)
    engine.create(asked)
    return engine, engine.find("one"), clock


def test_twenty_thousand_journals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tests.test_docket, "JOURNALS", 20_000)
    tests.test_docket.test_the_docket_does_what_the_rules_say()


def test_the_engine_keeps_its_promises_for_long() -> None:
    many = settings(max_examples=600, stateful_step_count=80, deadline=None, derandomize=True, database=None)
    run_state_machine_as_test(Machine, settings=many)


def test_the_engine_keeps_its_promises_over_postgresql_too(monkeypatch: pytest.MonkeyPatch) -> None:
    server, used = Server(), list[str]()

    def postgres(folder: Path) -> ServiceStore:
        if used:
            server.give_back(used.pop())
        used.append(server.database())
        store = open_store(used[0])
        store.take_all()
        return store

    monkeypatch.setattr(tests.machine, "STORES", [*tests.machine.STORES, postgres])
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
    told = cuts(tape.ops, folder(tmp_path, "cut"), every=1, draws=4)
    print(dict(Counter(op.kind for op in tape.ops)), told)
    assert (told["lost"], told["broken"]) == (0, 0)
    assert told["cuts"] == 4 * sum(op.kind != "say" for op in tape.ops)


@pytest.mark.parametrize("wrong", [{"writer_of": Early}, {"pragma": "PRAGMA synchronous=OFF"}])
def test_a_power_cut_shows_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: Any) -> None:
    monkeypatch.setattr(sqlite, "PAGES", 40)
    tape, _ = recorded(folder(tmp_path, "run") / "db", 200, **wrong)
    told = cuts(tape.ops, folder(tmp_path, "cut"), every=4)
    print(wrong, told)
    assert told["cuts that lost"] + told["broken"] > 100


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
    found = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    print(found)
    assert found["kills"] == 200
    assert [found[what] for what in ("lost", "twice", "states that differ", "wrong answers")] == [0, 0, 0, 0]
    assert found["acknowledged"] > 5000


@pytest.mark.parametrize("flags", [["--seed", "1"], ["--seed", "2", "--postgres"]])
def test_two_minutes_of_faults(tmp_path: Path, flags: list[str]) -> None:
    outcome = run_campaign(tmp_path, "--seconds", "120", "--every", "2", *flags)
    print(outcome)
    assert sum(outcome["faults"].values()) >= 12
    assert outcome["acknowledged"] > 2000


def test_a_million_rewards_doubled_shuffled_and_contradicted() -> None:
    """Each decision is rewarded in bulk order, 30 % again, 5 % with another value; some come after their window."""
    engine, experiment, clock = begun(window=300_000.0)
    dice, store = random.Random(1), engine.store
    told: list[tuple[float, int, float]] = []  # when, which decision, what
    count = int(MILLION / 1.35)
    for number in range(count):
        value = dice.choice([-2.0, 0.0, 0.5, 3.0])
        told.append((number + dice.expovariate(1 / 60_000), number, value))
        if dice.random() < 0.30:
            told.append((number + dice.expovariate(1 / 60_000), number, value))
        if dice.random() < 0.05:
            told.append((number + dice.expovariate(1 / 60_000), number, 1.25))
    told.sort()
    expected: Counter[int] = Counter()
    known, sums = dict[int, float](), Counter[str]()
    statuses: Counter[int] = Counter()
    ids, arms, made = list[str](), list[str](), 0
    for time, number, value in told:
        while made <= min(time, count - 1):
            clock[0] = float(made)
            answer = engine.decide(experiment, messages.DecisionRequest(), None)
            store.commit(answer.rows)
            ids.append(answer.message.id)
            arms.append(answer.message.arm)
            made += 1
        clock[0] = round(time, 3)
        late = clock[0] >= number + 300_000.0
        if number in known:
            expected[200 if known[number] == value else 409] += 1
        else:
            expected[410 if late else 201] += 1
            if not late:
                known[number] = value
                sums[arms[number]] += value
        try:
            answer = engine.reward(experiment, ids[number], messages.Reward(value), None)
            store.commit(answer.rows)
            statuses[answer.status] += 1
        except Problem as problem:
            statuses[problem.status] += 1
    print(f"{len(told):,} rewards: {dict(statuses)}")
    assert len(told) > 0.99 * MILLION
    assert statuses == expected
    assert min(statuses[status] for status in (200, 201, 409, 410)) > 1000
    about = engine.about(experiment)
    assert (about.decisions, about.rewards) == (count, len(known))
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


def hostile(dice: random.Random) -> bytes:
    """The text of a value that may be a number, and may be in range."""
    kind = dice.randrange(5)
    if kind == 0:
        return repr(
            struct.unpack("d", dice.randbytes(8))[0]
        ).encode()  # any bits, with nan and inf as Python spells them
    if kind == 1:
        value = dice.choice([-2.0, 3.0, 0.0])
        return repr(dice.choice([value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf)])).encode()
    if kind == 2:
        return str(dice.choice([dice.randrange(-4, 6), dice.randrange(-(10**30), 10**30), 10**400])).encode()
    if kind == 3:
        return f"{dice.uniform(-3, 4):.{dice.randrange(20)}{dice.choice('efg')}}".encode()
    return dice.choice(ODD)


def test_a_million_hostile_values() -> None:
    """Accepted if and only if it is a number of JSON, finite and in range; and recorded as the number it is."""
    engine, experiment, _ = begun()
    dice, counts = random.Random(2), Counter[bool]()
    id, number = "", -1
    for _ in range(MILLION):
        text = hostile(dice)
        bare = text.strip(b" \t")
        value = float(bare) if NUMBER.fullmatch(bare) else math.nan
        good = math.isfinite(value) and -2.0 <= value <= 3.0
        if not id:
            answer = engine.decide(experiment, messages.DecisionRequest(), None)
            id, number = answer.message.id, number + 1
        lines = experiment.line
        try:
            answer = engine.reward(experiment, id, decode_body(messages.Reward, b'{"reward":' + text + b"}"), None)
            status = answer.status
        except Problem as problem:
            status = problem.status
        assert status == (201 if good else 422), text
        assert experiment.line == lines + good
        if good:
            kept = experiment.values.get((number, ""))
            assert json.loads(answer.rows[0].body)["value"] == value == kept, text
            assert math.copysign(1.0, kept) == (-1.0 if value < 0 else 1.0)
            id = ""
        counts[good] += 1
    print(f"{counts[True]:,} accepted, {counts[False]:,} refused")
    assert min(counts.values()) > 100_000


def test_logged_probabilities_by_chi_square() -> None:
    """A million decisions in one state, of all arms, of some, and held out, each against the probability it was told.

    The bound is Laurent and Massart's: chi-square of d degrees exceeds d + 2 sqrt(d x) + 2x with probability e^-x; for
    four groups and the share held out the test is wrong with probability 5e-9 or less.
    """
    engine, experiment, _ = begun(holdout=0.2)
    for number in range(60):
        made = engine.decide(experiment, messages.DecisionRequest(), None).message
        engine.reward(experiment, made.id, messages.Reward(3.0 if made.arm in "ab" and number % 3 else -2.0), None)
    drawn: Counter[tuple[str, bool, str]] = Counter()
    likely: dict[tuple[str, bool, str], float] = {}
    for number in range(MILLION):
        eligible = None if number % 2 else ["b", "c", "e"]
        made = engine.decide(experiment, messages.DecisionRequest(eligible), None).message
        kind = ("some" if eligible else "all", made.holdout, made.arm)
        drawn[kind] += 1
        assert likely.setdefault(kind, made.probability) == made.probability
    x = math.log(1e9)
    held = sum(count for (_, holdout, _), count in drawn.items() if holdout)
    spread = (held - 0.2 * MILLION) ** 2 / (0.2 * 0.8 * MILLION)
    print(f"held out: {held:,}, chi-square {spread:.1f} of 1 degree")
    assert spread <= 1 + 2 * math.sqrt(x) + 2 * x
    for of, holdout in [("all", False), ("some", False), ("all", True), ("some", True)]:
        group = {arm: drawn[of, holdout, arm] for one, other, arm in drawn if (one, other) == (of, holdout)}
        total, probabilities = sum(group.values()), {arm: likely[of, holdout, arm] for arm in group}
        assert sum(probabilities.values()) == pytest.approx(1.0, abs=1e-9)
        distance = sum((group[arm] - total * probabilities[arm]) ** 2 / (total * probabilities[arm]) for arm in group)
        degrees = len(group) - 1
        print(f"{of}, held out {holdout}: {total:,} draws, chi-square {distance:.1f} of {degrees} degrees")
        assert len(group) == (5 if of == "all" else 3)
        assert distance <= degrees + 2 * math.sqrt(degrees * x) + 2 * x
