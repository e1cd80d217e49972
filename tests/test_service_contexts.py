"""Contexts over HTTP: refused at the edge, journalled, exported, by OpenFeature; a shop, killed and verified."""

import csv
import io
from pathlib import Path
from typing import Any

import httpx

import robandit as rb
from robandit.service.stores.memory import MemoryStore
from robandit.service.verify import verify_store
from tests.serving import running
from verification.context_shop import RING, main

FEATURES: dict[str, Any] = {"age": [18, 98], "device": ["phone", "desktop"]}
NEW = {"name": "offers", "arms": ["red", "green"], "policy": "squarecb", "features": FEATURES, "seed": 7}


def test_a_context_is_checked_recorded_and_exported(tmp_path: Path) -> None:
    store = MemoryStore()
    with running(store) as at, httpx.Client(base_url=at.url) as http:
        for wrong, sentence in (
            ({"age": [9, 1]}, "the range of age must go up"),
            ({"x": ["a", "a"]}, "different texts"),
            (None, "squarecb needs features"),
        ):
            refused = http.post("/v1/experiments", json={**NEW, "features": wrong})
            assert refused.status_code == 422
            assert sentence in refused.json()["detail"]
        assert http.post("/v1/experiments", json=NEW).status_code == 201
        decisions = "/v1/experiments/offers/decisions"
        for body, sentence in (
            ({}, "a context is needed, with the features age, device"),
            ({"context": {"age": 20}}, "null where it is not known: device"),
            ({"context": {"age": 200, "device": "phone"}}, "age must be a number from 18 to 98 or null, not 200"),
            ({"context": {"age": 20, "device": "fridge"}}, "device must be one of phone, desktop or null"),
        ):
            refused = http.post(decisions, json=body)
            assert (refused.status_code, sentence in refused.json()["detail"]) == (422, True), refused.text
        assert http.get("/v1/experiments/offers").json()["decisions"] == 0
        for number in range(60):
            context = {"age": 20 + number, "device": ("phone", "desktop", None)[number % 3]}
            reply = http.post(decisions, json={"context": context, "unit": f"u{number}"}).json()
            http.put(f"{decisions}/{reply['id']}/reward", json={"reward": number % 2, "source": f"s{number % 5}"})
        flag = http.post(
            "/ofrep/v1/evaluate/flags/offers", json={"context": {"targetingKey": "u", "device": "phone", "other": 1}}
        )
        assert flag.status_code == 200
        text = http.get("/v1/experiments/offers/export?format=csv").text
        rows = list(csv.DictReader(io.StringIO(text)))
        assert [(row["context.age"], row["context.device"]) for row in rows[:3]] == [
            ("20.0", "phone"),
            ("21.0", "desktop"),
            ("22.0", ""),
        ]
        journal = tmp_path / "journal"
        journal.write_bytes(http.get("/v1/experiments/offers/export?format=journal").content)
        assert '"context":{"age":null,"device":"phone"}' in journal.read_text().splitlines()[-1]
        state = at.service.engine.experiments[1].fold.save_state()
    with rb.Learner.open(journal, read_only=True) as learner:
        assert learner.save_state() == state
    (verification,) = verify_store(store)
    assert (verification.sound, verification.compiled, verification.dice) == (True, True, True), verification.notes


def test_a_shop_with_a_ring_in_one_segment(tmp_path: Path) -> None:
    """Killed three times; the audit of the segment names the ring, and the database verifies bit for bit."""
    result = main(1000, 1, tmp_path, ring=2, share=0.5)
    assert result["kills"] == 3
    assert result["verify_exit_code"] == 0, result["verify"]
    assert result["verify"]["journals"][0]["compiled"] is True
    assert set(result["ring_named"]) & set(RING[:2]), result
    assert len(result["innocents_named"]) <= 1, result
