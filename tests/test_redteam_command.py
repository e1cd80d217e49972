"""The red team's command: its answer, its replay, a kill in the middle, progress in a pipe, curves, refusals."""

import contextlib
import io
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from robandit.cli import progress
from robandit.cli.main import main
from robandit.redteam.evaluate import Evaluator, Play
from robandit.redteam.tables import redteam_table
from robandit.store.journal import Journal

COMMAND = ["redteam", "--policy", "samba", "--means", "0.3,0.45,0.8", "--horizon", "1500", "--runs", "20"]
COMMAND += ["--budget", "15", "--threat", "B", "--evaluations", "20", "--json"]


# Ends as by `kill -9` as soon as forty plays are written down.
KILLED = """
import os, signal, sys
from robandit.cli.main import main
from robandit.store.journal import Journal
usual = Journal.append

def append(journal, path, body):
    usual(journal, path, body)
    if len(journal.values) == 39:
        os.kill(os.getpid(), signal.SIGKILL)

Journal.append = append
main(sys.argv[1:])
"""


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What a search said, and the folder with its journal and its picture."""
    folder = tmp_path_factory.mktemp("searched")
    with contextlib.redirect_stdout(io.StringIO()) as said:
        assert main([*COMMAND, "--out", str(folder / "kept"), "--plot", str(folder / "attack.png")]) == 0
    return said.getvalue(), folder


def test_the_command_answers_by_contract_and_its_replay_gives_the_same_bits(
    searched: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    told = json.loads(searched[0])
    assert {"policy", "threat", "budget", "attack", "regret", "in_sample", "baseline", "evaluations"} <= set(told)
    assert told["evaluations"] > 20
    assert (searched[1] / "attack.png").stat().st_size > 20_000
    assert main([*told["replay"].split()[1:], "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["results"][0]["regret"] == told["regret"]
    assert again["adversary"] == told["attack"]


def test_a_killed_search_goes_on_to_the_same_answer(
    searched: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, (whole,) = [*COMMAND, "--out", str(tmp_path)], (searched[1] / "kept").iterdir()
    killed = subprocess.run([sys.executable, "-c", KILLED, *words], stdout=subprocess.DEVNULL)
    assert killed.returncode == -9
    left = (tmp_path / whole.name).read_bytes()
    assert left.count(b"\n") == 40 < whole.read_bytes().count(b"\n")
    assert main(words) == 0
    assert {**json.loads(capsys.readouterr().out), "picture": None} == {**json.loads(searched[0]), "picture": None}
    after = (tmp_path / whole.name).read_bytes()
    assert after.startswith(left)
    assert after.count(b"\n") == whole.read_bytes().count(b"\n")  # nothing was played twice
    assert Journal(tmp_path / whole.name).values == Journal(whole).values


def test_only_a_number_that_is_higher_is_called_flattered() -> None:
    told: dict[str, Any] = {"label": "samba", "threat": "B", "budget": 5.0, "horizon": 10, "runs": 2, "told": False}
    told |= {"evaluations": 3, "environment": {"name": "bernoulli", "means": [0.1, 0.2]}, "catalogue": None}
    told |= {"attack": {"threat": "B", "attack": "sink-shown", "schedule": None, "size": None, "charge": "cost"}}
    fresh = {"mean": 20.0, "half_width_95": 1.0}
    captions = [
        str(redteam_table({**told, "regret": fresh, "baseline": fresh, "in_sample": {"mean": inside}}).caption)
        for inside in (25.0, 15.0)
    ]
    assert "it had 25.0: flattered by the choice" in captions[0]
    assert "it had 15.0: this time not flattered" in captions[1]


@pytest.mark.parametrize("command", ["redteam", "price"])
def test_in_a_pipe_long_work_says_how_long_and_how_far_it_is(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.05)
    usual = Evaluator.outcome

    def slow(self: Evaluator, play: Play, threads: int | None = None) -> dict[str, Any]:
        time.sleep(0.01)
        return usual(self, play, threads)

    monkeypatch.setattr(Evaluator, "outcome", slow)
    words = [command, "--means", "0.3,0.8", "--horizon", "200", "--runs", "4", "--out", str(tmp_path), "--json"]
    words += ["--budget", "5", "--quick"] if command == "redteam" else ["--policy", "samba", "--attack", "sink-shown"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    json.loads(out)
    lines = err.splitlines()
    assert re.fullmatch(
        rf"{command}: (1 search|1 policy on 1 environment), roughly [\d,]+ runs of 200 rounds", lines[0]
    )
    assert len(lines) > 2
    assert re.fullmatch(r"\d+ s: \d+ % done, (about \d+ s left|time left unknown) \(.*\)", lines[-1])


def test_several_budgets_give_curves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*COMMAND[: COMMAND.index("--budget")], "--out", str(tmp_path)]
    words += ["--budget", "5", "--budget", "20", "--quick"]
    assert main([*words, "--plot", str(tmp_path / "curves.svg")]) == 0
    said = capsys.readouterr().out
    assert said.count("Worst attack found on samba") == 2
    drawn = (tmp_path / "curves.svg").read_text()
    assert "a heuristic, no bound" in drawn
    assert "Black: regret = C." in drawn


REFUSALS: list[tuple[list[str], str]] = [
    (["redteam"], "needs a --budget"),
    (["redteam", "--budget", "0"], "must be a number above 0"),
    (["redteam", "--budget", "inf"], "must be a number above 0"),
    (["redteam", "--budget", "5", "--threat", "C"], "must be A"),
    (["redteam", "--budget", "5", "--means", "0.5"], "nothing to learn"),
    (["redteam", "--budget", "5", "--evaluations", "-1"], "at least 0"),
    (["redteam", "--budget", "5", "--plot", "x.gif"], "must end in"),
    (["redteam", "--budget", "5", "--budget", "0"], "must be a number above 0"),
    (["redteam", "--budget", "5", "--threads", "-1"], "threads must be"),
    (["redteam", "--budget", "5", "--threads", "0"], "threads must be"),
    (["redteam", "--budget", "5", "--seed", "-1"], "seed must be"),
    (["redteam", "--budget", "5", "--runs", "0"], "runs must be"),
    (["redteam", "--budget", "5", "--horizon", "1e8"], "horizon must be at most"),
    (["redteam", "--budget", "5", "--out", "/dev/null", "--quick", "--horizon", "10"], "cannot be written"),
    (["redteam", "--budget", "5", "--charge", "money"], "charge"),
    (["redteam", "--budget", "5", "--attack", "flip"], "unknown"),
    (["price", "--threat", "X"], "must be A"),
    (["price", "--blocks", "2"], "at least 3"),
    (["price", "--runs", "1"], "at least 2"),
    (["price", "--attack", "flip"], "of threat model A"),
    (["price", "--attack", "nonsense"], "nonsense"),
    (["price", "--schedule", "start"], "without --attack"),
    (["price", "--size", "7"], "without --attack"),
    (["price", "--threads", "0"], "threads must be"),
    (["price", "--means", "0.5"], "nothing to learn"),
    (["paper", "optimum"], "either a price or a budget"),
    (["paper", "optimum", "--budget", "0.3"], "multiple of 0.2"),
    (["paper", "optimum", "--budget", "8e8", "--horizon", "1e7"], "do not fit"),
    (["paper", "optimum", "--budget", "2", "--means", "0.2,0.4,0.6"], "with three arms only a price"),
    (["paper", "optimum", "--budget", "2", "--confirm", "-3"], "at least 0"),
]


@pytest.mark.parametrize(
    ("words", "message"), REFUSALS, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_refusals_are_one_sentence_and_write_nothing(
    words: list[str], message: str, tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.startswith("robandit: ")
    assert message in said
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())
