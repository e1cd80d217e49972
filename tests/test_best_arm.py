"""Thompson sampling with its probability: exact small cases, the same law as drawing, old journals as they were."""

import json
import math
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit import best_arm
from robandit.best_arm import LEAST, new_workspace
from robandit.online.verify import verify_journal
from tests.support import ARMS, stream

DRAWN = Path(__file__).parent / "stored" / "drawn"
COUNTS = [
    [(2, 1), (1, 1)],
    [(1, 1)] * 3,
    [(2, 1), (1, 2), (1, 1)],
    [(3, 2), (2, 3)],
    [(5, 1), (1, 5), (2, 2), (3, 3)],
    [(1, 10), (9, 1)],
    [(11, 3), (7, 2), (2, 9)],
    [(1, 1)] * 12,
]


def product(first: list[Fraction], second: list[Fraction]) -> list[Fraction]:
    """Of two polynomials, by their coefficients."""
    result = [Fraction(0)] * (len(first) + len(second) - 1)
    for i, one in enumerate(first):
        for j, other in enumerate(second):
            result[i + j] += one * other
    return result


def integral(polynomial: list[Fraction]) -> list[Fraction]:
    """From 0, as a polynomial."""
    return [Fraction(0), *(term / (power + 1) for power, term in enumerate(polynomial))]


def exact_probabilities(counts: list[tuple[int, int]]) -> list[Fraction]:
    """P(arm is best) for whole counts: integrals of polynomials, in fractions."""
    densities = []
    for wins, losses in counts:
        density = [Fraction(0)] * (wins - 1) + [
            Fraction(math.factorial(wins + losses - 1), math.factorial(wins - 1) * math.factorial(losses - 1))
        ]
        for _ in range(losses - 1):
            density = product(density, [Fraction(1), Fraction(-1)])
        densities.append(density)
    shares = []
    for arm, density in enumerate(densities):
        for other, below in enumerate(densities):
            density = density if other == arm else product(density, integral(below))
        shares.append(sum(integral(density), Fraction(0)))
    return shares


def computed(counts: Any, bonuses: Any = None) -> Any:
    """The probabilities that the quadrature gives."""
    wins, losses = np.array(counts, np.float64).T.copy()
    work, probabilities = new_workspace(len(wins)), np.zeros(len(wins))
    work.bonuses[:] = 0.0 if bonuses is None else bonuses
    work.solve(wins, losses, probabilities)
    return probabilities


@pytest.mark.parametrize("counts", COUNTS, ids=str)
def test_small_counts_come_out_as_in_fractions(counts: list[tuple[int, int]]) -> None:
    exact = [float(share) for share in exact_probabilities(counts)]
    assert sum(exact) == pytest.approx(1.0, abs=1e-12)
    assert computed(counts) == pytest.approx(exact, abs=2e-6)


def test_a_bonus_shifts_what_an_arm_is_worth() -> None:
    """P(Beta(1, 1) + 1/2 > Beta(1, 2) + 1) is the integral of 1 - (2 - x)^2 from 1 to 3/2, 5/24."""
    assert computed([(1, 1), (1, 2)], [0.5, 1.0]) == pytest.approx([5 / 24, 19 / 24], abs=2e-6)
    assert computed([(1, 1), (40, 1)], [2.5, 1.0]) == pytest.approx([1.0, 0.0], abs=2e-7)


def test_no_arm_has_the_probability_zero() -> None:
    shares = computed([(2, 900_000), (900_000, 2), (5, 5)])
    assert shares.sum() == pytest.approx(1.0, abs=1e-12)
    assert shares.min() >= 0.99 * LEAST


@pytest.mark.parametrize(
    "policy", ["thompson", "optimistic-thompson:optimism=4", "bonus-thompson:linear=5", "tempered-thompson:temper=3"]
)
def test_drawing_and_computing_have_the_same_law(policy: str) -> None:
    """In four states 20,000 draws of each way: a chi-square of 3 degrees beyond 40 has probability 1e-8."""
    drawn, exact = rb.policy(policy), rb.policy(policy).as_deployed()
    assert (drawn.explicit, exact.explicit) == (False, True)
    state, random = drawn.start(rb.Setting(4, 1000)), stream(5)
    for t in range(1, 201):
        choice = drawn.choose(state, random)
        drawn.learn(state, choice, float(random.uniform() < (0.3, 0.5, 0.55, 0.6)[choice.arm]), random)
        if t in (1, 10, 50, 200):
            same = exact.start(rb.Setting(4, 1000))
            same.wins[:], same.losses[:] = state.wins, state.losses
            exact.refresh(same)
            seen = np.bincount([drawn.choose(state, random).arm for _ in range(20_000)], minlength=4)
            expected = 20_000 * same.probabilities
            assert ((seen - expected) ** 2 / expected).sum() < 40, (t, seen, expected)


def test_probabilities_are_worked_out_once_for_each_state(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    usual = best_arm.find_supports
    monkeypatch.setattr(best_arm, "find_supports", lambda *values: calls.append(1) or usual(*values))
    learner = rb.Learner("thompson", ARMS, seed=1)
    numbers = [learner.decide().id for _ in range(10)]
    learner.probabilities()
    assert len(calls) == 1
    for number in numbers:
        learner.learn(number, 1.0)
    assert len(calls) == 1  # learning alone, as in a replay, asks for no probabilities
    learner.decide()
    assert len(calls) == 2


def test_a_new_learner_computes_and_says_so_in_its_journal(tmp_path: Path) -> None:
    for policy, text in (
        ("thompson", "thompson:probabilities=computed"),
        ("thompson:probabilities=drawn", "thompson:probabilities=drawn"),
        ("floor:inner=(thompson)", "floor:inner=(thompson:probabilities=computed)"),
    ):
        path = tmp_path / policy
        with rb.Learner(policy, ARMS, seed=3, journal=path) as learner:
            decisions = [learner.decide() for _ in range(5)]
            assert str(learner.policy) == text
            assert ("drawn" in text) == (decisions[0].probability is None)
        with rb.Learner(policy, ARMS, seed=3, journal=path) as learner:
            assert str(learner.policy) == text
        assert rb.Learner.open(path, rb.policy(policy), read_only=True).decisions == 5
        assert verify_journal(str(path)).sound


def test_among_some_arms_the_best_of_them_counts() -> None:
    """With Beta(2, 1), Beta(1, 2) and Beta(1, 1), the first beats the last with 2/3; restricting p would say 0.75."""
    learner = rb.Learner("thompson", ARMS, seed=1)
    rewards = {"a": 1.0, "b": 0.0}
    while rewards:
        decision = learner.decide(list(rewards))
        learner.learn(decision.id, rewards.pop(decision.arm))
    decided = {decision.arm: decision.probability for decision in (learner.decide(["a", "c"]) for _ in range(50))}
    assert decided == pytest.approx({"a": 2 / 3, "c": 1 / 3}, abs=1e-5)
    learner.pause_arm("b")
    assert learner.probabilities() == pytest.approx({"a": 2 / 3, "c": 1 / 3}, abs=1e-5)


@pytest.mark.parametrize("name", ["thompson", "bonus"])
def test_a_journal_from_before_goes_on_as_it_was(name: str, tmp_path: Path) -> None:
    """Written before probabilities could be computed: its text has no such word, so it draws as it always did."""
    expected = json.loads((DRAWN / "expected.json").read_text())[name]
    path = shutil.copy(DRAWN / f"{name}.journal", tmp_path / "journal")
    learner = rb.Learner.open(path, read_only=True)
    assert learner.save_state() == expected["state"]
    assert learner.probabilities() == expected["shares"]
    assert verify_journal(str(path)).sound
    copy = rb.Learner.load(learner.save())
    assert [copy.decide().arm for _ in range(20)] == expected["next"]
    text = str(learner.policy)
    assert "computed" not in text
    with rb.Learner(text, ["red", "green", "blue"], seed=11, journal=path) as again:
        assert str(again.policy) == text
        assert again.decide().probability is None


def test_a_saved_state_serves_both_ways() -> None:
    drawn = rb.Learner("thompson:probabilities=drawn", ARMS, seed=1)
    for number in range(30):
        drawn.learn(drawn.decide().id, float(number % 3 == 0))
    exact = rb.Learner("thompson", ARMS, seed=1, state=drawn.save_state())
    assert exact.probabilities() == pytest.approx(drawn.probabilities(20_000), abs=0.02)
