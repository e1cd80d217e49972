"""Every policy against a second, naive implementation written from the papers alone: the same arm in every round."""

import math
from functools import partial
from typing import Any

import pytest

import robandit as rb
from robandit.catalogue import shipped
from robandit.dice import Random
from robandit.variates import beta_draw
from tests.naive import NAIVE, LinearKlUcb
from tests.support import near, stream

PHASED = ("aae", "fast-slow-aae", "known-c-aae", "multi-layer-aae", "ms-se-wr", "barbar", "cbarbar", "draa", "barbat")
ROUNDS = {"ftrl-hybrid": 150, "lb-inf-v": 150, "kl-ucb": 800, "trimmed-ucb": 800} | dict.fromkeys(
    PHASED, 3000
)  # others: 1,200
FIXED: list[dict[str, Any]] = [{"scale": 0.3, "pulls": "blocks"}, {"scale": 0.3, "pulls": "shuffled"}]
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "samba": [{}, {"learning_rate": 0.3}],
    "ucb1": [{}, {"scale": 4.0}],
    "kl-ucb": [{}, {"scale": 2.0}, {"scale": 0.5, "linear": 5.0}],
    "exponential-samba": [{"learning_rate": 0.1}, {"learning_rate": 0.6}],
    "balanced-samba": [{"learning_rate": 0.1}, {"learning_rate": 0.6}],
    "thompson": [{}, {"probabilities": "computed"}],
    "optimistic-thompson": [{"optimism": 20.0}],
    "capped-thompson": [{}, {"prior": 2.5, "mean": 0.6, "cap": 7.5}, {"prior": 2.0, "cap": math.inf}],
    "bonus-thompson": [{"linear": 20.0}, {"linear": 0.5}],
    "optimistic-ucb": [{"scale": 0.25, "linear": 20.0}, {"scale": 1.0, "linear": 0.5}],
    "trimmed-ucb": [{"trim": 0.05}, {"trim": 0.3, "scale": 0.5}, {"trim": 0.0}],
    "barbar": [{"scale": 1.0}, {"scale": 0.3, "pulls": "blocks"}, {"scale": 0.3, "pulls": "shuffled"}],
    "cbarbar": [{"scale": 0.5}, {"scale": 0.5, "band": "upper"}, *FIXED],
    "draa": [{"scale": 0.5}, *FIXED],
    "barbat": [{"scale": 0.2}, *FIXED],
    "ftrl-hybrid": [{}, {"b": 1.0}, {"b": 0.0}],
    "lb-inf-v": [{}, {"epsilon": 1.0}],
    "ftpl": [{}, {"resampling": "geometric"}],
    "softmax-gradient": [{}, {"baseline": False, "step": 0.5}],
    "epsilon-greedy": [{"epsilon": 0.1}],
    "tempered-thompson": [{"temper": 7.0}],
    "floor": [{"share": 0.2}],
    "verified-thompson": [{}, {"c": 0.5}],
    "verified-ucb": [{"c": 0.7}, {"scale": 0.2, "c": 2.0}],
    "batched": [{"update_every": 30}, {"update_every": 1}],
    "window": [{"size": 50}, {"size": 1}],
    "discount": [{"rate": 0.97}, {"rate": 0.3}],
    "restart": [{"false_alarm": 0.01}, {"false_alarm": 0.9, "withstand": 2.0}],
}
CORRUPTIONS = {"fast-slow-aae": (0.0, 5.0, 40.0), "known-c-aae": (0.0, 7.5)}  # assumed levels


class Shared:
    """A stream that offers the naive policies what they may use."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def uniform(self) -> float:
        return self.random.uniform()

    def beta(self, a: float, b: float) -> float:
        return beta_draw(a, b, self.random)


def reward_of(means: tuple[float, ...], arm: int, random: Random) -> float:
    """Mostly 0 or 1, sometimes in between."""
    uniform, kind = random.uniform(), random.uniform()
    return means[arm] * uniform if kind < 0.2 else float(uniform < means[arm])


CASES = [
    pytest.param(name, parameters, corruption, means, id=f"{name}-{parameters}-C{corruption:g}-K{len(means)}")
    for name in NAIVE
    for parameters in VARIANTS.get(name, [{}])
    for corruption in CORRUPTIONS.get(name, (0.0,))
    for means in ((0.2, 0.95), (0.1, 0.9, 0.5, 0.3, 0.0), (0.9, 0.1, 0.4))  # the best arm last, within and first
]


@pytest.mark.parametrize(("name", "parameters", "corruption", "means"), CASES)
def test_same_arms_as_the_naive_policy(
    name: str, parameters: dict[str, Any], corruption: float, means: tuple[float, ...]
) -> None:
    rounds = ROUNDS.get(name, 300 if "probabilities" in parameters else 1200)
    policy = shipped("policy")[name](**parameters)
    random, rewards = stream(21), stream(22)
    state = policy.start(rb.Setting(len(means), rounds, corruption))
    policy.begin(state, random)
    extra = {"inner": partial(NAIVE["samba"], learning_rate=0.05)} if name == "floor" else {}
    shared = Shared(stream(21))
    twin = LinearKlUcb if name == "kl-ucb" and "linear" in parameters else NAIVE[name]
    naive = twin(len(means), rounds, corruption, shared, **parameters, **extra)
    if name == "epsilon-greedy":  # it draws nothing while it pulls each arm once, the inherited choice always does
        for _ in means:
            shared.uniform()
    for t in range(rounds):
        choice, arm = policy.choose(state, random), naive.choose()
        assert choice.arm == arm, f"round {t}"
        reward, wanted = reward_of(means, arm, rewards), policy.wants_check(state, choice)
        assert wanted == naive.wants_check(arm), f"round {t}"
        policy.learn_any(state, choice, reward, wanted, random)
        if wanted or not policy.asks:
            naive.learn(arm, reward)
        else:
            naive.leave(arm)
        if hasattr(naive, "probabilities") and policy.explicit:
            assert near(state.probabilities, naive.probabilities), (
                f"after round {t}: {state.probabilities}, not {naive.probabilities}"
            )


@pytest.mark.parametrize("name", ["exponential-samba", "balanced-samba"])
def test_late_rewards_weigh_as_in_the_naive_policy(name: str) -> None:
    policy, means, random = shipped("policy")[name](learning_rate=0.4), (0.3, 0.8, 0.5), stream(3)
    state = policy.start(rb.Setting(3, 1000, 0.0))
    naive: Any = NAIVE[name](3, 1000, 0.0, Shared(stream(4)), learning_rate=0.4)
    waiting: list[tuple[Any, float]] = []
    capped = 0
    for t in range(1000):
        choice = policy.choose(state, random)
        waiting.append((choice, reward_of(means, choice.arm, random)))
        if len(waiting) > 40:
            choice, reward = waiting.pop(int(random.uniform() * 40))
            capped += state.probabilities[choice.arm] > 2 * choice.probability
            policy.learn(state, choice, reward, random)
            naive.learn(choice.arm, reward, choice.probability)
            assert near(state.probabilities, naive.probabilities), (
                f"after round {t}: {state.probabilities}, not {naive.probabilities}"
            )
    assert capped >= 3


def test_every_policy_has_a_naive_twin() -> None:
    assert set(NAIVE) == set(shipped("policy"))
