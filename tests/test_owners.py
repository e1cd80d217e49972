"""Several `robandit serve` on one PostgreSQL: killed, paused, without their database; nothing acknowledged is lost."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from robandit.client import Client
from robandit.service.stores.postgres import PostgresStore
from tests.crowd import Crowd, check, folded, send
from tests.fleet import Fleet

NEW = {"arms": ["x", "y", "z"], "policy": "samba"}


@pytest.fixture(scope="module")
def fleet(postgres: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Processes are dear, so the tests share those that live on."""
    url = postgres.database()
    fleet = Fleet(url, tmp_path_factory.mktemp("fleet"))
    yield fleet
    assert set(fleet.end()) <= {0}
    postgres.give_back(url)


@pytest.fixture
def store(fleet: Fleet) -> Iterator[PostgresStore]:
    """A look into the database."""
    fleet.pair()
    reader = PostgresStore(fleet.database, read_only=True)
    yield reader
    reader.close()


def created(fleet: Fleet, address: str, name: str) -> int:
    """A new experiment; its creator is the owner."""
    status, body, _ = send(address, fleet.token, "POST", "/v1/experiments", {"name": name, **NEW})
    assert status == 201, body
    return int(body["id"])


def owner(fleet: Fleet, address: str, experiment: int) -> str:
    """Who serves an experiment."""
    for _ in range(1000):
        status, _, location = send(address, fleet.token, "GET", f"/v1/experiments/{experiment}", follows=True)
        if status == 200:
            return address
        if status == 307:
            return location.removesuffix(f"/v1/experiments/{experiment}")
        time.sleep(0.02)
    raise AssertionError("nobody serves it")


def finish(fleet: Fleet, crowd: Crowd, store: PostgresStore, experiment: int, address: str) -> None:
    """The end of every test: what was answered is recorded, and the state in memory is what the journal comes to."""
    crowd.wait_for(20)
    crowd.stop()
    check(crowd, store, experiment)
    live = send(owner(fleet, address, experiment), fleet.token, "GET", f"/v1/experiments/{experiment}")[1]
    assert live["arms"] == folded(store, experiment)
    assert live["head"] == store.head(experiment).chain.hex()


def test_the_owner_is_killed_and_another_takes_over(fleet: Fleet, store: PostgresStore) -> None:
    first, second = fleet.pair()
    experiment = created(fleet, first, "killed")
    crowd = Crowd([first, second], experiment, fleet.token, follows=True)
    crowd.wait_for(60)
    fleet.kill(first)
    began = time.monotonic()
    crowd.wait_for(60)
    assert owner(fleet, second, experiment) == second
    assert time.monotonic() - began < 30  # a lease and a quarter, on a busy machine
    crowd.addresses[0] = third = fleet.begin()
    crowd.wait_for(20)
    fleet.kill(second)
    crowd.addresses[1] = third
    finish(fleet, crowd, store, experiment, third)
    assert crowd.statuses[307] > 0


def test_a_sleeper_wakes_up_when_its_lease_is_anothers(fleet: Fleet, store: PostgresStore) -> None:
    """It is paused in the middle of its work; what it says afterwards is never a success that is not recorded."""
    first, second = fleet.pair()
    experiment = created(fleet, first, "paused")
    crowd = Crowd([first, second], experiment, fleet.token)
    for _ in range(2):
        crowd.wait_for(30)
        sleeper = owner(fleet, first, experiment)
        os.kill(fleet.processes[sleeper].pid, signal.SIGSTOP)
        crowd.addresses = [one for one in (first, second) if one != sleeper]
        fence = fence_of(store, experiment)
        while fence_of(store, experiment) == fence:
            time.sleep(0.02)
        crowd.addresses = [first, second]  # their questions wait for it to wake up
        time.sleep(0.3)
        os.kill(fleet.processes[sleeper].pid, signal.SIGCONT)
    finish(fleet, crowd, store, experiment, first)
    assert crowd.statuses[503] > 0 or crowd.statuses[307] > 0


def fence_of(store: PostgresStore, experiment: int) -> int:
    """How often an experiment changed hands."""
    ((fence,),) = store.ask("SELECT fence FROM robandit.lease WHERE experiment = %s", (experiment,))
    return int(fence)


def test_the_database_is_killed_and_comes_back(fleet: Fleet, store: PostgresStore, postgres: Any) -> None:
    first, second = fleet.pair()
    experiment = created(fleet, first, "database")
    crowd = Crowd([first, second], experiment, fleet.token)
    crowd.wait_for(40)
    postgres.kill()
    time.sleep(0.3)  # answers that were under way when the server died have arrived
    crowd.statuses.clear()
    time.sleep(0.6)
    meanwhile = dict(crowd.statuses)
    status, body, _ = send(first, "", "GET", "/healthz")
    assert status in (200, 503), body  # until the lease has run out it may hope
    postgres.start()
    finish(fleet, crowd, store, experiment, first)
    assert set(meanwhile) <= {307, 503}  # from living processes, and none a success
    assert meanwhile[503] > 3


def test_the_client_follows_to_the_owner_with_its_token(fleet: Fleet, store: PostgresStore) -> None:
    first, second = fleet.pair()
    created(fleet, first, "followed")
    with Client(second, fleet.token) as client:
        decision = client.experiment("followed").decide()
        assert client.experiment("followed").reward(decision.id, 1.0)
    assert send(second, "", "GET", "/v1/experiments/followed")[0] == 401


def test_an_owner_that_stops_hands_over_without_a_refusal(database: str, tmp_path: Path) -> None:
    """With a lease of a minute nobody waits for it to run out: clients are held for a moment and sent on."""
    fleet = Fleet(database, tmp_path, lease=60.0)
    first, second = fleet.pair()
    experiment = created(fleet, first, "handed")
    crowd = Crowd([first, second], experiment, fleet.token)
    crowd.wait_for(60)
    crowd.addresses = [second]
    crowd.statuses.clear()
    leaver = fleet.processes.pop(first)
    leaver.terminate()
    longest, last, count = 0.0, time.monotonic(), crowd.count()
    ends = time.monotonic() + 6.0
    while time.monotonic() < ends:
        time.sleep(0.01)
        if crowd.count() > count:
            longest, last, count = max(longest, time.monotonic() - last), time.monotonic(), crowd.count()
    assert leaver.wait(timeout=30) == 0
    leaver.stdout.close()  # type: ignore[union-attr]
    reader = PostgresStore(database, read_only=True)
    finish(fleet, crowd, reader, experiment, second)
    reader.close()
    print(f"the longest pause between two answers: {longest:.2f} s, {dict(crowd.statuses)}")
    assert owner(fleet, second, experiment) == second
    assert crowd.statuses[503] == crowd.statuses[0] == 0
    assert longest < 3.0
    assert fleet.end() == [0]
