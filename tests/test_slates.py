"""Slates: each policy against a naive twin, golden values, Madow's draw, exact equivalences with one slot, refusals."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.catalogue import shipped
from robandit.conformance.law import require_same_play
from robandit.lab.runner import prepare
from robandit.policies.slates.bar import shortened
from robandit.policies.slates.slate import madow
from tests.naive.slates import (
    NaiveCombUcb1,
    NaiveListedSamba,
    NaiveSlateBar,
    NaiveSlateCbarbar,
    NaiveSlateHybrid,
    NaiveSlates,
    NaiveSlateSamba,
    NaiveSlateThompson,
)
from tests.support import MEANS9, near, stream
from tests.test_naive import Shared

PATHS = rb.environment("paths:rows=3,columns=3")
TWINS: list[tuple[str, type[NaiveSlates], dict[str, Any], int]] = [
    ("slate-samba", NaiveSlateSamba, {"learning_rate": 0.3}, 800),
    ("bar", NaiveSlateBar, {"learning_rate": 0.3}, 800),
    ("bar", NaiveSlateBar, {"learning_rate": 0.2, "form": "linear"}, 800),
    ("comb-ucb1", NaiveCombUcb1, {"scale": 0.5}, 800),
    ("slate-thompson", NaiveSlateThompson, {}, 800),
    ("slate-hybrid", NaiveSlateHybrid, {}, 120),
    ("slate-cbarbar", NaiveSlateCbarbar, {"scale": 0.1}, 800),
    ("listed-samba", NaiveListedSamba, {"learning_rate": 0.1}, 500),
    ("comb-ucb1", NaiveCombUcb1, {}, 500),
    ("slate-thompson", NaiveSlateThompson, {}, 500),
]
LISTED = 7  # the twins from here on play paths


@pytest.mark.parametrize("number", range(len(TWINS)), ids=lambda number: f"{number}-{TWINS[number][0]}")
def test_same_slates_as_the_naive_policy(number: int) -> None:
    name, twin, terms, slates = TWINS[number]
    listed = number >= LISTED
    means, slots = (PATHS.means, 4) if listed else ((0.1, 0.9, 0.5, 0.3, 0.0, 0.7), 3)
    family = PATHS.family if listed else None
    policy, random, paid = shipped("slate policy")[name](**terms), stream(51), stream(52)
    state = policy.start(rb.Setting(len(means), slates * slots, slots=slots, family=family))
    policy.begin(state, random)
    naive = twin(len(means), slots, slates * slots, Shared(stream(51)), () if family is None else family, **terms)
    for t in range(slates):
        shown, rewards = [], []
        expected = naive.show()
        for slot in range(slots):
            choice = policy.choose(state, random)
            shown.append(choice.arm)
            assert choice.note == slot
            rewards.append(float(paid.uniform() < means[choice.arm]) if paid.uniform() < 0.9 else 0.5)
            policy.learn(state, choice, rewards[-1], random)
        assert sorted(shown) == sorted(expected), f"slate {t}"
        assert len(set(shown)) == slots
        naive.learn(shown, rewards)
        if hasattr(naive, "x"):
            assert near(state.marginals, naive.x, 1e-6, 1e-9), f"after slate {t}: {state.marginals}, not {naive.x}"


def test_every_slate_policy_has_a_naive_twin() -> None:
    assert {name for name, *_ in TWINS} == set(shipped("slate policy"))


@pytest.mark.parametrize(
    ("text", "shown", "after"),
    [
        ("slate-samba:learning_rate=0.1", [0, 2], [0.80049231, 0.59390769, 0.40830769, 0.19729231]),
        ("bar:learning_rate=0.1", [0, 1], [0.79832637, 0.63402762, 0.37420279, 0.19344322]),
    ],
)
def test_steps_have_the_values_worked_out_by_hand(text: str, shown: list[int], after: list[float]) -> None:
    policy: Any = rb.policy(text)
    state = policy.start(rb.Setting(4, 1, slots=2))
    state.marginals[:], state.shown[:], state.paid[:] = [0.8, 0.6, 0.4, 0.2], shown, [1.0, 1.0]
    policy.learn_slate(state, stream(0))
    assert state.marginals == pytest.approx(after, abs=6e-9)
    assert state.probabilities == pytest.approx(np.array(after) / 2, abs=6e-9)


def test_a_marginal_goes_at_most_half_of_its_way_to_0_or_1() -> None:
    for before, after in ((0.4, 0.1), (0.4, -3.0), (0.6, 0.9), (0.6, 5.0)):
        kept = before + shortened(before, after) * (after - before)
        assert kept == pytest.approx(0.5 * before if after < before else 0.5 + 0.5 * before)
    assert [shortened(0.4, after) for after in (0.21, 0.4, 0.69)] == [1.0] * 3


def test_the_drift_of_slate_samba_is_exact() -> None:
    """E dx_i = alpha w_i (r_i - sum w r/sum w): Madow's uniform is cut into its pieces, and these are enumerated."""
    x, means, policy = np.array([0.7, 0.5, 0.45, 0.35]), np.array([0.9, 0.2, 0.6, 0.4]), rb.policy("slate-samba")
    cuts = sorted({0.0, 1.0, *(np.cumsum(x) % 1.0).tolist()})
    drift = np.zeros(4)
    for low, high in pairwise(cuts):
        state: Any = policy.start(rb.Setting(4, 1, slots=2))
        state.marginals[:] = x
        madow(x, state.shown, Fixed((low + high) / 2))  # type: ignore[arg-type]
        state.paid[:] = means[state.shown]
        policy.learn_slate(state, stream(0))  # type: ignore[attr-defined]
        drift += (high - low) * (state.marginals - x)
    w = (x * (1 - x)) ** 2
    assert drift == pytest.approx(0.2 * w * (means - (w * means).sum() / w.sum()), rel=1e-9)


class Fixed:
    """Dice that always show the same."""

    def __init__(self, value: float) -> None:
        self.value = value

    def uniform(self) -> float:
        return self.value


@pytest.mark.parametrize(
    "x", [[0.8, 0.6, 0.4, 0.2], [1.0, 1.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5], [0.999, 0.001, 0.9, 0.1]]
)
def test_madow_shows_each_item_as_often_as_its_marginal_says(x: list[float]) -> None:
    """The uniform runs over 4,000 midpoints: frequencies are the marginals up to the grid's width at each end."""
    shown, seen = np.zeros(2, np.int64), np.zeros(4)
    for step in range(4000):
        madow(np.array(x), shown, Fixed((step + 0.5) / 4000))  # type: ignore[arg-type]
        assert shown[0] != shown[1]
        seen[shown] += 1 / 4000
    assert seen == pytest.approx(x, abs=5e-4)


def test_rounding_never_leaves_a_slot_empty() -> None:
    shown = np.zeros(3, np.int64)
    madow(np.array([0.6, 0.6, 0.6, 0.6, 0.6 - 1e-12, 0.0]), shown, Fixed(1.0 - 1e-13))  # type: ignore[arg-type]
    assert sorted(shown) == sorted(set(shown.tolist()))
    assert 5 not in shown


ONE_SLOT = [
    ("bar:learning_rate=0.3", "exponential-samba:learning_rate=0.3"),
    ("bar:learning_rate=0.3,form=linear", "samba:learning_rate=0.3"),
    ("listed-samba:learning_rate=0.3", "exponential-samba:learning_rate=0.3"),
    ("slate-thompson", "thompson"),
]


@pytest.mark.parametrize(("wide", "narrow"), ONE_SLOT)
def test_with_one_slot_it_is_the_policy_for_arms_to_the_bit(wide: str, narrow: str) -> None:
    for environment in (rb.Bernoulli(MEANS9), rb.environment("beta:concentration=3", (0.2, 0.5, 0.6))):
        traces = [rb.simulate(rb.policy(name), environment, horizon=3000, runs=4) for name in (wide, narrow)]
        assert np.array_equal(traces[0].regret, traces[1].regret)
        assert np.array_equal(traces[0].pulls, traces[1].pulls)


@pytest.mark.parametrize("name", shipped("slate policy"))
def test_compiled_equals_interpreted_and_the_books_are_even(name: str) -> None:
    policy = rb.policy(name if name != "slate-cbarbar" else "slate-cbarbar:scale=0.01")
    lists = name == "listed-samba"
    ground, slate = (PATHS, 1) if lists else (rb.Bernoulli(MEANS9), 3)
    attack = rb.attack("sink-shown:arm=2", budget=7)
    scenario = rb.Scenario(policy, ground, attack, horizon=150, runs=1, seed=3, slate=slate)
    require_same_play(lambda: prepare(scenario, 5), f"{policy}")
    trace = rb.simulate(policy, ground, horizon=150, runs=3, slate=slate)
    size = 4 if lists else 3
    assert trace.pulls.sum(axis=1).tolist() == [150 * size] * 3
    assert trace.pulls.max() <= 150  # no item twice in a slate
    assert trace.rounds[-1] == 150
    best = max(np.array(PATHS.means)[PATHS.family].sum(axis=1)) if lists else 0.9 + 0.8 + 0.7
    assert trace.regret[:, -1] == pytest.approx(150 * best - trace.pulls @ np.array(ground.means))


def test_the_epochs_of_cbarbar_are_those_of_its_paper() -> None:
    """N_1 = 2 lambda d^2 K, later ones from n_* to twice it, n_* = lambda d^2 K 2^((m-1)/2); d = 1 is cbarbar's own."""
    for slots in (1, 3):
        policy: Any = rb.policy("slate-cbarbar:scale=0.05,delta=0.01")
        state, random, dice = policy.start(rb.Setting(6, 900, slots=slots)), np.random.default_rng(1), stream(3)
        policy.begin(state, dice)
        unit = state.log_term * slots**2 * 6
        assert state.left == np.ceil(2 * unit)
        while state.number < 5:
            number, gaps = state.number, state.gaps.copy()
            state.paid[:] = random.uniform(size=slots)
            policy.learn_slate(state, dice)
            policy.draw_slate(state, dice)
            if state.number > number:
                star = unit * 2 ** (number / 2)
                assert star <= state.left <= 2 * star + 1
                assert (state.gaps >= 0.5 * gaps).all()
    plain: Any = rb.policy("cbarbar:scale=0.05,delta=0.01").start(rb.Setting(6, 900))
    assert plain.length == policy.start(rb.Setting(6, 900, slots=1)).left


def test_a_best_slate_is_one_that_loses_nothing() -> None:
    """Two of three equal items are a best slate, whichever they are."""
    trace = rb.simulate(rb.policy("slate-thompson"), rb.Bernoulli((0.9, 0.9, 0.9, 0.0)), horizon=400, runs=5, slate=2)
    assert trace.best_arm_share > 0.9
    assert trace.best_rounds.tolist() == [  # type: ignore[union-attr]
        400 - int(pulls[3]) for pulls in trace.pulls
    ]


def test_paths_are_paths() -> None:
    family = rb.environment("paths").family
    assert family.shape == (20, 6)
    assert len({tuple(path) for path in family.tolist()}) == 20
    assert set(family.ravel().tolist()) == set(range(24))
    values = np.sort(np.array(PATHS.means)[PATHS.family].sum(axis=1))
    assert values[-1] - values[-2] == pytest.approx(0.28, abs=0.081)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (
            lambda: play("samba", slate=3),
            "samba shows one arm at a time and cannot fill a slate of 3: take slate-samba",
        ),
        (lambda: play("linucb", slate=3), "linucb shows one arm at a time"),
        (lambda: play("slate-samba:learning_rate=0.6", slate=3), "learning_rate must be below 0.5774 with slates of 3"),
        (lambda: play("slate-samba", slate=10), "slate must be at most the number of arms, 9, not 10"),
        (lambda: play("slate-samba", slate=3, agents=2), "slates are shown by one agent"),
        (lambda: play("listed-samba", slate=3), "is for lists of items, and here any 3 items may be shown together"),
        (lambda: play("slate-samba", PATHS), "is for sets of items, and here only the slates it lists"),
        (lambda: play("listed-samba", PATHS, slate=3), "slate must be 4 with this environment"),
        (lambda: play("listed-samba:learning_rate=0.2", PATHS), "learning_rate must be below 0.1733"),
        (lambda: play("samba", PATHS), "take listed-samba or comb-ucb1"),
        (lambda: rb.Learner("slate-samba", ["a", "b"]), "does not take rewards that come late"),
        (lambda: rb.environment("paths:rows=12,columns=12"), "have 705,432 paths, more than 20,000"),
        (lambda: rb.attack("sink-shown:arm=9", budget=1).start(np.ones(3), 1), "arm must be one of 1 to 3, not 9"),
    ],
)
def test_what_cannot_be_is_refused(act: Any, message: str) -> None:
    with pytest.raises(rb.InputError, match=message):
        act()


def play(name: str, environment: Any = None, **terms: Any) -> Any:
    return rb.simulate(rb.policy(name), environment or rb.Bernoulli(MEANS9), horizon=10, runs=1, **terms)


def test_a_missing_item_is_a_slate_turned() -> None:
    """The price of a slate is that of its cheapest item: sinking the weakest good one costs less than the best one."""
    terms: dict[str, Any] = {"horizon": 2000, "slate": 2, "runs": 10}
    game = rb.Bernoulli((0.2, 0.3, 0.7, 0.9))
    found = rb.find_price(rb.policy("comb-ucb1:scale=0.5"), game, **terms)
    assert found.attack.attack == "sink-shown:arm=3"
    assert set(found.by_attack) == {type(found.attack)(f"sink-shown:arm={arm}") for arm in (3, 4)}
    assert found.estimate is not None
    assert 1.0 < found.estimate < 60.0
