"""The lab from Python: what a researcher types works, or one sentence says what to write."""

import io
import sys
from contextlib import redirect_stderr
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet
import pytest

import robandit as rb
from robandit.errors import InputError
from robandit.progress import ignore, part_of, report_to

GAME = {"horizon": 300, "runs": 4, "seed": 3}
STUDY = {
    "name": "mine",
    "grid": [
        {"id": "g", "policies": ["samba", "ucb1"], "arms": [2, 3], "budgets": [0, 9], "horizons": [1e2], "runs": 3.0}
    ],
}


def test_text_means_and_whole_floats_are_what_they_mean() -> None:
    plain = rb.simulate(rb.Samba(0.1), rb.Bernoulli([0.1, 0.9]), **GAME)
    short = rb.simulate("samba:learning_rate=0.1", [0.1, 0.9], horizon=3e2, runs=np.int64(4), seed=3.0)  # type: ignore[arg-type]
    assert np.array_equal(plain.regret, short.regret)
    assert rb.simulate("samba", np.array([0.1, 0.9]), **GAME).gaps[0] == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("parts", "terms", "words"),
    [
        (("sambo", [0.1, 0.9]), {}, "policy 'sambo' is unknown; did you mean 'samba'?"),
        ((7, [0.1, 0.9]), {}, "the policy must be a Policy or its text, such as 'samba:learning_rate=0.1', not 7"),
        (("samba", "bernoulli"), {}, "the environment must be an Environment or a list of means, such as"),
        (("samba", 3), {}, "the environment must be an Environment or a list of means, such as"),
        (
            ("samba", [0.1, 0.9], "flip"),
            {},
            "the adversary must be an Adversary, such as rb.attack('flip', budget=300)",
        ),
        (("samba", [0.1, 0.9]), {"horizon": 10.5}, "horizon must be a whole number of at least 1, not 10.5"),
        (("samba", [0.1, 0.9]), {"runs": True}, "runs must be a whole number of at least 1, not True"),
        (("samba", [0.1, 0.9]), {"threads": 0}, "threads must be a whole number of at least 1, not 0"),
        (("samba", [0.1, 0.9]), {"horizon": 1e16}, "horizon must be at most 1,000,000,000,000,000, not"),
    ],
)
def test_what_does_not_work_says_what_to_write(parts: Any, terms: Any, words: str) -> None:
    with pytest.raises(InputError) as error:
        rb.simulate(*parts, **{**GAME, **terms})
    assert str(error.value).startswith(words)


def test_a_seed_makes_a_stream() -> None:
    one, two, other = rb.Random(1), rb.Random(1), rb.Random(2)
    assert one == two != other
    assert one.uniform() == two.uniform()
    assert rb.Random(1, 2, 3, 4).s3 == 4
    assert np.mean([one.uniform() for _ in range(4000)]) == pytest.approx(0.5, abs=0.03)  # six standard errors


def test_a_trace_is_short_in_words_and_whole_in_tables() -> None:
    trace = rb.simulate("samba", [0.1, 0.5, 0.9], rb.attack("flip", budget=9), **GAME)
    words = repr(trace)
    assert words.startswith("<Trace: 4 runs of 300 rounds, 3 arms, regret ")
    assert words.endswith(", corruption 9.0>")
    assert len(words) < 100
    assert "1 run of 300 rounds" in repr(rb.simulate("samba", [0.1, 0.9], horizon=300, runs=1))
    table = trace.to_arrow()
    assert table.column_names == ["run", "round", "regret", "corruption_paid"]
    assert np.array_equal(table["regret"].to_numpy().reshape(trace.regret.shape), trace.regret)
    assert np.array_equal(table["round"].to_numpy()[: len(trace.rounds)], trace.rounds)
    assert table["run"].to_numpy()[-1] == 3
    assert pyarrow.table(trace) == table


def test_pandas_is_asked_for_only_where_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = rb.simulate("samba", [0.1, 0.9], **GAME)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r"to_pandas needs pandas, which is not installed: pip install pandas"):
        trace.to_pandas()


def test_a_plot_is_shown_saved_and_refused(tmp_path: Path) -> None:
    traces = {name: rb.simulate(name, [0.1, 0.9], **GAME) for name in ("samba", "ucb1")}
    drawn = rb.plot(traces)
    assert all(f">{words}" in drawn._repr_svg_() for words in ("samba", "ucb1", "round", "2 arms, 4 runs"))
    assert drawn.save(tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")
    assert traces["samba"].plot("mine").save(tmp_path / "one.svg").read_text().count("mine loses") == 1
    with pytest.raises(InputError, match=r"must end in .png, .svg, .pdf"):
        drawn.save(tmp_path / "r.gif")
    with pytest.raises(InputError, match="the same horizon"):
        rb.plot({**traces, "long": rb.simulate("samba", [0.1, 0.9], horizon=400, runs=2)})
    with pytest.raises(InputError, match="plot draws traces"):
        rb.plot({"samba": "samba"})  # type: ignore[dict-item]


def test_progress_is_written_over_itself_and_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("robandit.progress.EVERY", 0.0)
    with redirect_stderr(io.StringIO()) as said, report_to(True) as report:
        part_of(report, 0.2, 0.3)(0.5)
        assert " 25 %, about " in said.getvalue()
    assert said.getvalue().endswith("\r")
    with report_to(None) as nothing, report_to(False) as nobody:
        assert nothing is nobody is ignore
    with redirect_stderr(io.StringIO()) as said:
        rb.simulate("samba", [0.1, 0.9], progress=True, **GAME)
    assert "100 %" in said.getvalue()


def test_runs_go_to_a_file(robandit: Any, tmp_path: Path) -> None:
    words = (
        "play",
        "--policy",
        "samba",
        "--policy",
        "ucb1",
        "--arms",
        "3",
        "--horizon",
        "300",
        "--runs",
        "4",
        "--seed",
        "3",
    )
    for kind, read in (("csv", pyarrow.csv.read_csv), ("parquet", pyarrow.parquet.read_table)):
        path = tmp_path / f"runs.{kind}"
        assert robandit(*words, "--json", "--runs-out", str(path))[0] == 0
        table = read(path)
        assert table.column_names == ["policy", "run", "round", "regret", "corruption_paid"]
        mine = rb.simulate("ucb1", [0.25, 0.5, 0.75], **GAME)
        theirs = table.filter(pyarrow.compute.equal(table["policy"], "ucb1"))["regret"].to_numpy()
        assert theirs == pytest.approx(mine.regret.ravel(), abs=1e-9)
    code, _, said = robandit(*words, "--runs-out", str(tmp_path / "runs.xls"))
    assert (code, "--runs-out: a table of runs must end in .csv, .parquet" in said) == (2, True)


def test_a_study_is_run_and_read_from_python(tmp_path: Path) -> None:
    found = rb.run_study(STUDY, tmp_path, threads=1)
    assert repr(found) == f"<StudyResults 'mine': 8 of 8 cells, in {str(tmp_path)!r}>"
    rows = found.summary()
    assert [(row["policy"], row["arms"], row["budget"]) for row in rows][:3] == [
        ("samba", 2, 0.0),
        ("samba", 2, 9.0),
        ("samba", 3, 0.0),
    ]
    trace = found.trace("g", policy="ucb1", arms=3, budget=9)
    direct = rb.simulate("ucb1", [0.25, 0.5, 0.75], rb.attack("flip", budget=9), horizon=100, runs=3, checkpoints=1)
    assert np.array_equal(trace.regret, direct.regret)
    table = found.to_arrow()
    assert table.num_rows == 8 * 3
    assert set(table.column_names) >= {"grid", "policy", "arms", "means", "budget", "run", "regret", "corruption_paid"}
    again = rb.read_results(tmp_path)
    assert again.to_arrow().equals(table)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    rb.run_study(STUDY, tmp_path)  # nothing is played again
    assert before == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    assert found.report().is_file()


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (lambda found: found.trace("h"), "grid 'h' is unknown (allowed: g)"),
        (lambda found: found.trace("g", colour=1), "coordinate 'colour' is unknown (allowed: arms, policy,"),
        (
            lambda found: found.trace("g", policy="samba"),
            "4 cells of grid 'g' have {'policy': 'samba'}, name one:",
        ),
    ],
)
def test_a_cell_that_is_not_one_is_a_sentence(asked: Any, words: str, tmp_path: Path) -> None:
    found = rb.run_study(STUDY, tmp_path, threads=1)
    with pytest.raises(InputError) as error:
        asked(found)
    assert str(error.value).startswith(words)


def test_a_wrong_study_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    for spec, words in (
        ({"name": "x", "grid": [{"id": "g", "policies": ["sambo"]}]}, "the study: grid 1: policies: policy 'sambo'"),
        (7, "a study is a TOML file or a dictionary with a name and a grid, not 7"),
    ):
        with pytest.raises(InputError, match=words.replace("(", r"\(")):
            rb.run_study(spec, tmp_path / "out")  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()
    with pytest.raises(InputError, match="is not the folder of a study"):
        rb.read_results(tmp_path)


def test_a_scenario_is_checked_once_and_says_what_follows() -> None:
    scenario = rb.Scenario("samba", [0.1, 0.9], horizon=3e2, runs=4, seed=3, agents=2)
    assert (scenario.horizon, scenario.turns, scenario.rounds, scenario.work) == (300, 2, 600, 600 * 4 * 2)
    assert np.allclose(scenario.gaps, [0.8, 0.0])
    assert (scenario.setting().agents, scenario.setting().horizon) == (2, 600)
    assert scenario == rb.Scenario("samba", [0.1, 0.9], **GAME, agents=2) != replace(scenario, seed=4)
    attacked = replace(scenario, agents=1, charge="rounds", capability="add").attacked_by("push-shown", 9)
    assert (attacked.adversary.budget, attacked.adversary.charge) == (9.0, "rounds")
    assert str(attacked.adversary.capability) == "add"  # type: ignore[attr-defined]
    flip = rb.Scenario("samba", [0.1, 0.9], **GAME).attacked_by("flip", 9)
    played = rb.simulate(flip, checkpoints=3).regret
    assert np.array_equal(
        played, rb.simulate("samba", [0.1, 0.9], rb.attack("flip", budget=9), checkpoints=3, **GAME).regret
    )
    with pytest.raises(InputError, match="a scenario says all that is played"):
        rb.simulate(flip, horizon=10)  # type: ignore[call-overload]
    with pytest.raises(InputError, match="charge must be one of cost, rounds, not 'money'"):
        replace(flip, charge="money")
    with pytest.raises(TypeError, match="horizon"):
        rb.Scenario("samba", [0.1, 0.9])  # type: ignore[call-arg]
