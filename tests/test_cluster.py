"""A real Dask cluster of separate processes: the bytes of one machine, also when a worker is killed midway."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from robandit.store.cells import Store
from robandit.study.run import run_here, run_on_cluster
from robandit.study.spec import read_study

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


def test_a_worker_killed_in_the_middle_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "spread.toml").write_text(SPEC)
    cells = read_study(tmp_path / "spread.toml").cells()
    assert run_here(cells, Store(tmp_path / "here"), 2, lambda *_: None) == []
    killed: list[int] = []
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster:

        def seen(*_: Any) -> None:
            if not killed:
                process = next(iter(cluster.workers.values())).process.pid
                os.kill(process, signal.SIGKILL)
                killed.append(process)

        store = Store(tmp_path / "there")
        assert run_on_cluster(cells, store, cluster.scheduler_address, [], seen) == []
    assert killed
    assert files(tmp_path / "there") == files(tmp_path / "here")
    assert len(files(tmp_path / "there")) == 10
    assert not list((tmp_path / "there" / "cells").glob("*.flight.json"))


def test_no_scheduler_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "spread.toml").write_text(SPEC)
    words = ["study", "run", str(tmp_path / "spread.toml"), "--out", str(tmp_path / "out")]
    words += ["--scheduler", "tcp://127.0.0.1:9"]
    done = subprocess.run([sys.executable, "-m", "robandit", *words], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "robandit: --scheduler: no Dask scheduler answers at 'tcp://127.0.0.1:9'"
