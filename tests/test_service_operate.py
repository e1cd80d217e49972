"""What an operator does beside the service: tokens, export, verify, backup and restore; clients of other makers."""

import asyncio
import io
import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

import robandit as rb
from robandit.client import AsyncClient, Client, ServiceError
from robandit.errors import InputError
from robandit.service.backup import back_up
from robandit.service.openapi import document
from robandit.service.stores.sqlite import SqliteStore
from robandit.service.tokens import read_tokens
from tests.serving import Running, running


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database in which something of everything happened."""
    path = tmp_path_factory.mktemp("operate") / "s.db"
    with running(SqliteStore(path)) as served, Client(served.url) as client:
        play(client)
    return path


def play(client: Client) -> None:
    """Two experiments: one with rules and acts, one plain."""
    rules = {"window": 3600, "cap": 20, "holdout": 0.2}
    one = client.create("ruled", ["a", "b", "=1+1"], "samba:learning_rate=0.1", rules=rules)
    two = client.create("plain", ["x", "y"], "thompson")
    for place in range(60):
        for experiment in (one, two):
            decision = experiment.decide()
            if place % 4:
                experiment.reward(decision.id, float(decision.arm in "ax"), f"user {place % 7}")
    one.source("user 3", "quarantined")


def test_verify_finds_nothing_wrong_and_whatever_was_changed(played: Path, tmp_path: Path, robandit: Any) -> None:
    code, printed, _ = robandit("service", "verify", f"sqlite:///{played}", "--json")
    assert code == 0
    ruled, plain = printed["journals"]
    assert (ruled["chain"], ruled["compiled"], ruled["dice"]) == (True, True, None)
    assert (plain["chain"], plain["compiled"], plain["dice"], plain["snapshot"]) == (True, True, True, True)
    changes = {
        "UPDATE line SET body = replace(body, '\"value\":', '\"value\":0') WHERE experiment = 2 AND line < 9": "chain",
        "DELETE FROM line WHERE experiment = 2 AND line = 40": "chain",
        "UPDATE line SET act = 1 WHERE experiment = 2 AND line = 9": "chain",  # draws after an act would not be checked
        "UPDATE line SET act = 0 WHERE experiment = 1 AND act": "chain",
        "UPDATE line SET body = replace(body, 'user 2', 'user 5') WHERE experiment = 1": "chain",
        "UPDATE snapshot SET body = CAST(replace(CAST(body AS TEXT), '\"decisions\":60', '\"decisions\":59') AS BLOB) "
        "WHERE experiment = 2": "snapshot",
    }
    for place, (change, what) in enumerate(changes.items()):
        copy = tmp_path / f"{place}.db"
        back_up(played, copy)
        db = apsw.Connection(str(copy))
        db.execute(change)
        assert db.changes() >= 1
        db.close()
        code, out, _ = robandit("service", "verify", f"sqlite:///{copy}")
        assert code == 1, change
        assert "NO" in out
        assert what in out.splitlines()[[line.endswith("NO") for line in out.splitlines()].index(True)], out


def test_a_forged_decision_is_not_what_its_stream_gives(played: Path, tmp_path: Path, robandit: Any) -> None:
    """Even one who can write the chain anew cannot make the draws agree."""
    from robandit.service.stores.base import NO_HEAD, extend_chain

    copy = tmp_path / "forged.db"
    back_up(played, copy)
    db = apsw.Connection(str(copy))
    line, body = db.execute(
        "SELECT line, body FROM line WHERE experiment = 2 AND body LIKE '%decide%' LIMIT 1 OFFSET 9"
    ).get
    entry = json.loads(body)
    entry["arm"] = "y" if entry["arm"] == "x" else "x"
    db.execute("UPDATE line SET body = ? WHERE experiment = 2 AND line = ?", (json.dumps(entry), line))
    head = NO_HEAD
    for (text,) in db.execute("SELECT body FROM line WHERE experiment = 2 ORDER BY line"):
        head = extend_chain(head, text)
    db.execute("UPDATE head SET chain = ? WHERE experiment = 2", (head,))
    db.close()
    code, printed, _ = robandit("service", "verify", f"sqlite:///{copy}", "--no-compiled")
    assert code == 1
    assert f"decision {entry['id']} (line {line}) is not what its random stream gives" in printed


def test_restored_ids_do_not_meet_others_of_the_same_number(tmp_path: Path, robandit: Any) -> None:
    path, copy, back = tmp_path / "s.db", tmp_path / "backup.db", tmp_path / "restored.db"
    with running(SqliteStore(path)) as served, Client(served.url) as client:
        one = client.create("e", ["a", "b"])
        early = one.decide()
        code, out, _ = robandit("service", "backup", "--db", f"sqlite:///{path}", str(copy))
        assert (code, "lines" in out) == (0, True)
        late = one.decide()
    assert robandit("service", "backup", "--db", f"sqlite:///{path}", str(copy))[0] == 2
    assert robandit("service", "restore", str(copy), "--db", f"sqlite:///{path}")[0] == 2
    assert robandit("service", "restore", str(copy), "--db", f"sqlite:///{back}")[0] == 0
    with running(SqliteStore(back)) as served, Client(served.url) as client:
        one = client.experiment("e")
        again = one.decide()
        assert one.reward(early.id, 1.0)
        with pytest.raises(ServiceError) as error:
            one.reward(late.id, 1.0)
        assert error.value.status == 404
        assert one.reward(again.id, 1.0)
    assert robandit("service", "verify", f"sqlite:///{back}")[0] == 0


def test_exports_are_what_audit_reads(played: Path, tmp_path: Path, robandit: Any) -> None:
    import httpx
    import pyarrow.parquet as pq

    with running(SqliteStore(played)) as served:
        got = {
            kind: httpx.get(f"{served.url}/v1/experiments/ruled/export", params={"format": kind}).content
            for kind in ("csv", "parquet", "journal")
        }
        everything = httpx.get(f"{served.url}/v1/experiments/ruled/export?unrewarded=true").text
        for wrong in ("format=xls", "unrewarded=maybe"):
            assert httpx.get(f"{served.url}/v1/experiments/ruled/export?{wrong}").status_code == 422
    table = pq.read_table(io.BytesIO(got["parquet"]))
    assert table.num_rows == 45
    assert got["csv"].count(b"\n") == 46
    assert everything.count("\n") == 61
    assert "'=1+1" in everything
    assert ",=1+1" not in everything
    (tmp_path / "e.journal").write_bytes(got["journal"])
    (tmp_path / "e.csv").write_bytes(got["csv"])
    code, printed, err = robandit("audit", str(tmp_path / "e.journal"), "--no-price", "--json")
    assert code == 0, err
    assert "user 3" not in {one["source"] for one in printed["sources"]}
    code, printed, err = robandit("audit", str(tmp_path / "e.csv"), "--policy", "samba", "--no-price", "--json")
    assert code == 0, err
    assert printed["rows"] == 45
    assert robandit("service", "verify", str(tmp_path / "e.journal"))[0] == 0


def test_tokens_are_told_once_and_kept_as_hashes(tmp_path: Path, robandit: Any) -> None:
    path = tmp_path / "tokens"
    code, secret, _ = robandit("service", "token", "shop", "--roles", "decide,reward", "--token-file", str(path))
    assert code == 0
    assert secret.strip() not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0
    (token,) = read_tokens(path.read_text(), "").values()
    assert (token.name, token.roles) == ("shop", {"decide", "reward"})
    before = path.read_text()
    for words in (["shop"], ["a/b"], ["x", "--roles", "king"], ["x", "--rate", "0"]):
        assert robandit("service", "token", *words, "--token-file", str(path))[0] == 2
    assert path.read_text() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["serve", "--db", "mysql://x", "--port", "0"], "sqlite:///FILE"),
        (["serve", "--db", "sqlite:///no/such/folder/x.db", "--port", "0"], "no folder"),
        (["serve", "--db", "sqlite:///x.db", "--host", "0.0.0.0"], "token"),
        (["serve", "--db", "sqlite:///x.db", "--port", "99999"], "65535"),
        (["serve", "--db", "sqlite:///x.db", "--port", "0", "--remember", "0"], "--remember must be"),
        (["serve", "--db", "sqlite:///x.db", "--port", "1", "--host", "192.0.2.1", "--token-file", "/dev/null"], "192"),
        (["serve", "--db", "sqlite:///x.db", "--lease", "-1"], "a lease must last from 0.5 to 3600 seconds, not -1"),
        (["serve", "--db", "sqlite:///x.db", "--webhook", "http://[", "--webhook-secret-file", "/dev/null"], "webhook"),
        (["serve", "--db", "sqlite:///x.db", "--allow-origin", "https://shop.example"], "--allow-origin needs --token"),
        (
            ["serve", "--db", "sqlite:///x.db", "--token-file", "x", "--allow-origin", "https://shop.example/cart"],
            "must be an origin such as https://shop.example",
        ),
        (["service", "token", "a\udcff", "--token-file", "tokens"], "must be one word"),
        (["service", "verify", "nothing"], "no journal"),
        (["service", "verify", "sqlite:///nothing.db"], "no database"),
        (["service", "backup", "x", "--db", "sqlite:///nothing.db"], "no database"),
        (["service", "restore", "--db", "sqlite:///x.db"], "file"),
    ],
)
def test_mistakes_are_one_sentence(
    words: list[str], said: str, robandit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = robandit(*words)
    assert code == 2
    assert said in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def live() -> Iterator[Running]:
    with running() as served:
        yield served


def test_a_taken_port_is_an_error_that_names_the_flag(live: Running, tmp_path: Path, robandit: Any) -> None:
    port = live.url.rpartition(":")[2].strip("/")
    code, _, said = robandit("serve", "--db", f"sqlite:///{tmp_path}/s.db", "--port", port)
    assert code == 2
    assert f"127.0.0.1:{port} cannot be served at: Address already in use" in said
    assert said.endswith("; --port takes another, --port 0 a free one\n")


def test_openfeature_s_own_provider_gets_an_arm(live: Running) -> None:
    from openfeature.contrib.provider.ofrep import OFREPProvider
    from openfeature.evaluation_context import EvaluationContext
    from openfeature.exception import FlagNotFoundError

    with Client(live.url) as client:
        one = client.create("flag", ["old", "new"], rules={"sticky": True})
        provider = OFREPProvider(live.url)
        context = EvaluationContext("user 1", {"country": "nl"})
        details = provider.resolve_string_details("flag", "none", context)
        assert details.value in ("old", "new")
        assert provider.resolve_string_details("flag", "none", context).flag_metadata == details.flag_metadata
        assert one.reward(str(details.flag_metadata["decision"]), 1.0)
        with pytest.raises(FlagNotFoundError):
            provider.resolve_string_details("nothing", "none", context)
        provider.session.close()


def test_the_asynchronous_client(live: Running) -> None:
    async def ask() -> tuple[bool, bool, int]:
        async with AsyncClient(live.url) as client:
            one = await client.create("asynchronous", ["a", "b"], rules={"activation": True, "window": 60})
            decision = await one.decide(["a"], key="k")
            assert decision == await one.decide(["a"], key="k")
            assert await one.activate(decision.id)
            return await one.reward(decision.id, 1), await one.reward(decision.id, 1), (await one.about())["rewards"]

    assert asyncio.run(ask()) == (True, False, 1)


def test_both_clients_act_on_arms_breaker_and_sources(live: Running) -> None:
    async def act() -> None:
        async with AsyncClient(live.url) as client:
            one = await client.create("acts, asynchronous", ["a", "b"])
            assert (await one.look(wait=0.0))["line"] == 0  # without a reward there is nothing to audit
            assert await one.reward((await one.decide(["a"])).id, 1, source="s")
            await one.source("s", "capped", cap=5)
            await one.arm("b", "paused")
            await one.breaker("tripped")
            assert (await one.what_if(["s"]))["left_out"] == 1
            assert (await one.watch())["alarms"] == []
            with pytest.raises(TimeoutError, match="line"):
                await one.look(wait=0.0)  # nobody audits in this process
            about = await one.about()
            assert (about["frozen"], about["arms"][1]["status"]) == (True, "paused")

    asyncio.run(act())
    with Client(live.url) as client:
        one = client.create("acts", ["a", "b"])
        assert one.look(wait=0.0)["line"] == 0
        assert one.reward(one.decide(["a"]).id, 1, source="s")
        one.arm("b", "paused")
        one.breaker("tripped")
        assert one.what_if(["s"])["left_out"] == 1
        assert one.watch()["alarms"] == []
        with pytest.raises(TimeoutError, match="line"):
            one.look(wait=0.0)
        about = one.about()
        assert (about["frozen"], about["arms"][1]["status"]) == (True, "paused")


def test_a_client_says_where_nothing_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ConnectionError, match=f"nothing answers at {url}: is `robandit serve` running"):
        Client(url, retry_for=0.0).create("offers", ["a", "b"])

    async def create() -> None:
        async with AsyncClient(url, retry_for=0.0) as client:
            await client.create("offers", ["a", "b"])

    with pytest.raises(ConnectionError, match="nothing answers"):
        asyncio.run(create())
    for kind in (Client, AsyncClient):
        with pytest.raises(InputError, match=r"such as http://127\.0\.0\.1:8470, not 'localhost:8470'"):
            kind("localhost:8470")


def test_verify_takes_a_database_by_its_flag_and_says_what_a_file_is(played: Path, robandit: Any) -> None:
    assert robandit("service", "verify", "--db", f"sqlite:///{played}")[0] == 0
    code, _, said = robandit("service", "verify", str(played))
    assert (code, f"is a database, not a journal: write sqlite:///{played}" in said) == (2, True)
    code, _, said = robandit("service", "verify")
    assert (code, "say what to verify" in said) == (2, True)


def test_a_client_asks_again_where_the_service_was_away(monkeypatch: pytest.MonkeyPatch, live: Running) -> None:
    import httpx

    with Client(live.url) as client:
        one = client.create("patient", ["a", "b"])
        answers, real = iter(["lost", "away"]), httpx.Client.request

        def request(self: Any, *words: Any, **more: Any) -> Any:
            fate = next(answers, "")
            answer = real(self, *words, **more)
            if fate == "lost":  # it was done, and the answer never came
                raise httpx.ReadError("gone")
            return httpx.Response(503, json={"detail": "away"}) if fate == "away" else answer

        monkeypatch.setattr(httpx.Client, "request", request)
        first = one.decide()
        assert one.about()["decisions"] == 1
        assert one.reward(first.id, 1.0)


def test_the_document_says_what_every_route_takes_and_tells() -> None:
    openapi = document()
    assert openapi["openapi"] == "3.1.0"
    assert len(openapi["paths"]) >= 14
    names = {
        verb["operationId"] for path in openapi["paths"].values() for verb in path.values() if "operationId" in verb
    }
    assert {"decide", "reward", "rewards", "what_if", "evaluate"} <= names
    assert "probability" in openapi["components"]["schemas"]["DecisionReply"]["properties"]


def test_metrics_can_be_read_by_prometheus(live: Running) -> None:
    import httpx

    with Client(live.url) as client:
        client.create("measured", ["a", "b"]).decide()
    lines = httpx.get(f"{live.url}/metrics").text.splitlines()
    values = {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if not line.startswith("#")}
    assert values["robandit_commits_total"] > 0
    assert values['robandit_requests_total{operation="decide",status="201"}'] > 0
    assert values[f'robandit_info{{version="{rb.__version__}"}}'] == 1
    assert httpx.get(f"{live.url}/healthz").json()["status"] == "ok"


def test_what_is_missing_is_named(robandit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    monkeypatch.delitem(sys.modules, "robandit.service.serve", raising=False)
    code, _, err = robandit("serve", "--db", "sqlite:///x.db")
    assert code == 2
    assert "needs uvloop, which is not installed: pip install 'robandit[service]'" in err
