"""Interpreted walks that the laws of policies share."""

from typing import Any

from robandit.dice import Random, seed_words
from robandit.game import Choice, Policy, Setting

AnyPolicy = Policy[Any]


def streams(seed: int) -> tuple[Random, Random]:
    """A stream for the policy and one for the rewards."""
    words = seed_words(seed, range(1))[0]
    return Random(*map(int, words[1])), Random(*map(int, words[0]))


def reward_of(arm: int, arms: int, random: Random) -> float:
    """A reward anywhere in [0, 1], often 0 or 1; its mean rises from about 0.1 (first arm) to 0.87 (last arm)."""
    pay = random.uniform() ** (8.0 * (1 / 32) ** (arm / max(arms - 1, 1)))
    return float(round(pay)) if random.uniform() < 0.5 else pay


def begun(policy: AnyPolicy, arms: int, horizon: int, random: Random) -> Any:
    """A state ready for round one."""
    state = policy.start(Setting(arms, horizon, 0.0))
    policy.begin(state, random)
    return state


def walk(policy: AnyPolicy, state: Any, rounds: int, policy_random: Random, reward_random: Random) -> list[Choice]:
    """Interpreted rounds; answers what was chosen."""
    choices = []
    for _ in range(rounds):
        choice = policy.choose(state, policy_random)
        policy.learn(state, choice, reward_of(choice.arm, len(state.chances), reward_random), policy_random)
        choices.append(choice)
    return choices
