"""The exact optimum for two arms: values known beforehand, grids, simulation, and the attack's shape."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.cli.main import main
from robandit.theory import programme
from robandit.theory.optimal_attack import moves_on_grid, optimal_attack, solve
from robandit.theory.optimal_player import OptimalAfter, OptimalBefore
from tests.support import stream


def test_clean_regret_is_that_of_the_lab() -> None:
    exact = optimal_attack(price=1e9, horizon=2000)
    assert exact.regret == pytest.approx(exact.clean_regret, rel=1e-12)
    assert exact.spending == 0.0
    runs = rb.simulate(rb.Samba(), rb.Bernoulli([0.9, 0.8]), horizon=2000, runs=4000).regret[:, -1]
    assert abs(runs.mean() - exact.clean_regret) < 4 * runs.std() / 4000**0.5


def test_values_known_beforehand() -> None:
    assert optimal_attack(price=1e9).clean_regret == pytest.approx(71.2, rel=0.005)
    assert optimal_attack(budget=30, threat="B").regret == pytest.approx(272.7, rel=0.005)
    priced = optimal_attack(price=1.5)
    assert priced.regret == pytest.approx(838.2, rel=0.005)
    assert priced.spending == pytest.approx(278.7, rel=0.005)


@pytest.mark.parametrize(
    ("terms", "step"), [({"price": 1.0}, 0.05), ({"budget": 20}, 0.1), ({"budget": 20, "threat": "B"}, 0.05)], ids=str
)
def test_a_finer_grid_changes_little(terms: dict[str, Any], step: float) -> None:
    usual, fine = (optimal_attack(horizon=1500, step=width, **terms) for width in (None, step / 2))
    value = [exact.regret - terms.get("price", 0.0) * (exact.spending or 0.0) for exact in (usual, fine)]
    assert value[0] == pytest.approx(value[1], rel=0.001)


@pytest.mark.parametrize(
    ("threat", "attack", "terms"),
    [
        ("A", "invert", {"schedule": "leading:theta=0.1", "size": "efficient"}),
        ("B", "sink-shown", {}),
    ],
)
def test_no_attack_beats_the_optimum_and_good_ones_come_close(threat: str, attack: str, terms: dict[str, Any]) -> None:
    exact = optimal_attack(budget=20, threat=threat, horizon=2000)
    adversary = rb.attack(attack, budget=20, **terms)
    runs = rb.simulate(rb.Samba(), rb.Bernoulli([0.9, 0.8]), adversary, horizon=2000, runs=4000).regret[:, -1]
    error = runs.std() / 4000**0.5
    assert runs.mean() < exact.regret + 4 * error
    assert runs.mean() - exact.clean_regret > 0.85 * (exact.regret - exact.clean_regret)


def test_more_money_never_does_less_harm_and_the_shape_is_a_band() -> None:
    regrets = [optimal_attack(budget=budget, horizon=800).regret for budget in (0, 4, 20)]
    assert regrets == sorted(regrets)
    shape = optimal_attack(price=0.5, horizon=800)
    assert shape.steps == pytest.approx((0.2, 0.9))
    assert set(np.unique(shape.decisions)) <= {0, 1, 2}
    assert shape.decisions.shape == (len(shape.rounds), len(shape.probabilities))
    first = np.flatnonzero(shape.decisions[0])
    assert (np.diff(first) == 1).all()  # one band around p = 1/2
    assert first[0] < len(shape.probabilities) // 2 < first[-1]


@pytest.mark.parametrize(
    ("threat", "terms"), [("A", {"price": 1.0}), ("A", {"budget": 8}), ("B", {"price": 0.7}), ("B", {"budget": 12})]
)
def test_the_optimum_played_in_the_lab_is_what_the_programme_says(threat: str, terms: dict[str, float]) -> None:
    exact = optimal_attack(threat=threat, horizon=1000, playable=True, **terms)  # type: ignore[arg-type]
    trace = rb.simulate(rb.Samba(), rb.Bernoulli([0.9, 0.8]), exact.adversary, horizon=1000, runs=4000, checkpoints=1)
    runs, paid = trace.regret[:, -1], trace.corruption_paid[:, -1]
    assert abs(runs.mean() - exact.regret) < 4 * runs.std() / 4000**0.5  # one in 16,000
    assert paid.mean() > 0.0
    spent = terms["budget"] if exact.spending is None else exact.spending
    assert abs(paid.mean() - spent) < 4 * paid.std() / 4000**0.5 + 0.01 * spent


def test_the_players_look_up_what_is_left_of_their_budget() -> None:
    """A book of seven units that says: the larger step, then the smaller one twice, then nothing."""
    means, random = np.array([0.9, 0.6]), stream(1)
    book = np.zeros((9, 3, 8), np.uint8)
    book[:, :, 7], book[:, :, 5], book[:, :, 4] = 2, 1, 1
    before = OptimalBefore(budget=9.0, decisions=book, small=0.2, large=0.4)
    memory, moved = before.start(means, 9), []
    for t in range(6):
        proposal = means.copy()
        before.tamper_means(memory, t, np.array([0.5, 0.5]), means, proposal, random)
        moved.append(means[0] - proposal[0])
    assert moved == pytest.approx([0.4, 0.2, 0.2, 0.0, 0.0, 0.0])
    assert memory.left == 3.0
    book[:], book[:, :, 5:] = 0, 1  # flips a success of the best arm while more than four are left
    after = OptimalAfter(budget=9.0, decisions=book)
    memory = after.start(means, 9)
    rewards = [
        after.tamper_reward(memory, t, means, 0, reward, random) for t, reward in enumerate((1.0, 0.0, 1.0, 1.0, 1.0))
    ]
    assert rewards == [0.0, 0.0, 0.0, 0.0, 1.0]
    assert memory.left == 4.0


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"means": (0.8, 0.9), "price": 1.0}, "the better arm first"),
        ({"threat": "C", "price": 1.0}, "threat must be A or B"),
        ({}, "either a price or a budget"),
        ({"price": 1.0, "budget": 2.0}, "either a price or a budget"),
        ({"budget": 0.3}, "multiple of 0.2"),
        ({"budget": 300, "playable": True}, "do not fit"),
        ({"price": -1.0}, "price must be a number of at least 0"),
        ({"price": 1.0, "learning_rate": 1.5}, "learning_rate must be"),
        ({"price": 1.0, "horizon": 0}, "horizon must be"),
        ({"price": 1.0, "step": 2.0}, "step must be"),
    ],
)
def test_refusals(terms: dict[str, Any], message: str) -> None:
    with pytest.raises(rb.InputError, match=message):
        optimal_attack(**terms)


@pytest.mark.parametrize("threat", ["A", "B"])
def test_the_command_tells_confirms_and_draws(threat: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["paper", "optimum", "--horizon", "1000", "--budget", "8", "--threat", threat, "--confirm", "400"]
    assert main([*words, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["clean_regret"] < summary["regret"]
    assert abs(summary["simulated"]["mean"] - summary["regret"]) < 4 * summary["simulated"]["se"]
    assert main([*words, "--plot", str(tmp_path / "shape.svg")]) == 0
    said = capsys.readouterr().out
    assert "under the worst attack" in said
    assert "the same, played" in said
    assert "leave alone" in (tmp_path / "shape.svg").read_text()


@pytest.mark.parametrize("sees_draw", [False, True])
def test_compiled_equals_interpreted(sees_draw: bool) -> None:
    moves, rounds = moves_on_grid(0.05, 0.5, 4.0), np.arange(12)
    tables = (moves.probabilities, moves.up, moves.up_weights, moves.down, moves.down_weights)
    game, size = (0.9, 0.8, 12, sees_draw), len(moves.probabilities)
    results = []
    for run in (lambda programme, *terms: programme(*terms, np.zeros(1)), solve):
        priced, decided = np.zeros((12, size, 1), np.uint8), np.zeros((12, size, 7), np.uint8)
        shape = np.zeros((12, size), np.uint8)
        rows, values = np.zeros((3, size)), np.zeros((size, 7))
        run(programme.solve_priced, tables, game, 0.01, (rounds, shape, priced), rows, tuple(np.zeros((2, 3, size))))
        assert np.array_equal(priced[:, :, 0], shape)
        unit, work = 1.0 if sees_draw else 0.2, (*np.zeros((2, size, 7)), *np.zeros((2, 7)), np.zeros(7, np.uint8))
        run(programme.solve_budgeted, tables, game, unit, (rounds, shape, decided), values, work)
        assert np.array_equal(decided[:, :, 6], shape)
        results.append([rows, values, priced, decided])
    assert all(np.array_equal(one, other) for one, other in zip(*results, strict=True))
    assert all(array.max() > 0 for array in results[0])
