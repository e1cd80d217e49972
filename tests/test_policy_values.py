"""Values every policy must show: closed forms, enumeration, stationarity, generic solvers, integrals."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize

import robandit as rb
from robandit.environments.means import spread_means
from robandit.policies.barbar import Barbar
from robandit.policies.ftpl import Ftpl, frechet, stays_below
from robandit.policies.ftrl_hybrid import hybrid_probabilities
from robandit.policies.kl_ucb import kl_upper_bound, negative_entropy
from robandit.policies.tsallis_inf import TsallisInfIw, TsallisInfRv, tsallis_probabilities
from tests.support import stream

# --- Tsallis-INF --------------------------------------------------------------------------------


def tsallis(losses: list[float], rate: float) -> tuple[np.ndarray, float]:
    """p and x for given losses and learning rate."""
    values, probabilities = np.array(losses, dtype=float), np.zeros(len(losses))
    root, _ = tsallis_probabilities(values, rate, 1.0, probabilities)
    return probabilities, min(losses) - 2.0 * root / rate


@pytest.mark.parametrize(
    ("losses", "rate", "expected"),
    [
        ([2, 0], 2 / math.sqrt(2), [0.15937498, 0.84062502]),
        ([3, 0, 0], 2 / math.sqrt(2), [0.07743186, 0.46128407, 0.46128407]),
        ([9] + [0] * 8, 2 / math.sqrt(2), [0.01179112] + [0.12352611] * 8),
        ([2, 0], 4 / math.sqrt(2), [0.0669873, 0.9330127]),
        ([0] * 5, 2.0, [0.2] * 5),
    ],
)
def test_tsallis_values(losses: list[float], rate: float, expected: list[float]) -> None:
    probabilities, x = tsallis(losses, rate)
    assert probabilities == pytest.approx(expected, abs=6e-9)
    assert probabilities == pytest.approx([4 / (rate * (loss - x)) ** 2 for loss in losses], rel=1e-9)
    assert tsallis([loss + 17 for loss in losses], rate)[0] == pytest.approx(probabilities, rel=1e-9)


def test_tsallis_multiplier() -> None:
    assert tsallis([2, 0], 2 / math.sqrt(2))[1] == pytest.approx(-1.54245976, abs=5e-9)


def test_tsallis_is_stationary_and_agrees_with_a_generic_solver() -> None:
    random = np.random.default_rng(5)
    for arms in (2, 6):
        losses, rate = random.exponential(8, arms), 0.7
        p = tsallis(list(losses), rate)[0]
        gradient = losses - (2 / rate) / np.sqrt(p)  # of <p, L> - (4/rate) sum sqrt p
        assert np.ptp(gradient) <= 1e-8
        assert p == pytest.approx(minimised(partial(entropic, losses, rate), arms), abs=2e-5)


def entropic(losses: np.ndarray, rate: float, q: np.ndarray) -> float:
    """What Tsallis-INF minimises."""
    return float(q @ losses - (4 / rate) * np.sqrt(q).sum())


def minimised(objective: Any, arms: int) -> np.ndarray:
    """The minimum over the simplex by a generic solver."""
    bounds, total = [(1e-9, 1.0)] * arms, {"type": "eq", "fun": lambda q: q.sum() - 1.0}
    start = np.full(arms, 1 / arms)
    return optimize.minimize(
        objective, start, bounds=bounds, constraints=[total], method="SLSQP", options={"ftol": 1e-14, "maxiter": 500}
    ).x


@pytest.mark.parametrize("policy", [TsallisInfIw(), TsallisInfRv()], ids=["iw", "rv"])
def test_tsallis_estimators_are_unbiased(policy: Any) -> None:
    """Enumerate the pulled arm: the expected estimate is the loss of every arm, pulled or not."""
    rewards = np.array([0.1, 0.7, 0.4])
    base = policy.start(rb.Setting(3, 1))
    base.losses[:], base.round = [3.0, 0.0, 1.0], 40
    base.probabilities[:] = tsallis([3.0, 0.0, 1.0], 0.5)[0]
    estimate = np.zeros(3)
    for arm in range(3):
        state = policy.start(rb.Setting(3, 1))
        state.losses[:], state.probabilities[:], state.round = base.losses, base.probabilities, 40
        policy.learn(state, rb.Choice(arm, base.probabilities[arm], 0), rewards[arm], stream(0))
        estimate += base.probabilities[arm] * (state.losses - base.losses)
    assert estimate == pytest.approx(1.0 - rewards, rel=1e-12)


# --- FTRL with the hybrid regulariser -----------------------------------------------------------


def hybrid(losses: list[float], t: float, b: float) -> np.ndarray:
    arms = len(losses)
    probabilities = np.full(arms, 1 / arms)
    hybrid_probabilities(np.array(losses, dtype=float), math.sqrt(t), b, probabilities, np.zeros(arms), np.zeros(arms))
    return probabilities


def test_hybrid_values() -> None:
    assert hybrid([0, 0, 0], 7, 64) == pytest.approx([1 / 3] * 3)
    assert hybrid([2, 0], 2, 64) == pytest.approx([0.49611986, 0.50388014], abs=6e-9)
    assert hybrid([2, 0], 2, 0) == pytest.approx([0.13403255, 0.86596745], abs=6e-9)


@pytest.mark.parametrize("b", [0.0, 1.0, 64.0])
@pytest.mark.parametrize("arms", [2, 5, 30])
def test_hybrid_is_stationary_and_agrees_with_a_generic_solver(b: float, arms: int) -> None:
    random = np.random.default_rng(arms)
    losses, t = random.exponential(20, arms), 300.0
    p, a = hybrid(list(losses), t, b), 1 / math.sqrt(arms)
    gradient = losses - math.sqrt(t) * (0.5 / np.sqrt(p) - 0.5 * a / np.sqrt(1 - p)) - b / p
    assert np.ptp(gradient) <= 1e-8 * max(1.0, np.abs(b / p).max())

    def objective(q: np.ndarray) -> float:
        return float(q @ losses - math.sqrt(t) * (np.sqrt(q) + a * np.sqrt(1 - q)).sum() - b * np.log(q).sum())

    found = minimised(objective, arms)
    assert p == pytest.approx(found, abs=5e-4)
    assert objective(p) <= objective(np.clip(found, 1e-12, 1 - 1e-12)) + 1e-7


# --- FTPL ---------------------------------------------------------------------------------------


def test_frechet_distribution_function_at_one() -> None:
    random = stream(31)
    below = sum(frechet(random.uniform()) <= 1.0 for _ in range(40_000)) / 40_000
    assert abs(below - 1 / math.e) < 6.5 * math.sqrt(0.25 / 40_000)


def test_a_noise_is_ruled_out_only_where_it_is_too_small() -> None:
    random = np.random.default_rng(8)
    uniforms = np.concatenate([random.random(20_000), 1.0 - random.random(5_000) ** 8]).clip(2.0**-53, 1.0 - 2.0**-53)
    limits = random.normal(0.0, 1.0, uniforms.size) * 10.0 ** random.integers(-1, 4, uniforms.size)
    ruled_out = np.array([stays_below(*pair) for pair in zip(uniforms, limits, strict=True)])
    too_small = np.array([frechet(u) < x for u, x in zip(uniforms, limits, strict=True)])
    assert too_small[ruled_out].all()
    assert ruled_out.sum() > 0.9 * too_small.sum()


def two_arm_probability(difference: float) -> float:
    """P(arm 0) when its scaled loss is larger by `difference`: an integral over the other arm's noise."""
    density = lambda x: 2 * x**-3 * math.exp(-(x**-2))  # noqa: E731
    beats = lambda x: (1 - math.exp(-((x + difference) ** -2))) * density(x)  # noqa: E731
    return float(integrate.quad(beats, 0, np.inf, limit=500)[0])


@pytest.mark.parametrize(("difference", "expected"), [(0, 0.5), (1, 0.184520), (3, 0.052005)])
@pytest.mark.parametrize("resampling", ["conditional", "geometric"])
def test_ftpl_chooses_with_the_right_probability_and_an_unbiased_weight(
    difference: float, expected: float, resampling: str
) -> None:
    assert two_arm_probability(difference) == pytest.approx(expected, abs=2e-6)
    policy, random, draws = Ftpl(resampling), stream(int(40 + difference)), 15_000
    state = policy.start(rb.Setting(2, 1))
    state.losses[0] = difference  # eta = 1 in round 1
    choices = [policy.choose(state, random) for _ in range(draws)]
    share = sum(choice.arm == 0 for choice in choices) / draws
    assert abs(share - expected) < 6.5 * math.sqrt(expected * (1 - expected) / draws)
    for arm, probability in ((0, expected), (1, 1 - expected)):
        weights = np.array([choice.note for choice in choices if choice.arm == arm])
        assert abs(weights.mean() - 1 / probability) < 6.5 * weights.std() / math.sqrt(len(weights)) + 1e-9


# --- optimism -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mean", [0.0, 1e-6, 0.3, 0.5, 0.97, 1.0])
@pytest.mark.parametrize("level", [1e-8, 0.01, 0.5, 5.0, 40.0])
def test_kl_bound_is_the_root(mean: float, level: float) -> None:
    q = kl_upper_bound(mean, negative_entropy(mean), level)
    assert mean <= q <= 1.0
    if mean < q < 1.0 - 1e-13:
        divergence = negative_entropy(mean) - mean * math.log(q) - (1 - mean) * math.log1p(-q)
        assert divergence == pytest.approx(level, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "rounds"), [("ucb1", 20), ("kl-ucb", 20), ("aae", 20), ("known-c-aae", 20), ("epsilon-greedy", 4)]
)
def test_choices_are_spread_while_every_reward_is_awaited(name: str, rounds: int) -> None:
    """What never hears anything goes round the arms; epsilon-greedy does so once, then any arm is as good."""
    policy, random = rb.policy(name), stream(55)
    state = policy.start(rb.Setting(4, 1000))
    arms = []
    for _ in range(rounds):
        choice = policy.choose(state, random)
        policy.defer(state, choice)
        arms.append(choice.arm)
    assert list(np.bincount(arms, minlength=4)) == [rounds / 4] * 4


# --- the exploration floor ----------------------------------------------------------------------


@pytest.mark.parametrize("inner", ["samba", "ucb1", "thompson", "ftpl", "barbar:scale=1", "fast-slow-aae", "floor"])
def test_a_floor_keeps_every_arm_alive(inner: str) -> None:
    """Each of two arms is pulled at least share/2 of the time, whatever is inside."""
    policy = rb.policy(f"floor:share=0.2,inner=({inner})")
    play = rb.simulate(policy, rb.Bernoulli([0.05, 0.95]), horizon=20_000, runs=4)
    shares = play.pulls / play.pulls.sum(axis=1, keepdims=True)
    assert shares.min() > 0.1 - 6.5 * math.sqrt(0.09 / 20_000)
    assert shares[:, 1].min() > 0.45


@pytest.mark.parametrize("rate", [0.05, 0.5, 0.7, 0.9])
def test_samba_stays_on_the_simplex_inside_a_floor(rate: float) -> None:
    policy, random = rb.policy(f"floor:share=0.5,inner=(samba:learning_rate={rate})"), stream(61)
    state = policy.start(rb.Setting(9, 1))
    for _ in range(8_000):
        choice = policy.choose(state, random)
        policy.learn(state, choice, float(random.uniform() < (0.8, 0.85, 0.9, *[0.5] * 6)[choice.arm]), random)
        assert state.inner.probabilities.min() >= 0.0
        assert abs(state.inner.probabilities.sum() - 1.0) < 1e-9


def test_softmax_inside_a_floor_keeps_its_expected_step() -> None:
    """The mixed probability is weighted away: the expected step inside the floor is that of the policy alone."""
    means, probabilities = np.array([0.9, 0.5, 0.1]), np.array([0.98, 0.01, 0.01])
    alone, floor = rb.policies.SoftmaxGradient(), rb.Floor(0.3, rb.policies.SoftmaxGradient())
    steps = np.zeros((2, 3))
    for arm in range(3):
        state = alone.start(rb.Setting(3, 1))
        state.probabilities[:] = probabilities
        alone.learn(state, rb.Choice(arm, probabilities[arm], 0), means[arm], stream(1))
        steps[0] += probabilities[arm] * state.preferences
        outer = floor.start(rb.Setting(3, 1))
        outer.inner.probabilities[:] = probabilities
        floor.show(outer)
        floor.learn(outer, rb.Choice(arm, outer.probabilities[arm], 0), means[arm], stream(1))
        steps[1] += (0.7 * probabilities[arm] + 0.1) * outer.inner.preferences
    assert steps[1] == pytest.approx(steps[0], rel=1e-9)


def test_a_floor_gives_a_policy_that_throws_coins_the_probability_of_its_own_draw() -> None:
    floor = rb.Floor(0.2, Barbar(scale=1))
    state = floor.start(rb.Setting(4, 1000))
    state.inner.probabilities[:] = [0.7, 0.1, 0.1, 0.1]
    floor.show(state)
    assert floor.has_own_choose
    assert floor.own(rb.Choice(0, state.probabilities[0], 3), 4) == pytest.approx((0, 0.7, 3))
    assert rb.Floor(0.2, rb.Samba()).own(rb.Choice(0, 0.61, 3), 4) == (0, 0.61, 3)


def test_the_floor_mixes_probabilities_and_weights_the_inner_update() -> None:
    policy = rb.policy("floor:share=0.2,inner=(samba:learning_rate=0.1)")
    state = policy.start(rb.Setting(2, 1))
    state.inner.probabilities[:] = [0.25, 0.75]
    policy.show(state)  # type: ignore[attr-defined]
    assert state.probabilities == pytest.approx([0.3, 0.7])
    policy.learn(state, rb.Choice(0, state.probabilities[0], 0), 1.0, stream(1))
    assert state.inner.probabilities[0] == pytest.approx(0.25 + 0.1 * 0.25 * 0.25 / 0.3)
    assert str(policy) == "floor:share=0.2,inner=(samba:learning_rate=0.1)"
    assert rb.policy(str(policy)) == policy


def test_the_grid_of_the_paper() -> None:
    assert rb.environment("bernoulli", spread_means(9)).means == pytest.approx(
        (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    )
    assert spread_means(1) == (0.5,)


# --- bonus-thompson and trimmed-ucb --------------------------------------------------------------


def test_the_number_to_withstand_is_the_bonus() -> None:
    assert rb.BonusThompson(withstand=40) == rb.BonusThompson(40) == rb.policy("bonus-thompson:withstand=40")
    assert str(rb.policy("bonus-thompson:withstand=40")) == "bonus-thompson:linear=40"
    with pytest.raises(rb.InputError, match="give linear or withstand, not both"):
        rb.policy("bonus-thompson:linear=40,withstand=40")
    with pytest.raises(rb.InputError, match="withstand must be a number of at least 0, not -1"):
        rb.policy("bonus-thompson:withstand=-1")


@pytest.mark.parametrize(("arms", "horizon", "warned"), [(3, 1000, False), (11, 1000, True), (11, 1001, False)])
def test_a_number_too_large_for_the_horizon_is_told(arms: int, horizon: int, warned: bool) -> None:
    notes = rb.BonusThompson(withstand=50).notes(rb.Setting(arms, horizon, 0.0))
    assert [("hardly learns" in note) for note in notes] == [True] * warned


def test_trimming_rewards_of_0_or_1_is_ucb1_with_half_the_bonus() -> None:
    """While no trimmed mean is cut at 0 or 1: then it is (mean - trim)/(1 - 2 trim), and the bonus has that factor too.

    `trim` times n must be whole for that; over many rounds the difference is in single pulls.
    """
    pulls = {
        text: rb.simulate(rb.policy(text), rb.Bernoulli((0.3, 0.5, 0.7)), horizon=20_000, runs=20, seed=3).pulls
        for text in ("trimmed-ucb:trim=0.1", "ucb1:scale=0.5", "ucb1")
    }
    means = {text: found.mean(axis=0) for text, found in pulls.items()}
    assert means["trimmed-ucb:trim=0.1"] == pytest.approx(means["ucb1:scale=0.5"], rel=0.15)
    assert means["ucb1"][0] > 1.4 * means["ucb1:scale=0.5"][0]


def test_arms_that_pay_less_than_is_trimmed_look_alike() -> None:
    trace = rb.simulate(rb.policies.TrimmedUcb(trim=0.1), rb.Bernoulli((0.02, 0.05)), horizon=20_000, runs=10, seed=1)
    assert abs(trace.best_arm_share - 0.5) < 0.02
