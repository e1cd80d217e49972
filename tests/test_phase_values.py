"""Values of policies that play in phases or drop arms: closed forms, their papers' constants, exact sequences."""

import math
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.lab.runner import prepare
from robandit.policies.barbar import Barbar
from robandit.policies.barbat import Barbat
from robandit.policies.cbarbar import Cbarbar
from robandit.policies.draa import Draa
from robandit.policies.elimination import Copies
from robandit.policies.fast_slow_aae import FAST, SLOW, FastSlowAae
from robandit.policies.multi_layer_aae import MultiLayerAae
from tests.support import stream

# --- BARBAR and its relatives -------------------------------------------------------------------


def test_barbar_published_constants_in_the_paper_setting() -> None:
    setting = rb.Setting(9, 100_000)
    state = Barbar().start(setting)
    assert state.log_term == pytest.approx(19_046, abs=0.5)
    assert state.length == 171_414
    assert state.probabilities == pytest.approx([1 / 9] * 9)
    assert "first epoch lasts 171,414 rounds" in Barbar().notes(setting)[0]
    assert Barbar(scale=1).notes(setting) == []


@pytest.mark.parametrize(("means", "gaps"), [((0.9, 0.1), (0.5, 0.7375)), ((0.9, 0.4), (0.5, 0.5))])
def test_barbar_first_gaps(means: tuple[float, float], gaps: tuple[float, float]) -> None:
    policy = Barbar(scale=1)
    state = policy.start(rb.Setting(2, 1000))
    state.sums[:] = np.array(means) * state.expected
    policy.close_epoch(state)
    assert state.gaps == pytest.approx(gaps)


@pytest.mark.parametrize("policy", [Barbar(scale=1), Cbarbar(scale=1), Cbarbar(scale=1, band="upper"), Draa(scale=1)])
def test_epoch_lengths_lie_where_the_theory_says(policy: Any) -> None:
    arms, random = 5, np.random.default_rng(3)
    state = policy.start(rb.Setting(arms, 10**6))
    factor = state.log_term
    if isinstance(policy, Cbarbar):
        assert state.length == math.ceil(2 * factor * arms)
    for m in range(1, 9):
        if isinstance(policy, Barbar):
            assert factor * 4 ** (m - 1) - 1 <= state.length <= arms * factor * 4 ** (m - 1) + 1
        elif isinstance(policy, Draa):
            assert state.length == math.ceil(arms * factor * 4 ** (m - 1))
        else:
            star = factor * arms * 2 ** ((m - 1) / 2)
            assert star - 1 <= state.length <= 2 * star + 1
        before = state.gaps.copy()
        state.sums[:] = random.random(len(state.sums)) * state.expected
        policy.close_epoch(state)
        if isinstance(policy, Cbarbar):
            assert (state.gaps >= before / 2).all()


@pytest.mark.parametrize("policy", [Draa(scale=1), Barbat(scale=1)], ids=["draa", "barbat"])
def test_epoch_lengths_that_do_not_depend_on_rewards(policy: Any) -> None:
    lengths = []
    for seed in (1, 2):
        random, state, seen = np.random.default_rng(seed), policy.start(rb.Setting(4, 10**6)), []
        for _ in range(8):
            seen.append(state.length)
            state.sums[:] = random.random(4) * state.expected
            policy.close_epoch(state)
        lengths.append(seen)
    assert lengths[0] == lengths[1]


def test_draa_agents_pool_their_pulls() -> None:
    one, four = (Draa(scale=1, agents=agents).start(rb.Setting(3, 10**5)) for agents in (1, 4))
    assert four.length % 4 == 0
    assert 0 <= four.length - one.length < 4
    env = rb.Bernoulli([0.2, 0.9])
    one, four = (rb.simulate(Draa(scale=1, agents=agents), env, horizon=20_000, runs=200) for agents in (1, 4))
    assert not np.array_equal(one.regret, four.regret)  # rounded up to whole turns, the epochs differ
    gap = one.regret[:, -1].mean() - four.regret[:, -1].mean()
    error = math.sqrt((one.regret[:, -1].var() + four.regret[:, -1].var()) / 200)
    assert abs(gap) < 6.5 * error + 4 * 0.7 * 10  # at most 4 rounds more in each of fewer than 10 epochs


def test_a_truncated_last_epoch_is_never_used() -> None:
    """Until the first epoch ends nothing is learned, however clear the rewards are."""
    length = Barbar(scale=1).start(rb.Setting(2, 10**5)).length
    runner = prepare(rb.Scenario(Barbar(scale=1), [0.0, 1.0], horizon=10**5, runs=1), [length - 1, length])
    state = runner.play_compiled(slice(0, 1)).parts.state
    assert state.number > 1
    assert abs(runner.buffers.regret[0, 0] - (length - 1) / 2) < 6.5 * math.sqrt(length) / 2


# --- elimination --------------------------------------------------------------------------------


def play_noiseless(policy: Any, means: tuple[float, ...], horizon: int, told: float, until: Any) -> tuple[Copies, int]:
    """Rewards equal to their means, until something happens; answers the state and the rounds."""
    state, random = policy.start(rb.Setting(len(means), horizon, told)), stream(50)
    for t in range(horizon):
        if until(state):
            return state, t
        choice = policy.choose(state, random)
        policy.learn(state, choice, means[choice.arm], random)
    return state, horizon


def test_fast_copy_drops_when_the_formula_says() -> None:
    """Told an enormous C, the fast copy plays alone: it drops after 2m + 1 or 2m + 2 pulls, m = floor(4L/D^2)."""
    gap, horizon = 0.5, 20_000
    state, rounds = play_noiseless(FastSlowAae(), (0.2, 0.2 + gap), horizon, 1e12, lambda s: s.active[FAST].sum() == 1)
    m = math.floor(4 * math.log(8 * 2 * horizon * horizon) / gap**2)
    assert rounds in (2 * m + 1, 2 * m + 2)
    assert list(state.active[FAST]) == [0, 1]
    assert list(state.active[SLOW]) == [1, 1]


@pytest.mark.parametrize(("told", "share"), [(0.0, 1.0), (1.0, 1.0), (4.0, 0.25)])
def test_slow_copy_is_drawn_once_in_c_rounds(told: float, share: float) -> None:
    policy, random = FastSlowAae(), stream(51)
    state = policy.start(rb.Setting(3, 1000, told))
    slow = sum(policy.choose(state, random).note == SLOW for _ in range(8000)) / 8000
    assert abs(slow - share) < 6.5 * math.sqrt(share * (1 - share) / 8000) + 1e-12


@pytest.mark.parametrize("policy", [FastSlowAae(), MultiLayerAae()], ids=["fast-slow", "multi-layer"])
def test_active_sets_are_nested(policy: Any) -> None:
    """A faster copy never keeps an arm that a slower one dropped."""
    state, random = policy.start(rb.Setting(4, 400_000, 3.0)), stream(52)
    for t in range(20_000):
        choice = policy.choose(state, random)
        policy.learn(state, choice, (0.0, 1.0, 0.05, 0.1)[choice.arm], random)
        if t % 100 == 0:
            assert (np.diff(state.active, axis=0) >= 0).all()
    assert state.active.sum() <= state.active.size - 6  # two copies at least have dropped three arms


@pytest.mark.parametrize(
    ("policy", "slower"), [(FastSlowAae(), SLOW), (MultiLayerAae(), 3)], ids=["fast-slow", "multi-layer"]
)
def test_what_a_slower_copy_drops_all_faster_ones_drop_and_no_slower_one(policy: Any, slower: int) -> None:
    state, random = policy.start(rb.Setting(3, 1000, 3.0)), stream(56)
    for pull in range(600):
        policy.learn(state, rb.Choice(pull % 3, 0.5, slower), (0.0, 1.0, 1.0)[pull % 3], random)
    assert (state.active[: slower + 1] == [0, 1, 1]).all()
    assert (state.active[slower + 1 :] == 1).all()
    assert (state.next_arm[:slower] == 1).all()  # which they turn to at once


def test_layers_are_drawn_with_halving_probabilities() -> None:
    policy, random = MultiLayerAae(), stream(53)
    state = policy.start(rb.Setting(3, 1000))
    assert len(state.shares) == 10
    assert state.shares.sum() == 1.0
    counts = np.bincount([policy.choose(state, random).note for _ in range(16_000)], minlength=10) / 16_000
    assert (np.abs(counts - state.shares) < 6.5 * np.sqrt(state.shares / 16_000)).all()
    assert list(state.shares[:3]) == [0.5 + 2**-10, 0.25, 0.125]


def test_a_copy_without_arms_plays_the_next_one_and_learns_nothing() -> None:
    policy = FastSlowAae()
    state = policy.start(rb.Setting(3, 1000, 100.0))
    state.active[FAST] = 0.0
    state.active[SLOW, 0] = 0.0
    policy.learn(state, rb.Choice(1, 0.5, SLOW), 1.0, stream(54))
    assert list(state.next_arm) == [2, 2]
    before = state.pulls.copy()
    fast = next(c for c in (policy.choose(state, stream(s)) for s in range(99)) if c.note != SLOW)
    assert (fast.arm, fast.note) == (2, -1)
    policy.learn(state, fast, 1.0, stream(54))
    assert np.array_equal(state.pulls, before)
