"""Files and databases that earlier versions wrote still open, and say what they said.

`tests/stored/first` was written by version 0.1.0 before the fields of a saved state were renamed: a play that was left,
a learner's journal that begins with a saved state, the results of a study and the database of a service.
"""

import json
import shutil
from pathlib import Path

import httpx
import numpy as np

import robandit as rb
from robandit.service.stores.address import open_store
from robandit.store.cells import ResultStore
from tests.serving import running

FIRST = Path(__file__).parent / "stored" / "first"
EXPECTED = json.loads((FIRST / "expected.json").read_text())


def test_a_play_that_was_left_goes_on_to_the_same_bits() -> None:
    policy = rb.policy("floor:share=0.1,inner=(samba:learning_rate=0.1)")
    adversary = rb.attack("invert", schedule="leading:theta=0.2", budget=20)
    left = rb.PausedPlay.from_json(json.loads((FIRST / "play.json").read_text()))
    trace = rb.simulate(policy, [0.2, 0.5, 0.8], adversary, horizon=2000, runs=2, state=left)
    assert trace.regret[:, -1].tolist() == EXPECTED["regret"]


def test_a_journal_that_began_with_a_saved_state_is_replayed_to_the_same_bits(tmp_path: Path) -> None:
    path = shutil.copy(FIRST / "buttons.journal", tmp_path / "buttons.journal")
    with rb.Learner.open(path) as learner:
        assert learner.probabilities() == EXPECTED["learner"]
        learner.learn(learner.decide().id, reward=1.0, source="visitor 8")


def test_the_folder_of_a_study_opens_and_its_files_are_read() -> None:
    """Other code means other keys, so that a study plays these cells again; the files themselves are still good."""
    results = rb.read_results(FIRST / "study")
    assert "of 4 cells" in repr(results)
    store = ResultStore(FIRST / "study")
    traces = [store.load(path.stem) for path in sorted((FIRST / "study" / "cells").glob("*.parquet"))]
    assert len(traces) == 4
    for trace in traces:
        assert trace is not None
        assert trace.regret.shape == (3, 1)
        assert trace.pulls.sum(axis=1).tolist() == [500] * 3
        assert np.allclose(trace.regret[:, -1], trace.pulls @ trace.gaps, rtol=1e-12)


def test_a_service_s_database_opens_and_goes_on(tmp_path: Path) -> None:
    path = shutil.copy(FIRST / "shop.db", tmp_path / "shop.db")
    with running(open_store(f"sqlite:///{path}")) as served:
        url = f"{served.url}/v1/experiments/offers"
        arms = httpx.get(url).json()["arms"]
        assert {arm["name"]: arm["probability"] for arm in arms} == EXPECTED["service"]
        assert httpx.post(f"{url}/decisions", json={}).status_code == 201
