"""The test for one mean: against naive betting, by enumeration, on clean plays; attacks that it does not notice."""

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.catalogue import SHIPPED
from robandit.dice import Random
from robandit.errors import InputError
from robandit.forensics.reward_log import RewardLog
from robandit.forensics.statistics import all_evidence
from robandit.game import Choice
from robandit.homogeneity import change_evidence
from robandit.lab.watched import Watched
from robandit.redteam.evaluate import Evaluator, Play, undetected_regret

MEANS = (0.2, 0.5, 0.8)


def naive_evidence(rewards: list[float]) -> float:
    """A bettor per change, reward by reward; the rest of the stake is on changes that have not come yet."""

    def stake(ones: float, zeros: float, reward: float) -> float:
        rate = (ones + 0.5) / (ones + zeros + 1.0)
        return rate if reward == 1.0 else 1.0 - rate

    rate = sum(rewards) / len(rewards)
    single = math.prod(rate if reward == 1.0 else 1.0 - rate for reward in rewards)
    total = 0.0
    for change in range(50):
        wealth, seen = 1.0, list[float]()
        for place, reward in enumerate(rewards):
            seen = [] if place == 2**change else seen
            wealth *= stake(sum(seen), len(seen) - sum(seen), reward)
            seen.append(reward)
        total += wealth / ((change + 1) * (change + 2))
    return (total + wealth / 51) / single  # the last bettor saw no change, as all after it


def evidence_of(rewards: Any) -> float:
    sums = np.concatenate([[0.0], np.cumsum(rewards)])
    return change_evidence(float(len(rewards)), sums[-1], [sums[min(2**k, len(rewards))] for k in range(40)])


def test_evidence_is_betting_reward_by_reward() -> None:
    luck = np.random.default_rng(1)
    for size in (1, 2, 3, 7, 8, 9, 40):
        rewards = (luck.random(size) < 0.3).astype(float).tolist()
        assert evidence_of(rewards) == pytest.approx(naive_evidence(rewards), rel=1e-9)
    assert evidence_of([0.0] * 30 + [1.0] * 30) > 1e6


@pytest.mark.parametrize("rewards", [(0.0, 1.0), (0.0, 0.5, 1.0)])
@pytest.mark.parametrize("mean", [0.2, 0.5])
def test_no_way_of_looking_earns_more_than_the_stake(rewards: tuple[float, ...], mean: float) -> None:
    """Every course of a few rewards, stopped as soon as it looks good."""
    middle = 0.3 if len(rewards) == 3 else 0.0
    probabilities = {1.0: mean - middle / 2, 0.0: 1 - mean - middle / 2, 0.5: middle}
    fixed = stopped = 0.0
    for course in itertools.product(rewards, repeat=8 if len(rewards) == 2 else 6):
        weight = math.prod(probabilities[reward] for reward in course)
        values = [evidence_of(course[:size]) for size in range(1, len(course) + 1)]
        fixed += weight * values[-1]
        stopped += weight * next((value for value in values if value > 1.0), values[-1])
    assert 0.05 < fixed <= 1.0 + 1e-9
    assert 0.05 < stopped <= 1.0 + 1e-9


def played(policy: Any, budget: float = 0.0, runs: int = 6, **terms: Any) -> Any:
    adversary = rb.attack("sink-shown", budget=budget) if budget else None
    return rb.simulate(policy, MEANS, adversary, horizon=1500, runs=runs, seed=3, threads=1, **terms)


@pytest.mark.parametrize("policy", ["thompson", "samba", "verified-thompson"])
def test_a_policy_that_is_watched_plays_as_alone(policy: str) -> None:
    alone, watched = (played(one, 30.0) for one in (SHIPPED.policy(policy), Watched(inner=SHIPPED.policy(policy))))
    assert (alone.regret == watched.regret).all()
    assert (alone.corruption_paid == watched.corruption_paid).all()
    assert alone.alarms is None
    assert watched.alarms is not None


def test_compiled_rings_when_interpreted_does() -> None:
    watched = Watched(inner=SHIPPED.policy("samba"))
    compiled, plain = (played(watched, 30.0, runs=2, engine=engine) for engine in ("rounds", "plain"))
    assert compiled.alarms.tolist() == plain.alarms.tolist()
    assert (compiled.alarms > 0).all()


@pytest.mark.parametrize("level", [0.01, 0.05, 0.3])
def test_it_rings_when_the_mean_over_arms_reaches_one_over_the_level(level: float) -> None:
    """Beside a naive one that looks after every reward; an arm that was never pulled has the e-value 1."""
    watched, luck = Watched(inner=SHIPPED.policy("ucb1"), level=level), np.random.default_rng(8)
    state, random = watched.start(rb.Setting(3, 200)), Random(1)
    rewards: list[list[float]] = [[], [], []]
    rang = 0
    for t in range(160):
        arm = int(luck.integers(0, 2))
        reward = float(luck.random() < (0.95 if arm == 1 and len(rewards[1]) >= 32 else 0.1))
        rewards[arm].append(reward)
        watched.learn(state, Choice(arm, 1.0, 0), reward, random)
        mean = sum(naive_evidence(one) if one else 1.0 for one in rewards) / 3
        rang = t + 1 if not rang and mean >= 1 / level else rang
    assert 32 < rang == state.alarm


def test_honest_plays_ring_as_rarely_as_the_level_says() -> None:
    """At most 1 in 20; more than 25 of 200 has a probability of 1e-5 then."""
    alarms = played(Watched(inner=SHIPPED.policy("thompson"), level=0.05), runs=200).alarms
    assert (alarms > 0).sum() <= 25


def test_a_lie_that_ends_is_noticed_and_one_that_goes_on_is_not() -> None:
    samba = Watched(inner=SHIPPED.policy("samba"))
    assert (played(samba, 20.0).alarms > 0).all()
    assert (played(samba, math.inf).alarms == 0).all()


def test_the_price_without_an_alarm() -> None:
    terms: dict[str, Any] = {"horizon": 1500, "runs": 4, "attack": "sink-shown", "threads": 1}
    plain = rb.find_price("samba", MEANS, **terms)
    quiet = rb.find_price("samba", MEANS, undetected=0.05, **terms)
    assert plain.estimate is not None
    assert quiet.estimate is not None
    assert quiet.low > plain.high  # it must lie to the end
    assert (plain.undetected, quiet.undetected) == (None, 0.05)
    scenario = rb.Scenario("samba", MEANS, horizon=1500)
    loud = Evaluator(scenario, undetected=0.05).outcome(Play(quiet.attack, plain.high, 3, 4), 1)
    assert undetected_regret(loud).tolist() == [0.0] * 4
    assert min(loud["regret"]) > 0.0


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        ({"undetected": 1.5}, "above 0 and below 1, not 1.5"),
        ({"agents": 2}, "one agent"),
        ({"environment": "shifts"}, "one agent"),
    ],
)
def test_where_rewards_need_not_have_one_mean_there_is_no_test(terms: dict[str, Any], words: str) -> None:
    world = rb.environments.Shifts((0.2, 0.8), every=100) if terms.pop("environment", None) else MEANS
    with pytest.raises(InputError, match=words):
        rb.find_price("thompson", world, horizon=300, runs=2, **{"undetected": 0.05, **terms})


def test_an_audit_sees_an_arm_that_changes() -> None:
    luck = np.random.default_rng(5)
    arms = luck.integers(0, 2, 2000)
    rates = np.where((arms == 1) & (np.arange(2000) >= 1000), 0.6, 0.3)
    rewards = (luck.random(2000) < rates).astype(float)
    log = rb.Log(arms, np.full(2000, 0.5), rewards)
    table = RewardLog(log, ("a", "b"), ("s",), np.zeros(2000, np.int64))
    found = next(one for one in all_evidence(table, table.codes) if one.name == "homogeneity")
    assert found.sources[0] < 0.0 < math.log(1000) < found.sources[1]
    assert found.alarm(0.05) is not None
    assert found.alarm(0.05) > 1000
    for arm in range(2):
        assert math.exp(found.sources[arm]) == pytest.approx(evidence_of(rewards[arms == arm]), rel=1e-9)


def test_the_notice_says_what_an_arm_paid_before_and_since(tmp_path: Path) -> None:
    luck = np.random.default_rng(6)
    arms = luck.integers(0, 2, 3000)
    rates = np.where((arms == 1) & (np.arange(3000) >= 1000), 0.7, 0.3)
    rewards = (luck.random(3000) < rates).astype(int)
    lines = [f"{'ab'[arms[row]]},{rewards[row]},s{row % 9}" for row in range(3000)]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["arm,reward,source", *lines]) + "\n")
    audit = rb.audit(path, "ucb1", price=False)
    signal = next(one for one in audit.signals if one.statistic == "homogeneity")
    assert (signal.is_alarm, signal.subjects) == (False, ("b",))
    own = rewards[arms == 1]
    assert f"b paid {own[:512].mean():.2g} in its first 512 rewards, {own[512:].mean():.2g} since" in signal.text
    assert "homogeneity" not in audit.alarms()


@pytest.mark.parametrize("command", ["price", "redteam"])
def test_both_commands_take_the_level(robandit: Any, command: str, tmp_path: Path) -> None:
    own = ["--attack", "sink-shown"] if command == "price" else ["--budget", "30", "--threat", "B", "--quick"]
    game = ["--means", "0.2,0.5,0.8", "--policy", "samba", "--horizon", "600", "--runs", "4", "--out", str(tmp_path)]
    _, record, _ = robandit(command, *own, *game, "--undetected", "0.1", "--json")
    assert record["undetected"] == 0.1
    _, text, _ = robandit(command, *own, *game, "--undetected")
    assert "test of level 0.05 r" in " ".join(text.split())
    if command == "redteam":
        assert 0.0 <= record["detected"] <= 1.0
