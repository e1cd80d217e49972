"""The whole of `robandit paper theory`, and its theorems in fractions alone."""

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from robandit.cli.main import main
from robandit.theory.search import random_game
from robandit.theory.theorems import THEOREMS, Theorem, round_of

VERDICTS = {
    "adversary-power": "depends on the reading",
    "fact-1": "holds",
    "fact-1-order": "depends on the reading",
    "theorem-2": "depends on the reading",
    "inverse-drift": "holds under a stronger condition",
    "leads-after": "fails",
    "recovery-time": "fails",
    "lemma-6-rate": "holds",
    "lemma-8": "open",
    "lemma-9": "open",
    "lemma-9-recovery": "fails",
    "lemma-10": "holds under a stronger condition",
    "lemma-11": "holds under a stronger condition",
    "remark-1": "holds",
    "lower-bound": "holds",
}


def test_every_statement_has_its_verdict_within_three_minutes(capsys: Any) -> None:
    assert main(["paper", "theory", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    verdicts = {item["id"]: item["verdict"] for item in result["statements"]}
    assert VERDICTS.items() <= verdicts.items()
    assert len(verdicts) >= 20
    assert sum(item["violations"] for item in result["theorems"]) == 0
    many = {item["id"]: item["states"] for item in result["theorems"]}
    assert min(many["theorem-3"], many["theorem-4"], many["lower-bound-k"]) >= 100_000
    assert result["seconds"] < 180


@pytest.mark.parametrize("theorem", THEOREMS[3:], ids=lambda theorem: theorem.id)
def test_theorems_for_any_number_of_arms_in_fractions_alone(theorem: Theorem) -> None:
    """20,000 states with whole weights, K = 3 to 20, no floats; `robandit paper theory` searches 100,000 more."""
    generator, states = np.random.default_rng(77), 0
    while states < 20_000:
        game = random_game(generator, int(generator.integers(3, 21)), theorem)
        v = theorem.potential(game)
        for _ in range(500):
            weights = [
                int(weight)
                for weight in np.ceil(np.exp(generator.normal(0.0, generator.choice([0.3, 1.5, 4.0]), game.arms)))
            ]
            if generator.random() < 0.3:
                weights[0] = max(weights[1:])
            drift, price, limit = round_of(game, v, tuple(Fraction(weight, sum(weights)) for weight in weights))
            assert drift <= 0
            assert price <= limit
            states += 1


@pytest.mark.parametrize(("arms", "low", "high"), [(12, 8.0, 10.0), (24, 13.0, 16.0)])
def test_a_unit_of_corruption_costs_more_with_more_arms(arms: int, low: float, high: float, capsys: Any) -> None:
    """Extra regret per unit, ten runs, against 1/Delta = 2.5; the interval is four to ten standard errors wide."""
    means = ",".join(["0.9", *["0.5"] * (arms - 1)])
    game = ["play", "--means", means, "--policy", "samba:learning_rate=0.00333333", "--horizon", "2000000"]
    attack = ["--attack", "invert", "--schedule", "contested:rivalry=0.5", "--size", "0.4", "--budget", "10000000"]
    rows = []
    for words in (game, [*game, *attack]):
        assert main([*words, "--runs", "10", "--json"]) == 0
        rows.append(json.loads(capsys.readouterr().out)["results"][0])
    extra, cost = rows[1]["regret"]["mean"] - rows[0]["regret"]["mean"], rows[1]["corruption"]["paid_mean"]
    print(f"K = {arms}: {extra / cost:.2f} per unit, {cost:,.0f} paid")
    assert low <= extra / cost <= high
