"""A real Dask cluster of separate processes: the bytes of one machine, also when a worker is killed midway."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from robandit import executor
from robandit.executor import Threads, open_executor
from robandit.store.cells import ResultStore
from robandit.study.run import play_cells
from robandit.study.spec import read_study
from tests.support import OWN_POLICY

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own warnings are not ours to fix
distributed = pytest.importorskip("distributed", reason="the extra robandit[cluster] is not installed")

SPEC = """name = "spread"
[[grid]]
id = "levels"
policies = ["samba", "ucb1"]
budgets = [0, 20, 40, 60, 80]
arms = 4
horizons = 20000
runs = 20
"""


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "cells").glob("*.parquet")}


def run_there(cluster: Any, cells: Any, store: ResultStore, load: list[str], finished: Any) -> list[str]:
    with open_executor(1, cluster.scheduler_address) as there:
        return play_cells(there, cells, store, finished, load=load)


def test_a_worker_killed_in_the_middle_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "spread.toml").write_text(SPEC)
    cells = read_study(tmp_path / "spread.toml").cells()
    assert play_cells(Threads(2), cells, ResultStore(tmp_path / "here"), lambda *_: None) == []
    killed: list[int] = []
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster:

        def seen(*_: Any) -> None:
            if not killed:
                process = next(iter(cluster.workers.values())).process.pid
                os.kill(process, signal.SIGKILL)
                killed.append(process)

        store = ResultStore(tmp_path / "there")
        assert run_there(cluster, cells, store, [], seen) == []
    assert killed
    assert files(tmp_path / "there") == files(tmp_path / "here")
    assert len(files(tmp_path / "there")) == 10
    assert not list((tmp_path / "there" / "cells").glob("*.flight.json"))


OWN_SPEC = """name = "own"
load = ["own.py"]
[[grid]]
id = "g"
policies = ["own", "samba"]
means = [0.2, 0.8]
horizons = 500
runs = 3
"""


def another_version() -> None:
    """Stands in for a worker that was started before an update."""
    from robandit.study import cell

    cell.FORMAT = 99


def test_a_worker_that_lives_through_an_edit_answers_with_the_new_code_or_says_that_it_cannot(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN_SPEC)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        for arm in (0, 1):
            (tmp_path / "own.py").write_text(OWN_POLICY.format(arm=arm))
            study, store = read_study(tmp_path / "own.toml"), ResultStore(tmp_path / "there")
            load = [str(tmp_path / "own.py")]
            assert run_there(cluster, study.cells(), store, load, lambda *_: None) == []
            key = next(key for key, cell in study.cells().items() if cell.policy == "own")
            trace = store.load(key)
            assert trace is not None
            assert (trace.pulls[:, arm] == 500).all()
        assert not store.damaged()
        assert len(files(tmp_path / "there")) == 3
        with distributed.Client(cluster) as client:
            client.run(another_version)
        store = ResultStore(tmp_path / "old")
        failed = run_there(cluster, study.cells(), store, load, lambda *_: None)
        assert sorted(failed) == sorted(study.cells())
        for key in failed:
            assert store.state(key) == "failed"
            assert "restart the workers" in (store.note(key, "failed") or {})["error"]
        assert not files(tmp_path / "old")


def test_no_scheduler_is_one_sentence(tmp_path: Path, robandit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "ANSWER", 0.5)
    (tmp_path / "spread.toml").write_text(SPEC)
    words = ["study", "run", str(tmp_path / "spread.toml"), "--out", str(tmp_path / "out")]
    code, _, said = robandit(*words, "--scheduler", "tcp://127.0.0.1:9")
    assert code == 2
    assert said.splitlines()[-1] == "robandit: --scheduler: no Dask scheduler answers at 'tcp://127.0.0.1:9'"
