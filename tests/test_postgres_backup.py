"""Backup of a PostgreSQL database with its own programs, and `robandit service restore` after it."""

import subprocess
from typing import Any

from robandit.service.engine import Engine
from robandit.service.messages import DecisionRequest, NewExperiment, Reward
from robandit.service.problems import Problem
from robandit.service.stores.postgres import PostgresStore


def decided(engine: Engine, rewarded: bool = True) -> str:
    """Returns the id of a decision that is committed."""
    experiment = engine.find("e")
    answer = engine.decide(experiment, DecisionRequest(), None)
    rows = list(answer.rows)
    if rewarded:
        rows += engine.reward(experiment, answer.message.id, Reward(1.0), "somebody").rows
    engine.store.commit(rows)
    return str(answer.message.id)


def test_a_dump_is_restored_with_a_new_epoch(postgres: Any, database: str, robandit: Any) -> None:
    store = PostgresStore(database)
    engine = Engine(store)
    engine.create(NewExperiment("e", ["x", "y"], "samba", seed=1))
    before = [decided(engine, rewarded) for rewarded in (True, True, False)]
    dump = subprocess.run([postgres.bin / "pg_dump", "--schema=robandit", database], check=True, capture_output=True)
    after = decided(engine, False)
    code, _, errors = robandit("service", "restore", "--db", database)
    assert code == 2
    assert "the experiment 'e' is served at" in errors  # its lease runs: somebody may write
    store.close()

    target = postgres.database()
    subprocess.run([postgres.bin / "psql", "-q", target], input=dump.stdout, check=True, stdout=subprocess.DEVNULL)
    late = PostgresStore(target)
    late.ask("UPDATE robandit.lease SET until = clock_timestamp() - interval '1 second' RETURNING 1")  # time has passed
    late.close()
    code, printed, errors = robandit("service", "restore", "--db", target)
    assert (code, printed.split()[0]) == (0, "epoch"), errors

    restored = PostgresStore(target)
    restored.take_all()
    engine = Engine(restored)
    experiment = engine.find("e")
    answer = engine.reward(experiment, before[2], Reward(0.0), None)
    restored.commit(answer.rows)
    assert answer.status == 201
    assert experiment.fold.decisions == 3
    refused = 0
    decided(engine, False)  # the number of the one that is gone
    try:
        engine.reward(experiment, after, Reward(1.0), None)
    except Problem as problem:
        refused = problem.status
    assert refused == 404
    restored.close()
    assert robandit("service", "verify", database, "--no-compiled")[0] == 0
    postgres.give_back(target)
