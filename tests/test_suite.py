"""The suite: its numbers by hand, its journal, its rules, its page, and what is stored of the shipped policies."""

import json
import math
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.errors import InputError
from robandit.lab.scenario import Scenario
from robandit.redteam.evaluate import block_seed
from robandit.redteam.injection import Injection
from robandit.suite.measure import RowTask, measure_attack
from robandit.suite.results import COLUMNS, STORED, read_stored, score_card
from robandit.suite.run import task_of
from robandit.suite.spec import SUITE, Suite, SuiteEnvironment, read_suite
from tests.chrome import CHROMIUM, Chrome
from tests.support import OWN_ADVERSARY

SMALL = """name = "small-suite"
runs = 6
seed = 5
history = 20
standard_attack = 1
race = [[1, 0.5], [2, 1.0]]
sees_draw = ["sink-shown", "promote", "push-shown:lowered=3"]
before_draw = [["flip", "start", "full"], ["invert", "start", "efficient"]]
environments = [
  { name = "two", means = [0.2, 0.8], horizon = 300, budgets = [5, 40], shares = [0.1], rows = [10] },
  { name = "slates", means = [0.1, 0.4, 0.8], slate = 2, horizon = 100, budgets = [5], shares = [0.1] },
]
attackers = [
  { name = "none" },
  { name = "erase", can = "erase", has = "budgets" },
  { name = "ring", can = "both", has = "shares" },
  { name = "before", threat = "A", has = "budgets" },
  { name = "injection", has = "rows" },
]
"""
OWN = (Path(__file__).parents[1] / "recipes" / "commit.py").read_text()


@pytest.fixture
def small(tmp_path: Path) -> list[str]:
    """The words that name a small suite and a folder for it."""
    (tmp_path / "small.toml").write_text(SMALL)
    return ["--suite", str(tmp_path / "small.toml"), "--out", str(tmp_path / "out"), "--threads", "2"]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "rows.jsonl"}


def test_a_run_that_is_cut_goes_on_and_ends_with_the_same_bytes(
    small: list[str], tmp_path: Path, robandit: Any
) -> None:
    words = ["suite", "run", *small, "--policy", "samba", "--policy", "uniform"]
    code, result, _ = robandit(*words, "--json")
    assert code == 0
    out, first = tmp_path / "out", files(tmp_path / "out")
    assert set(first) == {"results.json", "results.parquet", "suite.html"}
    rows = result["rows"]
    assert [row["policy"] for row in rows] == ["samba"] * 7 + ["uniform"] * 7
    assert [row["level"] for row in rows[:7]] == [None, 5.0, 40.0, 0.1, 5.0, 40.0, 10.0]
    lines = (out / "rows.jsonl").read_bytes().splitlines(keepends=True)
    (out / "rows.jsonl").write_bytes(b"".join(lines[:5]) + lines[5][:30])  # as a kill may leave it
    _, status, _ = robandit("suite", "status", *small, "--json")
    assert [(one["policy"], one["of"]) for one in status["policies"]] == [("samba", 5), ("uniform", 5)]
    assert sum(one["done"] for one in status["policies"]) == 2
    assert robandit(*words)[0] == 0
    assert files(out) == first
    gaps = result["policies"][0]["left_out"]
    assert {gap["environment"] for gap in gaps} == {"slates"}
    assert "cannot fill a slate" in gaps[0]["reason"]


def test_rows_are_what_a_play_of_their_attack_says(small: list[str], robandit: Any, tmp_path: Path) -> None:
    """An even draw scores 0, and every row can be had again with `simulate` alone."""
    _, result, _ = robandit("suite", "run", *small, "--policy", "uniform", "--policy", "slate-samba", "--json")
    suite = read_suite(tmp_path / "small.toml")
    for row in result["rows"]:
        check_row(suite, row)
        if row["policy"] == "uniform":
            assert abs(row["score"]) < 6 * math.sqrt(1 / (6 * 300))  # a round's regret is 0 or twice its mean
    assert {row["environment"] for row in result["rows"] if row["policy"] == "slate-samba"} == {"slates"}


def check_row(suite: Suite, row: dict[str, Any]) -> None:
    """Play a row's attack with the library's plain calls: the same numbers, to the bit."""
    place = next(one for one in suite.environments if one.name == row["environment"])
    scenario = Scenario(
        rb.policy(row["policy"]),
        place.make(),
        horizon=place.horizon,
        runs=suite.runs,
        seed=suite.seed_of(place),
        slate=place.slate,
    )
    attacker = next(one for one in suite.attackers if one.name == row["attacker"])
    if attacker.has == "rows":
        regrets = Injection(scenario, suite.history).play(int(row["level"]), row["attack"], scenario.seed)[1]
    else:
        regrets = play_again(scenario, row, attacker.has).regret[:, -1].tolist()
    assert float(np.mean(regrets)) == row["regret"]
    even = place.horizon * place.slate * float(scenario.gaps.mean())
    scores = [1.0 - regret / even for regret in regrets]
    assert float(np.mean(scores)) == row["score"]
    assert row["half_width_95"] == pytest.approx(t_quantile(len(scores)) * np.std(scores, ddof=1) / len(scores) ** 0.5)


def t_quantile(runs: int) -> float:
    """Student's 97.5 % quantile, from a table."""
    return {6: 2.5705818, 64: 1.9983405}[runs]


def play_again(scenario: Scenario, row: dict[str, Any], has: str) -> Any:
    """The play behind a row, from the words that name its attack."""
    adversary = None
    if row["attack"] is not None:
        words = row["attack"].split()
        terms = {flag.removeprefix("--"): word for flag, word in zip(words[::2], words[1::2], strict=True)}
        name, can = terms.pop("attack"), terms.pop("can", "both")
        budget = row["level"] if has == "budgets" else math.inf
        adversary = rb.attack(name, budget=budget, capability=can, **terms)
    return rb.simulate(replace(scenario, adversary=adversary or scenario.adversary), checkpoints=1, engine="rounds")


def test_seeds_that_choose_are_not_those_that_report() -> None:
    suite = read_suite()
    seeds = [suite.seed_of(place) for place in suite.environments]
    choosing = {block_seed(seed, block) for seed in seeds for block in range(64)}
    assert len(set(seeds)) == len(suite.environments)
    assert not choosing & set(seeds)


def test_a_policy_of_ones_own_needs_one_file_and_one_command(small: list[str], tmp_path: Path, robandit: Any) -> None:
    (tmp_path / "commit.py").write_text(OWN)
    code, result, said = robandit("suite", "run", *small, "--load", str(tmp_path / "commit.py"), "--json")
    assert code == 0, said
    assert [one["name"] for one in result["policies"]] == ["commit"]
    assert len(result["policies"][0]["files"][0]) == 64
    assert set(result["policies"][0]["waived_laws"]) == {"relabelling", "learns"}
    assert len(result["rows"]) == 7
    broken = OWN.replace("state.probabilities[following] = 1.0", "state.probabilities[following] = 0.9")
    (tmp_path / "broken.py").write_text(broken)
    code, _, said = robandit("suite", "run", *small, "--load", str(tmp_path / "broken.py"))
    assert code == 2
    assert "not admitted: commit breaks the law 'simplex'" in said


def test_an_attack_of_the_submitters_own_joins_the_race(small: list[str], tmp_path: Path, robandit: Any) -> None:
    (tmp_path / "mine.py").write_text(OWN_ADVERSARY)
    words = ["suite", "run", *small, "--policy", "samba", "--json"]
    tried = {}
    for load in ([], ["--load", str(tmp_path / "mine.py")]):
        result = robandit(*words, *load)[1]
        tried[len(load)] = {(row["attacker"], row["level"]): row["tried"] for row in result["rows"]}
    assert result["policies"][0]["own_attacks"] == ["before"]
    assert tried[2]["before", 5.0] == tried[0]["before", 5.0] + 1
    assert tried[2]["erase", 5.0] == tried[0]["erase", 5.0]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("runs = 6", "runs = 1", "runs must be at least 2"),
        ('has = "rows"', 'has = "luck"', "has must be one of budgets, shares, rows"),
        ('"promote"', '"flip"', "sees_draw: flip is of threat model A"),
        ("[1, 0.5]", "[1, 2]", "a stage is"),
        ("budgets = [5, 40]", "budgets = [0]", "budgets must be numbers above 0"),
        ('name = "slates"', 'name = "two"', "'two' is given twice"),
        ("history = 20\n", "", "history is missing"),
    ],
)
def test_a_wrong_suite_is_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.toml").write_text(SMALL.replace(old, new, 1))
    with pytest.raises(InputError, match=message.replace("[", r"\[")):
        read_suite(tmp_path / "wrong.toml")


def test_a_folder_holds_one_suite(small: list[str], tmp_path: Path, robandit: Any) -> None:
    assert robandit("suite", "run", *small, "--policy", "uniform")[0] == 0
    code, _, said = robandit("suite", "run", *small, "--policy", "uniform", "--seed", "7")
    assert code == 2
    assert "rows of another suite" in said
    code, _, said = robandit("suite", "report", "--out", str(tmp_path / "nowhere"))
    assert (code, "nothing was measured" in said) == (2, True)


def test_a_score_card_averages_environments_alike() -> None:
    def row(environment: str, attacker: str, score: float, half: float, fooled: float = 0.0) -> dict[str, Any]:
        return {
            "environment": environment,
            "attacker": attacker,
            "score": score,
            "half_width_95": half,
            "fooled": fooled,
            "checks": None,
        }

    rows = [row("a", "none", 1.0, 0.1), row("b", "none", 0.5, 0.1, 0.9)]
    rows += [row("a", "erase", 0.2, 0.3, 0.6), row("a", "erase", 0.4, 0.1), row("b", "erase", 0.9, 0.4, 1.0)]
    rows += [row("a", "add", 0.8, 0.2)]
    card = score_card(rows)
    assert card["clean"]["score"] == pytest.approx(0.75)
    assert card["attackers"]["erase"]["score"] == pytest.approx((0.3 + 0.9) / 2)
    assert card["attackers"]["erase"]["half_width_95"] == pytest.approx(math.hypot(0.2, 0.4) / 2)
    assert card["attacked"]["score"] == pytest.approx((0.6 + 0.8) / 2)
    assert card["worst"]["attacker"] == "erase"
    assert card["fooled"] == {"rows": 1, "of": 3}  # nobody can be fooled where nothing was learnt


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine and none could be installed")
def test_the_page_shows_the_same_score_cards(small: list[str], tmp_path: Path, robandit: Any, chrome: Chrome) -> None:
    words = ["suite", "run", *small, "--policy", "samba", "--policy", "verified-ucb", "--policy", "slate-samba"]
    _, result, _ = robandit(*words, "--json")
    chrome.screen(390, dark=True)
    chrome.open((tmp_path / "out" / "suite.html").as_uri())
    chrome.until("document.querySelector('tbody tr')")
    cells = "row => Array.from(row.cells, cell => cell.textContent)"
    script = f"JSON.stringify(Array.from(document.querySelectorAll('tbody tr:not(.card)'), {cells}))"
    shown = {cells[0]: cells[1:] for cells in json.loads(chrome.run(script))}
    assert set(shown) == {"samba", "verified-ucb"}  # slates are another game, chosen by a box
    for about in result["policies"][:2]:
        card = about["card"]
        expected = [card["worst"], card["attacked"], card["clean"], *card["attackers"].values()]
        texts = [f"{one['score']:.3f} ± {one['half_width_95']:.3f}" for one in expected]
        fooled = f"{card['fooled']['rows']} of {card['fooled']['of']}"
        checks = "-" if card["checks"] is None else f"{card['checks']:,.0f}"
        assert shown[about["policy"]] == [*texts, fooled, checks, str(card["rows"])]
    for selector in ("input[value=slates]", "input[value=erase]", "tbody .name"):
        chrome.run(f"document.querySelector('{selector}').click()")
    assert chrome.run("document.querySelectorAll('tbody tr .name').length") == 3
    assert chrome.run("document.querySelector('.card table') !== null")
    assert chrome.run("document.documentElement.scrollWidth") <= 390
    assert not chrome.complaints()
    assert not [one for one in chrome.requests() if one.startswith("http")]


def stored_rows() -> list[dict[str, Any]]:
    """A few of the stored rows that are quick to play, drawn with a fixed seed."""
    suite = read_suite()
    places: dict[str, SuiteEnvironment] = {one.name: one for one in suite.environments}
    quick = [row for row in read_stored(suite).rows if places[row["environment"]].horizon <= 10_000]
    return random.Random(25).sample(quick, 12)


@pytest.mark.skipif(not STORED.exists(), reason="no results are stored")
def test_a_random_part_of_the_stored_results_is_played_again_to_the_bit() -> None:
    for row in stored_rows():
        check_row(read_suite(), row)


@pytest.mark.skipif(not STORED.exists(), reason="no results are stored")
def test_a_stored_attack_is_the_one_that_the_race_chooses() -> None:
    suite = read_suite(SUITE)
    place = next(one for one in suite.environments if one.name == "lift")
    attacker = next(one for one in suite.attackers if one.name == "erase")
    task: RowTask = task_of(suite, rb.policy("samba"), place, attacker)
    rows = [measure_attack(task, level, rb.Catalogue()) for level in task.levels]
    where = {"policy": "samba", "environment": "lift", "attacker": "erase"}
    stored = [row for row in read_stored(suite).rows if where.items() <= row.items()]
    assert [{**where, **row} for row in rows] == stored


def test_the_docs_say_what_the_suite_is() -> None:
    text = (Path(__file__).parents[1] / "docs" / "suite.md").read_text()
    assert text.partition("```python\n")[2].partition("```")[0] in OWN
    suite = read_suite()
    assert (
        f"a fixed list of {len(suite.sees_draw)} attacks that see the draw, or {len(suite.before_draw)} that do" in text
    )
    for name in (*COLUMNS, *(one.name for one in (*suite.environments, *suite.attackers))):
        assert re.search(rf"^\| .*\b{name}\b", text, re.M), name
    results = read_stored(suite)
    cards = results.cards()
    shown = re.findall(r"^\| `(\S+)` \| (\S+) ± (\S+) \| (\S+) ± \S+ \| (\S+) ± \S+ \| (\d+) of (\d+) \|", text, re.M)
    for_arms = {label for label, about in results.policies.items() if about["game"] == "arms"}
    assert {label for label, *_ in shown} == for_arms
    for label, worst, half, attacked, clean, fooled, of in shown:
        card = cards[label]
        means = [
            card["worst"]["score"],
            card["worst"]["half_width_95"],
            card["attacked"]["score"],
            card["clean"]["score"],
        ]
        assert [worst, half, attacked, clean] == [f"{value:.3f}" for value in means]
        assert (int(fooled), int(of)) == (card["fooled"]["rows"], card["fooled"]["of"])
