"""The compiler's promises: open to a user's own parts, honest about mistakes, as fast as can be for ours."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.catalogue import SHIPPED, shipped
from robandit.conformance.walks import ground_for
from robandit.errors import CompileError, PartError, PlayError
from robandit.lab.compile import kernel
from robandit.lab.runner import prepare

ENVIRONMENT = rb.Bernoulli([0.2, 0.8])


@dataclass
class State:
    probabilities: np.ndarray
    count: int = 0


class Plain(rb.Policy[State]):
    """Learns nothing; the base of the users' policies below."""

    def start(self, setting: rb.Setting) -> State:
        return State(np.full(setting.arms, 1.0 / setting.arms))


def test_new_arms_and_parameters_never_recompile() -> None:
    rb.simulate(rb.Samba(0.05), rb.Bernoulli([0.1, 0.9]), horizon=10, runs=1)
    known = dict(kernel._KERNELS)
    for rate, arms in ((0.1, 3), (0.2, 17)):
        rb.simulate(rb.Samba(rate), rb.Bernoulli(np.linspace(0, 1, arms)), horizon=10 * arms, runs=2)
    assert known == kernel._KERNELS


def redefine(gain: float) -> Any:
    """A class as a notebook cell would define it, once more under the same name."""

    @dataclass(frozen=True)
    class Cell(Plain):
        def learn(self, state: State, choice: rb.Choice, reward: float, random: rb.Random) -> None:
            share = gain * reward
            state.probabilities[0] = 1.0 - share
            state.probabilities[1] = share

    return Cell()


def test_a_class_defined_again_runs_its_new_code() -> None:
    shares = [rb.simulate(redefine(gain), ENVIRONMENT, horizon=4000, runs=2).best_arm_share for gain in (0.1, 0.9)]
    assert shares[0] < 0.1 < 0.3 < shares[1]


@dataclass(frozen=True)
class Allocating(Plain):
    """Makes a new array in every round, which the fast way of compiling does not allow."""

    def learn(self, state: State, choice: rb.Choice, reward: float, random: rb.Random) -> None:
        fresh = np.zeros(len(state.probabilities))
        fresh[choice.arm] = 1.0
        state.count += 1
        for arm in range(len(fresh)):
            state.probabilities[arm] = 0.9 * state.probabilities[arm] + 0.1 * fresh[arm]


LOG = rb.Log(np.arange(300) % 2, np.full(300, 0.5), np.linspace(0.0, 1.0, 300))  # for the smallest loop


def test_a_policy_that_allocates_is_compiled_all_the_same(pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROBANDIT_CACHE", str(pieces))
    monkeypatch.setattr(kernel, "_KERNELS", {})
    terms: dict[str, Any] = {"arms": 2, "horizon": 400}
    found, plain = (rb.replay_log(Allocating(), LOG, engine=engine, **terms) for engine in ("rounds", "plain"))
    assert found.count == 300
    assert found.probabilities.tolist() == plain.probabilities.tolist()
    assert list(pieces.glob("*/counts-references"))
    rb.replay_log(rb.Samba(), LOG, **terms)
    assert [built.road for built in kernel._KERNELS.values()] == ["numba", "linked"]


@dataclass(frozen=True)
class OutOfRange(Plain):
    def learn(self, state: State, choice: rb.Choice, reward: float, random: rb.Random) -> None:
        state.probabilities[len(state.probabilities)] = 1.0


@dataclass(frozen=True)
class Replacing(Plain):
    def learn(self, state: State, choice: rb.Choice, reward: float, random: rb.Random) -> None:
        state.probabilities = state.probabilities * 1.0


@dataclass
class Listed:
    probabilities: np.ndarray
    seen: list[float]


@dataclass(frozen=True)
class WithList(rb.Policy[Listed]):
    def start(self, setting: rb.Setting) -> Listed:
        return Listed(np.full(setting.arms, 1.0 / setting.arms), [])


@dataclass(frozen=True)
class NotANumber(Plain):
    def learn(self, state: State, choice: rb.Choice, reward: float, random: rb.Random) -> None:
        state.probabilities[0] = np.nan


@dataclass(frozen=True)
class CutFloat(Plain):
    def learn(self, state: State, choice: rb.Choice, reward: float, random: rb.Random) -> None:
        state.count += 0.5  # type: ignore[assignment]


@dataclass(frozen=True)
class NoSuchArm(Plain):
    def choose(self, state: State, random: rb.Random) -> rb.Choice:
        return rb.Choice(5, 1.0, 0)


@dataclass(frozen=True)
class LateTrouble(Plain):
    """Goes wrong only after the checked rounds."""

    def choose(self, state: State, random: rb.Random) -> rb.Choice:
        return rb.Choice(9 if state.count > 300 else 0, 1.0, 0)

    def learn(self, state: State, choice: rb.Choice, reward: float, random: rb.Random) -> None:
        state.count += 1


@dataclass(frozen=True)
class LateNan(Plain):
    def learn(self, state: State, choice: rb.Choice, reward: float, random: rb.Random) -> None:
        state.count += 1
        if state.count > 300:
            state.probabilities[0] = np.nan


@dataclass(frozen=True)
class NotCompilable(Plain):
    def learn(self, state: State, choice: rb.Choice, reward: float, random: rb.Random) -> None:
        state.count += eval("1")


@dataclass(frozen=True)
class NoState(rb.Policy[Any]):
    def start(self, setting: rb.Setting) -> Any:
        return [1.0]


@dataclass
class ListState:
    probabilities: list[float]


@dataclass(frozen=True)
class ListProbabilities(rb.Policy[ListState]):
    def start(self, setting: rb.Setting) -> ListState:
        return ListState([1.0 / setting.arms] * setting.arms)


@dataclass(frozen=True)
class Misspelled(rb.Policy[State]):
    """It would play, and never learn."""

    def start(self, setting: rb.Setting) -> State:
        return Plain().start(setting)

    def learns(self, state: State, choice: rb.Choice, reward: float, random: rb.Random) -> None:
        state.count += 1


@dataclass(frozen=True)
class WrongName(Plain):
    def learn(self, state: State, choice: rb.Choice, reward: float, random: rb.Random) -> None:
        state.probabilities[0] = np.exxp(reward)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class WithDefault(Plain):
    """A helper method with a default argument, and a NumPy integer in the state."""

    def learn(self, state: State, choice: rb.Choice, reward: float, random: rb.Random) -> None:
        state.count += self.step(reward)

    def step(self, reward: float, by: int = 2) -> int:
        return by if reward > 0.0 else 0


def test_methods_may_have_defaults() -> None:
    assert rb.simulate(WithDefault(), ENVIRONMENT, horizon=500, runs=2).pulls.sum() == 1000


@pytest.mark.parametrize(
    ("policy", "error", "message"),
    [
        (
            OutOfRange(),
            PartError,
            r"IndexError in learn \(test_compile.py line \d+: state.probabilities.*out of bounds",
        ),
        (
            Replacing(),
            PartError,
            r"learn \(test_compile.py line \d+\) replaces the array state.probabilities: write into it",
        ),
        (Misspelled(), PartError, r"nobody calls learns \(test_compile.py line \d+\); did you mean 'learn'\?"),
        (WrongName(), PartError, r"AttributeError in learn \(test_compile.py line \d+: state.probabilities.*exxp"),
        (WithList(), PartError, r"seen is a list after start \(test_compile.py line \d+\): allowed are numbers"),
        (NotANumber(), PartError, "not a distribution"),
        (CutFloat(), PartError, "state.count is declared int but became 0.5"),
        (NoSuchArm(), PartError, r"choose \(test_compile.py line \d+\) returned arm 5 in round 0, allowed are 0 to 1"),
        (LateTrouble(), PlayError, "chose arm 9, allowed are 0 to 1"),
        (LateNan(), PlayError, "left the simplex"),
        (ListProbabilities(), PartError, "state.probabilities must be a one-dimensional float array"),
        (NoState(), PartError, "dataclass with a field `probabilities`"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, rb.Policy) else "",
)
def test_a_broken_policy_is_an_ordinary_error(policy: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        rb.simulate(policy, ENVIRONMENT, horizon=2000, runs=2)


def test_what_cannot_be_compiled_is_said_and_where() -> None:
    with pytest.raises(CompileError, match=r"could not compile NotCompilable.*test_compile.py.*engine=\"plain\""):
        rb.replay_log(NotCompilable(), LOG, arms=2, horizon=400)


@dataclass(frozen=True)
class NegativeArm(Plain):
    """Names arm -1 only after the checked rounds."""

    def choose(self, state: State, random: rb.Random) -> rb.Choice:
        return rb.Choice(-1 if state.count > 300 else 0, 1.0, 0)

    def learn(self, state: State, choice: rb.Choice, reward: float, random: rb.Random) -> None:
        state.count += 1


@dataclass(frozen=True)
class NowAndThenNan(Plain):
    """One run in many goes wrong: found whichever thread plays it."""

    def begin(self, state: State, random: rb.Random) -> None:
        state.count = 0 if random.uniform() < 0.9 else -1

    def learn(self, state: State, choice: rb.Choice, reward: float, random: rb.Random) -> None:
        if state.count < 0:
            state.count -= 1
            if state.count < -300:
                state.probabilities[0] = np.nan


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_faults_are_found_in_every_run(threads: int) -> None:
    with pytest.raises(PlayError, match="left the simplex"):
        rb.simulate(NowAndThenNan(), ENVIRONMENT, horizon=2000, runs=60, threads=threads)
    with pytest.raises(PlayError, match="chose arm -1"):
        rb.simulate(NegativeArm(), ENVIRONMENT, horizon=2000, runs=3, threads=threads)


def regret_of(seed: int) -> float:
    return float(rb.simulate(rb.Samba(), ENVIRONMENT, horizon=500, runs=2, seed=seed).regret[:, -1].sum())


def test_spawned_workers_give_the_same_numbers() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(regret_of, [1, 2])) == [regret_of(1), regret_of(2)]


@dataclass
class Nested:
    probabilities: np.ndarray
    inner: State
    table: np.ndarray


@dataclass(frozen=True)
class Wrapper(rb.Policy[Nested]):
    """A policy inside a policy, with a two-dimensional table and a flag."""

    inner: rb.Policy[Any]
    eager: bool = True

    def start(self, setting: rb.Setting) -> Nested:
        state = self.inner.start(setting)
        return Nested(state.probabilities.copy(), state, np.zeros((setting.arms, 2), np.int64))

    def learn(self, state: Nested, choice: rb.Choice, reward: float, random: rb.Random) -> None:
        self.inner.learn(state.inner, choice, reward, random)
        state.table[choice.arm, 1 if self.eager else 0] += 1
        for arm in range(len(state.probabilities)):
            state.probabilities[arm] = 0.9 * state.inner.probabilities[arm] + 0.1 / len(state.probabilities)


def test_parts_nest() -> None:
    from robandit.conformance.law import require_same_play

    scenario = rb.Scenario(Wrapper(rb.Samba(0.1)), ENVIRONMENT, rb.attack("flip", budget=9), horizon=500, runs=3)
    require_same_play(lambda: prepare(scenario, 10), "nested")
    state = prepare(scenario, 10).play_compiled(slice(0, 3)).parts.state
    assert state.table.sum() == 500
    assert state.table[:, 0].sum() == 0


def test_the_plain_engine_gives_the_same_bits_and_plays_what_cannot_be_compiled() -> None:
    terms: dict[str, Any] = {"horizon": 700, "runs": 3}
    adversary = rb.attack("flip", schedule="random", budget=9.5)
    fast, plain = (rb.simulate(rb.Samba(), ENVIRONMENT, adversary, engine=e, **terms) for e in ("rounds", "plain"))
    assert np.array_equal(fast.regret, plain.regret)
    assert np.array_equal(fast.corruption_paid, plain.corruption_paid)
    assert plain.engine == "plain"
    assert rb.simulate(NotCompilable(), ENVIRONMENT, engine="plain", **terms).pulls.sum() == 2100


def test_every_shipped_part_goes_the_fast_road() -> None:
    """In the games in which the laws compile each part: the kernels are theirs too."""
    budget: dict[str, Any] = {"budget": 25}
    even, sink = rb.attack("flip", schedule="even", size=0.7, **budget), rb.attack("sink-best", **budget)
    games: list[Any] = [(make(), ground_for(make(), (0.2, 0.8)), None) for make in SHIPPED.policies().values()]
    games += [(rb.Samba(), rb.environment("beta", (0.2, 0.8)), even), (rb.Samba(), rb.environment("linear"), even)]
    games += [(rb.Samba(), rb.Samples(samples=((0.0, 1.0), (0.5, 1.0))), even)]
    games += [(rb.Samba(), rb.environment("contexts"), sink), (rb.policy("comb-ucb1"), rb.environment("paths"), even)]
    moving = [rb.environments.Shifts((0.2, 0.8)), rb.environments.Drift((0.2, 0.8)), rb.environments.Season()]
    games += [(rb.Samba(), environment, even) for environment in moving]
    attacks = [rb.attack(name, **budget) for name in shipped("adversary")]
    attacks += [rb.attack("flip", schedule=name, **budget) for name in shipped("schedule") if name != "window"]
    games += [(rb.Samba(), ENVIRONMENT, adversary) for adversary in attacks]
    assert {type(environment) for _, environment, _ in games} == set(shipped("environment").values())
    for game in games:
        runner = prepare(rb.Scenario(*game, horizon=10, runs=1), 5)
        assert runner.play_compiled(slice(0, 1), "full").road == "linked", game
