"""Certificates: known games, every number moved the wrong way, logarithms and programmes against other code."""

import decimal
import json
import math
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from robandit.cli.main import main
from robandit.errors import InputError
from robandit.theory import checker, interval
from robandit.theory.certificate import certify
from robandit.theory.games import exact, two_arms
from robandit.theory.interval import Interval
from robandit.theory.linear import minimise
from robandit.theory.verify import RoundedPotential, best_leads, everywhere, rival_leads, verify

CERTIFICATES: dict[tuple[Any, ...], dict[str, Any]] = {}


def certificate(means: tuple[float, float] = (0.9, 0.8), rate: float = 0.05) -> dict[str, Any]:
    key = (means, rate)
    if key not in CERTIFICATES:
        CERTIFICATES[key] = certify(two_arms(means, rate)).as_json()
    return json.loads(json.dumps(CERTIFICATES[key]))


@pytest.mark.parametrize(
    ("means", "rate", "most"),
    [((0.9, 0.8), 0.05, 3.72), ((0.9, 0.8), 0.03125, 2.72), ((0.6, 0.5), 0.05, 2.75), ((0.93, 0.21), 0.95, 63.0)],
    ids=str,
)
def test_known_games_have_a_certificate_that_the_checker_takes(
    means: tuple[float, float], rate: float, most: float
) -> None:
    claim = certificate(means, rate)
    assert claim["verified"] is True
    assert claim["lower_b"] <= claim["b"] <= most
    assert checker.faults(json.dumps(claim)) == []


@pytest.mark.parametrize("field", ["b", "const", "log_coefficient"])
def test_a_smaller_bound_is_refused(field: str) -> None:
    claim = certificate()
    claim[field] *= 0.99
    assert checker.faults(json.dumps(claim))


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize(("means", "rate"), [((0.9, 0.8), 0.05), ((0.6, 0.5), 0.05)], ids=str)
def test_a_coefficient_moved_the_wrong_way_is_refused(which: int, means: tuple[float, float], rate: float) -> None:
    """The bound is the least there is, so that two percent are too much: upwards, downwards or both."""
    refused = []
    for factor in (0.98, 1.02):
        claim = certificate(means, rate)
        claim["coefficients"][which] *= factor
        claim["log_coefficient"] *= 1.05  # so that the inequalities decide, not the closing
        claim["const"] *= 1.5
        refused.append(bool(checker.faults(json.dumps(claim))))
        moved = RoundedPotential(*(exact(x) for x in (*claim["coefficients"], claim["b"])))
        assert all(check.verified for check in verify(two_arms(means, rate), moved)) is not refused[-1]
    assert any(refused)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"means": [0.8, 0.9]}, "out of range"),
        ({"learning_rate": 0.06}, "inequality"),
        ({"means": [0.9, 0.81]}, "inequality"),
        ({"policy": "ucb1"}, "not about samba"),
        ({"verified": False}, "verified"),
        ({"lower_b": 3.5}, "lower_b"),
        ({"coefficients": [1.750875, -0.1, 1.469774]}, "out of range"),
        ({"coefficients": [1.750875, 0.97704, 9.0]}, "V does not fall"),
    ],
    ids=str,
)
def test_what_does_not_belong_together_is_refused(change: dict[str, Any], fault: str) -> None:
    assert any(fault in sentence for sentence in checker.faults(json.dumps({**certificate(), **change})))


def test_any_admissible_game_within_two_percent_of_its_programme() -> None:
    dice = random.Random(7)
    for _ in range(8):
        rival = round(dice.uniform(0.02, 0.95), 3)
        best = round(dice.uniform(rival + 0.005, 1.0), 3)
        rate = round(min(0.9, dice.uniform(0.02, 0.35) * (best / rival - 1.0)), 5)
        claim = certificate((best, rival), rate)
        assert claim["verified"] is True
        assert claim["b"] <= 1.02 * claim["programme_b"]


def test_the_inequalities_are_those_of_the_update_rule() -> None:
    """Enumerate one round of the rule at random states; both forms of the inequality must enclose the result."""
    dice = np.random.default_rng(3)
    game = two_arms((0.9, 0.8), 0.05)
    v = RoundedPotential(exact(1.75), exact(0.98), exact(1.47), exact(3.7))
    for _ in range(60):
        s, size = Fraction(dice.integers(1, 1000).item(), 1000), game.sizes[dice.integers(0, 3)]
        for leads in (False, True):
            p = 1 / (1 + s) if leads else s / (1 + s)
            truth = drift(game, v, p, leads, size)
            if leads and size == 0:
                truth /= float(1 - p)
            point = Interval(np.array(float(s)), np.array(float(s)))
            bounds = (best_leads if leads else rival_leads)(game, v, size, point)
            assert float(bounds.low) - 1e-9 < truth < float(bounds.high) + 1e-9
            assert bounds.high - bounds.low < 1e-9


def drift(game: Any, v: RoundedPotential, p: Fraction, leads: bool, size: Fraction) -> float:
    """E[V(p') - V(p)] + Delta q - b c, with one round of SAMBA in fractions and logarithms of 50 digits."""
    q, a = 1 - p, game.rate
    up = p + a * q * q / p if leads else p + a * p
    down = p - a * q if leads else p - a * p * p / q
    shown = max(game.best - size, Fraction(0)), min(game.rival + size, Fraction(1))
    total = game.gap * q - v.price * size
    logs = decimal.Decimal(0)
    for probability, after in ((p * shown[0], up), (q * shown[1], down)):
        total += probability * (v.inverse * (1 / after - 1 / p) - v.linear * (p - after)) / a
        logs += digits(probability * v.logarithm / a) * (digits((1 - after) / q)).ln()
    return float(digits(total) + logs)


def digits(value: Fraction) -> decimal.Decimal:
    with decimal.localcontext() as context:
        context.prec = 50
        return decimal.Decimal(value.numerator) / decimal.Decimal(value.denominator)


def test_logarithms_are_enclosed_and_the_enclosure_is_narrow() -> None:
    values = [*np.linspace(-0.95, 1.0, 77), 0.0, 1e-12, -1e-12]
    bounds = interval.log_ratio(Interval(np.array(values), np.array(values)))
    for y, low, high in zip(values, bounds.low, bounds.high, strict=True):
        precise = digits(Fraction(float(y)))
        with decimal.localcontext() as context:
            context.prec = 60
            truth = (1 + precise).ln() / precise if y else decimal.Decimal(1)
        assert decimal.Decimal(float(low)) <= truth <= decimal.Decimal(float(high))
        assert high - low < 1e-11  # also near -1, where fewer terms leave open what a cell must decide
        unit = 1 << checker.UNIT
        mine = checker.log_less(checker.of(Fraction(-float(y)))) if y < 0 else checker.log_more(checker.of(Fraction(y)))
        assert mine[0] <= truth * unit <= mine[1]
        assert mine[1] - mine[0] < unit * 1e-14


def test_fewer_terms_of_the_series_are_looser_and_not_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    values, widths = np.linspace(-0.7, 1.0, 17), []  # none is 0
    for terms in (1, 3, 30):
        monkeypatch.setattr(interval, "TERMS", terms)
        bounds = interval.log_ratio(Interval(values, values))
        truth = np.log1p(values) / values
        assert (bounds.low <= truth + 1e-15).all()
        assert (truth - 1e-15 <= bounds.high).all()
        widths.append((bounds.high - bounds.low).max())
    assert widths[0] > 10 * widths[1] > 1e-3 > 1e-13 > widths[2]


def test_wide_intervals_hold_every_value_inside() -> None:
    dice = np.random.default_rng(5)
    ends = np.sort(dice.uniform(-2.0, 2.0, (4, 500)).reshape(2, 2, 500), axis=1)
    x, y = (Interval(pair[0], pair[1]) for pair in ends)
    inside_x, inside_y = (pair[0] + (pair[1] - pair[0]) * dice.uniform(size=500) for pair in ends)
    positive = Interval(np.abs(y.low) + 0.1, np.abs(y.low) + 0.1 + y.high - y.low)
    divisor = positive.low + (positive.high - positive.low) * dice.uniform(size=500)
    for bounds, value in (
        (x + y, inside_x + inside_y),
        (x - y, inside_x - inside_y),
        (x * y, inside_x * inside_y),
        (x / positive, inside_x / divisor),
    ):
        assert np.all(bounds.low <= value)
        assert np.all(value <= bounds.high)
    tenth = interval.constant(Fraction(1, 10))
    assert Fraction(float(tenth.low)) < Fraction(1, 10) < Fraction(float(tenth.high))
    with pytest.raises(ZeroDivisionError):
        x / Interval(-np.ones(500), np.ones(500))


def test_a_violation_thinner_than_a_cell_is_found() -> None:
    """1e-9 - (s - 1/3)^2 is above 0 only within 3e-5 of 1/3, and the first cells are 5e-4 wide."""

    def bump(height: int) -> Any:
        def excess(s: Interval) -> Interval:
            away = s - interval.constant(Fraction(1, 3))
            return interval.constant(Fraction(height, 10**9)) - away * away

        return excess

    assert everywhere("thin", bump(1)).verified is False
    below = everywhere("below", lambda s: interval.constant(Fraction(-1, 10**6)) - s * s)
    assert (below.verified, below.largest <= 0.0) == (True, True)
    with_cuts = everywhere("near", bump(-1))
    assert with_cuts.verified is True
    assert with_cuts.cells > 2_000


def test_the_linear_programme_agrees_with_highs() -> None:
    dice = np.random.default_rng(11)
    for _ in range(10):
        rows = np.vstack([dice.normal(size=(60, 5)), np.eye(5), -np.eye(5)])
        limits, cost = np.concatenate([dice.uniform(0.1, 2.0, 60), np.full(10, 3.0)]), dice.normal(size=5)
        other = linprog(cost, A_ub=rows, b_ub=limits, bounds=[(None, None)] * 5, method="highs")
        x = minimise(cost, rows, limits)
        assert cost @ x == pytest.approx(other.fun, rel=1e-6, abs=1e-6)
        assert np.all(rows @ x <= limits + 1e-7)
    with pytest.raises(InputError, match="no solution"):
        minimise(np.array([1.0]), np.array([[1.0], [-1.0]]), np.array([-1.0, -1.0]))


def test_the_bound_is_above_what_any_attack_was_seen_to_do(capsys: Any, tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    assert main(["paper", "certify", "--horizon", "2000", "--budget", "20", "--runs", "100", "--out", str(file)]) == 0
    assert "certificate" in capsys.readouterr().out
    claim = json.loads(file.read_text())
    sides = claim["sandwich"]
    assert sides["clean"] < sides["optimum"] < sides["certificate"]
    assert sides["played"]["mean"] - sides["played"]["half_width_95"] < sides["optimum"]
    grown = math.log1p(0.05 * 2000 / 1.9)
    bound = claim["const"] + claim["log_coefficient"] * grown + claim["b"] * 20
    assert sides["certificate"] == pytest.approx(bound)
    assert main(["paper", "certify", "--check", str(file)]) == 0
    printed = capsys.readouterr().out
    inequality = f"{claim['const']} + {claim['log_coefficient']} ln(1 + alpha T/(2 (1 - alpha))) + {claim['b']} E[C]"
    assert f"alpha = {claim['learning_rate']}, two Bernoulli arms with means 0.9 and 0.8" in printed
    assert f"E[regret after T rounds] <= {inequality}\n" in printed
    assert printed.endswith("not verified: checks, programme_b, rho, sandwich, version, warning\n")
    alone = subprocess.run([sys.executable, "-I", checker.__file__, str(file)], capture_output=True, text=True)
    assert alone.returncode == 0
    assert inequality in alone.stdout
    file.write_text(json.dumps({**claim, "promise": "E[regret] <= 0"}))
    assert main(["paper", "certify", "--check", str(file), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert "promise" in answer["ignored"]
    assert any(inequality in line for line in answer["claim"])
    file.write_text(json.dumps({**claim, "b": claim["lower_b"]}))
    assert main(["paper", "certify", "--check", str(file), "--json"]) == 2
    answer = capsys.readouterr()
    assert json.loads(answer.out)["verified"] is False
    assert "proves nothing: the inequality fails" in answer.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--learning-rate", "0.2"], "must be below r*/r_2 - 1 = 0.125"),
        (["--means", "0.8,0.9"], "the better arm first"),
        (["--horizon", "100"], "go together"),
        (["--check", "no-such-file"], "cannot be read"),
        (["--check", "pyproject.toml"], "is not a certificate"),
        (["--out", "no/such/folder/c.json"], "a folder that exists"),
        (["--horizon", "0", "--budget", "1"], "between 1 and"),
    ],
    ids=str,
)
def test_mistakes_are_answered_by_a_sentence(words: list[str], message: str, capsys: Any) -> None:
    assert main(["paper", "certify", *words]) == 2
    assert message in capsys.readouterr().err


def sampled(claim: dict[str, Any]) -> float:
    """How far the claim is broken anywhere on a dense grid of states and sizes of corruption, as the page writes it."""
    (r1, r2), a, b, (inverse, logarithm, linear) = (claim[k] for k in ("means", "learning_rate", "b", "coefficients"))
    s = np.concatenate([np.linspace(1e-9, 1.0, 4001), np.geomspace(1e-9, 1.0, 1000)])
    small = s / (1 + s)
    large = 1 - small
    worst = [logarithm / a - claim["log_coefficient"]]
    for c in (0.0, 1 - r2, r1, (1 - r2) / 2, r1 / 3):
        x1, x2 = max(r1 - c, 0.0), min(r2 + c, 1.0)
        p, q = small, large  # the rival leads
        logs = p * x1 * np.log1p(-a * s) + q * x2 * np.log1p(a * s * s)
        drift = inverse * (x2 / (1 - a * s) - x1 / (1 + a)) + logarithm / a * logs - linear * p * p * (x2 - x1)
        worst.append(float((drift + (r1 - r2) * q - b * c).max()))
        p, q = large, small  # the best arm leads
        logs = p * x1 * np.log1p(-a * s) + q * x2 * math.log1p(a)
        moved = inverse * s * s * (x2 / (1 - a * s) - x1 / (1 + a * s * s))
        drift = moved + logarithm / a * logs - linear * q * q * (x2 - x1)
        worst.append(float(((drift + (r1 - r2) * q - b * c) / q).max()))
    end = (inverse * (2 - 1 / small[1:]) + linear * (0.5 - small[1:])) / a, (inverse - linear / 2) / a
    return max(*worst, float(end[0].max()) - claim["const"], end[1] - claim["const"])


def test_what_the_checker_takes_is_true_however_the_file_was_changed() -> None:
    """Each number of the claim moved either way, a little or a lot: taken only where sampling finds nothing broken."""
    dice, verdicts = random.Random(5), []
    for number in range(18):
        claim = certificate(*random.Random(number).choice([((0.9, 0.8), 0.05), ((0.6, 0.5), 0.05)]))
        factor = dice.choice([0.9, 0.98, 0.995, 1.005, 1.02, 1.1])
        place = number % 9
        if place < 3:
            claim["coefficients"][place] *= factor
        elif place < 5:
            claim["means"][place - 3] = min(claim["means"][place - 3] * factor, 1.0)
        else:
            claim[("learning_rate", "b", "const", "log_coefficient")[place - 5]] *= factor
        refused = bool(checker.faults(json.dumps(claim)))
        verdicts.append(refused)
        assert refused or sampled(claim) < 1e-9, (number, factor)
    assert 6 <= sum(verdicts) < 18
    assert sampled(certificate()) < 1e-9
    assert sampled({**certificate(), "b": certificate()["lower_b"]}) > 0.001


def test_a_file_that_says_two_things_is_refused(tmp_path: Path, capsys: Any) -> None:
    """The first b is what a reader sees, the last one what JSON readers take."""
    file = tmp_path / "two.json"
    file.write_text('{"b": 1.0, ' + json.dumps(certificate())[1:])
    assert main(["paper", "certify", "--check", str(file)]) == 2
    assert "says everything once" in capsys.readouterr().err


def test_numbers_no_certificate_has_are_refused() -> None:
    for text in ('{"means": [1e9999, 0.5]}', '{"means": [NaN, 0.5]}'):
        with pytest.raises(ValueError, match=r"short decimal|Invalid literal"):
            checker.faults(text)
