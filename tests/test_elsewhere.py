"""The red team and the suite on a real Dask cluster of four processes, one of which is killed: the same results."""

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import robandit as rb
from robandit.cli.main import main
from robandit.executor import open_executor
from robandit.lab.scenario import Scenario
from robandit.redteam.candidate import Candidate
from robandit.redteam.elsewhere import answer_elsewhere, is_answered
from robandit.redteam.evaluate import Evaluator, Play, journal_for
from robandit.redteam.plain import environment_text, make_scenario, plain_scenario
from robandit.redteam.price import PriceOptions, attack_price, pricing_attacks
from tests.support import OWN_POLICY
from tests.test_suite import SMALL

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own warnings are not ours to fix
distributed = pytest.importorskip("distributed", reason="the extra robandit[cluster] is not installed")

PRICE = ["price", "--policy", "ucb1", "--policy", "thompson", "--means", "0.3,0.45,0.8", "--horizon", "2000"]
PRICE += ["--runs", "6", "--can", "erase", "--json"]
REDTEAM = ["redteam", "--policy", "ucb1", "--means", "0.3,0.45,0.8", "--horizon", "1000", "--runs", "6"]
REDTEAM += ["--budget", "20", "--threat", "B", "--quick", "--json"]
SUITE = ["suite", "run", "--policy", "ucb1", "--json"]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Four processes of one thread each."""
    with distributed.LocalCluster(
        n_workers=4, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as found:
        yield found


def kill_one(cluster: Any, folder: Path) -> tuple[threading.Thread, list[int]]:
    """Kill one worker as soon as something has come back, or after a second."""
    killed: list[int] = []

    def kill() -> None:
        end = time.monotonic() + 1.0
        while time.monotonic() < end and not any(folder.glob("**/*.jsonl")):
            time.sleep(0.01)
        killed.append(next(iter(cluster.workers.values())).process.pid)
        os.kill(killed[0], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread, killed


@pytest.mark.parametrize("words", [PRICE, REDTEAM, SUITE], ids=["price", "redteam", "suite"])
def test_four_processes_of_which_one_is_killed_give_the_same_bytes(
    words: list[str], cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    words = [*words, *(["--suite", str(tmp_path / "small.toml")] if words is SUITE else [])]
    assert main([*words, "--out", str(tmp_path / "here")]) == 0
    here = capsys.readouterr().out
    thread, killed = kill_one(cluster, tmp_path / "there")
    try:
        assert main([*words, "--out", str(tmp_path / "there"), "--scheduler", cluster.scheduler_address]) == 0
    finally:
        thread.join(timeout=10)
    assert capsys.readouterr().out == here
    assert killed
    for name in ("results.json", "results.parquet", "suite.html"):
        if words[0] == "suite":
            assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


def test_a_client_that_was_killed_goes_on_and_does_not_ask_again(cluster: Any, tmp_path: Path) -> None:
    scenario = Scenario("ucb1", (0.3, 0.45, 0.8), horizon=2000, runs=6, capability="erase")
    rest = pricing_attacks(scenario, "B"), PriceOptions()
    terms: dict[str, Any] = {"horizon": 2000, "runs": 6, "capability": "erase", "out": tmp_path}
    price = rb.find_price("ucb1", (0.3, 0.45, 0.8), scheduler=cluster.scheduler_address, **terms)
    journal = next(tmp_path.glob("*.jsonl"))
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-3]) + lines[-3][:20])
    evaluator = Evaluator(scenario, journal_for(scenario, tmp_path, "price-B"))
    assert not is_answered(attack_price, evaluator, rest)
    assert rb.find_price("ucb1", (0.3, 0.45, 0.8), scheduler=cluster.scheduler_address, **terms) == price
    evaluator = Evaluator(scenario, journal_for(scenario, tmp_path, "price-B"))
    assert is_answered(attack_price, evaluator, rest)


def test_it_is_the_workers_who_play(cluster: Any) -> None:
    scenario = Scenario("samba", (0.3, 0.8), horizon=500, runs=4)
    evaluator, rest = Evaluator(scenario), (pricing_attacks(scenario, "B")[:2], PriceOptions())
    answer_elsewhere(attack_price, [(evaluator, rest)], cluster.scheduler_address)
    assert is_answered(attack_price, evaluator, rest)
    plays = [Play(Candidate("sink-shown"), 5.0, seed, 2) for seed in range(3)]
    with open_executor(1, cluster.scheduler_address) as there:
        evaluator = Evaluator(scenario, executor=there)
        evaluator.remember(plays)
    assert set(evaluator.journal.values) == {evaluator.key(play) for play in plays}


def test_what_has_no_text_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    class Nameless(rb.Samba):
        """Of no file and no package."""

    with pytest.raises(rb.InputError, match="must have a text"):
        plain_scenario(Scenario(Nameless(), (0.2, 0.8), horizon=100))
    (tmp_path / "own.py").write_text(OWN_POLICY.format(arm=1))
    catalogue = rb.Catalogue().with_file(str(tmp_path / "own.py"))
    own = Scenario("own", (0.2, 0.8), horizon=100, catalogue=catalogue)
    values = json.loads(json.dumps(plain_scenario(own)))
    assert str(make_scenario(values).policy) == "own"


@pytest.mark.parametrize(
    "text", ["bernoulli", "beta:concentration=7", "linear:arms=12,dimension=3", "shifts:every=50", "contexts:arms=4"]
)
def test_environments_are_made_again_from_their_text(text: str) -> None:
    environment = rb.environment(text, (0.2, 0.8))
    assert rb.environment(environment_text(environment), tuple(environment.means)) == environment


def test_no_scheduler_is_one_sentence(robandit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from robandit import executor

    monkeypatch.setattr(executor, "ANSWER", 0.5)
    for words in (PRICE, REDTEAM):
        code, _, said = robandit(*words, "--out", str(tmp_path), "--scheduler", "tcp://127.0.0.1:9")
        assert code == 2
        assert said.splitlines()[-1] == "robandit: --scheduler: no Dask scheduler answers at 'tcp://127.0.0.1:9'"
