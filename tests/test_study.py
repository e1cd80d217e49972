"""Studies end to end, with real kills: nothing is played twice, nothing is lost, the bytes are the same."""

import io
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import robandit as rb
from robandit.catalogue import Catalogue
from robandit.cli.main import main
from robandit.store.cells import ResultStore
from robandit.study.cell import Cell
from robandit.study.clock import Clock, work_of
from robandit.study.spec import read_study
from tests.support import hear_ctrl_c, said_after

SPEC = """name = "small"
question = "Which is lower?"

[[grid]]
id = "levels"
title = "Two policies, two schedules"
policies = ["samba", "tsallis-inf-iw"]
schedules = ["start", "middle"]
budgets = [0, 20, 60]
arms = 3
horizons = 2000
runs = 6

[[grid]]
id = "curves"
policies = ["samba", "ucb1"]
budgets = 30
horizons = 30000
runs = 20
checkpoints = 60
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    (tmp_path / "small.toml").write_text(SPEC)
    return tmp_path / "small.toml"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A study that ran without a break: its folder, what was printed and what was said meanwhile."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "small.toml").write_text(SPEC)
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        assert main(["study", "run", str(folder / "small.toml"), "--out", str(folder / "out")]) == 0
    return folder / "out", out.getvalue(), err.getvalue()


def results_in(folder: Path) -> dict[str, bytes]:
    """Everything a study determines: the cells, the report, its figures and tables."""
    kept = [
        *(folder / "cells").glob("*.parquet"),
        folder / "report.html",
        *folder.glob("figures/*"),
        *folder.glob("tables/*"),
    ]
    return {str(path.relative_to(folder)): path.read_bytes() for path in kept}


def test_a_study_reports(whole: tuple[Path, str, str], robandit: Any) -> None:
    folder, out, err = whole
    assert out.endswith(f"report: {folder / 'report.html'}\n")
    regret = rb.read_results(folder).trace("curves", policy="ucb1").summary()["mean"]
    assert f"{regret:,.1f} ± " in next(line for line in out.splitlines() if line.startswith(" ucb1"))
    assert out.count(" ± ") == 12
    assert "small: 12 cells, 0 stored, 12 to play" in err
    told = robandit("study", "status", str(folder), "--json")[1]
    assert told["total"] == {"done": 12}
    assert "levels" in robandit("study", "status", str(folder))[1]
    page = (folder / "report.html").read_text()
    assert "Which is lower?" in page
    assert "http://" not in page.replace("http://www.w3.org", "").replace("http://purl.org", "").replace(
        "http://creativecommons.org", ""
    )
    assert {path.suffix for path in (folder / "figures").iterdir()} == {".svg", ".pdf", ".png"}
    rows = (folder / "tables" / "levels-regret.csv").read_text().splitlines()
    assert rows[0] == "policy,schedule,C,mean regret,± 95 %,sd,median,5 % quantile,95 % quantile,best played,runs"
    assert len(rows) == 11
    assert (folder / "tables" / "levels-paired.tex").read_text().startswith(r"\begin{tabular}")


def test_a_study_runs_once_and_plays_a_damaged_cell_again(
    spec: Path, whole: tuple[Path, str, str], tmp_path: Path, robandit: Any
) -> None:
    before, folder = results_in(whole[0]), tmp_path / "out"
    shutil.copytree(whole[0], folder)
    (folder / "report.html").unlink()
    _, _, err = robandit("study", "run", str(spec), "--out", str(folder))
    assert "12 stored, 0 to play" in err
    assert results_in(folder) == before
    victim = sorted((folder / "cells").glob("*.parquet"))[3]
    victim.write_bytes(victim.read_bytes()[:-9] + b"\0" * 9)
    (folder / "report.html").unlink()
    assert robandit("study", "report", str(folder))[0] == 0
    assert "11 of 12 cells are stored" in (folder / "report.html").read_text()
    _, _, err = robandit("study", "run", str(spec), "--out", str(folder))
    assert "1 to play" in err
    assert "1 damaged files were moved" in err
    assert results_in(folder) == before


KILLS = """
import os, random, signal, sys, time
from pathlib import Path
import robandit as rb
from robandit.catalogue import Catalogue
from robandit.cli.main import main
import jinja2, matplotlib.figure, robandit.lab.compile.link, robandit.study.report
from robandit.study.spec import read_study

spec, folder = sys.argv[1], Path(sys.argv[2])
read_study(Path(spec)).cells()  # all is loaded and every key worked out once: a kill costs milliseconds
dice, kills = random.Random(4), 0
for glob, more in [("cells/*.parquet", 3)] * 3 + [("figures/*", 1)]:
    wanted = len(list(folder.glob(glob))) + more
    child = os.fork()
    if child == 0:
        os._exit(main(["study", "run", spec, "--out", str(folder)]))
    ended = os.WEXITED | os.WNOHANG | os.WNOWAIT
    while len(list(folder.glob(glob))) < wanted and os.waitid(os.P_PID, child, ended) is None:
        time.sleep(0.002)
    time.sleep(dice.uniform(0.0, 0.03))
    os.kill(child, signal.SIGKILL)
    kills += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
print(kills)
"""


def test_kills_lose_nothing_but_the_cells_in_flight(
    spec: Path, whole: tuple[Path, str, str], tmp_path: Path, robandit: Any
) -> None:
    """Real kill -9 among cells and figures; the resumed study equals an uninterrupted one byte for byte."""
    folder = tmp_path / "killed"
    words = [sys.executable, "-c", KILLS, str(spec), str(folder)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    kills = int(done.stdout.splitlines()[-1])
    assert kills > 0
    left = 12 - len(list((folder / "cells").glob("*.parquet")))
    _, _, err = robandit("study", "run", str(spec), "--out", str(folder))
    assert f"{left} to play" in err
    assert results_in(folder) == results_in(whole[0])
    assert not [path for name in ("cells", "figures", "tables") for path in (folder / name).glob(".*")]


def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    spec = tmp_path / "long.toml"
    spec.write_text(
        SPEC + '\n[[grid]]\nid = "long"\npolicies = "samba"\nhorizons = 100000000\nruns = 50\ncheckpoints = 500\n'
    )
    words = [
        sys.executable,
        "-m",
        "robandit",
        "study",
        "run",
        str(spec),
        "--out",
        str(tmp_path / "out"),
        "--threads",
        "2",
    ]
    pipe = subprocess.PIPE
    process = subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True, preexec_fn=hear_ctrl_c)
    cells = tmp_path / "out" / "cells"
    for _ in range(300):
        if len(list(cells.glob("*.parquet"))) >= 12:
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, err = said_after(process, 60)
    assert process.returncode == 130
    assert err.endswith("robandit: stopped\n")
    assert len(list(cells.glob("*.parquet"))) == 12
    assert not list(cells.glob("*.flight.json"))


OWN = """
from dataclasses import dataclass
import numpy as np
import robandit as rb

@dataclass
class State:
    probabilities: np.ndarray

@dataclass(frozen=True)
class {cls}(rb.Policy[State]):
    '''{doc}'''
    about = rb.About("{name}", "a test")

    def start(self, setting):
        return State(np.full(setting.arms, {value}))
"""


def test_a_changed_policy_reruns_only_its_own_cells(tmp_path: Path, robandit: Any) -> None:
    (tmp_path / "one.py").write_text(OWN.format(cls="One", name="one", doc="first", value="1 / setting.arms"))
    (tmp_path / "two.py").write_text(OWN.format(cls="Two", name="two", doc="first", value="1 / setting.arms"))
    spec = tmp_path / "own.toml"
    spec.write_text(
        'name="own"\nload=["one.py","two.py"]\n[[grid]]\nid="g"\npolicies=["one","two"]\nhorizons=50\nruns=2\n'
    )

    words = ["study", "run", str(spec), "--out", str(tmp_path / "out")]

    def left() -> str:
        return str(robandit(*words)[2].splitlines()[0])

    assert left() == "own: 2 cells, 0 stored, 2 to play"
    later = subprocess.run([sys.executable, "-m", "robandit", *words], capture_output=True, text=True, check=True)
    assert later.stderr.splitlines()[0] == "own: 2 cells, 2 stored, 0 to play"
    (tmp_path / "two.py").write_text(
        OWN.format(cls="Two", name="two", doc="only the docstring", value="1 / setting.arms")
    )
    assert left() == "own: 2 cells, 2 stored, 0 to play"
    (tmp_path / "two.py").write_text(OWN.format(cls="Two", name="two", doc="first", value="0.5 / setting.arms * 2"))
    assert left() == "own: 2 cells, 1 stored, 1 to play"
    moved = (tmp_path / "out").rename(tmp_path / "moved")  # the results can be read where the files are not
    for name in ("one.py", "two.py", "own.toml"):
        (tmp_path / name).unlink()
    assert robandit("study", "status", str(moved), "--json")[1]["total"] == {"done": 2}
    assert len([*rb.read_results(moved).cells()]) == 2


def test_files_that_a_dictionary_loads_are_found_beside_its_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "one.py").write_text(OWN.format(cls="One", name="one", doc="x", value="1 / setting.arms"))
    monkeypatch.chdir(tmp_path)
    grid = {"id": "g", "policies": ["one"], "horizons": 50, "runs": 2}
    rb.run_study({"name": "own", "load": ["parts/one.py"], "grid": [grid]}, "out")
    (tmp_path / "parts" / "one.py").unlink()
    assert len([*rb.read_results("out").cells()]) == 1


def test_a_cell_that_fails_is_told_and_the_rest_goes_on(tmp_path: Path, robandit: Any) -> None:
    bad = OWN.format(cls="Bad", name="bad", doc="leaves the simplex", value="2.0")
    (tmp_path / "bad.py").write_text(bad)
    spec = tmp_path / "bad.toml"
    spec.write_text('name="bad"\nload=["bad.py"]\n[[grid]]\nid="g"\npolicies=["bad","samba"]\nhorizons=50\nruns=2\n')
    code, _, err = robandit("study", "run", str(spec), "--out", str(tmp_path / "out"))
    assert code == 2
    assert "1 cells failed" in err
    (tmp_path / "out" / "bad.py").write_text(bad)
    told = robandit("study", "status", str(tmp_path / "out"), "--json")[1]
    assert told["total"] == {"failed": 1, "done": 1}
    assert "not a distribution" in next(iter(told["failed"].values()))


def test_folders_that_are_no_study(tmp_path: Path, robandit: Any) -> None:
    code, _, err = robandit("study", "status", str(tmp_path))
    assert code == 2
    assert "is not the folder of a study" in err


def test_the_clock_learns_from_what_it_saw(spec: Path) -> None:
    cells = read_study(spec).cells()
    clock = Clock(cells, 2)
    for key, cell in list(cells.items())[:-1]:
        clock.record(key, cell, {"seconds": 1e-6 * work_of(cell)})
    last: Cell = list(cells.values())[-1]
    assert clock.seconds_left() == pytest.approx(1e-6 * work_of(last) / 2)


def test_a_cell_by_counts_does_not_promise_years() -> None:
    long = Cell("cbarbar:scale=1", "bernoulli", (0.2, 0.8), "none", "start", "full", "cost", 0.0, 10**12, 20, 1, 1)
    clock = Clock({"long": long}, 2)
    clock.record("other", replace(long, policy="samba", horizon=10**5), {"seconds": 0.1})
    assert clock.seconds_left() < 60


def test_a_study_given_as_a_dictionary_has_a_status_and_a_report(tmp_path: Path, robandit: Any) -> None:
    rb.run_study({"name": "given", "grid": [{"id": "g", "policies": ["samba"], "horizons": 50, "runs": 2}]}, tmp_path)
    code, status, _ = robandit("study", "status", str(tmp_path), "--json")
    assert (code, status["study"], status["total"]) == (0, "given", {"done": 1})
    assert robandit("study", "report", str(tmp_path))[0] == 0


@pytest.mark.parametrize("newer", ["toml", "json"])
def test_of_two_specs_in_a_folder_the_one_that_was_run_last_counts(newer: str, tmp_path: Path, robandit: Any) -> None:
    grid = {"id": "g", "policies": ["samba"], "horizons": 50, "runs": 2}
    (tmp_path / "mine.toml").write_text(
        'name = "toml"\n[[grid]]\nid = "g"\npolicies = "samba"\nhorizons = 60\nruns = 2\n'
    )
    out, runs = tmp_path / "out", [lambda: rb.run_study({"name": "json", "grid": [grid]}, out)]
    runs.insert(newer == "toml", lambda: robandit("study", "run", str(tmp_path / "mine.toml"), "--out", str(out)))
    for run in runs:
        run()
    assert rb.read_results(out).spec.name == newer
    assert [path.suffix for path in out.glob("spec.*")] == [f".{newer}"]
    stale = out / ("spec.json" if newer == "toml" else "spec.toml")  # as the first version left it
    stale.write_text('{"name": "stale"}')
    os.utime(stale, (1, 1))
    assert rb.read_results(out).spec.name == newer


def test_stored_cells_are_read_once_and_an_environment_is_made_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, read = list[str](), list[str]()
    usual, load = Catalogue.environment, ResultStore.load
    monkeypatch.setattr(Catalogue, "environment", lambda *terms: made.append(terms[1]) or usual(*terms))
    grid = {"id": "g", "policies": ["samba", "ucb1"], "budgets": [0, 9], "horizons": 50, "runs": 2}
    spec = {"name": "one", "grid": [grid]}
    assert len(read_study(spec).cells()) == 4
    assert len(made) == 1
    rb.run_study(spec, tmp_path)
    monkeypatch.setattr(ResultStore, "load", lambda self, key: read.append(key) or load(self, key))
    rb.run_study(spec, tmp_path).report()
    assert len(read) == 4
