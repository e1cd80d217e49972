"""The webhook: a receiver that fails, a service that is killed, and every act told at least once, in order, signed."""

import base64
import hmac
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from robandit.errors import InputError
from robandit.forensics.statistics import STATISTICS
from robandit.service import webhook
from robandit.service.service import Service
from robandit.service.stores.memory import MemoryStore
from robandit.service.tokens import Tokens
from robandit.service.watch import JournalAudit
from robandit.service.webhook import Receiver, Webhook
from tests.serving import running, until

SECRET = b"sixteen bytes or more"
OFFERS = {"name": "offers", "arms": ["red", "green"], "policy": {"name": "samba"}}


class Receiving(ThreadingHTTPServer):
    """A program that takes events, except while `status` says otherwise."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.status, self.tries = 204, 0
        self.is_broken = False  # it answers with what is no HTTP
        self.deliveries: list[tuple[dict[str, str], bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/events"

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body in self.deliveries]

    @property
    def kinds(self) -> list[str]:
        return [event["type"] for event in self.events]


class Handler(BaseHTTPRequestHandler):
    server: Receiving

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.tries += 1
        if self.server.is_broken:
            self.wfile.write(b"hello\r\n\r\n")
            return
        if self.server.status < 300:
            self.server.deliveries.append(({name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(self.server.status)
        if self.server.status == 302:
            self.send_header("location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Be quiet."""


@pytest.fixture
def receiver() -> Iterator[Receiving]:
    with Receiving() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook, "EVERY", 0.05)
    monkeypatch.setattr(webhook, "FIRST", 0.05)
    monkeypatch.setattr(webhook, "LONGEST", 0.2)


def hooked(receiver: Receiving) -> Any:
    """What turns a service into one with a webhook."""
    return lambda service: setattr(service, "webhook", Webhook(service, Receiver(receiver.url, SECRET)))


def test_acts_are_told_in_order_signed_and_with_the_fields_of_a_cloud_event(receiver: Receiving) -> None:
    with running(prepare=hooked(receiver)) as served:
        url = f"{served.url}/v1/experiments"
        httpx.post(url, json=OFFERS)
        httpx.post(f"{url}/offers/sources/liar", json={"change": "quarantined"})
        httpx.post(f"{url}/offers/breaker", json={"change": "tripped"})
        httpx.post(f"{url}/offers/breaker", json={"change": "released"})
        until(lambda: len(receiver.deliveries) == 3)
    assert receiver.kinds == [
        "robandit.source.quarantined",
        "robandit.breaker.tripped",
        "robandit.breaker.released",
    ]
    first = receiver.events[0]
    assert {"specversion": "1.0", "source": "robandit/experiments/1", "subject": "offers"}.items() <= first.items()
    assert first["data"]["source"] == "liar"
    assert len({event["id"] for event in receiver.events}) == 3
    for headers, body in receiver.deliveries:
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        digest = base64.b64encode(hmac.digest(SECRET, signed, "sha256")).decode()
        assert headers["webhook-signature"] == f"v1,{digest}"
        assert headers["content-type"] == "application/cloudevents+json"
        assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60


@pytest.mark.parametrize("status", [500, 302])
def test_a_receiver_that_refuses_is_asked_again_and_decisions_go_on(receiver: Receiving, status: int) -> None:
    receiver.status = status
    with running(prepare=hooked(receiver)) as served:
        url = f"{served.url}/v1/experiments"
        httpx.post(url, json=OFFERS)
        httpx.post(f"{url}/offers/sources/liar", json={"change": "quarantined"})
        until(lambda: receiver.tries >= 3)
        assert httpx.post(f"{url}/offers/decisions", json={}).status_code == 201
        health = httpx.get(f"{served.url}/healthz").json()
        assert health["status"] == "degraded"
        assert any("could not be delivered" in note for note in health["notes"])
        receiver.status = 204
        until(lambda: "robandit.source.quarantined" in receiver.kinds)
        until(lambda: httpx.get(f"{served.url}/healthz").json()["status"] == "ok")
    assert receiver.kinds.count("robandit.source.quarantined") == 1


def test_an_alarm_is_told_once_and_again_when_a_new_one_rings(receiver: Receiving) -> None:
    def audit(line: int, *alarms: str) -> JournalAudit:
        findings = {"alarms": {name: {} for name in alarms}, "flagged": ["liar"] if alarms else []}
        return JournalAudit(line, time.time(), 0.1, findings)

    with running(prepare=hooked(receiver)) as served:
        httpx.post(f"{served.url}/v1/experiments", json=OFFERS)
        audits = served.service.watch.audits
        names = [name for name, statistic in STATISTICS.items() if statistic.is_alarm]
        audits[1] = audit(2, names[0])
        until(lambda: len(receiver.deliveries) == 1)
        audits[1] = audit(3, names[0])
        audits[1] = audit(4, *names[:2])
        until(lambda: len(receiver.deliveries) == 2)
        audits[1] = audit(5)
        time.sleep(0.3)
        audits[1] = audit(6, names[0])
        until(lambda: len(receiver.deliveries) == 3)
    assert [event["data"]["new"] for event in receiver.events] == [names[:1], names[1:2], names[:1]]
    assert receiver.events[0]["data"]["sources"] == ["liar"]


def test_a_degraded_service_is_told_and_its_recovery(receiver: Receiving) -> None:
    with running(prepare=hooked(receiver)) as served:
        served.service.supervisor.note("tokens", "a mistake in line 3")
        until(lambda: len(receiver.deliveries) == 1)
        served.service.supervisor.note("tokens", "")
        until(lambda: len(receiver.deliveries) == 2)
    assert [event["type"] for event in receiver.events] == ["robandit.degraded", "robandit.recovered"]


def test_a_receiver_that_speaks_no_http_is_asked_again_and_misses_nothing(receiver: Receiving) -> None:
    receiver.is_broken = True
    with running(prepare=hooked(receiver)) as served:
        served.service.supervisor.note("tokens", "a mistake in line 3")
        until(lambda: any("could not be delivered" in one for one in served.service.supervisor.problems))
        receiver.is_broken = False
        until(lambda: receiver.kinds == ["robandit.degraded"])
        assert served.service.supervisor.duties["the webhook"].restarts == 0


def test_a_degraded_service_that_was_killed_sends_its_recovery(receiver: Receiving) -> None:
    store = MemoryStore()
    for problem in ("a mistake in line 3", ""):  # the second life finds nothing wrong
        with running(store, prepare=hooked(receiver)) as served:
            served.service.supervisor.note("tokens", problem)
            kinds = ["robandit.degraded"] if problem else ["robandit.degraded", "robandit.recovered"]
            until(lambda: receiver.kinds == kinds)  # noqa: B023  (it is asked at once)
            until(lambda: bool(store.meta("webhook/degraded", b"")) == bool(problem))  # noqa: B023
    assert receiver.kinds == ["robandit.degraded", "robandit.recovered"]


def test_whatever_dies_each_act_is_told_at_least_once(receiver: Receiving, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(SECRET)
    words = [sys.executable, "-m", "robandit", "serve", "--db", f"sqlite:///{tmp_path / 'shop.db'}", "--port", "0"]
    words += ["--watch", "0", "--webhook", receiver.url, "--webhook-secret-file", str(secret)]
    acts = 0
    for life in range(4):
        receiver.status = 500 if life in (0, 2) else 204
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            url = process.stdout.readline().split()[3] + "v1/experiments"
            httpx.post(url, json=OFFERS)
            for _ in range(3):
                answer = httpx.post(f"{url}/offers/sources/source{acts}", json={"change": "quarantined"})
                assert answer.status_code == 200
                acts += 1
            if life in (1, 3):
                until(lambda: len(sources(receiver)) == acts)  # noqa: B023  (it is asked at once)
            process.send_signal(signal.SIGKILL)
    assert sources(receiver) == [f"source{place}" for place in range(acts)]


def sources(receiver: Receiving) -> list[str]:
    """The sources that were told, each where it first came."""
    return list(dict.fromkeys(event["data"]["source"] for event in receiver.events))


@pytest.mark.parametrize(
    ("url", "secret"),
    [
        *(
            (url, SECRET)
            for url in ("ftp://x", "shop", "http://[", "http://h:99999/", "http://h:x/", "http://a b/", "http://ä/")
        ),
        ("https://x", b"short"),
    ],
)
def test_a_receiver_that_is_none_is_refused(url: str, secret: bytes) -> None:
    with pytest.raises(InputError):
        Receiver(url, secret)


def test_without_a_webhook_none_runs() -> None:
    assert Service(MemoryStore(), Tokens(None)).webhook is None
