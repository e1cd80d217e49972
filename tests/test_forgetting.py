"""Policies that forget, and what forgetting costs."""

import json
import math
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.catalogue import environment, policy
from robandit.environments.means import spread_means
from robandit.game import Choice
from robandit.lab.runner import prepare
from robandit.lab.scenario import Scenario
from robandit.numerics import log_beta
from robandit.policies.restart import Restart, least_ratio, ratio_if, surprise, threshold
from robandit.redteam.changing import change_every, changing_attacks, changing_policies
from robandit.redteam.forgetting import forgetting_price, prices_record
from robandit.redteam.memory_law import looks_per_memory, price_of_memory
from robandit.redteam.tables import forgetting_table
from robandit.service import messages
from robandit.service.experiment import open_experiment
from robandit.service.service import Service
from robandit.service.stores.memory import MemoryStore
from robandit.service.tokens import Tokens
from robandit.service.verify import verify_store
from robandit.state import save_values
from tests.naive.forgetting import NaiveRestart
from tests.support import stream
from tests.test_naive import Shared

GRID = spread_means(9)


# --- what is remembered ------------------------------------------------------------------------------------------

ROWS = ((0, 1.0), (1, 0.0), (0, 0.0))


def after(text: str, rows: Any, arms: int = 2) -> Any:
    one, random = policy(text), stream(5)
    state = one.start(rb.Setting(arms, 100))
    for arm, reward in rows:
        one.learn(state, Choice(arm, 0.5, 0), reward, random)
    return state


def test_a_window_and_a_discount_by_hand() -> None:
    windowed, faded = after("window:size=2", ROWS).inner, after("discount:rate=0.5", ROWS).inner
    assert (windowed.wins.tolist(), windowed.losses.tolist()) == ([1.0, 1.0], [2.0, 2.0])
    assert (faded.wins.tolist(), faded.losses.tolist()) == ([1.25, 1.0], [2.0, 1.5])
    counts = after("window:size=2,inner=ucb1", ROWS).inner
    assert (counts.pulls.tolist(), counts.sums.tolist(), counts.rounds) == ([1.0, 1.0], [0.0, 0.0], 2)


CAN_UNLEARN = (
    "thompson",
    "tempered-thompson:temper=3",
    "optimistic-thompson:optimism=2",
    "bonus-thompson",
    "ucb1",
    "optimistic-ucb",
    "trimmed-ucb:trim=0.2",
    "kl-ucb",
    "epsilon-greedy",
)


@pytest.mark.parametrize("inner", CAN_UNLEARN)
def test_a_window_leaves_the_state_of_one_who_saw_only_the_last_rewards(inner: str) -> None:
    random = stream(8)
    rows = [(int(3 * random.uniform()), float(random.uniform() < 0.6)) for _ in range(300)]
    whole = after(f"window:size=40,inner=({inner})", rows, 3).inner
    last = after(inner, rows[-40:], 3)
    for name in save_values(last):  # all but scratch
        assert np.allclose(getattr(whole, name), getattr(last, name), atol=1e-9), name


@pytest.mark.parametrize(
    "inner", [*CAN_UNLEARN, "capped-thompson:cap=30", "exp3", "tsallis-inf-rv", "samba", "floor:inner=thompson"]
)
def test_a_restart_leaves_the_state_before_round_one(inner: str) -> None:
    random = stream(9)
    rows = [(int(3 * random.uniform()), float(random.uniform() < 0.6)) for _ in range(100)]
    one = policy(inner)
    state, fresh = after(inner, rows, 3), one.start(rb.Setting(3, 100))
    one.restart(state)
    for now, then in ((state, fresh), *([(state.inner, fresh.inner)] if hasattr(state, "inner") else [])):
        for name in save_values(then):
            if name not in ("inner", "means"):  # the mean of an arm that was never shown is never read
                assert np.allclose(getattr(now, name), getattr(then, name), atol=1e-12), name


def test_rewards_that_never_come_are_forgotten_with_those_that_do() -> None:
    """A third of the rewards is lost: what an index policy waits for must not outgrow its window."""
    one, random = policy("window:size=60,inner=ucb1"), stream(10)
    state = one.start(rb.Setting(3, 5000))
    for _ in range(5000):
        choice = one.choose(state, random)
        one.defer(state, choice)
        if random.uniform() > 1 / 3:
            one.learn(state, choice, float(random.uniform() < 0.5), random)
    assert state.inner.pulls.sum() == 60
    assert 10 < state.inner.waiting.sum() < 60  # half of the window, in the mean
    assert state.inner.rounds < 125


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("window:inner=samba", "its state is p.t. alone, which holds no reward .* cannot track a world that changes"),
        ("discount:inner=samba", "can let rewards fade, such as thompson.* not samba"),
        ("window:inner=tsallis-inf-rv", "can take a reward back, such as thompson.* not tsallis-inf-rv"),
        ("restart:inner=barbar", "can begin again, such as thompson.* not barbar"),
        ("window:size=0", "size must be a number at least 1"),
        ("discount:rate=1", "rate must be a number above 0 and below 1"),
        ("window:inner=(floor:inner=samba)", "cannot track a world that changes"),
    ],
)
def test_a_policy_that_cannot_forget_is_refused_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(rb.InputError, match=message):
        policy(text)


@pytest.mark.parametrize("text", ["window:size=15,inner=(bonus-thompson:withstand=3)", "discount:rate=0.9", "restart"])
def test_the_service_keeps_what_is_remembered_in_its_snapshot_and_its_journal_agrees(text: str) -> None:
    service = Service(MemoryStore(), Tokens(None))
    service.engine.create(messages.NewExperiment("one", ["x", "y"], text, seed=1))
    one = service.engine.experiments[1]

    def visit(number: int) -> None:
        decided = service.engine.decide(one, messages.DecisionRequest(), None)
        service.store.commit(decided.rows)
        reward, source = messages.Reward(number % 3 == 0), f"source {number % 4}"
        service.store.commit(service.engine.reward(one, decided.message.id, reward, source).rows)

    for number in range(60):
        visit(number)
    service.store.commit([], [one.snapshot()])
    for number in range(60, 70):
        visit(number)
    again = open_experiment(service.store, service.store.experiments()[0])
    assert again.fold.save_state() == one.fold.save_state()
    assert len(json.dumps(one.fold.save_state())) < 8000
    assert all(one.sound for one in verify_store(service.store))


# --- the restart rule --------------------------------------------------------------------------------------------


def test_the_threshold_is_that_of_the_proof() -> None:
    """KT's mixture is at least 1/(2 sqrt n) of the largest likelihood, and the weights of the cuts sum to at most 1."""
    for n in (1, 2, 5, 30, 1000):
        for total in np.linspace(0, n, 41):
            mixture = log_beta(total + 0.5, n - total + 0.5) - math.log(math.pi)
            assert mixture >= -surprise(float(total), n) - math.log(2 * math.sqrt(n)) - 1e-9
    cuts = np.arange(1.0, 2e6)
    weights = np.exp([-(threshold(s, 1.0) - 0.5 * math.log(s) - math.log(4)) for s in (1.0, 7.0, 1e4)])
    assert np.allclose(weights, [1 / (s * (2 + math.log2(s)) ** 2) for s in (1.0, 7.0, 1e4)])
    rest = 1 / (math.log(2) * (2 + math.log2(2e6)))  # the integral of the tail, from above
    assert (1 / (cuts * (2 + np.log2(cuts)) ** 2)).sum() + math.log(2) ** 2 * rest < 1


def restarts(text: str, ground: Any, horizon: int, seed: int) -> int:
    """How often it restarted in one run."""
    runner = prepare(Scenario(text, ground, horizon=horizon, runs=1, seed=seed), 1)
    return int(runner.play_compiled(slice(0, 1)).parts.state.restarts)


def test_a_world_that_stands_still_rarely_makes_it_restart_and_one_that_changes_does() -> None:
    """Of 150 still worlds at most half may see a restart: more than 105 has a probability below 1e-6 (Hoeffding)."""
    still = [restarts("restart:false_alarm=0.5", (0.3, 0.5, 0.8), 4000, seed) for seed in range(150)]
    assert sum(count > 0 for count in still) <= 105
    assert max(restarts("restart", (0.0, 0.5, 1.0), 20_000, seed) for seed in range(3)) == 0
    moving = [restarts("restart", environment("shifts:every=5000", (0.1, 0.5, 0.9)), 20_000, seed) for seed in range(9)]
    assert np.median(moving) >= 2


def test_the_histogram_keeps_every_reward_in_buckets_of_growing_size() -> None:
    one, random = Restart(), stream(11)
    state, rewards = one.start(rb.Setting(2, 10_000)), [float(random.uniform() < 0.5) for _ in range(3000)]
    for reward in rewards:
        one.learn(state, Choice(0, 0.5, 0), reward, random)
    sizes, sums = [], []
    for level in range(state.used.shape[1]):
        for place in range(state.used[0, level] - 1, -1, -1):
            sizes.append(1 << level)
            sums.append(state.buckets[0, 4 * level + place])
    assert sum(sizes) == 3000
    assert len(sizes) < 50
    newest = np.cumsum(sizes)
    assert np.cumsum(sums).tolist() == [sum(rewards[3000 - count :]) for count in newest.tolist()]


@pytest.mark.parametrize("withstand", [0.0, 6.0])
def test_it_restarts_when_the_naive_rule_does(withstand: float) -> None:
    one, random, rewards = Restart(0.05, withstand), stream(12), stream(13)
    state = one.start(rb.Setting(2, 3000))
    naive = NaiveRestart(2, 3000, 0.0, Shared(stream(12)), false_alarm=0.05, withstand=withstand)
    for t in range(3000):
        choice, arm = one.choose(state, random), naive.choose()
        assert choice.arm == arm, t
        mean = (0.9, 0.3)[(arm + t // 1000) % 2]
        uniform, kind = rewards.uniform(), rewards.uniform()
        reward = mean * uniform if kind < 0.2 else float(uniform < mean)
        one.learn(state, choice, reward, random)
        naive.learn(arm, reward)
        assert state.restarts == naive.restarts, t
    assert state.restarts >= 2


def test_what_a_budget_can_forge_never_makes_it_restart() -> None:
    """An arm that pays 0.9, and then 1 to 40 successes in a row are erased: as many as it withstands change nothing."""
    first = {}
    for withstand in (0.0, 10.0, 25.0):
        one, random = Restart(0.01, withstand), stream(14)
        state = one.start(rb.Setting(2, 10_000))
        forged = 0.0
        for t in range(3000):
            reward = float(random.uniform() < 0.9)
            one.learn(state, Choice(0, 0.5, 0), reward if t < 2000 else 0.0, random)
            forged += reward if t >= 2000 else 0.0
            if state.restarts:
                break
        assert state.restarts == 1
        assert forged > withstand
        first[withstand] = forged
    assert first[0.0] <= 24
    assert first[0.0] + 8 <= first[10.0]
    assert first[10.0] + 12 <= first[25.0] <= 75


def test_the_least_ratio_is_the_least_over_all_ways_to_forge() -> None:
    for early_total, early, late_total, late, forged in ((90.0, 100, 5.0, 20, 4.0), (3.0, 30, 40.0, 50, 9.0)):
        towards = 1.0 if late_total / late < early_total / early else -1.0
        ways = [
            ratio_if(early_total, early, late_total, late, towards * (forged - part), towards * part)
            for part in np.linspace(0, forged, 2001)
        ]
        least = least_ratio(early_total, early, late_total, late, forged)
        assert min(ways) - 1e-9 <= least <= min(ways) + 1e-6
        assert least < ratio_if(early_total, early, late_total, late, 0.0, 0.0)
    assert least_ratio(90.0, 100, 5.0, 20, 13.1) == 0.0  # 13.1 forged could have come from one mean


# --- the price of forgetting -------------------------------------------------------------------------------------


def test_the_law_of_memory() -> None:
    """Golden values: the fixed point, and the price at T = 1e5 for means 0.1 to 0.9."""
    for memory, looks, price in ((300, 2.087, 313), (1000, 2.680, 121), (3000, 3.244, 49), (30_000, 4.474, 6.7)):
        n = looks_per_memory(memory, 0.8)
        assert n == pytest.approx(looks, abs=1e-3)
        assert n == pytest.approx(memory * 0.2 ** (n + 1), rel=1e-9)
        assert price_of_memory(GRID, 1e5, memory) == pytest.approx(price, rel=0.02)
    with pytest.raises(rb.InputError, match="at least 2 arms"):
        price_of_memory([0.5], 1e5, 10)


def test_remembering_less_raises_one_price_and_lowers_the_other() -> None:
    """T = 20,000, 4 runs a block. For good the law gives 24 and 4.9, once 100 and 1,000; a factor of 2 is allowed."""
    prices = [
        forgetting_price(Scenario(text, GRID, horizon=20_000, runs=4, seed=4), threads=2)
        for text in ("window:size=1000", "window:size=6000")
    ]
    for one in prices:
        assert one.law is not None
        for measured, law in zip((one.price.estimate, one.once.median), one.law, strict=True):
            assert measured is not None
            assert 0.5 < measured / law < 2.0
    assert prices[0].price.low > prices[1].price.high  # type: ignore[operator]
    assert prices[0].once.high < prices[1].once.low  # type: ignore[operator]
    assert prices[0].recovery.median < prices[1].recovery.median  # type: ignore[operator]
    record = prices_record(prices)
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    table = forgetting_table(record)
    assert table.rows[0][0] == "window:size=1000"
    assert "never add or compare" in table.caption


def test_depose_stops_when_the_leader_has_fallen() -> None:
    scenario = Scenario("ucb1", (0.2, 0.9), horizon=4000, runs=3).attacked_by("depose:first=1000,span=100", math.inf)
    trace = rb.simulate(scenario, checkpoints=[1000, 3999])
    assert trace.corruption_paid[:, 0].tolist() == [0.0, 0.0, 0.0]
    spent = trace.corruption_paid[:, -1]
    without = rb.simulate(Scenario("ucb1", (0.2, 0.9), horizon=4000, runs=3).attacked_by("sink-shown", math.inf))
    assert (spent > 0).all()
    later = rb.simulate(scenario, checkpoints=[3000, 4000])
    assert (later.best_pulls[:, 1] - later.best_pulls[:, 0] > 800).all()  # type: ignore[index]  # it leads again
    assert (without.best_shares < 0.2).all()


# --- advice ------------------------------------------------------------------------------------------------------


def test_how_often_the_world_changes_is_a_word_or_a_number() -> None:
    assert [change_every(text, 1000) for text in ("never", "slow", "fast", "1e2")] == [None, 250, 50, 100]
    for wrong in ("often", "0.5", "nan", "-3"):
        with pytest.raises(rb.InputError, match="changes must be never, slow, fast or a number of rounds"):
            change_every(wrong, 1000)


def test_advice_for_a_changing_world_tries_policies_that_forget_and_no_samba() -> None:
    texts = changing_policies(10_000, 12.0)
    assert {"window:size=100", "window:size=300", "window:size=1000", "restart", "restart:inner=kl-ucb"} <= set(texts)
    assert "restart:withstand=12,inner=(bonus-thompson:linear=12)" in texts
    assert not any("samba" in text for text in texts)
    first = Scenario("thompson", environment("shifts", GRID), horizon=100, capability="add")
    assert [one.attack for one in changing_attacks(first)] == ["promote"]


def test_advice_for_a_changing_world_takes_one_that_forgets() -> None:
    advice = rb.advise(environment("shifts:every=1000", (0.2, 0.5, 0.8)), horizon=10_000, budget=5)
    record = advice.to_json()
    assert advice.chosen is not None
    assert record["changes"].startswith("shifts")
    regret = {one["label"]: one["attacked_regret"]["mean"] for one in record["results"]}
    least = min(record["results"], key=lambda one: one["attacked_regret"]["mean"])["attacked_regret"]
    level = [name for name, mean in regret.items() if mean <= least["mean"] + least["half_width_95"]]
    clean = {one["label"]: one["clean_regret"]["mean"] for one in record["results"]}
    assert str(advice.chosen.policy) == min(level, key=lambda name: clean[name])
    assert regret[str(advice.chosen.policy)] < 0.5 * regret["thompson"]
    assert "SAMBA is not on the list" in advice.reason
