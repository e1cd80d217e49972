"""The campaign of faults, for a few seconds; and its judgement, which must see what is lost, doubled or unknown."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from robandit.service import messages
from robandit.service.engine import Engine
from robandit.service.stores.sqlite import SqliteStore
from tests.campaign.clients import EXPERIMENTS, Ledger
from tests.campaign.judgement import judge


def run_campaign(folder: Path, *flags: str) -> dict[str, Any]:
    """Returns the outcome of a campaign."""
    words = [sys.executable, "-m", "tests.campaign", str(folder), *flags]
    campaign = subprocess.run(words, capture_output=True, text=True)
    assert campaign.returncode == 0, campaign.stdout + campaign.stderr
    outcome: dict[str, Any] = json.loads(campaign.stdout)
    return outcome


def test_a_few_seconds(tmp_path: Path) -> None:
    outcome = run_campaign(tmp_path, "--seconds", "4", "--every", "0.2", "--seed", "4")  # a kill, then a full disk
    assert (outcome["lost"], outcome["twice"], outcome["wrong answers"], outcome["verified"]) == (0, 0, 0, True)
    assert outcome["faults of its own"] == 0
    assert outcome["faults"]["kill"] >= 1
    assert outcome["starts"] >= 2
    assert outcome["acknowledged"] > 50
    assert len((tmp_path / "timeline.csv").read_text().splitlines()) >= 4
    assert (tmp_path / "timeline.png").stat().st_size > 10_000


@pytest.fixture
def played(tmp_path: Path) -> tuple[Ledger, str]:
    """A ledger that is true, and the database it is about: 20 decisions, of which 10 have a reward."""
    store, ledger = SqliteStore(tmp_path / "db"), Ledger()
    engine = Engine(store)
    engine.create(messages.NewExperiment("plain", EXPERIMENTS[0]["arms"], "exp3"))
    experiment = engine.find("plain")
    for number in range(20):
        answer = engine.decide(experiment, messages.DecisionRequest(), f"key-{number}")
        rows, reply = answer.rows, answer.message
        ledger.decided["plain", f"key-{number}"] = {
            "id": reply.id,
            "arm": reply.arm,
            "probability": reply.probability,
        }
        if number % 2:
            rows += engine.reward(experiment, reply.id, messages.Reward(0.25), None).rows
            ledger.rewarded[reply.id] = 0.25
        store.commit(rows)
    store.close()
    return ledger, f"sqlite:///{tmp_path / 'db'}"


def bad(ledger: Ledger, url: str) -> dict[str, int]:
    """Returns the counts that must be 0 and are not."""
    return {name: count for name, count in judge(ledger, url).items() if count and name != "lines"}


def test_the_judgement_accepts_what_is_true(played: tuple[Ledger, str]) -> None:
    ledger, url = played
    assert judge(ledger, url)["lines"] == 31
    assert bad(ledger, url) == {}


def test_the_judgement_sees_what_is_wrong(played: tuple[Ledger, str]) -> None:
    ledger, url = played
    rewarded, unrewarded = ledger.decided["plain", "key-1"], ledger.decided["plain", "key-2"]
    ledger.rewarded[unrewarded["id"]] = 0.5
    assert bad(ledger, url) == {"lost": 1}
    del ledger.rewarded[unrewarded["id"]], ledger.rewarded[rewarded["id"]]
    assert bad(ledger, url) == {"recorded though nobody knows": 1}
    ledger.refused.add(rewarded["id"])
    assert bad(ledger, url) == {"recorded though refused": 1}
    ledger.rewarded[rewarded["id"]] = 0.75
    assert bad(ledger, url) == {"lost": 1}
    ledger.rewarded[rewarded["id"]] = 0.25
    ledger.decided["plain", "key-2"] = unrewarded | {"probability": 0.125}
    assert bad(ledger, url) == {"lost": 1}
    del ledger.decided["plain", "key-2"]
    assert bad(ledger, url) == {"recorded though nobody knows": 1}
    ledger.evaluated["joe"] = {"value": "a", "metadata": {"decision": rewarded["id"], "probability": 0.5}}
    assert bad(ledger, url) == {"recorded though nobody knows": 1}  # of another experiment
    ledger.decided["plain", "key-21"] = rewarded
    assert bad(ledger, url) == {"recorded though nobody knows": 1, "lost": 1}
