"""The guardrail: how often it is wrong, how soon it is right, and that it stops learning over HTTP."""

from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from robandit.service.guardrail import Guardrail, GuardrailTerms
from robandit.service.stores.memory import MemoryStore
from robandit.service.stores.sqlite import SqliteStore
from robandit.service.verify import verify_store
from tests.serving import running, until


def reports_until_over(terms: GuardrailTerms, arms: int, values: Any) -> int | None:
    """After how many reports of the first arm its evidence suffices; None if it never does."""
    guardrail = Guardrail(terms, arms)
    for number, value in enumerate(values.tolist()):
        guardrail.open(number, 0)
        guardrail.take(number, value)
        if guardrail.over:
            return number + 1
    return None


def test_a_limit_that_holds_is_hardly_ever_called_broken() -> None:
    """Two arms at level 0.1, each with its mean at the limit, looked at after each of 1,000 reports.

    An arm is called above it with probability at most 0.05. Of 300 logs more than 35 would be with probability below
    1e-5 (binomial). The second metric is a latency, whose reports are not 0 and 1, in calm and wild spells; of its 100
    logs more than 17 would be with probability below 1e-5.
    """
    random = np.random.default_rng(1)
    refunds = GuardrailTerms("refunds", 0.05, level=0.1)
    wrong = [reports_until_over(refunds, 2, (random.random(1000) < 0.05).astype(float)) for _ in range(300)]
    assert sum(one is not None for one in wrong) <= 35
    latency = GuardrailTerms("latency", 2.0, high=10.0, level=0.1)
    wrong = []
    for _ in range(100):
        width = np.repeat(random.choice([0.1, 2.0], 20), 50)
        wrong.append(reports_until_over(latency, 2, 2.0 + width * random.uniform(-1.0, 1.0, 1000)))
    assert sum(one is not None for one in wrong) <= 17


def test_a_broken_limit_is_found() -> None:
    """Twice the limit of 5 % at level 0.01 with three arms: found in 95 of 100 logs within 1,000 reports."""
    random = np.random.default_rng(2)
    terms = GuardrailTerms("refunds", 0.05, level=0.01)
    found = [reports_until_over(terms, 3, (random.random(1000) < 0.1).astype(float)) for _ in range(100)]
    rows = [one for one in found if one is not None]
    assert len(rows) >= 95
    assert 150 < np.median(rows) < 450


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"limit": 1.0}, "limit must be above 0 and below 1, not 1"),
        ({"limit": 0.5, "level": 0.9}, "level must be a number from 1e-9 to 0.5, not 0.9"),
        ({"limit": float("nan")}, "must be finite numbers"),
        ({"limit": 0.5, "name": ""}, "must have 1 to 200 letters, not 0"),
    ],
)
def test_what_cannot_be_is_refused(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        GuardrailTerms(**{"name": "refunds", **values})


NEW = {"name": "offers", "arms": ["red", "green"], "policy": "ucb1", "seed": 1}
RULES = {"guardrail": {"name": "refunds", "limit": 0.05}}


def test_learning_stops_over_http_and_a_person_lets_it_go_on(tmp_path: Path) -> None:
    """The journal is read again in the middle; what a person has seen does not stop it again."""
    store = SqliteStore(tmp_path / "db")
    with running(store) as at, httpx.Client(base_url=at.url, timeout=30) as http:
        for wrong, sentence in (
            ({"rules": {"guardrail": {"name": "refunds", "limit": 2}}}, "limit must be above 0 and below 1, not 2"),
            ({"rules": RULES, "policy": "barbar"}, "cannot stop learning by itself"),
        ):
            refused = http.post("/v1/experiments", json={**NEW, **wrong})
            assert (refused.status_code, sentence in refused.text) == (422, True), refused.text
        assert http.post("/v1/experiments", json={**NEW, "rules": RULES}).status_code == 201
        offers = "/v1/experiments/offers"

        def report(value: float, status: int = 201) -> str:
            decision = http.post(f"{offers}/decisions", json={"eligible": ["red"]}).json()
            http.put(f"{offers}/decisions/{decision['id']}/reward", json={"reward": 1})
            answer = http.put(f"{offers}/decisions/{decision['id']}/guardrail", json={"value": value})
            assert answer.status_code == status, answer.text
            return str(decision["id"])

        id = report(0)
        again = [http.put(f"{offers}/decisions/{id}/guardrail", json={"value": value}) for value in (0, 1)]
        assert [answer.status_code for answer in again] == [200, 409]
        report(2, 422)
        for _ in range(40):
            if http.get(offers).json()["frozen"]:
                break
            report(1)
        about = http.get(offers).json()
        assert about["frozen"]
        assert about["rules"]["guardrail"]["limit"] == 0.05
        page, metrics = http.get("/experiments/1").text, http.get("/metrics").text
        assert "learning stopped: refunds of red is above its limit" in page
        assert "surely above it" in page
        assert "robandit_experiment_guardrail_evidence" in metrics
        (line, act) = at.service.engine.find("offers").acts[-1]
        assert (act["by"], act["why"]["guardrail"], act["since"]) == ("guardrail", "refunds", line - 1)
        until(lambda: not http.get(offers).json()["learning_again"])
        assert http.post(f"{offers}/breaker", json={"change": "released"}).status_code == 200
        until(lambda: not http.get(offers).json()["learning_again"])
        for _ in range(5):
            report(1)
        assert not http.get(offers).json()["frozen"]
        before = at.service.engine.find("offers").guardrail.as_json()  # type: ignore[union-attr]
    again_store = SqliteStore(tmp_path / "db")
    (verification,) = verify_store(again_store)
    assert verification.sound, verification.notes
    with running(again_store) as at:
        assert at.service.engine.find("offers").guardrail.as_json() == before  # type: ignore[union-attr]


def test_an_experiment_without_a_guardrail_refuses_reports() -> None:
    with running(MemoryStore()) as at, httpx.Client(base_url=at.url) as http:
        http.post("/v1/experiments", json=NEW)
        id = http.post("/v1/experiments/offers/decisions", json={}).json()["id"]
        refused = http.put(f"/v1/experiments/offers/decisions/{id}/guardrail", json={"value": 1})
        assert (refused.status_code, "has no guardrail" in refused.json()["detail"]) == (422, True)
