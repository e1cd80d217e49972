"""Any process serves any experiment: requests are forwarded to its owner, and experiments spread over the processes."""

import asyncio
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from robandit.service.forward import Forwarder
from robandit.service.leases import Leases
from robandit.service.perform import perform, reach
from robandit.service.problems import Problem
from robandit.service.routes import ROUTES
from robandit.service.service import Service
from robandit.service.stores.postgres import PostgresStore
from robandit.service.tokens import Tokens, new_token
from tests.crowd import send
from tests.fleet import Fleet
from verification.fleet import Trial, try_fleet

NEW = {"name": "50 % off: a+b ä", "arms": ["x", "y/z"], "policy": "samba"}
PATH = "/v1/experiments/50%20%25%20off:%20a+b%20%C3%A4"


@pytest.fixture(scope="module")
def fleet(postgres: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    url = postgres.database()
    fleet = Fleet(url, tmp_path_factory.mktemp("fleet"))
    fleet.pair()
    yield fleet
    fleet.end()
    postgres.give_back(url)


def fetch_text(address: str, token: str, path: str) -> str:
    """A file of a process, whichever serves its experiment."""
    reply = httpx.get(f"{address}{path}", headers={"authorization": f"Bearer {token}"})
    assert reply.status_code == 200, reply.text
    return reply.text


def test_a_process_answers_for_another_as_that_would(fleet: Fleet) -> None:
    """The other one is no owner: with one experiment only, its creator has its share."""
    owner, other = fleet.processes
    token = fleet.token
    assert send(owner, token, "POST", "/v1/experiments", NEW)[0] == 201
    assert send(other, token, "GET", PATH, follows=True)[::2] == (307, f"{owner}{PATH}")
    status, decision, _ = send(other, token, "POST", f"{PATH}/decisions", {}, "k")
    assert status == 201
    assert send(other, token, "POST", f"{PATH}/decisions", {}, "k")[:2] == (200, decision)
    reward = f"{PATH}/decisions/{decision['id']}/reward"
    assert send(other, token, "PUT", reward, {"reward": 1})[:2] == (201, {"new": True})
    assert send(other, token, "PATCH", f"{PATH}/arms/y/z", {"change": "paused"})[0] == 200
    assert send(other, token, "POST", f"{PATH}/sources/a%2Fb", {"change": "quarantined"})[0] == 200
    csv = [fetch_text(one, token, f"{PATH}/export?format=csv&unrewarded=true") for one in (owner, other)]
    assert csv[0] == csv[1]
    assert csv[0].count("\n") == 2
    weak = new_token(fleet.folder / "tokens", "reader", "read", experiments="nothing")
    time.sleep(1.0)  # until both have read the file again
    asked: list[tuple[Any, ...]] = [
        (token, "PUT", reward, {"reward": 1}),
        (token, "PUT", reward, {"reward": 0}),
        (token, "PUT", reward, {"reward": 7}),
        (token, "PUT", f"{PATH}/decisions/nonsense/reward", {"reward": 1}),
        (token, "POST", f"{PATH}/decisions", {"eligible": ["nobody"]}),
        (token, "POST", f"{PATH}/decisions", {"nonsense": 1}),
        (token, "POST", f"{PATH}/rewards", {"rewards": [{"id": decision["id"], "reward": 1}]}),
        (token, "POST", "/ofrep/v1/evaluate/flags/50%20%25%20off:%20a+b%20%C3%A4", {"context": {"targetingKey": 3}}),
        (token, "POST", "/v1/experiments/none/decisions", {}),
        (weak, "GET", PATH),
        ("", "POST", f"{PATH}/decisions", {}),
    ]
    answers = [send(other, *words) for words in asked]
    assert answers == [send(owner, *words) for words in asked]
    assert [status for status, _, _ in answers] == [200, 409, 422, 404, 422, 422, 200, 400, 404, 404, 401]
    assert send(other, token, "GET", PATH)[1]["decisions"] == 1


def test_any_process_evaluates_the_flags_of_all(fleet: Fleet) -> None:
    owners = list(fleet.processes)
    for place, name in enumerate(("flag-b", "flag-a", "flag-c")):
        rules = {"rules": {"sticky": name != "flag-c"}}
        made = send(owners[place % 2], fleet.token, "POST", "/v1/experiments", {**NEW, **rules, "name": name})
        assert made[0] == 201, made
    address = {one: f"{one}/ofrep/v1/evaluate/flags" for one in owners}
    head = {"authorization": f"Bearer {fleet.token}"}

    def evaluate(one: str, unit: str) -> httpx.Response:
        return httpx.post(address[one], json={"context": {"targetingKey": unit}}, headers=head, timeout=30)

    for unit in ("jane", "joe"):
        first, second = evaluate(owners[0], unit), evaluate(owners[1], unit)
        assert [flag["key"] for flag in first.json()["flags"]] == ["flag-a", "flag-b"]
        assert all(flag["value"] in NEW["arms"] for flag in first.json()["flags"])
        assert (second.content, second.headers["etag"]) == (first.content, first.headers["etag"])
    for name, count in (("flag-a", 2), ("flag-b", 2), ("flag-c", 0)):
        assert send(owners[0], fleet.token, "GET", f"/v1/experiments/{name}")[1]["decisions"] == count
    fleet.kill(owners[1])
    flags = evaluate(owners[0], "jane").json()["flags"]  # at once: whoever died had one of them
    assert [flag["key"] for flag in flags] == ["flag-a", "flag-b"]
    assert sorted("value" in flag for flag in flags) == [False, True]
    ends = time.monotonic() + 20
    while not all("value" in flag for flag in evaluate(owners[0], "jane").json()["flags"]):
        assert time.monotonic() < ends
        time.sleep(0.1)
    fleet.pair()


async def answer(service: Service, verb: str, body: bytes, **params: str) -> str:
    """The sentence of a refusal."""
    route = next(route for route in ROUTES if route.verb.__name__ == verb)
    with pytest.raises(Problem) as caught:
        await reach(perform(service, route, b"", {"experiment": "e", **params}, body, None)[0])
    assert caught.value.status == 503
    return caught.value.detail


@pytest.mark.parametrize("reply", [b"", b"HTTP/1.1 307 Temporary Redirect\r\ncontent-length: 0\r\n\r\n"])
def test_an_owner_that_hangs_up_or_sends_on_is_asked_no_longer_than_a_moment(
    database: str, monkeypatch: pytest.MonkeyPatch, reply: bytes
) -> None:
    """What may have been recorded is sent again only if that cannot record it twice; nothing is forwarded twice."""
    monkeypatch.setattr("robandit.service.forward.HOLD", 0.3)
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(reply)
        writer.close()

    async def work() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        owner = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        store = PostgresStore(database)
        service = Service(store, Tokens(None), ownership=Leases(store, "http://127.0.0.1:1", 5.0))
        service.forwarder = Forwarder("http://127.0.0.1:1")
        service.start()
        async with asyncio.timeout(20):
            while not service.ownership.fresh:
                await asyncio.sleep(0.01)
        await asyncio.to_thread(store.create, "e", "{}", "{}")
        store.fences.clear()
        with psycopg.connect(database) as db:
            db.execute("UPDATE robandit.lease SET owner = 'b', fence = 2, address = %s", (owner,))
        began = time.monotonic()
        unsure = await answer(service, "decide", b"{}")
        assert unsure.startswith("the database failed" if not reply else "the experiment 'e' is changing hands")
        assert len(asked) == 1 if not reply else len(asked) > 1
        asked.clear()
        assert "changing hands" in await answer(service, "reward", b'{"reward": 1}', decision="x")
        assert len(asked) > 1
        assert time.monotonic() - began < 10
        server.close()
        assert "changing hands" in await answer(service, "decide", b"{}")  # nobody listens: nothing was sent
        await service.stop()

    asyncio.run(asyncio.wait_for(work(), 60))
    assert all(b"\r\nrobandit-route: redirect\r\n" in request for request in asked)


def test_experiments_spread_while_processes_are_killed_stopped_and_added(database: str, tmp_path: Path) -> None:
    """A small version of verification/fleet.py, with the same checks; nothing acknowledged is lost."""
    fleet = Fleet(database, tmp_path)
    fleet.pair()
    try:
        trial = Trial(fleet, 6, 0.05)
        text = try_fleet(trial, 1.0)
    finally:
        codes = fleet.end()
    print(text)
    assert set(codes) == {0}
    assert re.search(r"acknowledged, lost 0; attempts by status: \{", text)
    kill, stop = trial.phases[2], trial.phases[4]
    assert len(trial.away(kill)) == len(trial.away(stop)) == 3
    assert max(trial.away(stop)) < max(10.0, max(trial.away(kill)))


def test_pages_and_sessions_work_through_any_process(fleet: Fleet) -> None:
    """One logs in at one process; every page, stream and form works at the other, whichever serves the experiment."""
    owner, other = fleet.processes
    new = {"name": "paged", "arms": ["x", "y"], "policy": "samba"}
    number = send(owner, fleet.token, "POST", "/v1/experiments", new)[1]["id"]
    with httpx.Client(timeout=20.0) as browser:
        assert browser.get(f"{other}/experiments/{number}").headers["location"] == "/login"
        login = browser.post(f"{owner}/login", data={"token": fleet.token}, headers={"origin": owner})
        assert login.status_code == 303
        pages = [browser.get(f"{one}/experiments/{number}") for one in (owner, other)]
        assert [page.status_code for page in pages] == [200, 200]
        assert all("<h1" in page.text and "paged" in page.text for page in pages)
        assert "paged" in browser.get(f"{other}/").text
        secrets_of = [re.search('name="secret" value="([0-9a-f]+)"', page.text) for page in pages]
        assert secrets_of[0] is not None
        secret = secrets_of[0][1]
        assert secrets_of[1] is not None
        assert secrets_of[1][1] == secret
        with browser.stream("GET", f"{other}/experiments/{number}/events") as stream:
            lines = stream.iter_lines()
            assert next(line for line in lines if line.startswith("data: "))
            send(other, fleet.token, "POST", "/v1/experiments/paged/decisions", {})
            assert "numbers" in next(line for line in lines if line.startswith("data: "))
        form = {"secret": secret, "do": "pause", "on": "x", "value": ""}
        act = f"{other}/experiments/{number}/act"
        assert browser.post(act, data=form | {"secret": "0"}, headers={"origin": other}).status_code == 403
        assert browser.post(act, data=form, headers={"origin": "http://elsewhere"}).status_code == 403
        done = browser.post(act, data=form, headers={"origin": other})
        assert (done.status_code, done.headers["location"]) == (303, f"/experiments/{number}#trail")
        assert send(owner, fleet.token, "GET", "/v1/experiments/paged")[1]["arms"][0]["status"] == "paused"
        cookie = next(iter(browser.cookies.jar)).value or ""
        forged = cookie[:-3] + ("AAA" if cookie[-3:] != "AAA" else "BBB")
        name = next(iter(browser.cookies.jar)).name
        for wrong in (forged, "", "x", cookie[:40]):
            reply = httpx.get(f"{other}/", headers={"cookie": f"{name}={wrong}"})
            assert (reply.status_code, reply.headers["location"]) == (303, "/login")
        browser.post(f"{other}/logout", data={"secret": secret}, headers={"origin": other})
        assert httpx.get(f"{other}/", headers={"cookie": f"{name}={cookie}"}).status_code == 303
        ends = time.monotonic() + 20.0  # a second in truth
        while httpx.get(f"{owner}/", headers={"cookie": f"{name}={cookie}"}).status_code != 303:
            assert time.monotonic() < ends, "whoever logged out at one process is still logged in at the other"
            time.sleep(0.1)
