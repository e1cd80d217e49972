"""Attacks, schedules, sizes and the bill, round by round."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.adversaries.attacks import limit_target
from robandit.adversaries.nobody import Nobody
from robandit.catalogue import SHIPPED, shipped
from robandit.conformance import ADVERSARY_LAWS, check_adversary
from robandit.environments.means import move_reward
from robandit.errors import PartError
from robandit.lab.runner import prepare
from robandit.layout import layout_of
from tests.support import stream

MEANS = np.array([0.2, 0.9, 0.5, 0.8])


@pytest.mark.parametrize(
    ("attack", "target"),
    [
        ("flip", [0.8, 0.1, 0.5, 0.2]),
        ("invert", [1, 0, 1, 1]),
        ("sink", [0.2, 0, 0.5, 0.8]),
        ("lift-others", [1, 0.9, 1, 1]),
        ("decoy", [0.2, 0, 0.5, 1]),
        ("decoy:arm=1", [1, 0, 0.5, 0.8]),
        ("reverse", [0.9, 0.2, 0.8, 0.5]),
        ("close-gap", [0.2, 0.85, 0.5, 0.85]),
        ("close-gap:overturn=0.1", [0.2, 0.8, 0.5, 0.9]),
        ("blackout", [0, 0, 0, 0]),
    ],
)
def test_targets(attack: str, target: list[float]) -> None:
    assert limit_target(SHIPPED.make("attack", attack), "full", MEANS) == pytest.approx(target)


@pytest.mark.parametrize(
    ("attack", "size", "target"),
    [
        ("invert", "0.3", [0.5, 0.6, 0.8, 1.0]),
        ("invert", "efficient", [0.4, 0.7, 0.7, 1.0]),  # min(1 - 0.8, 0.9) = 0.2
        ("sink", "efficient", [0.2, 0.0, 0.5, 0.8]),
        ("lift-others", "efficient", [1.0, 0.9, 1.0, 1.0]),
    ],
)
def test_sizes(attack: str, size: str, target: list[float]) -> None:
    assert limit_target(SHIPPED.make("attack", attack), size, MEANS) == pytest.approx(target)


def rounds_hit(schedule: str, budget: float, horizon: int = 400, seed: int = 1, **terms: Any) -> list[int]:
    """The rounds in which something was paid, read off checkpoints at every round."""
    adversary = rb.attack("flip", schedule=schedule, budget=budget, **terms)
    trace = rb.simulate(
        rb.Samba(),
        rb.Bernoulli(MEANS),
        adversary,
        horizon=horizon,
        runs=1,
        seed=seed,
        checkpoints=np.arange(1, horizon + 1),
    )
    return list(np.flatnonzero(np.diff(trace.corruption_paid[0], prepend=0.0)))


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ("start", [0, 1, 2, 3, 4]),
        ("always", [0, 1, 2, 3, 4]),
        ("even", [0, 2, 4, 6, 8]),
        ("middle", [100, 101, 102, 103, 104]),
        ("periodic:step=7", [0, 7, 14, 21, 28]),
        ("window:first=30,stop=33", [30, 31, 32]),
        ("leading:theta=0,first=50", [50, 51, 52, 53, 54]),
    ],
)
def test_schedules_strike_when_they_say(schedule: str, expected: list[int]) -> None:
    assert rounds_hit(schedule, 5, charge="rounds") == expected


def test_random_schedule_takes_distinct_rounds_of_the_first_tenth_each_equally_often() -> None:
    counts = np.zeros(40)
    for seed in range(300):
        hit = rounds_hit("random", 10, seed=seed, charge="rounds")
        assert len(hit) == len(set(hit)) == 10
        assert max(hit) < 40
        counts[hit] += 1
    assert len(rounds_hit("random", 100, charge="rounds")) == 40
    spread = ((counts - 75) ** 2 / (75 * 0.75)).sum() * 39 / 40  # about chi-square with 39 degrees of freedom
    assert spread < 100  # exceeded with probability below 1e-6


OWN_SCHEDULE = """
from dataclasses import dataclass
import robandit as rb

@dataclass
class Count:
    seen: int

@dataclass(frozen=True)
class Third(rb.Schedule[Count]):
    about = rb.About("third", "every third round in which arm 1 is likely", sees=("p(t)",))
    theta: float = rb.parameter(0.1, "how likely", least=0, most=1)

    def start(self, plan):
        return Count(0)

    def strikes(self, memory, t, probabilities, random):
        memory.seen += probabilities[0] >= self.theta
        return memory.seen % 3 == 1

@dataclass(frozen=True)
class Late(rb.Schedule):
    about = rb.About("late", "the second half")

    def timetable(self, horizon, needed):
        return rb.Timetable(horizon // 2, horizon, 1, horizon)
"""


def test_a_schedule_of_ones_own_is_one_class(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN_SCHEDULE)
    own = SHIPPED.with_file(str(tmp_path / "own.py"))
    third = own.attack("flip", schedule="third:theta=0", budget=1e9)
    late = own.attack("flip", schedule="late", budget=1e9)
    assert (third.watches, late.watches) == (True, False)
    struck = []
    for adversary in (third, late):
        trace = rb.simulate(
            rb.Samba(), rb.Bernoulli(MEANS), adversary, horizon=12, runs=1, checkpoints=np.arange(1, 13)
        )
        struck.append(np.flatnonzero(np.diff(trace.corruption_paid[0], prepend=0.0)).tolist())
    assert struck == [[0, 3, 6, 9], [6, 7, 8, 9, 10, 11]]
    check_adversary(third)


def test_all_timetables_are_one_compiled_kind_and_those_that_watch_say_so() -> None:
    kinds = {name: rb.attack("flip", schedule=name, budget=1) for name in shipped("schedule")}
    fixed = {layout_of(adversary) for adversary in kinds.values() if not adversary.watches}
    memories = {layout_of(one.start(MEANS, 100)) for one in kinds.values() if not one.watches}
    assert len(fixed) == len(memories) == 1
    assert {name for name, adversary in kinds.items() if adversary.watches} == {"band", "contested", "epoch", "leading"}
    for cls in shipped("schedule").values():
        assert cls.watches == ("p(t)" in cls.about.sees)
    for cls in shipped("adversary").values():
        assert cls.sees_draw == ({"arm", "reward"} <= set(cls.about.sees))


def test_nobody_is_a_part_and_leaves_the_numbers_alone() -> None:
    scenario = rb.Scenario(rb.Samba(), MEANS, horizon=300, runs=4)
    assert type(scenario.adversary) is Nobody
    broke = rb.simulate(rb.Samba(), rb.Bernoulli(MEANS), rb.attack("flip", budget=0), horizon=300, runs=4)
    clean = rb.simulate(rb.Samba(), rb.Bernoulli(MEANS), horizon=300, runs=4)
    assert np.array_equal(broke.regret, clean.regret)
    assert np.array_equal(broke.pulls, clean.pulls)
    for name, law in ADVERSARY_LAWS.items():
        if name != "budget_is_spent":
            law(Nobody())


def test_last_step_is_a_fraction_under_cost_and_whole_under_rounds() -> None:
    env = rb.Bernoulli(MEANS)
    cost = rb.simulate(rb.Samba(), env, rb.attack("flip", budget=2.0), horizon=50, runs=3, checkpoints=np.arange(1, 51))
    assert cost.corruption_paid[0, :4] == pytest.approx([0.8, 1.6, 2.0, 2.0])
    assert (cost.rounds_changed == 3).all()
    whole = rb.simulate(rb.Samba(), env, rb.attack("flip", budget=2, charge="rounds"), horizon=50, runs=3)
    assert whole.corruption_paid[:, -1] == pytest.approx(1.6)
    assert (whole.rounds_changed == 2).all()


@dataclass(frozen=True)
class Steady(rb.Bernoulli):
    """Pays its mean in every round."""

    def reward(self, tables: Any, arm: int, mean: float, uniform: float) -> float:
        return mean


@dataclass
class Till:
    probabilities: np.ndarray
    taken: float = 0.0


@dataclass(frozen=True)
class Cashier(rb.Policy[Till]):
    """Adds up what it is paid."""

    def start(self, setting: rb.Setting) -> Till:
        return Till(np.eye(setting.arms)[1])

    def learn(self, state: Till, choice: rb.Choice, reward: float, random: rb.Random) -> None:
        state.taken += reward


@pytest.mark.parametrize("attack", ["sink", "sink-shown"])
@pytest.mark.parametrize("budget", [0.3, 2.3, 2.8])
def test_the_policy_is_shown_as_much_corruption_as_was_paid(attack: str, budget: float) -> None:
    """Not the bill but what the policy lost: the last step is shortened in the rewards too."""
    scenario = rb.Scenario(Cashier(), Steady([0.5, 1.0]), rb.attack(attack, budget=budget), horizon=50, runs=1)
    runner = prepare(scenario, 5)
    till = runner.play_interpreted(slice(0, 1)).parts.state
    assert 50.0 - till.taken == pytest.approx(budget, rel=1e-12)
    assert runner.buffers.paid[0, -1] == pytest.approx(budget, rel=1e-12)


def test_a_bill_of_equal_items_comes_out_even() -> None:
    adversary = rb.attack("flip", budget=3000, charge="rounds")
    trace = rb.simulate(rb.Samba(), rb.Bernoulli(np.arange(1, 10) / 10), adversary, horizon=5000, runs=1)
    assert trace.corruption_paid[0, -1] == 2400.0


@pytest.mark.parametrize("budget", [4, 80, 1000, 2400])
def test_dust_of_rounding_is_no_round(budget: float) -> None:
    """Flip costs 0.8 here: the budget pays for a whole number of rounds and not one more."""
    for engine in ("rounds", "counts"):
        policy = rb.policies.Barbar(scale=1) if engine == "counts" else rb.Samba()
        env, adversary = rb.Bernoulli(np.arange(1, 10) / 10), rb.attack("flip", budget=budget)
        trace = rb.simulate(policy, env, adversary, horizon=5000, runs=2, engine=engine)
        assert (trace.rounds_changed == round(budget / 0.8)).all()
        assert (trace.corruption_paid[:, -1] <= budget).all()
        assert trace.corruption_paid[:, -1] == pytest.approx(budget, rel=1e-12)


def test_moved_rewards_have_the_wanted_mean_and_stay_put_otherwise() -> None:
    rewards = np.array([0.0, 0.3, 0.6, 1.0])
    true = rewards.mean()
    for mean in (0.0, 0.2, 0.6, 1.0):
        changed = [move_reward(reward, true, mean) for reward in rewards]
        assert np.mean(changed) == pytest.approx(mean)
        assert min(changed) >= 0.0
        assert max(changed) <= 1.0
    assert [move_reward(reward, true, true) for reward in rewards] == list(rewards)


def test_the_policy_sees_the_corrupted_means() -> None:
    """Under blackout nothing pays, so SAMBA stands still while the budget lasts."""
    runner = prepare(rb.Scenario("samba", MEANS, rb.attack("blackout", budget=1e9), horizon=300, runs=1), 5)
    assert runner.play_compiled(slice(0, 1)).parts.state.probabilities == pytest.approx([0.25] * 4, abs=0)


NINE = np.arange(1, 10) / 10


@pytest.mark.parametrize(
    ("attack", "victim"),
    [
        ("promote", "ucb1"),
        ("oracle", "ucb1"),
        ("oracle", "thompson"),
        ("jun-ucb", "ucb1"),
        ("jun-epsilon-greedy", "epsilon-greedy"),
        ("ace", "ucb1"),
        ("ace", "thompson"),
        ("ace:arm=5", "ucb1"),
        ("oracle:arm=2,margin=0.05", "thompson"),
    ],
)
def test_attacks_that_see_the_draw_turn_their_victims(attack: str, victim: str) -> None:
    """With a budget that is never short, more than nine in ten pulls go to the arm the attacker favours."""
    adversary = rb.attack(attack, budget=1e9)
    runs = 10 if "arm=" in attack else 1  # one run in fifteen misses nine tenths where a bad arm is favoured
    trace = rb.simulate(rb.policy(victim), rb.Bernoulli(NINE), adversary, horizon=100_000, runs=runs)
    arm = int(adversary.parameters()["arm"] or 8) - 1
    shares = trace.pulls[:, arm] / trace.horizon
    assert shares.mean() > 0.9, f"{shares.mean():.3f} of the pulls, {trace.corruption_paid[:, -1].mean():.0f} paid"


def test_jun_keeps_other_arms_below_the_favoured_one_by_two_radii_and_a_margin() -> None:
    """By hand, on 2 arms: the favoured one has paid 0.9 in each of 400 pulls."""
    adversary, means, dice = rb.attack("jun-ucb:arm=1", budget=1e9), np.array([0.9, 0.95]), stream(3)
    memory = adversary.start(means, 1000)
    assert [adversary.tamper_reward(memory, t, means, 0, 0.9, dice) for t in range(400)] == [0.9] * 400
    radius = math.sqrt(math.log(math.pi**2 * 2 * 400**2 / (3 * 0.05)) / (2 * 400))
    shown = [adversary.tamper_reward(memory, t, means, 1, 1.0, dice) for t in range(400, 403)]
    assert shown == pytest.approx([0.9 - 2 * radius - 0.1] * 3)


@dataclass
class Diary:
    seen: np.ndarray


@dataclass(frozen=True)
class Watcher(rb.Adversary[Diary]):
    """Writes down the p(t) it is shown and does nothing."""

    watches = True

    def start(self, means: np.ndarray, horizon: int) -> Diary:
        return Diary(np.zeros((horizon, len(means))))

    def tamper_means(
        self, memory: Diary, t: int, probabilities: Any, means: Any, proposal: Any, random: rb.Random
    ) -> bool:
        memory.seen[t] = probabilities
        return False


def test_p_of_an_implicit_policy_is_shown_as_the_frequencies_of_64_trials_renewed_every_16_rounds() -> None:
    runner = prepare(rb.Scenario("thompson", MEANS, Watcher(budget=1.0), horizon=160, runs=1), 5)
    seen = runner.play_interpreted(slice(0, 1)).parts.memory.seen
    assert seen.sum(axis=1) == pytest.approx([1.0] * 160)
    assert np.array_equal(64 * seen, np.round(64 * seen))
    renewed = np.flatnonzero((np.diff(seen, axis=0) != 0.0).any(axis=1)) + 1
    assert list(renewed) == list(range(16, 160, 16))


@pytest.mark.parametrize("victim", ["samba", "ucb1", "tsallis-inf-rv", "thompson"])
def test_sink_shown_turns_everyone_away_from_the_best_arm(victim: str) -> None:
    trace = rb.simulate(
        rb.policy(victim), rb.Bernoulli(NINE), rb.attack("sink-shown", budget=1e9), horizon=25_000, runs=4
    )
    assert trace.best_arm_share < 0.05


def test_the_epoch_schedule_strikes_through_one_epoch_of_a_phased_policy() -> None:
    policy = rb.policies.Barbar(scale=1)
    length = policy.start(rb.Setting(4, 20_000)).length
    adversary = rb.attack("flip", schedule="epoch:number=1", budget=1e9)
    trace = rb.simulate(
        policy, rb.Bernoulli(MEANS), adversary, horizon=20_000, runs=3, checkpoints=np.arange(1, 20_001)
    )
    assert trace.rounds_changed[0] == length
    assert (trace.rounds_changed >= length).all()  # where the next epoch repeats p(t), nobody sees that one ended
    struck = np.flatnonzero(np.diff(trace.corruption_paid[0], prepend=0.0))
    assert list(struck) == list(range(length))
    later = rb.simulate(
        policy, rb.Bernoulli(MEANS), rb.attack("flip", schedule="epoch", budget=1e9), horizon=20_000, runs=1
    )
    assert later.rounds_changed[0] > length


def test_attackers_need_an_arm_to_favour() -> None:
    for attack in ("promote", "ace", "oracle"):
        with pytest.raises(rb.InputError, match="at least 2 arms"):
            rb.simulate(rb.Samba(), rb.Bernoulli([0.5]), rb.attack(attack, budget=1), horizon=10, runs=1)
        with pytest.raises(rb.InputError, match="arm must be one of 1 to 4, not 9"):
            rb.simulate(rb.Samba(), rb.Bernoulli(MEANS), rb.attack(f"{attack}:arm=9", budget=1), horizon=10, runs=1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"name": "flop"}, "did you mean 'flip'"),
        ({"schedule": "midle"}, "did you mean 'middle'"),
        ({"schedule": "window:first=5,stop=3"}, "first must be below stop"),
        ({"name": "decoy:arm=2"}, "arm must be one of 1, 3, 4"),
        ({"size": 1.5}, "size must be"),
        ({"budget": -1}, "budget must be"),
        ({"charge": "rounds", "budget": 1.5}, "whole number"),
        ({"schedule": "periodic:step=0"}, "at least 1"),
    ],
)
def test_refusals(words: dict[str, Any], message: str) -> None:
    with pytest.raises(rb.InputError, match=message):
        rb.attack(**{"name": "flip", "budget": 1, **words}).start(MEANS, 10)


def test_a_mistake_in_a_schedule_of_ones_own_is_an_ordinary_error(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        OWN_SCHEDULE.replace("memory.seen += probabilities[0]", "memory.seen += probabilities[9]")
    )
    own = SHIPPED.with_file(str(tmp_path / "own.py"))
    with pytest.raises(PartError, match=r"IndexError in strikes \(own.py line"):
        rb.simulate(rb.Samba(), rb.Bernoulli(MEANS), own.attack("flip", schedule="third", budget=9), horizon=12, runs=1)


@pytest.mark.parametrize("schedule", ["contested:rivalry=0.5", "band:low=0,rivalry=0.5"])
def test_contested_strikes_while_the_lead_of_the_best_arm_is_close(schedule: str) -> None:
    attack = rb.attack("invert", schedule=schedule, budget=100)
    means, dice = np.array([0.3, 0.9, 0.5]), stream(1)
    memory = attack.start(means, 100)
    cases = (
        ((0.3, 0.4, 0.3), True),
        ((0.1, 0.6, 0.3), False),
        ((0.1, 0.52, 0.38), True),  # (0.38/0.52)^2 + (0.1/0.52)^2 = 0.57
        ((0.1, 0.45, 0.45), True),
        ((0.1, 0.44, 0.46), False),  # another arm leads
    )
    for t, (probabilities, wanted) in enumerate(cases):
        assert attack.tamper_means(memory, t, np.array(probabilities), means, means.copy(), dice) == wanted
