"""The service's log: events with names, one line each, as text or JSON; request ids; nothing personal."""

import json
import logging
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from robandit.service.logs import JsonFormatter, LineFormatter, log_event
from tests.serving import Running, running

OFFERS = {"name": "offers", "arms": ["red", "green"], "policy": {"name": "samba"}}
SECRET = "visitor seventeen"


def use(served: Running, headers: dict[str, str] | None = None) -> list[httpx.Response]:
    """A decision and its reward by the shortcut, then two requests through ASGI."""
    url = f"{served.url}/v1/experiments"
    httpx.post(url, json=OFFERS)
    decision = httpx.post(f"{url}/offers/decisions", json={"unit": SECRET}, headers=headers)
    reward = f"{url}/offers/decisions/{decision.json()['id']}/reward"
    return [
        decision,
        httpx.put(reward, json={"reward": 1, "source": SECRET}, headers=headers),
        httpx.post(f"{url}/offers/sources/{SECRET}", json={"change": "quarantined"}, headers=headers),
        httpx.get(f"{url}/none", headers=headers),
    ]


def test_an_event_has_a_name_a_sentence_and_fields(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "robandit.service"):
        log_event(logging.WARNING, "lease_lost", "two\nlines", experiment=3)
    (record,) = caplog.records
    entry = json.loads(JsonFormatter().format(record))
    assert (entry["level"], entry["event"], entry["experiment"]) == ("warning", "lease_lost", 3)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", entry["time"])
    line = LineFormatter().format(record)
    assert line == f"{entry['time']} warning lease_lost two\\nlines experiment=3"


def test_an_answer_bears_the_id_of_its_request() -> None:
    with running() as served:
        for answer in use(served, {"x-request-id": "shop:42"}):
            assert answer.headers["x-request-id"] == "shop:42"
        for answer in use(served, {"x-request-id": "two words"}) + use(served):
            assert "x-request-id" not in answer.headers


def test_requests_are_logged_only_where_asked_for_and_without_anything_personal(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with running() as served, caplog.at_level(logging.INFO, "robandit.service"):
        use(served)
        assert not [record for record in caplog.records if record.event == "request"]  # type: ignore[attr-defined]
        served.service.access_log = True
        answers = use(served, {"x-request-id": "7"})
        lines = [JsonFormatter().format(record) for record in caplog.records]
    entries: list[Any] = [entry for line in lines if (entry := json.loads(line))["event"] == "request"]
    logged = [(entry["message"], entry["status"]) for entry in entries if entry.get("request") == "7"]
    experiment = "/v1/experiments/{experiment}"
    assert logged == [
        (f"POST {experiment}/decisions", 201),
        (f"PUT {experiment}/decisions/{{decision}}/reward", 201),
        (f"POST {experiment}/sources/{{source:path}}", 200),
        (f"GET {experiment}", 404),
    ]
    assert all(entry["ms"] >= 0 for entry in entries)
    assert SECRET not in "".join(lines)
    assert answers[0].json()["id"] not in "".join(lines)


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_command_logs_to_standard_error(form: str, tmp_path: Path) -> None:
    words = ["serve", "--db", f"sqlite:///{tmp_path / 'shop.db'}", "--port", "0", "--access-log", "--log-format", form]
    with subprocess.Popen(
        [sys.executable, "-m", "robandit", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        found = re.search(r"http://\S+/", process.stdout.readline())
        assert found is not None
        assert httpx.get(f"{found.group()}healthz").status_code == 200
        process.send_signal(signal.SIGTERM)
        lines = process.stderr.read().splitlines()
    assert process.returncode == 0
    if form == "json":
        assert [json.loads(line)["event"] for line in lines] == ["started", "request", "stopped"]
    else:
        assert [line.split()[1:3] for line in lines] == [["info", word] for word in ("started", "request", "stopped")]
