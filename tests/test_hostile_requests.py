"""Requests that once ended the process, met a fault of ours, or saw what is another's: each gets a sentence."""

import csv
import http.client
import io
import json
import math
import random
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from robandit import Learner
from robandit.catalogue import SHIPPED
from robandit.errors import InputError
from robandit.service import audit_process
from robandit.service.stores.sqlite import SqliteStore
from robandit.service.tokens import new_token
from tests.serving import Running, running, until

DEEP = 100_000


class Caller:
    """Requests of one token, each on a connection of its own."""

    def __init__(self, served: Running, token: str = "") -> None:
        self.port, self.headers = served.port, served.bearer(token) if token else {}

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        text = body if isinstance(body, bytes | str | None) else json.dumps(body)
        one = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            one.request(method, path, text, {**self.headers, "content-type": "application/json", **headers})
            answer = one.getresponse()
            read = answer.read()
            return answer.status, json.loads(read) if "json" in answer.headers["content-type"] else read
        finally:
            one.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Running]:
    roles = {"boss": "admin", "shop": "decide,reward", "other": "decide,reward", "reader": "read"}
    with running(SqliteStore(tmp_path / "s.db"), tmp_path, **roles) as service:
        yield service


def begin(served: Running, name: str = "e", **more: Any) -> str:
    """A new experiment's address."""
    experiment = {"name": name, "arms": ["a", "b"], "policy": "samba", **more}
    status, body = Caller(served, "boss")("POST", "/v1/experiments", experiment)
    assert status == 201, body
    return f"/v1/experiments/{body['id']}"


def test_an_arm_joins_one_that_was_alone(served: Running) -> None:
    call = Caller(served, "boss")
    base = begin(served, arms=["alone"], policy="ftrl-hybrid")
    for reward in (0, 1):
        id = call("POST", f"{base}/decisions", {})[1]["id"]
        assert call("PUT", f"{base}/decisions/{id}/reward", {"reward": reward})[0] == 201
    assert call("POST", f"{base}/arms", {"name": "second"})[0] == 201
    arms = call("GET", base)[1]["arms"]
    assert sum(arm["probability"] for arm in arms) == pytest.approx(1)
    assert call("GET", "/healthz")[1]["status"] == "ok"


def policies_of_changing_arms() -> list[str]:
    """All that may begin with one arm and get more."""
    parts = SHIPPED.parts("policy").items()
    names = [name for name, cls in parts if cls.about.late != "no" and name != "floor" and not cls.arms_fixed]
    return [*names, "ftrl-hybrid:b=0", "floor:inner=(ftrl-hybrid)"]


@pytest.mark.parametrize("policy", policies_of_changing_arms())
def test_every_policy_survives_arms_that_come_and_go(policy: str) -> None:
    """From one arm on, in an order that a fixed seed draws: whatever is not refused leaves a distribution."""
    random_changes = random.Random(1)
    learner = Learner(policy, ["first"], seed=1, patience=20)
    for step in range(300):
        change = random_changes.random()
        name = random_changes.choice(list(learner.arms))
        try:
            if change < 0.04:
                learner.add_arm(f"arm {step}")
            elif change < 0.12:
                learner.pause_arm(name)
            elif change < 0.20:
                learner.resume_arm(name)
            elif change < 0.22:
                learner.retire_arm(name)
        except InputError:
            continue
        decision = learner.decide()
        assert learner.arms[decision.arm] == "active"
        if random_changes.random() < 0.8:
            learner.learn(decision.id, random_changes.choice([0.0, 0.5, 1.0]))
    probabilities = learner.probabilities(50)
    assert all(math.isfinite(one) and one >= 0 for one in probabilities.values())
    assert sum(probabilities.values()) == pytest.approx(1)
    json.dumps(learner.save(), allow_nan=False)


@pytest.mark.parametrize(
    "policy",
    [
        "floor:inner=(" * 1000 + "samba" + ")" * 1000,
        {"name": "floor", "parameters": {"inner": "floor:inner=(" * 999 + "samba" + ")" * 999}},
        {"name": "samba", "parameters": {"learning_rate": json.loads("[" * 900 + "]" * 900)}},
    ],
    ids=["text", "parameter", "list"],
)
def test_a_policy_inside_a_thousand_others_is_refused(served: Running, policy: Any) -> None:
    call = Caller(served, "boss")
    status, body = call("POST", "/v1/experiments", {"name": "deep", "arms": ["a"], "policy": policy})
    assert status == 422
    assert len(body["detail"]) < 400
    assert call("GET", "/v1/experiments")[1]["experiments"] == []


def test_rewards_whose_sum_is_not_finite_are_refused_at_the_beginning(tmp_path: Path) -> None:
    new = {"name": "big", "arms": ["a"], "policy": "samba"}
    with running(SqliteStore(tmp_path / "s.db")) as served:
        call = Caller(served)
        for wrong in ([0, 1e308], [-1e101, 0]):
            status, body = call("POST", "/v1/experiments", {**new, "reward_range": wrong})
            assert status == 422
            assert "reward_range must lie between -1e+100 and 1e+100" in body["detail"]
        with pytest.raises(InputError, match="reward_range"):
            Learner("samba", ["a"], reward_range=(0.0, 1e308))
        base = f"/v1/experiments/{call('POST', '/v1/experiments', {**new, 'reward_range': [-1e100, 1e100]})[1]['id']}"
        for _ in range(3):
            id = call("POST", f"{base}/decisions", {})[1]["id"]
            assert call("PUT", f"{base}/decisions/{id}/reward", {"reward": 1e100})[0] == 201
    with running(SqliteStore(tmp_path / "s.db")) as served:
        assert Caller(served)("GET", base)[1]["arms"][0]["mean_reward"] == 1e100


def test_an_experiment_that_cannot_be_read_leaves_the_others(tmp_path: Path) -> None:
    """A start, a stop, and a request for it: the others are served, and whoever asks hears why it is not."""
    store = SqliteStore(tmp_path / "s.db")
    with running(store) as served:
        call = Caller(served)
        for name in ("good", "bad"):
            assert call("POST", "/v1/experiments", {"name": name, "arms": ["a"], "policy": "samba"})[0] == 201
    store = SqliteStore(tmp_path / "s.db")
    store.db.execute("UPDATE line SET body = replace(body, '\"samba\"', '\"sambo\"') WHERE experiment = 2")
    with running(store) as served:
        call = Caller(served)
        assert call("POST", "/v1/experiments/good/decisions", {})[0] == 201
        for name in ("bad", "2"):
            status, body = call("POST", f"/v1/experiments/{name}/decisions", {})
            assert status == 503
            assert "sambo" in body["detail"]
        assert call("GET", "/healthz")[1]["status"] == "degraded"


def test_a_state_that_cannot_be_stored_has_no_snapshot_and_goes_on(tmp_path: Path) -> None:
    with running(SqliteStore(tmp_path / "s.db")) as served:
        call = Caller(served)
        new = {"name": "e", "arms": ["a"], "policy": "aae:c=1", "horizon": 1, "corruption": 5}
        assert call("POST", "/v1/experiments", new)[0] == 201
        for _ in range(3):
            served.service.engine.experiments[1].snapshot_due = 2
            status, decision = call("POST", "/v1/experiments/e/decisions", {})
            assert status == 201
            assert call("PUT", f"/v1/experiments/e/decisions/{decision['id']}/reward", {"reward": 1})[0] == 201
    with running(SqliteStore(tmp_path / "s.db")) as served:
        assert Caller(served)("GET", "/v1/experiments/e")[1]["rewards"] == 3


def raw(served: Running, text: bytes) -> int:
    """The status of a request that no library would send; 0 where the connection is closed without a word."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=20) as one:
        one.sendall(text)
        answer = one.recv(65536)
    return int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else 0


MANY = b"9" * 5000
ODD_HOSTS = [b"[", b"]", b"[::1", b"a]b", b"\xff", b"127.0.0.1:" + MANY, b"a b", b"", b"//", b"[v1.x]"]
ODD_PATHS = [b"/experiments/" + MANY, b"/experiments/%ff", b"/x?\xff", b"/?%ff=%00", b"/experiments/1%00", b"//", b"/%"]
ODD_PATHS += [b"/v1/experiments/%00", b"/v1/experiments/" + MANY, b"/v1/experiments/%ed%a0%80", b"*", b"http://[/"]


@pytest.mark.parametrize("tokens", [True, False], ids=["tokens", "open"])
def test_nothing_odd_in_an_address_or_a_header_is_a_fault_of_ours(tmp_path: Path, tokens: bool) -> None:
    with running(folder=tmp_path, **({"boss": "admin"} if tokens else {})) as served:
        good = b"127.0.0.1:%d" % served.port
        for method in (b"GET", b"POST", b"PUT", b"DELETE"):
            for path in (b"/", b"/login", b"/healthz", b"/metrics", b"/v1/experiments", b"/v1/experiments/1/decisions"):
                for odd in ODD_HOSTS:
                    for headers in (b"host: " + odd, b"host: " + good + b"\r\norigin: http://" + odd):
                        text = method + b" " + path + b" HTTP/1.1\r\n" + headers + b"\r\ncontent-length: 0\r\n\r\n"
                        assert raw(served, text) not in (500, 503), text[:100]
            for path in ODD_PATHS:
                text = method + b" " + path + b" HTTP/1.1\r\nhost: " + good + b"\r\ncontent-length: 0\r\n\r\n"
                assert raw(served, text) not in (500, 503), text[:100]
            for header in (b"content-length: " + MANY, b"cookie: \xff=;;;=", b"authorization: Bearer \xff\xfe"):
                text = method + b" / HTTP/1.1\r\nhost: " + good + b"\r\n" + header + b"\r\n\r\n"
                assert raw(served, text) not in (500, 503), text[:100]
        assert Caller(served)("GET", "/healthz")[1]["status"] == "ok"


NESTED = [b'{"context": ' + b'{"a": ' * DEEP + b"1" + b"}" * DEEP + b"}", b'{"context": {"a": ' + b"[" * DEEP]
NESTED += [
    b'{"context": {"n": ' + MANY + b"}}",
    b'{"context": {"a": "\xff"}}',
    b'{"x": ' + b"[" * 950 + b"]" * 950 + b"}",
]


@pytest.mark.parametrize("body", NESTED, ids=range(len(NESTED)))
def test_a_body_without_bottom_is_refused(served: Running, body: bytes) -> None:
    begin(served)
    call = Caller(served, "boss")
    for method, path in (
        ("POST", "/ofrep/v1/evaluate/flags/e"),
        ("POST", "/v1/experiments/e/decisions"),
        ("POST", "/v1/experiments/e/decisions?cold"),
        ("POST", "/v1/experiments"),
        ("POST", "/v1/experiments/e/rewards"),
    ):
        status, _ = call(method, path, body)
        assert status == 422 or (status == 200 and path.startswith("/ofrep")), (path, status)
    assert call("GET", "/healthz")[1]["status"] == "ok"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("", '{"name": "x", "arms": ["a"], "policy": "samba", "rules": {"cap": 5, "cap": 500}}'),
        (
            "",
            '{"name": "x", "arms": ["a"], "policy": {"name": "samba", "parameters": {"learning_rate": 0.1, '
            '"learning_rate": 0.9}}}',
        ),
        ("", '{"name": "x", "arms": ["a"], "policy": {"name": "samba", "n\\u0061me": "thompson"}}'),
        ("/e/rewards", '{"rewards": [{"id": "ID", "reward": 0, "reward": 1}]}'),
        (
            "/e/rewards",
            '{"rewards": [{"id": "ID", "reward": 1, "source": "a", "source": "b"}, {"id": "x", "reward": 1}]}',
        ),
        ("/e/rewards", '{"rewards": [{"id": "x", "id": "ID", "reward": 1}]}'),
    ],
)
def test_a_key_that_comes_twice_is_refused_however_deep(served: Running, path: str, body: str) -> None:
    base, call = begin(served), Caller(served, "boss")
    id = call("POST", f"{base}/decisions", {})[1]["id"]
    status, answer = call("POST", f"/v1/experiments{path}", body.replace("ID", id))
    assert status == 422, answer
    assert "twice" in answer["detail"]
    assert call("GET", base)[1]["rewards"] == 0


def test_a_key_belongs_to_its_token_and_to_what_was_asked(served: Running) -> None:
    base = begin(served)
    shop, other = Caller(served, "shop"), Caller(served, "other")
    key = {"idempotency-key": "order-1"}
    for suffix in ("", "?cold"):
        address = f"{base}/decisions{suffix}"
        status, first = shop("POST", address, {"unit": "u"}, **key)
        assert shop("POST", address, {"unit": "u"}, **key) == (200, first)
        foreign = other("POST", address, {"unit": "u"}, **key)[1]
        assert foreign["id"] != first["id"]
        outside = ["b"] if first["arm"] == "a" else ["a"]
        assert shop("POST", address, {"unit": "u", "eligible": outside}, **key)[0] == 422
        assert shop("POST", address, {"unit": "v"}, **key)[0] == 422
        assert shop("POST", address, {}, **key)[0] == 422
    assert status == 200
    assert Caller(served, "reader")("GET", base)[1]["decisions"] == 2
    bulk = {"count": 3, "unit": "u"}
    several = shop("POST", f"{base}/decisions", bulk, **key)[1]
    assert shop("POST", f"{base}/decisions", bulk, **key) == (200, several)
    assert shop("POST", f"{base}/decisions", {"count": 3}, **key)[0] == 422


def test_a_retry_gets_its_decision_though_its_arm_is_paused_by_now(served: Running) -> None:
    base, call = begin(served), Caller(served, "boss")
    ask, key = {"eligible": ["a"]}, {"idempotency-key": "k"}
    first = call("POST", f"{base}/decisions", ask, **key)[1]
    assert call("PATCH", f"{base}/arms/a", {"change": "paused"})[0] == 200
    assert call("POST", f"{base}/decisions", ask, **key) == (200, first)
    assert call("POST", f"{base}/decisions", ask, **{"idempotency-key": "l"})[0] == 422


def test_metrics_of_a_bound_token_have_its_own_experiments_alone(served: Running, tmp_path: Path) -> None:
    begin(served, "mine")
    foreign, boss = begin(served, "foreign"), Caller(served, "boss")
    served.tokens["guest"] = new_token(tmp_path / "tokens", "guest", "read", "mine")
    served.service.tokens.refresh()
    boss("POST", f"{foreign}/sources/x", {"change": "quarantined"})
    until(lambda: not boss("GET", foreign)[1]["learning_again"])
    text = Caller(served, "guest")("GET", "/metrics")[1].decode()
    assert 'robandit_experiment_decisions_total{experiment="1",name="mine"} 0' in text
    assert 'experiment="2"' not in text
    assert "foreign" not in text
    assert "experiment 2" not in text
    everything = boss("GET", "/metrics")[1].decode()
    assert 'experiment="2"' in everything
    assert "the replay of experiment 2" in everything


def test_an_export_has_every_report_of_a_sum_whether_named_or_not(served: Running) -> None:
    import pyarrow.parquet as pq

    base = begin(served, rules={"window": 3600, "aggregate": "sum"})
    call = Caller(served, "boss")
    one, two = (call("POST", f"{base}/decisions", {})[1]["id"] for _ in range(2))
    for value, part in ((0.25, None), (0.5, "item 2"), (0.125, "item 3")):
        assert call("PUT", f"{base}/decisions/{one}/reward", {"reward": value, "part": part})[0] == 201
    rows = [*csv.DictReader(io.StringIO(call("GET", f"{base}/export?unrewarded=true")[1].decode()))]
    assert [(row["decision"], row["reward"]) for row in rows] == [
        ("0", "0.25"),
        ("0", "0.5"),
        ("0", "0.125"),
        ("1", ""),
    ]
    table = pq.read_table(io.BytesIO(call("GET", f"{base}/export?format=parquet")[1]))
    assert table["reward"].to_pylist() == [0.25, 0.5, 0.125]
    assert two


def test_a_reader_never_sees_the_seed(served: Running, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever knows it foretells every decision: only admins get the journal, and nothing else has it."""
    seed = 8_314_159_265_358_979
    base = begin(served, seed=seed)
    boss, reader = Caller(served, "boss"), Caller(served, "reader")
    for _ in range(5):
        id = boss("POST", f"{base}/decisions", {"unit": "u"})[1]["id"]
        boss("PUT", f"{base}/decisions/{id}/reward", {"reward": 1})
    status, refusal = reader("GET", f"{base}/export?format=journal")
    assert status == 403
    assert "seed" in refusal["detail"]
    journal = boss("GET", f"{base}/export?format=journal")[1]
    assert str(seed).encode() in journal
    (tmp_path / "e.journal").write_bytes(journal)
    assert audit_process.main(str(tmp_path / "e.journal")) == 0  # what `watch` returns
    assert str(seed) not in capsys.readouterr().out
    for path in ("", "/watch", "/export", "/export?format=parquet", "/export?format=csv&unrewarded=true"):
        status, answer = reader("GET", f"{base}{path}")
        assert status == 200, path
        assert str(seed) not in (json.dumps(answer) if isinstance(answer, dict) else answer.decode("latin-1")), path
    for format in ("csv", "parquet"):
        assert reader("GET", f"{base}/export?format={format}")[0] == 200
