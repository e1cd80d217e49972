"""Step sizes, laws of growth, bounds of policies, price maps, three arms, threat model B."""

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize

import robandit as rb
from robandit.cli.main import main
from robandit.theory.games import SambaGame, two_arms
from robandit.theory.growth import growth_constant
from robandit.theory.hiding import LAWS, cost_of_hiding, markov
from robandit.theory.optimal_attack import optimal_attack
from robandit.theory.policy_bounds import BOUNDS, curves, samba, tabulate_bounds
from robandit.theory.potentials import best_potential, changes
from robandit.theory.step_law import RULES, exact_regret, growth_exponent
from robandit.theory.steps import best_step, diffusion_ratio, equal_growth, reflecting
from robandit.theory.three_arms import three_arms
from tests.support import stream

MEANS = (0.9, 0.8)
BY_NAME = {rule.name: rule for rule in RULES}


def test_the_least_price_by_programme_formula_and_exact_optimum() -> None:
    quarter, large = two_arms(MEANS, 0.03125), two_arms(MEANS, 0.0875)
    assert best_potential(quarter, splines=True).price == pytest.approx(float(quarter.least_price), rel=0.001)
    assert diffusion_ratio(0.25) == 1.0
    programme = best_potential(large, splines=True).price
    assert programme == pytest.approx(10.0, abs=0.1)
    below, above = (
        optimal_attack(MEANS, learning_rate=0.0875, horizon=60_000, price=share * programme).spending
        for share in (0.9, 1.1)
    )
    assert below > 100.0 > 10.0 > above  # the exact attack buys below the programme's price and not above it


@pytest.mark.parametrize("rho", [0.1, 0.3895, 0.7, 0.95])
def test_the_diffusion_formula_against_quadrature(rho: float) -> None:
    k = 2 / rho
    for p in (0.0, 0.5):
        other = integrate.quad(lambda u, p=p: (1 - p * u) ** 2 * u ** (k - 3) * math.exp(k * p * (1 - u)), 0, 1)[0]
        assert reflecting(p, rho) == pytest.approx(2 * k * other, rel=1e-6)
    assert reflecting(0.0, rho) == pytest.approx(2 / (1 - rho))
    assert (diffusion_ratio(rho) > 1.0001) is (rho > 0.39)


def test_the_best_step_shrinks_with_the_budget() -> None:
    steps = [best_step(MEANS, 100_000, budget)[0] for budget in (30.0, 300.0, 3_000.0)]
    assert steps == sorted(steps, reverse=True)
    small = math.sqrt(0.8 * math.log(100_000) / (2 * 0.1 * 30_000.0)) * 0.125  # the approximation for small steps
    assert best_step(MEANS, 100_000, 30_000.0)[0] == pytest.approx(small, rel=0.15)


def test_exponents_are_roots_and_limits_are_those_of_the_rules() -> None:
    for rule, step in itertools.product(RULES, (0.15, 0.3, 0.6)):
        for value, up, down in ((rule.kappa(step, *MEANS), 0.9, 0.8), (rule.phi(step, *MEANS), 0.8, 0.9)):
            if value > 0.0:
                assert up * (1 - rule.lift(step) ** -value) == pytest.approx(down * rule.slope(step) * value)
    assert BY_NAME["samba"].limit(*MEANS) == pytest.approx(0.125)
    exponential = optimize.brentq(lambda a: a / (1 - math.exp(-a)) - 1.125, 0.01, 1.0)
    assert BY_NAME["exponential-samba"].limit(*MEANS) == pytest.approx(exponential)
    balanced = optimize.brentq(lambda a: math.sqrt(a / (1 - math.exp(-a))) - 1.125, 0.01, 1.0)
    assert BY_NAME["balanced-samba"].limit(*MEANS) == pytest.approx(balanced)
    assert BY_NAME["samba"].exponent(0.3, *MEANS) == 1.0  # a wrong leader stays


@pytest.mark.parametrize(
    ("rule", "step"), [("samba", 0.2), ("exponential-samba", 0.45), ("harmonic", 0.45), ("samba", 0.05)]
)
def test_exact_growth_is_the_law_s(rule: str, step: float) -> None:
    regrets = exact_regret(BY_NAME[rule], step, MEANS, 18, width=0.1)
    assert growth_exponent(regrets, 2**17) == pytest.approx(BY_NAME[rule].exponent(step, *MEANS), abs=0.1)


def test_doubling_is_the_dynamic_programme() -> None:
    regrets = exact_regret(BY_NAME["samba"], 0.05, MEANS, 10)
    assert regrets[1024] == pytest.approx(optimal_attack(price=1e9, horizon=1024).clean_regret, rel=1e-6)


def test_bounds_of_policies_hold_where_they_are_explicit() -> None:
    result = tabulate_bounds(MEANS, 2_000, 0.0, 6, 1)
    rows = {row["policy"]: row for row in result["policies"]}
    assert set(BOUNDS) <= set(rows)
    for row in rows.values():
        if row["bound"] is not None and row["policy"] != "uniform":
            assert row["measured"]["mean"] + row["measured"]["half_width_95"] < row["bound"]
    assert rows["uniform"]["measured"]["mean"] == pytest.approx(rows["uniform"]["bound"], rel=0.1)
    corrupted = {row["policy"]: row["bound"] for row in tabulate_bounds(MEANS, 2_000, 50.0, 0, 1)["policies"]}
    assert corrupted["ucb1"] is None
    assert corrupted["exp3"] == pytest.approx(rows["exp3"]["bound"] + 100.0)
    assert result["lower_bounds"]["lai_robbins"] == pytest.approx(2.2521 * math.log(2_000), rel=1e-4)
    nine = tuple(0.1 * k for k in range(9, 0, -1))
    assert samba(nine, rb.Samba(0.05), 100_000, 0.0) == pytest.approx(2.9e6, rel=1.0)  # Theorem 4: true and useless
    assert samba(MEANS, rb.Samba(0.2), 1_000, 0.0) is None


def test_hiding_successes_costs_what_the_laws_say() -> None:
    rows = {row["policy"]: row for row in cost_of_hiding(MEANS, 10_000, 40, 1)["policies"]}
    assert rows["samba"]["predicted"] == pytest.approx(119.3, abs=0.1)
    assert rows["samba"]["measured"]["mean"] == pytest.approx(120.0, abs=4 * rows["samba"]["measured"]["se"] + 1.0)
    for name in ("samba", "ucb1", "kl-ucb", "thompson", "epsilon-greedy", "uniform"):
        assert rows[name]["measured"]["mean"] == pytest.approx(rows[name]["predicted"], rel=0.25)
        assert name in LAWS
    assert rows["samba"]["share_of_regret"] > 0.97
    assert markov(0.05, 0.8, 100_000) * 0.9 == pytest.approx(171.0, abs=0.1)


def test_three_arms_without_an_attack_are_those_of_the_lab_and_no_attack_beats_the_optimum() -> None:
    means = (0.9, 0.5, 0.5)
    exact = three_arms(means, learning_rate=0.2, horizon=150, price=1e6, step=0.2)
    assert (exact.spending, exact.regret) == (0.0, pytest.approx(exact.clean_regret))
    runs = rb.simulate(rb.Samba(0.2), rb.Bernoulli(list(means)), horizon=150, runs=3_000, checkpoints=1)
    clean = runs.regret[:, -1]
    assert abs(clean.mean() - exact.clean_regret) < 4 * clean.std() / 3_000**0.5 + 0.01 * exact.clean_regret
    worst = three_arms(means, learning_rate=0.2, horizon=150, price=2.0, step=0.2)
    adversary = rb.attack("invert", schedule="leading:theta=0.1", budget=1e6, size="efficient")
    struck = rb.simulate(rb.Samba(0.2), rb.Bernoulli(list(means)), adversary, horizon=150, runs=1_000, checkpoints=1)
    value = struck.regret[:, -1] - 2.0 * struck.corruption_paid[:, -1]
    assert value.mean() - 4 * value.std() / 1_000**0.5 < worst.regret - 2.0 * worst.spending
    assert worst.regret > exact.regret


def test_three_arms_by_brute_force() -> None:
    """Two rounds worked out without a grid: the second only loses, the first may strike."""
    means, alpha, price = (0.6, 0.5, 0.4), 0.3, 0.01
    exact = three_arms(means, learning_rate=alpha, horizon=2, price=price, step=0.05)

    def loss(p: Any) -> float:
        return sum(probability * (means[0] - mean) for probability, mean in zip(p, means, strict=True))

    equal = (1 / 3,) * 3
    gains = []
    for arm in range(3):
        p = list(equal)
        if arm == 0:
            p[1] -= alpha * p[1] ** 2 / p[0]
            p[2] -= alpha * p[2] ** 2 / p[0]
        else:
            p[arm] *= 1 + alpha
        p[0] = 1 - p[1] - p[2]
        gains.append(loss(p) - loss(equal))
    best = max(
        sum(
            equal[arm] * (min(mean + c, 1.0) if gain > 0 else max(mean - c, 0.0)) * gain
            for arm, (mean, gain) in enumerate(zip(means, gains, strict=True))
        )
        - price * c
        for c in np.linspace(0, 1, 1001)
    )
    assert exact.regret - price * exact.spending == pytest.approx(2 * loss(equal) + best, abs=1e-5)


def test_the_price_by_number_of_arms_and_its_picture(capsys: Any, tmp_path: Path) -> None:
    """Between what is proved below and above, within four standard errors; shorter plays than the page has."""
    file = tmp_path / "arms.png"
    words = ["paper", "theory", "arms", "--arms", "6", "--runs", "4", "--plot", str(file)]
    assert main([*words, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert file.stat().st_size > 10_000
    assert [(row["steps"], row["arms"]) for row in result["rows"]] == [
        ("small", 3),
        ("small", 6),
        ("fixed", 3),
        ("fixed", 6),
    ]
    for row in result["rows"]:
        assert row["least"] < row["measured"]["mean"] < row["theorem_3"] < 20
    prices = [row["measured"]["mean"] for row in result["rows"]]
    assert prices == pytest.approx([1.88, 4.61, 1.69, 2.90], abs=0.35)  # the page's; 4 runs have errors below 0.08
    assert main(["paper", "theory", "arms", "--runs", "0"]) == 0
    printed = capsys.readouterr().out
    assert "768" in printed
    assert "±" not in printed


def test_the_bounds_of_tsallis_inf_have_the_constants_of_their_proofs() -> None:
    rows = {row["policy"]: row["bound"] for row in tabulate_bounds(MEANS, 100_000, 0.0, 0, 1)["policies"]}
    assert rows["tsallis-inf-iw"] == pytest.approx(666, abs=0.5)
    assert rows["tsallis-inf-rv"] == pytest.approx(844, abs=0.5)
    struck = {row["policy"]: row["bound"] for row in tabulate_bounds(MEANS, 100_000, 60.0, 0, 1)["policies"]}
    assert struck["tsallis-inf-rv"] == pytest.approx(2 * math.sqrt(2e5) + 28 * math.log(1e5) + 16 + 120)


def test_commands_and_their_picture(capsys: Any, tmp_path: Path) -> None:
    file = tmp_path / "prices.png"
    words = [
        "paper",
        "theory",
        "prices",
        "--means",
        "0.9,0.5",
        "--learning-rate",
        "0.2",
        "--horizon",
        "60",
        "--plot",
        str(file),
    ]
    assert main([*words, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert file.stat().st_size > 10_000
    assert result["two_arms"]["dearest_at"] == pytest.approx(0.5, abs=0.2)
    assert result["three_arms"]["worth_there"] > result["three_arms"]["worth_with_one_rival_forgotten"]
    drawn = tmp_path / "recoveries.png"
    assert main(["paper", "theory", "recoveries", "--horizon", "800", "--plot", str(drawn), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert drawn.stat().st_size > 10_000
    assert result["strikes"] == len(result["intervals"]) >= result["ended"] > result["inside_another"] > 0
    assert main(["paper", "theory", "recoveries", "--horizon", "300"]) == 0
    assert "strikes" in capsys.readouterr().out
    assert main(["paper", "theory", "shown", "--horizon", "300", "--runs", "2"]) == 0
    assert main(["paper", "theory", "bounds", "--horizon", "300", "--runs", "0"]) == 0
    out = capsys.readouterr().out
    assert "Threat model B" in out
    assert "does not know C" in out
    assert "Lai and Robbins" in out
    three = [
        "paper",
        "optimum",
        "--means",
        "0.9,0.5,0.5",
        "--learning-rate",
        "0.2",
        "--horizon",
        "100",
        "--step",
        "0.3",
    ]
    assert main([*three, "--price", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["regret"] > 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["paper", "theory", "nothing"], "topic 'nothing' is unknown"),
        (["paper", "theory", "steps", "--means", "0.9,0.8,0.7"], "two numbers"),
        (["paper", "theory", "shown", "--plot", "x.png"], "draws bounds, prices"),
        (["paper", "theory", "arms", "--arms", "2"], "from 3 to 768"),
        (["paper", "theory", "arms", "--runs", "1", "--plot", "x.png"], "at least 2"),
        (["paper", "theory", "bounds", "--runs", "-1"], "at least 0"),
        (["paper", "theory", "bounds", "--budget", "-1"], "from 0 to"),
        (["paper", "theory", "steps", "--horizon", "0"], "between 1 and"),
        (["paper", "optimum", "--means", "0.9,0.5,0.5", "--budget", "3"], "only a price in threat model A"),
        (
            ["paper", "optimum", "--means", "0.9,0.5,0.5", "--price", "3", "--confirm", "3"],
            "nothing is played or drawn",
        ),
        (["paper", "optimum", "--means", "0.5,0.5,0.5", "--price", "3"], "the best arm first"),
        (["paper", "optimum", "--means", "0.9,0.5,0.5", "--price", "3", "--horizon", "1e7"], "with three arms"),
    ],
    ids=str,
)
def test_mistakes_are_answered_by_a_sentence(words: list[str], message: str, capsys: Any) -> None:
    assert main(words) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("name", ["samba", "exponential-samba", "balanced-samba"])
def test_the_programme_speaks_of_the_rule_that_is_played(name: str) -> None:
    """What a success does to 1/p, ln q and -q, against the policy's own `learn`."""
    step, odds = 0.3, np.array([-4.0, -0.7, -0.05, 0.05, 0.7, 4.0])
    game = SambaGame.of((0.9, 0.5), step)
    change = changes(game, odds, False, BY_NAME[name])
    policy = rb.policy(f"{name}:learning_rate={step}")
    for row, p in enumerate(change.best_probability):
        for arm, expected in enumerate((change.best_succeeds, change.rival_succeeds)):
            state = policy.start(rb.Setting(2, 100))
            state.probabilities[:] = p, 1.0 - p
            before = np.array([1.0 / p, math.log(1.0 - p), p - 1.0])
            policy.learn(state, rb.Choice(arm, float(state.probabilities[arm]), 0), 1.0, stream(0))
            q = state.probabilities[1]
            after = np.array([1.0 / state.probabilities[0], math.log(q), -q])
            assert expected[row] == pytest.approx((after - before) / step, rel=1e-9, abs=1e-12)


def test_rules_that_grow_alike_differ_in_price() -> None:
    growth = BY_NAME["samba"].growth(0.03125, *MEANS)
    assert growth == pytest.approx(growth_constant(MEANS, 0.03125))
    rows = {row["rule"]: row for row in equal_growth(MEANS, 0.25)}
    assert rows["samba"]["least"] == pytest.approx(float(two_arms(MEANS, 0.03125).least_price))
    for row in rows.values():  # at this growth holding p* near 0 is the best attack on each of them
        assert BY_NAME[row["rule"]].growth(row["rate"], *MEANS) == pytest.approx(growth)
        assert row["programme"] == pytest.approx(row["least"], rel=0.001)
    prices = [rows[name]["programme"] for name in ("samba", "exponential-samba", "balanced-samba", "harmonic")]
    assert prices == sorted(prices, reverse=True)
    assert BY_NAME["harmonic"].step_growing(BY_NAME["samba"].growth(0.05, *MEANS), *MEANS) is None


def test_bounds_are_drawn_beside_what_is_measured(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "bounds.png"
    assert main(["paper", "theory", "bounds", "--horizon", "500", "--runs", "2", "--plot", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["picture"] == str(file)
    assert file.read_bytes()[:4] == b"\x89PNG"
    rounds, panels = curves(MEANS, 500, 0.0, 4, 1)
    assert {panel["policy"] for panel in panels} == set(BOUNDS)
    assert (rounds[0], rounds[-1]) == (5, 500)
    for panel in panels:
        if panel["bound"] is not None and panel["policy"] != "uniform":
            assert np.all(panel["mean"] <= panel["bound"])
    uncovered = {panel["policy"]: panel["bound"] for panel in curves(MEANS, 500, 5.0, 2, 1)[1]}
    assert uncovered["ucb1"] is None  # its constants are for C = 0
    assert uncovered["samba"] is not None
    assert main(["paper", "theory", "bounds", "--runs", "1", "--plot", str(file)]) == 2
    assert "at least 2" in capsys.readouterr().err
