"""The command in wider games: several agents, slates."""

from pathlib import Path
from typing import Any

import pytest

SMALL = ("--horizon", "300", "--runs", "3")


def test_agents_and_slates_are_said_in_the_result(robandit: Any) -> None:
    code, told, err = robandit("play", "--agents", "4", "--policy", "team-samba", "--policy", "samba", *SMALL, "--json")
    assert (code, err) == (0, "")
    assert (told["agents"], told["horizon"]) == (4, 300)
    team, shared = told["results"]
    assert (
        team["messages_mean"] == 4 * 21
    )  # after 10, 20, ..., 100, 110, 121, 133, 146, 160, 176, 193, 212, 233, 256, 281
    assert team["bits_mean"] == team["messages_mean"] * 9 * 32
    assert shared["messages_mean"] == 1200
    assert sum(team["regret_by_agent"]) == pytest.approx(team["regret"]["mean"])
    code, told, err = robandit("play", "--slate", "3", "--policy", "slate-samba", *SMALL, "--json")
    assert (code, err, told["slate"]) == (0, "", 3)
    assert "messages_mean" not in told["results"][0]
    text = robandit("play", "--slate", "3", "--policy", "comb-ucb1", *SMALL)[1]
    assert "Regret after 300 slates of 3" in text
    assert "best slate" in text
    text = robandit("play", "--agents", "2", "--policy", "team-draa:scale=1", *SMALL)[1]
    assert "Total regret of 2 agents after 300 rounds of each" in text


def test_a_policy_for_arms_is_refused_a_slate(robandit: Any) -> None:
    for command in (("play",), ("price", "--arms", "9"), ("redteam", "--budget", "5")):
        code, out, err = robandit(*command, "--slate", "3", "--policy", "samba", *SMALL)
        assert (code, out) == (2, "")
        assert "samba shows one arm at a time and cannot fill a slate of 3" in err


def test_wider_games_are_priced_and_searched(robandit: Any, tmp_path: Path) -> None:
    terms = ("--arms", "5", "--horizon", "400", "--runs", "4", "--out", str(tmp_path), "--json")
    told = robandit("price", "--slate", "2", "--policy", "slate-thompson", *terms)[1]
    assert told["slate"] == 2
    assert told["results"][0]["attack"].startswith("--attack sink-shown:arm=")
    told = robandit(
        "redteam", "--agents", "3", "--policy", "team-samba", "--budget", "8", "--threat", "B", "--quick", *terms
    )[1]
    assert told["agents"] == 3
    assert "--agents 3" in told["replay"]
    again = robandit(*told["replay"].split()[1:], "--json")[1]["results"][0]
    assert again["regret"]["mean"] == pytest.approx(told["regret"]["mean"], rel=1e-12)


def test_model_a_on_slates_says_how_it_charges(robandit: Any) -> None:
    attack = ("--attack", "invert", "--schedule", "leading:theta=0.2", "--budget", "20")
    row = robandit("play", "--slate", "2", "--policy", "slate-thompson", *attack, *SMALL, "--json")[1]["results"][0]
    assert any("moved before each of the 2 items, and each move is charged" in note for note in row["notes"])
    assert any("more than model A allows" in note for note in row["notes"])
