"""The service over HTTP: the contract of its verbs, both paths to it, who may what; a refusal changes nothing."""

import http.client
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from robandit.service.hot import target_of
from robandit.service.routes import ROUTES
from robandit.service.stores.sqlite import SqliteStore
from tests.serving import Running, running, until

ROLES = {"decider": "decide", "rewarder": "reward", "reader": "read", "boss": "admin", "none": "decide"}


class Caller:
    """One connection to a service."""

    def __init__(self, at: Running, token: str | None = None, *, cold: bool = False) -> None:
        self.http, self.cold = http.client.HTTPConnection("127.0.0.1", at.port, timeout=20), cold
        self.headers = {} if token is None else at.bearer(token)
        at.closing.callback(self.http.close)

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Ask; `cold` goes through ASGI, for a query string is not hot."""
        text = body if isinstance(body, bytes | str | None) else json.dumps(body)
        sent = {**self.headers, "content-type": "application/json", **headers}
        self.http.request(method, path + ("?cold" if self.cold else ""), text, sent)
        answer = self.http.getresponse()
        got = answer.read()
        return answer.status, json.loads(got) if got[:1] in (b"{", b"[") else got


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("service")
    with running(SqliteStore(folder / "s.db"), folder, **ROLES) as service:
        yield service


@pytest.fixture(params=[False, True], ids=["hot", "asgi"])
def call(request: pytest.FixtureRequest, served: Running) -> Caller:
    return Caller(served, "boss", cold=request.param)


COUNT = iter(range(10**6))


def begun(call: Caller, **more: Any) -> str:
    """A new experiment's address."""
    experiment = {"name": f"e{next(COUNT)}", "arms": ["a", "b", "c"], "policy": {"name": "samba"}, **more}
    status, body = call("POST", "/v1/experiments", experiment)
    assert status == 201, body
    return f"/v1/experiments/{body['id']}"


def test_the_contract_of_decide_and_reward(call: Caller) -> None:
    base = begun(call)
    status, decision = call("POST", f"{base}/decisions", {})
    assert status == 201
    assert decision["arm"] in "abc"
    assert decision["probability"] == 1 / 3
    at = f"{base}/decisions/{decision['id']}/reward"
    assert call("PUT", at, {"reward": 1}) == (201, {"new": True})
    assert call("PUT", at, {"reward": 1.0}) == (200, {"new": False})
    assert call("PUT", at, {"reward": 0})[0] == 409
    forged = decision["id"][:-1] + ("A" if decision["id"][-1] != "A" else "B")
    for id in ("nobody", forged, decision["id"] + "A", decision["id"].lower()):
        assert call("PUT", f"{base}/decisions/{id}/reward", {"reward": 1})[0] == 404
    other = begun(call)
    assert call("PUT", f"{other}/decisions/{decision['id']}/reward", {"reward": 1})[0] == 404
    assert call("POST", "/v1/experiments/999/decisions", {})[0] == 404


NO_REWARDS = """
{"reward": 1.5} {"reward": -1} {"reward": NaN} {"reward": 1e999} {"reward": "1"} {"reward": true} {"reward": null}
{"reward": 1, "colour": 2} {"reward": 0, "reward": 1} {"reward": 0, "rew\\u0061rd": 1} {} [1] nonsense
"""


@pytest.mark.parametrize("body", [*re.findall(r"{.*?}|\S+", NO_REWARDS), "", "\x00"])
def test_what_is_no_reward_is_refused_and_changes_nothing(call: Caller, body: str) -> None:
    base = begun(call)
    decision = call("POST", f"{base}/decisions", {})[1]
    before = call("GET", base)[1]
    assert call("PUT", f"{base}/decisions/{decision['id']}/reward", body)[0] == 422
    after = call("GET", base)[1]
    assert {**before, "refused": 0} == {**after, "refused": 0}
    assert call("PUT", f"{base}/decisions/{decision['id']}/reward", {"reward": -0.0})[0] == 201


def test_a_retried_decision_is_the_same_one(call: Caller) -> None:
    base = begun(call)
    first = call("POST", f"{base}/decisions", {}, **{"idempotency-key": "k1"})
    again = call("POST", f"{base}/decisions", {}, **{"idempotency-key": "k1"})
    other = call("POST", f"{base}/decisions", {}, **{"idempotency-key": "k2"})
    assert (first[0], again[0], other[0]) == (201, 200, 201)
    assert first[1] == again[1]
    assert other[1]["id"] != first[1]["id"]
    assert call("GET", base)[1]["decisions"] == 2
    assert call("POST", f"{base}/decisions", {}, **{"idempotency-key": "x" * 201})[0] == 422


def test_bulk(call: Caller) -> None:
    base = begun(call)
    status, body = call("POST", f"{base}/decisions", {"count": 5, "eligible": ["a", "b"]})
    ids = [one["id"] for one in body["decisions"]]
    assert status == 201
    assert len(set(ids)) == 5
    assert {one["arm"] for one in body["decisions"]} <= {"a", "b"}
    assert {one["probability"] for one in body["decisions"]} == {0.5}
    rewards = [{"id": id, "reward": 1} for id in ids[:3]]
    rewards += [
        {"id": ids[0], "reward": 1},
        {"id": ids[0], "reward": 0},
        {"id": "no", "reward": 1},
        {"id": ids[4], "reward": 7},
    ]
    status, body = call("POST", f"{base}/rewards", {"rewards": rewards})
    assert [one["status"] for one in body["outcomes"]] == [201, 201, 201, 200, 409, 404, 422]
    assert call("GET", base)[1]["rewards"] == 3
    assert call("POST", f"{base}/decisions", {"count": 1001})[0] == 422
    assert call("POST", f"{base}/decisions", {"eligible": ["nobody"]})[0] == 422


def test_arms_come_and_go(call: Caller) -> None:
    base = begun(call)
    assert call("POST", f"{base}/arms", {"name": "d/1"})[0] == 201
    assert call("POST", f"{base}/arms", {"name": "d/1"})[0] == 422
    assert call("PATCH", f"{base}/arms/d%2F1", {"change": "paused"})[0] == 200
    assert call("PATCH", f"{base}/arms/a", {"change": "vanished"})[0] == 422
    arms = {one["name"]: one for one in call("GET", base)[1]["arms"]}
    assert arms["d/1"]["status"] == "paused"
    assert arms["d/1"]["probability"] is None
    assert sum(one["probability"] or 0 for one in arms.values()) == pytest.approx(1)


def test_a_caught_source_is_unlearnt_and_a_released_one_learnt_again(served: Running, call: Caller) -> None:
    base = begun(call, policy={"name": "samba", "parameters": {"learning_rate": 0.3}})
    for _ in range(30):
        decision = call("POST", f"{base}/decisions", {})[1]
        reward = {
            "reward": 1.0 if decision["arm"] == "a" else 0.0,
            "source": "ring" if decision["arm"] == "a" else "ok",
        }
        call("PUT", f"{base}/decisions/{decision['id']}/reward", reward)
    before = call("GET", base)[1]["arms"]
    assert before[0]["probability"] > 0.4
    what_if = call("POST", f"{base}/what-if", {"sources": ["boss/ring"]})[1]
    assert what_if["then"]["probabilities"]["a"] == pytest.approx(1 / 3)
    assert call("POST", f"{base}/sources/boss%2Fring", {"change": "quarantined"})[0] == 200
    settled(call, base)
    assert call("GET", base)[1]["arms"][0]["probability"] == pytest.approx(1 / 3)
    assert call("POST", f"{base}/sources/boss%2Fring", {"change": "released"})[0] == 200
    settled(call, base)
    assert call("GET", base)[1]["arms"] == before
    assert call("POST", f"{base}/sources/x", {"change": "weighted"})[0] == 422
    assert call("POST", f"{base}/sources/x", {"change": "shamed"})[0] == 422


def settled(call: Caller, base: str) -> None:
    """Wait until an operator's act is worked in."""
    for _ in range(2000):
        if not call("GET", base)[1]["learning_again"]:
            return
    raise AssertionError("it never ended")


def test_the_breaker_keeps_p_where_it_was(call: Caller) -> None:
    base = begun(call, policy={"name": "samba", "parameters": {"learning_rate": 0.3}})
    ids = [call("POST", f"{base}/decisions", {})[1]["id"] for _ in range(10)]
    assert call("POST", f"{base}/breaker", {"change": "released"}) == (200, {"new": False})
    assert call("POST", f"{base}/breaker", {"change": "tripped"}) == (200, {"new": True})
    for id in ids:
        assert call("PUT", f"{base}/decisions/{id}/reward", {"reward": 1})[0] == 201
    assert call("POST", f"{base}/breaker", {"change": "tripped"}) == (200, {"new": False})  # it learns nothing of these
    settled(call, base)
    frozen = call("GET", base)[1]
    assert frozen["frozen"]
    assert {one["probability"] for one in frozen["arms"]} == {1 / 3}
    assert call("POST", f"{base}/breaker", {"change": "released"})[0] == 200
    settled(call, base)
    assert {one["probability"] for one in call("GET", base)[1]["arms"]} != {1 / 3}


def test_every_route_asks_for_its_role(served: Running) -> None:
    """All roles by all routes: who lacks the role hears so before anything else."""
    for route in ROUTES:
        path = route.path.format(experiment="1", decision="x", arm="a", source="s")
        assert Caller(served)(route.method, path, {})[0] == 401, route.path
        for name, role in ROLES.items():
            status = Caller(served, name)(route.method, path, {})[0]
            assert (status == 403) == (role not in ("admin", route.role)), (route.path, name, status)


def test_a_token_of_one_experiment_sees_no_other(tmp_path: Path) -> None:
    from robandit.service.tokens import new_token

    with running(SqliteStore(tmp_path / "s.db"), tmp_path, boss="admin") as served:
        boss = Caller(served, "boss")
        mine, foreign = begun(boss, name="mine"), begun(boss, name="foreign")
        served.tokens["guest"] = new_token(str(tmp_path / "tokens"), "guest", "admin", experiments="mine")
        served.service.tokens.refresh()
        guest = Caller(served, "guest")
        assert guest("GET", mine)[0] == 200
        assert guest("GET", foreign)[0] == 404
        assert [one["name"] for one in guest("GET", "/v1/experiments")[1]["experiments"]] == ["mine"]
        assert guest("POST", "/v1/experiments", {"name": "x", "arms": ["a"], "policy": "samba"})[0] == 403


def test_too_many_requests_are_told_to_wait(tmp_path: Path) -> None:
    from robandit.service.tokens import new_token

    with running(folder=tmp_path, boss="admin") as served:
        base = begun(Caller(served, "boss"))
        served.tokens["slow"] = new_token(str(tmp_path / "tokens"), "slow", "read", rate=3)
        served.service.tokens.refresh()
        slow = Caller(served, "slow")
        statuses = [slow("GET", base)[0] for _ in range(12)]
        assert statuses.count(429) >= 6
        assert statuses[0] == 200


def test_without_tokens_other_sites_have_no_say(tmp_path: Path) -> None:
    with running() as served:
        call = Caller(served)
        base = begun(call)
        assert call("POST", f"{base}/decisions", {})[0] == 201
        assert call("POST", f"{base}/decisions", {}, origin="http://evil.example")[0] == 403
        assert call("POST", f"{base}/decisions", {}, host="evil.example")[0] == 421
        assert (
            call("POST", f"{base}/decisions", "x=1", **{"content-type": "application/x-www-form-urlencoded"})[0] == 415
        )


def test_answers_keep_their_order_on_a_connection_that_does_not_wait(served: Running) -> None:
    import socket

    boss = Caller(served, "boss")
    base = begun(boss)
    ids = [boss("POST", f"{base}/decisions", {})[1]["id"] for _ in range(3)]
    head = f"host: 127.0.0.1:{served.port}\r\nauthorization: {served.bearer('boss')['authorization']}\r\n"

    def put(id: str, body: str) -> str:
        return f"PUT {base}/decisions/{id}/reward HTTP/1.1\r\n{head}content-length: {len(body)}\r\n\r\n{body}"

    texts = [put(ids[0], '{"reward":1}'), put("forged", '{"reward":1}'), put(ids[0], '{"reward":0}')]
    texts += [f"GET {base} HTTP/1.1\r\n{head}\r\n", put(ids[1], '{"reward":1}'), put(ids[1], '{"reward":1}')]
    with socket.create_connection(("127.0.0.1", served.port), timeout=20) as one:
        one.sendall("".join(texts).encode())
        got = b""
        while got.count(b"HTTP/1.1 ") < len(texts):
            piece = one.recv(65536)
            assert piece, "the connection was closed"
            got += piece
    assert [piece[:3] for piece in got.split(b"HTTP/1.1 ")[1:]] == [b"201", b"404", b"409", b"200", b"201", b"200"]


def test_which_requests_take_the_shortcut() -> None:
    assert target_of(b"POST", b"/v1/experiments/1/decisions") is not None
    assert target_of(b"PUT", b"/v1/experiments/1/decisions/x/reward") is not None
    for method, url in ((b"GET", b"/v1/experiments/1/decisions"), (b"POST", b"/v1/experiments/1/decisions?x")):
        assert target_of(method, url) is None


def test_what_is_too_long_or_elsewhere_is_said(call: Caller) -> None:
    assert call("POST", "/v1/experiments", b"x" * (1 << 21))[0] == 413
    assert call("GET", "/v1/nothing")[0] == 404
    assert call("DELETE", "/v1/experiments")[0] == 405
    for name in ("a/b", "17", ""):
        assert call("POST", "/v1/experiments", {"name": name, "arms": ["a"], "policy": "samba"})[0] == 422
    for wrong in (
        {"arms": []},
        {"arms": ["a", "a"]},
        {"policy": "sambo"},
        {"policy": {"name": "samba", "parameters": {"x": 1}}},
    ):
        status, body = call("POST", "/v1/experiments", {"name": "w", "arms": ["a"], "policy": "samba", **wrong})
        assert status == 422, body
    assert (
        call("POST", "/v1/experiments", {"name": "w", "arms": ["a"], "policy": "samba", "rules": {"default": 0}})[0]
        == 422
    )


def test_a_service_that_comes_back_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with running(SqliteStore(path)) as served:
        call = Caller(served)
        base = begun(call, rules={"cap": 3})
        keyed = call("POST", f"{base}/decisions", {}, **{"idempotency-key": "k"})[1]
        for _ in range(5):
            id = call("POST", f"{base}/decisions", {})[1]["id"]
            call("PUT", f"{base}/decisions/{id}/reward", {"reward": 1, "source": "u"})
        call("POST", f"{base}/sources/v", {"change": "quarantined"})
        settled(call, base)
        before = call("GET", base)[1]
    with running(SqliteStore(path)) as served:
        call = Caller(served)
        assert {**call("GET", base)[1], "refused": 0} == {**before, "refused": 0}
        assert call("POST", f"{base}/decisions", {}, **{"idempotency-key": "k"}) == (200, keyed)
        assert call("PUT", f"{base}/decisions/{id}/reward", {"reward": 1})[0] == 200
        assert call("PUT", f"{base}/decisions/{id}/reward", {"reward": 0})[0] == 409


@pytest.mark.parametrize("cold", [False, True], ids=["hot", "asgi"])
def test_a_database_that_fails_in_the_middle_of_a_change_stops_the_service(
    monkeypatch: pytest.MonkeyPatch, cold: bool
) -> None:
    """The answer is that the outcome is unknown, and nothing is recorded any more."""

    def fail(*words: Any) -> None:
        raise OSError("the disk is gone")

    with running() as served:
        stopped: list[BaseException] = []
        served.service.on_failure = stopped.append
        call = Caller(served, cold=cold)
        base = begun(call)
        monkeypatch.setattr(served.service.engine.experiments[1], "decide", fail)
        assert call("POST", f"{base}/decisions", {})[0] == 503
        assert [type(error) for error in stopped] == [OSError]
        monkeypatch.undo()
        assert Caller(served, cold=cold)("POST", f"{base}/decisions", {})[0] == 503
        assert served.service.store.head(1).line == 1


@pytest.mark.parametrize("cold", [False, True], ids=["hot", "asgi"])
def test_a_fault_of_ours_concerns_one_experiment_and_is_over_when_its_journal_is_read(
    monkeypatch: pytest.MonkeyPatch, cold: bool
) -> None:
    with running() as served:
        stopped: list[BaseException] = []
        served.service.on_failure = stopped.append
        call = Caller(served, cold=cold)
        base, other = begun(call), begun(call)
        first = call("POST", f"{base}/decisions", {}, **{"idempotency-key": "k"})[1]
        failed = served.service.engine.experiments[1]
        decide, read, reading = failed.decide, served.service.engine.read, threading.Event()
        calls = iter(range(10))

        def fail_third(*words: Any) -> Any:
            return decide(*words) if next(calls) < 2 else 1 / 0

        def read_slowly(*words: Any) -> Any:
            assert reading.wait(20)
            return read(*words)

        monkeypatch.setattr(failed, "decide", fail_third)
        monkeypatch.setattr(served.service.engine, "read", read_slowly)
        assert call("POST", f"{base}/decisions", {"count": 5})[0] == 500
        status, body = call("POST", f"{base}/decisions", {})
        assert status == 503
        assert "ZeroDivisionError" in body["detail"]
        status, health = call("GET", "/healthz")
        assert (status, health["status"]) == (200, "degraded")
        assert "experiment 1 failed" in health["notes"][-1]
        assert call("POST", f"{other}/decisions", {})[0] == 201
        reading.set()
        until(lambda: call("GET", base)[0] == 200)
        assert call("GET", base)[1]["decisions"] == 1  # the two before the fault were never answered
        assert call("POST", f"{base}/decisions", {}, **{"idempotency-key": "k"}) == (200, first)
        assert call("POST", f"{base}/decisions", {})[0] == 201
        assert call("GET", "/healthz")[1]["status"] == "ok"
        assert not stopped
