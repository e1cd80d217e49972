"""The attacker's side: the exact optimum, how close known and searched attacks come to it, and known prices."""

from pathlib import Path
from typing import Any

import pytest

import robandit as rb
from robandit.lab.scenario import Scenario
from robandit.redteam.candidate import Candidate
from robandit.redteam.evaluate import Evaluator
from robandit.redteam.price import attack_price
from robandit.redteam.search import worst_attack
from robandit.store.journal import Journal

ROUNDS, RUNS = 10_000, 20_000
TWO_ARMS = [(0.9, 0.8), (0.6, 0.5), (0.9, 0.5)]


@pytest.mark.parametrize(
    ("terms", "known"),
    [
        ({"price": 1e9}, 71.2),
        ({"price": 1e9, "horizon": 100_000}, 109.7),
        ({"budget": 60}, 261.0),
        ({"budget": 150}, 515.8),
        ({"budget": 300}, 789.9),
        ({"budget": 30, "threat": "B"}, 272.7),
        ({"budget": 60, "threat": "B"}, 746.3),
        ({"price": 1.5}, 838.2),
    ],
    ids=str,
)
def test_the_optimum_is_what_was_known(terms: dict[str, Any], known: float) -> None:
    regret = rb.optimal_attack(**terms).regret
    print(f"\n{terms}: {regret:.2f}, known {known}")
    assert regret == pytest.approx(known, rel=0.005)


@pytest.mark.parametrize(
    ("terms", "step"),
    [({"budget": 60}, 0.1), ({"budget": 30, "threat": "B"}, 0.05), ({"price": 1.5}, 0.05)],
    ids=str,
)
def test_half_the_step_changes_a_thousandth(terms: dict[str, Any], step: float) -> None:
    usual, fine = rb.optimal_attack(**terms), rb.optimal_attack(**terms, step=step / 2)
    values = [one.regret - terms.get("price", 0.0) * (one.spending or 0.0) for one in (usual, fine)]
    print(f"\n{terms}: {values[0]:.3f} and {values[1]:.3f}")
    assert values[0] == pytest.approx(values[1], rel=0.001)


@pytest.mark.parametrize(
    "terms",
    [{"budget": 60}, {"budget": 30, "threat": "B"}, {"price": 1.5}, {"price": 5.0, "threat": "B"}],
    ids=str,
)
def test_the_optimum_plays_as_the_programme_says(terms: dict[str, Any]) -> None:
    exact = rb.optimal_attack(**terms, playable=True)
    trace = rb.simulate(rb.Samba(), rb.Bernoulli((0.9, 0.8)), exact.adversary, horizon=ROUNDS, runs=RUNS, checkpoints=1)
    mean, error = trace.regret[:, -1].mean(), trace.regret[:, -1].std() / RUNS**0.5
    print(f"\n{terms}: exact {exact.regret:.2f}, played {mean:.2f}, {(mean - exact.regret) / error:+.2f} errors")
    assert abs(mean - exact.regret) < 3 * error  # probability of a false alarm 0.3 %


@pytest.mark.parametrize("budget", [60, 150, 300])
@pytest.mark.parametrize("means", TWO_ARMS, ids=str)
def test_known_and_searched_attacks_come_close_in_model_a(means: Any, budget: float, tmp_path: Path) -> None:
    exact = rb.optimal_attack(means, budget=budget)
    worth = exact.regret - exact.clean_regret
    environment = rb.Bernoulli(means)
    scenario = Scenario(rb.Samba(), environment, horizon=ROUNDS, runs=RUNS)
    search = worst_attack(Evaluator(scenario, Journal(tmp_path / "journal")), budget)
    shares = {"search": (search.regret["mean"] - exact.clean_regret) / worth}
    for schedule in ("start", "leading:theta=0.1"):
        adversary = rb.attack("invert", schedule=schedule, size="efficient", budget=budget)
        trace = rb.simulate(rb.Samba(), environment, adversary, horizon=ROUNDS, runs=RUNS, checkpoints=1)
        shares[schedule] = (trace.regret[:, -1].mean() - exact.clean_regret) / worth
    print(f"\n{means}, C={budget}: {exact.regret:.1f};", {name: round(share, 3) for name, share in shares.items()})
    print(search.candidate.flags())
    assert shares["start"] > 0.93
    assert shares["leading:theta=0.1"] > 0.93
    assert shares["search"] > max(0.90, shares["start"] - 0.02, shares["leading:theta=0.1"] - 0.02)
    assert max(shares.values()) < 1.02


@pytest.mark.parametrize("budget", [30, 60, 150])
@pytest.mark.parametrize("means", TWO_ARMS, ids=str)
def test_sink_shown_comes_close_in_model_b(means: Any, budget: float) -> None:
    exact = rb.optimal_attack(means, budget=budget, threat="B")
    adversary = rb.attack("sink-shown", budget=budget)
    trace = rb.simulate(rb.Samba(), rb.Bernoulli(means), adversary, horizon=ROUNDS, runs=RUNS, checkpoints=1)
    share = (trace.regret[:, -1].mean() - exact.clean_regret) / (exact.regret - exact.clean_regret)
    print(f"\n{means}, C={budget}: {exact.regret:.1f}, sink-shown {share:.3f}")
    assert 0.90 < share < 1.02


@pytest.mark.parametrize(
    ("policy", "low", "high"),
    [
        ("thompson", 5, 7),
        ("tsallis-inf-rv", 10, 13),
        ("tsallis-inf-iw", 16, 18),
        ("ucb1", 28, 31),
        ("samba:learning_rate=0.1", 34, 42),
        ("samba", 62, 75),
        ("barbar:scale=1", 112, 125),
    ],
)
def test_known_prices(policy: str, low: float, high: float, tmp_path: Path) -> None:
    scenario = Scenario(policy, [i / 10 for i in range(1, 10)], horizon=100_000, runs=60)
    price = attack_price(Evaluator(scenario, Journal(tmp_path / "journal")), [Candidate("sink-shown")])
    print(f"\n{policy}: {price.low:.1f} {price.estimate:.1f} {price.high:.1f}, clean {price.clean['mean']:.0f}")
    assert low <= (price.estimate or 0.0) <= high  # a single block of 60 runs scatters by 10 % for the cheapest ones
