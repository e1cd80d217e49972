"""The reference of the journal's format: its lines are those that a learner and a service write."""

import json
import re
from pathlib import Path
from typing import Any

import httpx

from robandit.online.docket import QUIET
from robandit.online.standing import ACTS
from tests.serving import running

PAGE = (Path(__file__).parents[1] / "docs" / "journal.md").read_text()


def lines_of_a_service() -> tuple[list[str], str]:
    """What a service wrote after one of everything that can be asked of it over HTTP, and its head."""
    rules = {"hold": 60, "activation": True, "guardrail": {"name": "refunds", "limit": 0.05}}
    about = {"name": "offers", "arms": ["red", "green"], "policy": "thompson", "seed": 1, "rules": rules}
    with running() as service, httpx.Client(timeout=30) as http:
        url = f"{service.url}/v1/experiments"
        http.post(url, json=about).raise_for_status()
        decided = http.post(f"{url}/offers/decisions", json={"unit": "visitor 17"}, headers={"Idempotency-Key": "k1"})
        at = f"{url}/offers/decisions/{decided.json()['id']}"
        calls = [
            ("POST", f"{at}/activation", None),
            ("PUT", f"{at}/reward", {"reward": 1, "source": "visitor 17"}),
            ("PUT", f"{at}/guardrail", {"value": 0.0}),
            ("POST", f"{url}/offers/sources/visitor%2017", {"change": "quarantined"}),
            ("POST", f"{url}/offers/sources/visitor%2017", {"change": "capped", "cap": 100}),
            ("POST", f"{url}/offers/sources/visitor%2017", {"change": "weighted", "weight": 0.2}),
            ("POST", f"{url}/offers/breaker", {"change": "tripped"}),
            ("POST", f"{url}/offers/breaker", {"change": "released"}),
            ("PATCH", f"{url}/offers/arms/red", {"change": "paused"}),
            ("DELETE", f"{at}/reward", None),
            ("POST", f"{url}/offers/end", None),
        ]
        for method, address, body in calls:
            http.request(method, address, json=body).raise_for_status()
        lines = http.get(f"{url}/offers/export?format=journal").text.splitlines()
        head: str = http.get(f"{url}/offers").json()["head"]
    return [line.rpartition("\t")[0] for line in lines], head


def undated(entry: dict[str, Any]) -> dict[str, Any]:
    """The entry without what another run or version changes."""
    return {key: 0 if key in ("time", "version") else value for key, value in entry.items()}


def test_a_service_writes_the_lines_of_the_page() -> None:
    block = re.search(r"## What a service adds.*?^```text\n(.*?)^```", PAGE, re.M | re.S)
    assert block is not None
    quoted = [undated(json.loads(line)) for line in block[1].splitlines()]
    written = [undated(json.loads(body)) for body in lines_of_a_service()[0]]
    assert [list(one.items()) for one in quoted] == [list(one.items()) for one in written]


def test_the_page_has_every_kind_and_every_key() -> None:
    entries = [json.loads(body) for body in lines_of_a_service()[0]]
    kinds = {"decide", "reward", "arm", "activate", "epoch", *QUIET, *ACTS}
    assert kinds >= {entry["entry"] for entry in entries[1:]}
    for kind in kinds:
        assert f"| `{kind}` |" in PAGE, kind
    for entry in entries:
        assert all(f"`{key}`" in PAGE for key in entry), entry


def test_the_chain_is_computed_as_the_page_says() -> None:
    code = re.search(r"## The chain of hashes.*?^```python\n(.*?)^```", PAGE, re.M | re.S)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1], names)
    bodies, last = lines_of_a_service()
    assert "sixteen zero bytes" in PAGE
    head = bytes(16)
    for body in bodies:
        head = names["next_head"](head, body)
    assert last.endswith(head.hex())
