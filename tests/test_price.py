"""Attack price: the bisection, its honesty about blocks, the command."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.cli.main import main
from robandit.environments.means import spread_means
from robandit.estimates import summarise
from robandit.lab.scenario import Scenario
from robandit.redteam.candidate import Candidate
from robandit.redteam.evaluate import Evaluator, Play
from robandit.redteam.frontier import with_assumed_corruption
from robandit.redteam.price import Bisection, Price, PriceOptions, attack_price, is_fooled
from robandit.store.journal import Journal

SINK = Candidate("sink-shown")


@dataclass
class Threshold:
    """Stands in for plays where all that matters is from which budget on the policy is fooled."""

    at: float
    asked: list[float]

    def outcome(self, play: Play) -> dict[str, Any]:
        budget = play.budget if play.candidate else 0.0
        self.asked.append(budget)
        paid = [min(budget, most * self.at) for most in (0.5, 3.0, 1.5)]  # a lucky run costs less than the price
        return {"best_share": [0.2 if budget >= self.at else 0.8] * 3, "paid": paid}


def bisection(stand_in: Threshold, **options: Any) -> Bisection:
    return Bisection(stand_in, PriceOptions(**options), 3)  # type: ignore[arg-type]


def scenario(policy: Any, means: tuple[float, ...], horizon: int, runs: int) -> Scenario:
    return Scenario(policy, means, horizon=horizon, runs=runs)


@pytest.mark.parametrize("at", [0.7, 6.0, 117.3, 5000.0])
@pytest.mark.parametrize("guess", [None, 0.0, 5.0, 100.0])
def test_bisection_finds_a_threshold_to_two_percent_with_few_plays(at: float, guess: float | None) -> None:
    stand_in = Threshold(at, [])
    found = bisection(stand_in).price(SINK, 1, guess)
    assert found is not None
    assert at <= found <= 1.02 * at
    assert len(stand_in.asked) < 22


def test_bisection_stops_at_the_tolerance_asked_for() -> None:
    plays = {}
    for tolerance in (1.02, 1.3):
        stand_in = Threshold(117.3, [])
        found = bisection(stand_in, tolerance=tolerance).price(SINK, 1)
        assert found is not None
        assert 117.3 <= found <= tolerance * 117.3
        plays[tolerance] = len(stand_in.asked)
    assert plays[1.3] < plays[1.02]


def test_bisection_knows_who_cannot_be_fooled_who_needs_no_fooling_and_what_is_not_cheaper() -> None:
    assert bisection(Threshold(np.nan, [])).price(SINK, 1) is None
    assert bisection(Threshold(0.0, [])).price(SINK, 1) == 0.0
    assert bisection(Threshold(50.0, [])).price(SINK, 1, below=49.0) is None
    assert bisection(Threshold(30.0, [])).price(SINK, 1, below=49.0) == pytest.approx(30.3, rel=0.011)


@pytest.mark.parametrize(
    ("shares", "answer"),
    [
        ([0.4, 0.4, 0.6], True),
        ([0.4, 0.6], True),
        ([0.5, 0.6, 0.4], False),
        ([0.9], False),
        ([0.49] * 49 + [0.51] * 51, False),  # 49 % of the runs are not half of them
        ([0.49] * 50 + [0.51] * 50, True),
    ],
)
def test_fooled_means_fewer_than_half_of_the_rounds_in_at_least_half_of_the_runs(
    shares: list[float], answer: bool
) -> None:
    assert is_fooled({"best_share": shares}) == answer


def test_real_prices_come_in_the_known_order_and_are_remembered(tmp_path: Path) -> None:
    """Known well enough for the most expensive block of one to be below the cheapest of the next."""
    ranges = {}
    for policy in ("thompson", "ucb1", "samba"):
        game = scenario(policy, (0.3, 0.45, 0.8), 3000, 6)
        found = attack_price(Evaluator(game, Journal(tmp_path / policy)), [SINK])
        again = attack_price(Evaluator(game, Journal(tmp_path / policy)), [SINK])
        assert found == again
        assert found.low is not None
        assert found.high is not None
        assert found.spending is not None
        assert found.low <= (found.estimate or 0.0) <= found.high
        assert found.spending["mean"] >= 0.9 * found.low
        ranges[policy] = found.low, found.high
    assert 0.0 < ranges["thompson"][0] < 2 * ranges["thompson"][1] < ranges["ucb1"][0]
    assert ranges["ucb1"][1] < ranges["samba"][0]


@dataclass
class Spy(Evaluator):
    """Notes which seeds which questions were asked on."""

    asked: list[Play] = field(default_factory=list)

    def outcome(self, play: Play, threads: int | None = None) -> dict[str, Any]:
        self.asked.append(play)
        return super().outcome(play, threads)


def test_choosing_and_pricing_use_different_seeds() -> None:
    spy = Spy(scenario("samba", (0.3, 0.8), 800, 4))
    found = attack_price(spy, [SINK, Candidate("promote")])
    tried = [play.seed for play in spy.asked if play.candidate is not None and play.candidate != found.attack]
    chosen = [play.seed for play in spy.asked if play.candidate == found.attack]
    assert len(set(tried)) == 1
    assert len(set(chosen)) == 4
    assert set(tried) < set(chosen)
    pricing = [play for play in spy.asked if play.seed not in tried and play.candidate is not None]
    assert len({play.seed for play in pricing}) == 3
    assert {play.candidate for play in pricing} == {found.attack}


def test_a_policy_that_needs_the_corruption_assumes_one_number() -> None:
    game = scenario("known-c-aae", (0.3, 0.8), 800, 4)
    with pytest.raises(rb.InputError, match="must be given one corruption"):
        attack_price(Evaluator(game), [SINK])
    assert str(with_assumed_corruption(game.policy)) == "known-c-aae:corruption=100"


def test_an_attack_of_the_other_model_is_refused() -> None:
    with pytest.raises(rb.InputError, match="of threat model A"):
        attack_price(Evaluator(scenario("samba", (0.3, 0.8), 800, 4)), [Candidate("invert")])


def test_who_never_learns_cannot_be_fooled(tmp_path: Path) -> None:
    game = scenario("uniform", spread_means(9), 1000, 4)
    found = attack_price(Evaluator(game, Journal(tmp_path / "j")), [SINK])
    assert (found.low, found.estimate, found.high, found.spending) == (None, None, None, None)
    assert not found.learns


def told(clean: float, *prices: float | None) -> Price:
    return Price(SINK, summarise([clean]), None, prices, {})


def test_range_and_median_say_when_a_block_was_not_fooled() -> None:
    assert (told(1, 5.0, 7.0, 6.0).low, told(1, 5.0, 7.0, 6.0).estimate, told(1, 5.0, 7.0, 6.0).high) == (5, 6, 7)
    assert (told(1, 5.0, None, 6.0).low, told(1, 5.0, None, 6.0).estimate, told(1, 5.0, None, 6.0).high) == (5, 6, None)
    assert told(1, 5.0, None, None).estimate is None
    assert told(1, None, None, None).low is None


def test_the_command_at_a_small_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["price", "--horizon", "3000", "--runs", "6", "--means", "0.3,0.45,0.8", "--out", str(tmp_path / "kept")]
    words += ["--policy", "samba", "--policy", "ucb1", "--policy", "uniform", "--attack", "sink-shown"]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    rows = {row["policy"]: row for row in found["results"]}
    for row in rows.values():
        assert {"policy", "parameters", "attack", "clean_regret", "spending", "price"} <= set(row)
    assert set(rows["samba"]["price"]) == {"low", "estimate", "high", "unit"}
    assert rows["samba"]["price"]["unit"] == "reward"
    assert rows["samba"]["price"]["low"] > 1.0
    assert "nobody to fool" in rows["uniform"]["notes"][0]
    assert rows["uniform"]["price"] is None
    assert [rows[name]["learns"] for name in ("samba", "uniform")] == [True, False]
    assert main([*words, "--plot", str(tmp_path / "frontier.png")]) == 0
    said = capsys.readouterr().out
    assert "Attack price on bernoulli: means 0.3, 0.45, 0.8" in said
    assert "does not learn" in next(line for line in said.splitlines() if line.strip().startswith("uniform"))
    assert "0 (0-0)" not in said
    assert (tmp_path / "frontier.png").stat().st_size > 10_000


def test_a_share_of_rounds_can_be_the_price(tmp_path: Path, robandit: Any) -> None:
    words = ["price", "--horizon", "3000", "--runs", "6", "--means", "0.3,0.45,0.8", "--out", str(tmp_path), "--json"]
    words += ["--policy", "samba", "--attack", "sink-shown", "--can", "erase", "--share"]
    row = robandit(*words)[1]["results"][0]
    assert row["price"]["unit"] == "share"
    assert row["limit"] == pytest.approx(0.35 / 0.8)
    assert 0.1 < row["price"]["low"] <= row["price"]["high"] < 1.2 * row["limit"]
    within = robandit(*words, "--budget", "120")[1]["results"][0]
    assert within["price"]["estimate"] > 1.02 * row["price"]["estimate"]
    added = robandit(*words, "--can", "add", "--attack", "promote")[1]
    assert added["capability"]["words"] == "can only add rewards"
    assert added["results"][0]["limit"] == pytest.approx(0.35 / 0.55)
    assert added["results"][0]["attack"] == "--attack promote --can add"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--budget", "5"], "without a number"),
        (["--share", "--budget", "0"], "above 0"),
        (["--threat", "A", "--share"], "threat model B"),
        (["--threat", "A", "--can", "add"], "threat model B"),
        (["--can", "steal"], "one of both, add, erase"),
        (["--share", "2"], "at most 1"),
        (["--share", "0.1", "--can", "add:share=0.2"], "cannot both be given"),
    ],
)
def test_prices_that_make_no_sense_are_refused(words: list[str], message: str, robandit: Any, tmp_path: Path) -> None:
    code, _, said = robandit("price", "--horizon", "100", "--policy", "samba", "--out", str(tmp_path), *words)
    assert code == 2
    assert message in said


def test_a_search_may_find_a_cheaper_attack_and_never_takes_one_that_costs_more(tmp_path: Path) -> None:
    attack, one = Candidate("ace"), Evaluator(scenario(rb.Samba(), (0.3, 0.45, 0.8), 1500, 6))
    plain, found = (attack_price(one, [attack], PriceOptions(search=search)) for search in (0, 10))
    assert found.estimate is not None
    assert found.attack != attack
    assert len(found.by_attack) == 2
    assert plain.estimate is None or found.estimate < plain.estimate


def test_the_second_criterion_of_fooled_asks_for_regret() -> None:
    """With a tenth more than the price the median run, on fresh seeds, has about half of the runner-up's regret."""
    terms: dict[str, Any] = {"horizon": 2000, "runs": 6, "attack": "sink-shown"}
    game = rb.Bernoulli((0.1, 0.5, 0.9))
    regret = rb.find_price(rb.Thompson(), game, fooled="regret", **terms)
    assert regret.learns
    assert regret.fooled == "regret"
    assert regret.estimate is not None
    attack = rb.attack("sink-shown", budget=regret.estimate * 1.1)
    trace = rb.simulate(rb.Thompson(), game, attack, horizon=2000, runs=60, seed=77)
    assert np.median(trace.regret[:, -1]) > 0.4 * 0.5 * 2000 * 0.9  # about half of 0.4 T, by its definition
    with pytest.raises(rb.InputError, match="fooled must be one of share, regret, not 'best'"):
        rb.find_price(rb.Thompson(), game, fooled="best", **terms)
    with pytest.raises(rb.InputError, match="leave it out where slates are shown"):
        rb.find_price(rb.policy("slate-samba"), game, fooled="regret", slate=2, **terms)
