"""The reproduction, made small: every claim is weighed, every table is there, and what varies is kept apart."""

import json
import re
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from robandit.executor import Threads
from robandit.paper import claims
from robandit.paper import page as paper
from robandit.paper.page import spec_path, write_paper
from robandit.pictures.panels import lay_out
from robandit.pictures.rendered import Rendered
from robandit.report import page
from robandit.store.cells import ResultStore
from robandit.study import figures
from robandit.study.results import Results
from robandit.study.run import play_cells
from robandit.study.spec import Study, read_study
from robandit.theory import statements
from tests.made_up import MadeUp

IDS = [
    "optimal",
    "log-t-less-than-cbarbar",
    "c-over-delta",
    "lowest-regret",
    "largest-at-zero",
    "shrinks-with-c",
    "faster-than-omd",
    "omd-worse-small-c",
    "barbar-surge",
    "linear-in-k",
    "lowest-every-k",
    "log-t",
    "linear-in-c",
    "alpha-condition",
    "adversary-power",
    "ftpl-cost",
    "omd-cost-t",
    "combinatorial",
]
FEW = ["samba", "fast-slow-aae", "barbar:scale=1", "cbarbar:scale=1", "ftrl-hybrid"]


def shrunk(text: str) -> str:
    """The full spec with short horizons, few runs and small budgets; not every reading."""
    dropped = "(field-)?(levels|k-sweep)-(flip-cost|lift-others|invert-cost)|levels-(invert|constants)"
    blocks = text.split("[[grid]]")
    text = "[[grid]]".join(block for block in blocks if not re.search(rf'id = "({dropped})', block))
    text = re.sub(r"budgets = \[0, 1000, 2000, 3000, 4000, 5000\]", "budgets = [0, 10, 30, 50]", text)
    text = re.sub(r"budgets = \[0, 1000, 3000, 5000\]", "budgets = [0, 10, 50]", text)
    text = re.sub(r"budgets = 3000", "budgets = 30\nhorizons = 400", text)
    text = re.sub(r"arms = \[6, 8, 10, 15, 20, 30\]", "arms = [6, 10, 15]", text)
    text = re.sub(r"means = \[\"uniform:1.*\]", 'means = ["uniform:1", "uniform:2"]', text)
    text = re.sub(r"(budgets = \[0, \d.*)", r"\1\nhorizons = 400", text)
    text = re.sub(r"horizons = \[10*, .*\]", "horizons = [10, 100, 1000, 10000]", text)
    text = re.sub(r"horizons = 400\n(horizons = 10000)", "horizons = 400", text)
    text = text.replace("horizons = 1000000\n", "horizons = 1000\n")
    text = re.sub(r"runs = \{.*\}", "runs = 25", text)
    text = re.sub(r"runs = (50|100|200|400|4000)\b", "runs = 25", text)
    text = re.sub(r'policies = \["tsallis.*\]', 'policies = ["tsallis-inf-iw", "tsallis-inf-rv", "thompson"]', text)
    return text.replace("budgets = 0\nruns = 25\ncheckpoints", "budgets = 0\nhorizons = 400\nruns = 25\ncheckpoints")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    folder = tmp_path_factory.mktemp("paper")
    (folder / "spec.toml").write_text(shrunk(spec_path(False).read_text()))
    study = read_study(folder / "spec.toml")
    assert max(cell.horizon for cell in study.cells().values()) <= 10_000
    assert play_cells(Threads(1), study.cells(), ResultStore(folder), lambda *_: None) == []
    return study, folder


@pytest.fixture
def quick_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two measured extras with fewer repeats, of the theory what fractions decide, figures only as on the page."""
    monkeypatch.setattr(page, "FILES", ("svg",))
    monkeypatch.setattr(figures, "draw_lines", lambda plot: Rendered(partial(lay_out, plot, 2)))
    row = {"seconds": 1.0, "ratio": 1.0, "ratios": [1.0, 1.0], "paper_seconds": None, "paper_ratio": 767.0}
    monkeypatch.setattr(paper, "time_table", lambda quick: dict.fromkeys((*FEW, "tsallis-inf-iw"), row))
    rows = [
        {"horizon": h, "mean": 9.0, "variance": float(h), "means": [9.0, 9.0], "variances": [h - 1.0, h + 1.0]}
        for h in (100, 1000)
    ]
    monkeypatch.setattr(paper, "resampling_cost", lambda: {"geometric": rows, "conditional": rows})
    by_arms = [{"arms": arms, "mean": 2.0, "means": [2.0, 2.1]} for arms in (3, 9)]
    monkeypatch.setattr(paper, "resampling_by_arms", lambda: {"geometric": by_arms, "conditional": by_arms})
    steps = [{"horizon": horizon, "mean": 2.0, "means": [2.0, 2.1]} for horizon in (100, 1000)]
    monkeypatch.setattr(paper, "solver_steps", lambda: {"tsallis-inf-iw": steps})
    fractions_only = tuple(s for s in statements.STATEMENTS if s.weigh.__module__.endswith("weigh_rounds"))
    monkeypatch.setattr(statements, "STATEMENTS", fractions_only)


@pytest.mark.usefixtures("quick_extras")
def test_results_have_the_keys_of_the_contract(small: tuple[Study, Path]) -> None:
    study, folder = small
    told = write_paper(Results(study, ResultStore(folder)), quick=False, timings=True)
    assert json.loads((folder / "results.json").read_text()) == told
    assert told["quick"] is False
    sweep = told["tables"]["k_sweep"]
    assert list(sweep)[:5] == ["samba", "fast-slow-aae", "barbar", "cbarbar", "ftrl-hybrid"]
    assert sweep["samba"]["6"].keys() == {"mean", "se", "half_width_95", "runs", "paper"}
    assert sweep["samba"]["6"]["paper"] == 629.9
    assert sweep["tsallis-inf-iw"]["6"]["paper"] is None
    assert set(told["tables"]["k_sweep_readings"]) >= {"invert-rounds", "linspace", "uniform", "constants"}
    assert [claim["id"] for claim in told["claims"]] == IDS
    allowed = {"reproduced", "depends", "not-reproduced", "not-tested"}
    assert {claim["verdict"] for claim in told["claims"]} <= allowed
    assert not [claim["id"] for claim in told["claims"] if "Needs" in claim["evidence"]], "a grid is missing"
    assert {claim["id"]: claim["note"] for claim in told["claims"]} == {claim.id: claim.note for claim in claims.CLAIMS}
    assert all(any(letter.isdigit() for letter in claim["evidence"]) for claim in told["claims"])
    page = (folder / "report.html").read_text()
    rests_on = {claim["id"]: claim["theory"] for claim in told["claims"]}
    assert {"id": "inverse-drift", "verdict": "holds under a stronger condition"} in rests_on["alpha-condition"]
    assert {"id": "jensen-corrupted", "verdict": "fails"} in rests_on["c-over-delta"]
    assert "9/20000" in page
    for name in IDS:
        assert f'id="claim-{name}"' in page
    assert page.count("Note: ") == sum(bool(claim.note) for claim in claims.CLAIMS)
    for target in set(re.findall(r'href="#([^"]+)"', page)):
        assert f'id="{target}"' in page, f"a link leads nowhere: {target}"


@pytest.mark.usefixtures("quick_extras")
def test_without_timings_the_same_store_gives_the_same_bytes(small: tuple[Study, Path], tmp_path: Path) -> None:
    study, folder = replace(small[0], grids=small[0].grids[:1]), small[1]
    pages = []
    for name in ("one", "two"):
        shutil.copytree(folder / "cells", tmp_path / name / "cells")
        told = write_paper(Results(study, ResultStore(tmp_path / name)), quick=False, timings=False)
        assert told["tables"]["time"] is None
        pages.append([(tmp_path / name / file).read_bytes() for file in ("results.json", "report.html")])
    assert pages[0] == pages[1]


def test_claims_rest_on_statements_that_are_there() -> None:
    named = {name for claim in claims.CLAIMS for name in claim.theory}
    assert named
    assert named <= {statement.id for statement in statements.STATEMENTS}


def test_what_is_missing_is_not_tested(tmp_path: Path) -> None:
    study = read_study(spec_path(True))
    told = claims.weigh_claims(Results(study, ResultStore(tmp_path)), {})
    assert {claim["verdict"] for claim in told} == {"not-tested"}


def test_a_quick_look_holds_the_grids_of_every_claim() -> None:
    """What it decides is up to the dice; that it could is not."""
    quick = read_study(spec_path(True))
    told = claims.weigh_claims(MadeUp(quick, lambda cell, t: 100.0 + cell.budget, 0.1), {})
    assert [claim["id"] for claim in told if "Needs" in claim["evidence"]] == []
    unmeasured = [claim["id"] for claim in told if re.search("not (measured|counted)", claim["evidence"])]
    assert unmeasured == ["faster-than-omd", "ftpl-cost", "omd-cost-t", "combinatorial"]


def test_the_time_table_and_the_resampling_cost_are_measured() -> None:
    from robandit.paper.resampling import resampling_cost
    from robandit.paper.timing import time_table

    times = time_table(quick=True)
    assert times["samba"]["ratio"] == 1.0
    assert min(times["ftrl-hybrid"]["ratios"]) <= times["ftrl-hybrid"]["ratio"]
    assert times["ftrl-hybrid"]["ratio"] > times["fast-slow-aae"]["ratio"] > 1.0
    assert times["ftrl-hybrid"]["paper_ratio"] == pytest.approx(767.2, abs=0.1)
    cost = resampling_cost(runs=1)
    assert [row["horizon"] for row in cost["geometric"]] == [1000, 10_000, 100_000]
    assert cost["conditional"][0]["mean"] < cost["geometric"][0]["mean"]


def test_resamples_by_arms_and_newton_steps_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    from robandit.paper import resampling, solver

    by_arms = resampling.resampling_by_arms(runs=2, horizon=2000)
    assert [row["arms"] for row in by_arms["geometric"]] == [3, 9, 27, 81]
    assert [row["mean"] for row in by_arms["geometric"]] == pytest.approx([3, 9, 27, 81], rel=0.35)  # K on average
    assert max(row["mean"] for row in by_arms["conditional"]) < 6.0
    monkeypatch.setattr(solver, "HORIZONS", (1000, 10_000))
    steps = {name: [row["mean"] for row in rows] for name, rows in solver.solver_steps(runs=2).items()}
    assert steps["tsallis-inf-iw"] == pytest.approx([3.35, 3.0], abs=0.15)
    assert all(1.0 < last < first < 4.0 for first, last in steps.values())
    assert solver.copies_by_horizon()["multi-layer-aae"] == {1000: 10, 10_000: 14}
