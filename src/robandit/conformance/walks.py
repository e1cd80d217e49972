"""Interpreted walks that the laws of policies share."""

from typing import Any

import numpy as np

from robandit.dice import Random, seed_words
from robandit.environments.bernoulli import Bernoulli
from robandit.environments.linear import LinearRewards
from robandit.game import Choice, Environment, Floats, Policy, Setting

AnyPolicy = Policy[Any]


def streams(seed: int) -> tuple[Random, Random]:
    """A stream for the policy and one for the rewards."""
    words = seed_words(seed, range(1))[0]
    return Random(*map(int, words[1])), Random(*map(int, words[0]))


def reward_of(arm: int, arms: int, random: Random) -> float:
    """A reward anywhere in [0, 1], often 0 or 1; its mean rises from about 0.1 (first arm) to 0.87 (last arm)."""
    pay = random.uniform() ** (8.0 * (1 / 32) ** (arm / max(arms - 1, 1)))
    return float(round(pay)) if random.uniform() < 0.5 else pay


def features_for(policy: AnyPolicy, arms: int) -> Floats | None:
    """Features for a policy that needs them: a few arms have nothing in common, many lie on a line."""
    if policy.plays != "features":
        return None
    return np.eye(arms) if arms <= 8 else np.column_stack([np.ones(arms), np.arange(arms) / arms])


def setting_for(policy: AnyPolicy, arms: int, horizon: int) -> Setting:
    """The setting of a policy in a law."""
    return Setting(arms, horizon, 0.0, features_for(policy, arms))


def ground_for(policy: AnyPolicy, means: tuple[float, ...]) -> Environment[Any]:
    """Bernoulli arms, with features where the policy needs them."""
    features = features_for(policy, len(means))
    return (
        Bernoulli(means)
        if features is None
        else LinearRewards(rows=tuple(map(tuple, np.column_stack([means, features]))))
    )


def begun(policy: AnyPolicy, arms: int, horizon: int, random: Random) -> Any:
    """A state ready for round one."""
    state = policy.start(setting_for(policy, arms, horizon))
    policy.begin(state, random)
    return state


def teach(policy: AnyPolicy, state: Any, choice: Choice, reward: float, random: Random) -> None:
    """Let a policy learn a reward as a loop does: verified where it asks for that."""
    policy.learn_any(state, choice, reward, policy.wants_check(state, choice), random)


def walk(policy: AnyPolicy, state: Any, rounds: int, policy_random: Random, reward_random: Random) -> list[Choice]:
    """Interpreted rounds; returns what was chosen."""
    choices = []
    for _ in range(rounds):
        choice = policy.choose(state, policy_random)
        teach(policy, state, choice, reward_of(choice.arm, len(state.probabilities), reward_random), policy_random)
        choices.append(choice)
    return choices
