"""OpenFeature: the protocol's routes as its own SDK and a plain client use them, and our provider that tracks."""

import asyncio
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext
from openfeature.track import TrackingEventDetails

from robandit.client import Client
from robandit.openfeature import RobanditProvider
from robandit.service.ownership import Elsewhere
from robandit.service.service import Service
from robandit.service.stores.sqlite import SqliteStore
from robandit.service.verify import verify_store
from tests.serving import Running, running, until

FLAGS = "/ofrep/v1/evaluate/flags"
VISITOR = {"context": {"targetingKey": "visitor 1", "country": "nl"}}


@pytest.fixture(scope="module")
def live() -> Iterator[Running]:
    with running() as served, Client(served.url) as client:
        client.create("kept", ["old", "new"], rules={"sticky": True})
        client.create("also", ["old", "new"], rules={"sticky": True})
        client.create("anew", ["old", "new"])
        yield served


def decisions(live: Running, name: str) -> int:
    count: int = httpx.get(f"{live.url}/v1/experiments/{name}").json()["decisions"]
    return count


def test_all_flags_of_a_unit_stay_and_are_not_sent_twice(live: Running) -> None:
    first = httpx.post(live.url + FLAGS, json=VISITOR)
    assert first.status_code == 200
    flags = first.json()["flags"]
    assert [flag["key"] for flag in flags] == ["also", "kept"]
    assert all(flag["value"] == flag["variant"] and flag["reason"] == "SPLIT" for flag in flags)
    known = {"if-none-match": f'"other", {first.headers["etag"]}'}
    again = httpx.post(live.url + FLAGS, json=VISITOR, headers=known)
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    other = httpx.post(live.url + FLAGS, json={"context": {"targetingKey": "visitor 2"}}, headers=known)
    assert other.status_code == 200
    assert [decisions(live, name) for name in ("kept", "also", "anew")] == [2, 2, 0]


def test_a_single_flag_and_all_flags_agree(live: Running) -> None:
    (_, kept) = httpx.post(live.url + FLAGS, json=VISITOR).json()["flags"]
    assert httpx.post(f"{live.url}{FLAGS}/kept", json=VISITOR).json() == kept
    url = f"{live.url}/v1/experiments/kept/decisions/{kept['metadata']['decision']}/reward"
    assert httpx.put(url, json={"reward": 1}).status_code == 201


@pytest.mark.parametrize(
    ("body", "code"),
    [({}, "INVALID_CONTEXT"), ({"context": {"targetingKey": 7}}, "INVALID_CONTEXT"), ([], "PARSE_ERROR")],
)
def test_without_a_unit_nothing_is_decided(live: Running, body: Any, code: str) -> None:
    before = decisions(live, "kept")
    answer = httpx.post(live.url + FLAGS, json=body)
    assert answer.status_code in (400, 422)
    assert answer.json()["errorCode"] == code
    assert decisions(live, "kept") == before


def test_a_flag_that_cannot_be_decided_does_not_hold_up_the_others(
    live: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = live.service.engine.by_name["also"].id
    monkeypatch.setattr(live.service.ownership, "holds", lambda experiment: experiment != moved)
    for address, reason in (("http://127.0.0.1:1", "another process serves it"), (None, "nobody serves it just now")):

        async def all_places(address: str | None = address) -> list[Elsewhere]:
            return [Elsewhere(moved, "also", address)]

        monkeypatch.setattr(live.service.ownership, "all_places", all_places)
        also, kept = httpx.post(live.url + FLAGS, json=VISITOR).json()["flags"]
        assert (kept["key"], kept["value"] in ("old", "new")) == ("kept", True)
        assert (also["key"], also["errorCode"], "value" in also) == ("also", "GENERAL", False)
        assert also["errorDetails"].startswith(reason)


def test_a_fault_in_one_flag_leaves_the_others_and_its_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running() as served, Client(served.url) as client:
        for name in ("one", "two"):
            client.create(name, ["old", "new"], rules={"sticky": True})
        engine = served.service.engine
        decide, broken = engine.decide, engine.by_name["one"].id

        def fail(experiment: Any, *words: Any) -> Any:
            answer = decide(experiment, *words)
            return answer if experiment.id != broken else 1 / 0  # its memory is ahead of its journal

        monkeypatch.setattr(engine, "decide", fail)
        one, two = httpx.post(served.url + FLAGS, json=VISITOR).json()["flags"]
        assert "fault of the service" in one["errorDetails"]
        assert two["value"] in ("old", "new")
        monkeypatch.setattr(engine, "decide", decide)
        until(lambda: "value" in httpx.post(served.url + FLAGS, json=VISITOR).json()["flags"][0])
        assert decisions(served, "one") == 1  # the first one was never recorded


def test_all_flags_and_other_requests_at_the_same_time_keep_the_order_of_the_lines(tmp_path: Path) -> None:
    """Lines of a journal that are queued in another order than they were made would end the process."""
    store = SqliteStore(tmp_path / "s.db")
    failures = list[BaseException]()

    def prepare(service: Service) -> None:
        service.on_failure = failures.append  # in place of the end of the process

    with running(store, prepare=prepare) as served, Client(served.url) as client:
        for name in ("kept", "also"):
            client.create(name, ["old", "new"], rules={"sticky": True})

        async def ask(number: int) -> list[int]:
            async with httpx.AsyncClient(base_url=served.url) as http:
                statuses = []
                for place in range(40):
                    unit = {"context": {"targetingKey": f"visitor {number} {place}"}}
                    reply = (
                        await http.post("/v1/experiments/kept/decisions", json={})
                        if number % 2
                        else await http.post(FLAGS, json=unit)
                    )
                    statuses.append(reply.status_code)
                return statuses

        async def ask_all() -> list[list[int]]:
            return await asyncio.gather(*(ask(number) for number in range(12)))

        statuses = [status for some in asyncio.run(ask_all()) for status in some]
        assert failures == []
        assert (statuses.count(201), statuses.count(200)) == (240, 240)
        assert [decisions(served, name) for name in ("kept", "also")] == [480, 240]
        assert served.service.writer.error is None
    store = SqliteStore(tmp_path / "s.db")
    assert all(result.sound for result in verify_store(store))
    store.close()


def test_a_token_comes_as_a_key_too_and_sees_its_own_flags_only(tmp_path: Path) -> None:
    with running(folder=tmp_path, boss="admin", shop="decide") as served:
        with Client(served.url, served.tokens["boss"]) as client:
            client.create("kept", ["old", "new"], rules={"sticky": True})
        for path in (FLAGS, f"{FLAGS}/kept", "/v1/experiments/kept/decisions"):
            body = VISITOR if path.startswith("/ofrep") else {}
            assert httpx.post(served.url + path, json=body).status_code == 401
            assert httpx.post(served.url + path, json=body, headers={"x-api-key": "wrong"}).status_code == 401
            headers = {"x-api-key": served.tokens["shop"]}
            assert httpx.post(served.url + path, json=body, headers=headers).status_code in (200, 201)


def test_a_browser_on_another_origin_may_ask_where_that_is_allowed(tmp_path: Path) -> None:
    shop = "https://shop.example"
    with running(
        folder=tmp_path, prepare=lambda service: setattr(service, "origins", (shop,)), boss="admin", shop="decide"
    ) as served:
        with Client(served.url, served.tokens["boss"]) as client:
            client.create("kept", ["old", "new"], rules={"sticky": True})
        asks = {
            "access-control-request-method": "POST",
            "access-control-request-headers": "authorization,if-none-match",
        }
        for path in (FLAGS, "/v1/experiments/kept/decisions"):
            for origin, status in ((shop, 200), ("https://evil.example", 400)):
                preflight = httpx.options(served.url + path, headers={"origin": origin, **asks})
                assert preflight.status_code == status
                body = VISITOR if path == FLAGS else {}
                reply = httpx.post(served.url + path, json=body, headers={"origin": origin, **served.bearer("shop")})
                assert reply.status_code in (200, 201)
                allowed = reply.headers.get("access-control-allow-origin")
                assert (allowed, "access-control-allow-credentials" in reply.headers) == (
                    shop if origin == shop else None,
                    False,
                )
                assert "etag" in reply.headers.get("access-control-expose-headers", "") or origin != shop


def test_the_configuration_says_what_to_expect(live: Running) -> None:
    answer = httpx.get(f"{live.url}/ofrep/v1/configuration")
    assert answer.json()["capabilities"]["flagEvaluation"] == {"supportedTypes": ["string"]}
    assert httpx.get(answer.url, headers={"if-none-match": answer.headers["etag"]}).status_code == 304


def test_the_stock_sdk_decides_through_the_protocol(live: Running) -> None:
    provider = OFREPProvider(live.url)
    api.set_provider(provider, "stock")
    details = api.get_client("stock").get_string_details("anew", "none", EvaluationContext("visitor 3"))
    assert details.value in ("old", "new")
    assert details.error_code is None
    provider.session.close()


def test_the_provider_passes_on_the_features_that_an_experiment_takes(live: Running) -> None:
    with Client(live.url) as service:
        features = {"device": ["phone", "desktop"], "age": [0, 100]}
        service.create("seen", ["red", "green"], "linucb", features=features)
        visitor = EvaluationContext("visitor 1", {"device": "phone", "age": 30, "country": "nl"})
        for provider, default in (
            (RobanditProvider(service, {}, features={"seen": ["device", "age"]}), None),
            (RobanditProvider(service, {}), "none"),  # nobody said what it takes
        ):
            api.set_provider(provider, "features")
            value = api.get_client("features").get_string_value("seen", "none", visitor)
            assert value in ("red", "green") if default is None else value == default
    lines = httpx.get(f"{live.url}/v1/experiments/seen/export?format=journal").text.splitlines()
    decided = [json.JSONDecoder().raw_decode(line)[0] for line in lines if '"decide"' in line]  # a checksum follows
    assert [entry["context"] for entry in decided] == [{"device": "phone", "age": 30}]


def test_a_tracked_event_rewards_the_last_decision(live: Running, caplog: pytest.LogCaptureFixture) -> None:
    with Client(live.url) as service:
        offers = service.create("offers", ["red", "green"])
        provider = RobanditProvider(service, {"purchase": ["offers"], "refund": ["offers"]}, remembered=2)
        api.set_provider(provider, "tracked")
        flags = api.get_client("tracked")
        for place in range(3):
            assert flags.get_string_value("offers", "none", EvaluationContext(f"visitor {place}")) in ("red", "green")
        flags.track("purchase", EvaluationContext("visitor 1"), TrackingEventDetails(value=0.25))
        flags.track("purchase", EvaluationContext("visitor 2"))
        assert offers.about()["rewards"] == 2
        with caplog.at_level(logging.WARNING, "robandit.openfeature"):
            flags.track("purchase", EvaluationContext("visitor 0"))  # forgotten
            flags.track("refund", EvaluationContext("visitor 1"), TrackingEventDetails(value=1.0))  # another value
            flags.track("purchase")
            flags.track("scrolled", EvaluationContext("visitor 1"))
        assert len(caplog.records) == 3
        assert offers.about()["rewards"] == 2
        details = flags.get_boolean_details("offers", False, EvaluationContext("visitor 1"))
        assert (details.value, str(details.error_code)) == (False, "TYPE_MISMATCH")
        assert flags.get_string_value("nothing", "none", EvaluationContext("visitor 1")) == "none"
        assert asyncio.run(flags.get_string_value_async("offers", "none", EvaluationContext("v"))) in ("red", "green")


def test_an_event_that_reaches_nobody_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with running() as served:
        service = Client(served.url, retry_for=0.0)
        service.create("offers", ["red", "green"])
        api.set_provider(RobanditProvider(service, {"purchase": ["offers"]}), "alone")
        visitor, flags = EvaluationContext("visitor 1"), api.get_client("alone")
        assert flags.get_string_value("offers", "none", visitor) in ("red", "green")
    with service, caplog.at_level(logging.WARNING, "robandit.openfeature"):
        flags.track("purchase", visitor)
        assert flags.get_string_value("offers", "none", visitor) == "none"
    warnings = [record.message for record in caplog.records if record.name == "robandit.openfeature"]
    assert ["nothing answers at" in warning for warning in warnings] == [True]
