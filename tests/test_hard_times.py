"""A service on PostgreSQL in hard times: readers who ask much, a database that hangs, is read-only, or fails over."""

import asyncio
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from robandit.service import messages
from robandit.service.engine import Engine
from robandit.service.leases import Leases
from robandit.service.serve import run
from robandit.service.service import Service
from robandit.service.stores.base import ServiceStore
from robandit.service.stores.postgres import PostgresStore
from robandit.service.stores.sqlite import SqliteStore
from robandit.service.tokens import Tokens, new_token
from tests.postgres_server import children
from tests.serving import until

NEW = {"name": "e", "arms": ["x", "y"], "policy": "samba", "seed": 5}


class Life:
    """A service on a socket, and its clients' headers."""

    def __init__(self, service: Service, folder: Path) -> None:
        self.service, self.folder, self.url = service, folder, ""

    def token(self, name: str, roles: str) -> dict[str, str]:
        """The header of a new token."""
        return {"authorization": f"Bearer {new_token(self.folder / 'tokens', name, roles)}"}

    def wait_for(self, status: int, headers: dict[str, str], seconds: float = 30.0) -> float:
        """Decide until the status is this one; returns how long it took."""
        began = time.monotonic()
        while (answer := self.decide(headers)) != status:
            assert time.monotonic() - began < seconds, answer
            time.sleep(0.05)
        return time.monotonic() - began

    def decide(self, headers: dict[str, str]) -> int:
        """The status of a decision."""
        return httpx.post(f"{self.url}/v1/experiments/e/decisions", json={}, headers=headers, timeout=60).status_code


@contextmanager
def living(store: ServiceStore, folder: Path, lease: float = 2.0) -> Iterator[Life]:
    """Serve a store with tokens."""
    (folder / "tokens").touch()
    ownership = None if store.leased is None else Leases(store.leased, "http://a:1", lease)
    service, server = Service(store, Tokens(folder / "tokens"), ownership=ownership), list[Any]()
    life = Life(service, folder)
    thread = threading.Thread(target=lambda: asyncio.run(run(service, "127.0.0.1", 0, server.append)))
    thread.start()
    while not (server and server[0].started):
        assert thread.is_alive()
        time.sleep(0.005)
    life.url = f"http://127.0.0.1:{server[0].servers[0].sockets[0].getsockname()[1]}"
    try:
        yield life
    finally:
        server[0].should_exit = True
        thread.join(timeout=60)
        assert not thread.is_alive()


def fill(store: ServiceStore, rounds: int) -> None:
    """An experiment with a long journal."""
    engine = Engine(store, records=[])
    engine.create(messages.NewExperiment("e", ["x", "y"], "samba", seed=5))
    experiment = engine.find("e")
    for first in range(0, rounds, 5000):
        rows = []
        for number in range(first, min(first + 5000, rounds)):
            answer = engine.decide(experiment, messages.DecisionRequest(), None)
            rows += answer.rows
            rows += engine.reward(experiment, answer.message.id, messages.Reward(number % 2), f"s{number % 7}").rows
        store.commit(rows)
    store.close()


def ask_what_if(life: Life, headers: dict[str, str], times: int) -> tuple[list[threading.Thread], Counter[int]]:
    """So many what-ifs at once, and how they are answered."""
    statuses = Counter[int]()

    def ask() -> None:
        body = {"sources": ["s1"]}
        answer = httpx.post(f"{life.url}/v1/experiments/e/what-if", json=body, headers=headers, timeout=120)
        statuses[answer.status_code] += 1

    threads = [threading.Thread(target=ask) for _ in range(times)]
    for thread in threads:
        thread.start()
    return threads, statuses


def decide_meanwhile(
    life: Life, headers: dict[str, str], threads: list[threading.Thread]
) -> tuple[Counter[int], float]:
    """Decisions while some threads live: their statuses, and the slowest of a hundred in milliseconds."""
    statuses, waits = Counter[int](), list[float]()
    with httpx.Client(headers=headers, timeout=60) as client:
        while any(thread.is_alive() for thread in threads):
            began = time.perf_counter()
            statuses[client.post(f"{life.url}/v1/experiments/e/decisions", json={}).status_code] += 1
            waits.append(time.perf_counter() - began)
            time.sleep(0.002)
    return statuses, 1000 * sorted(waits)[int(0.99 * len(waits))]


@pytest.mark.parametrize("kind", ["postgres", "sqlite"])
def test_what_ifs_do_not_hold_up_decisions(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    database = request.getfixturevalue("database") if kind == "postgres" else ""

    def store() -> ServiceStore:
        return PostgresStore(database) if database else SqliteStore(tmp_path / "db")

    fill(store(), 15_000)
    with living(store(), tmp_path, lease=3.0) as life:
        reader, maker = life.token("reader", "read"), life.token("maker", "decide")
        life.service.tokens.refresh()
        life.wait_for(201, maker)
        threads, answers = ask_what_if(life, reader, 20)
        statuses, slowest = decide_meanwhile(life, maker, threads)
        print(f"{kind}: {dict(statuses)}, p99 {slowest:.0f} ms, what-ifs {dict(answers)}")
        assert set(statuses) == {201}
        assert set(answers) == {200, 429}
        again, answers = ask_what_if(life, reader, 1)  # when one is answered, the next may come
        again[0].join()
        assert answers == {200: 1}


def test_exports_do_not_hold_up_decisions(tmp_path: Path) -> None:
    """A token has one under way; those of several tokens take turns, and each comes whole."""
    fill(SqliteStore(tmp_path / "db"), 15_000)
    with living(SqliteStore(tmp_path / "db"), tmp_path, lease=3.0) as life:
        readers = [life.token(f"reader-{number}", "read") for number in range(3)]
        maker = life.token("maker", "decide")
        life.service.tokens.refresh()
        statuses, rows = Counter[int](), Counter[int]()

        def export(headers: dict[str, str]) -> None:
            answer = httpx.get(f"{life.url}/v1/experiments/e/export?format=csv", headers=headers, timeout=120)
            statuses[answer.status_code] += 1
            rows[answer.text.count("\n") if answer.status_code == 200 else 0] += 1

        threads = [threading.Thread(target=export, args=[readers[number % 3]]) for number in range(12)]
        for thread in threads:
            thread.start()
        decided, slowest = decide_meanwhile(life, maker, threads)
        print(f"{dict(decided)}, p99 {slowest:.0f} ms, exports {dict(statuses)}")
        assert set(decided) == {201}
        assert set(statuses) == {200, 429}
        assert statuses[200] >= 3
        assert set(rows) == {0, 15_001}
        with httpx.stream("GET", f"{life.url}/v1/experiments/e/export", headers=readers[0]) as response:
            assert response.status_code == 200  # a client that goes away in the middle
        until(lambda: not life.service.exports.tokens)
        again = threading.Thread(target=export, args=[readers[0]])
        again.start()
        again.join()
        assert rows[15_001] == statuses[200] == sum(rows.values()) - statuses[429]


def test_a_read_only_database_is_waited_for(database: str, tmp_path: Path) -> None:
    with living(PostgresStore(database), tmp_path, lease=1.0) as life:
        boss = life.token("boss", "admin")
        life.service.tokens.refresh()
        assert httpx.post(f"{life.url}/v1/experiments", json=NEW, headers=boss).status_code == 201
        life.wait_for(201, boss)
        with psycopg.connect(database, autocommit=True) as db:
            db.execute("ALTER SYSTEM SET default_transaction_read_only = on")
            db.execute("SELECT pg_reload_conf()")  # from now on, in sessions that are open too
            try:
                life.wait_for(503, boss)
                time.sleep(3)
                assert httpx.get(f"{life.url}/healthz").status_code == 503
            finally:
                db.execute("ALTER SYSTEM RESET default_transaction_read_only")
                db.execute("SELECT pg_reload_conf()")
        assert life.wait_for(201, boss, 10.0) < 5.0
        assert httpx.get(f"{life.url}/healthz").json()["status"] == "ok"


def stop_server(server: Any, number: int) -> None:
    """Send a signal to every process of a server."""
    for one in [server.process.pid, *children(server.process.pid)]:
        os.kill(one, number)


def test_a_database_that_hangs_is_given_up_when_the_lease_has_run_out(
    postgres: Any, database: str, tmp_path: Path
) -> None:
    lease = 5.0
    with living(PostgresStore(database), tmp_path, lease) as life, httpx.Client(timeout=60) as client:
        boss = life.token("boss", "admin")
        life.service.tokens.refresh()
        httpx.post(f"{life.url}/v1/experiments", json=NEW, headers=boss)
        life.wait_for(201, boss)
        client.get(f"{life.url}/healthz")
        began, statuses = time.monotonic(), list[int]()

        def look(name: str) -> None:
            statuses.append(httpx.get(f"{life.url}/v1/experiments/{name}", headers=boss, timeout=60).status_code)

        readers = [threading.Thread(target=look, args=(name,)) for name in ("e", "nobody")]
        stop_server(postgres, signal.SIGSTOP)
        try:
            for reader in readers:
                reader.start()
            time.sleep(0.3)
            before = time.monotonic()
            client.get(f"{life.url}/healthz")
            assert time.monotonic() - before < 1.5  # the readers wait for longer, and nobody waits for them
            assert life.decide(boss) == 503
            assert time.monotonic() - began < lease + 1.5
            for reader in readers:
                reader.join(10)
            assert statuses == [503, 503]
        finally:
            stop_server(postgres, signal.SIGCONT)
        life.wait_for(201, boss)
