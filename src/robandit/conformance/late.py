"""Laws of policies in a world where rewards come late, out of order or never."""

from typing import Any

import numpy as np

from robandit.catalogue import scaled
from robandit.conformance.law import require, require_distribution
from robandit.conformance.walks import AnyPolicy, begun, reward_of, streams
from robandit.dice import Random
from robandit.game import Choice
from robandit.lab.log import Log, replay_log
from robandit.state import saved

DELAY, LOST = 50, 0.3
Event = tuple[Choice, float | None]  # what was learnt, in order; no reward: a choice that waits for one


def walk_late(
    policy: AnyPolicy, state: Any, rounds: int, chosen: Random, paid: Random
) -> tuple[list[Choice], list[Event]]:
    """Interpreted rounds whose rewards come 1 to 100 rounds later, shuffled, three of ten never."""
    due: dict[int, list[tuple[Choice, float]]] = {}
    choices: list[Choice] = []
    events: list[Event] = []
    for t in range(rounds):
        for choice, reward in due.pop(t, []):
            policy.learn(state, choice, reward, chosen)
            events.append((choice, reward))
        require_distribution(state.chances, f"with late rewards before round {t}")
        choice = policy.choose(state, chosen)
        policy.defer(state, choice)
        choices.append(choice)
        events.append((choice, None))
        reward = reward_of(choice.arm, len(state.chances), paid)
        if paid.uniform() >= LOST:
            due.setdefault(t + 1 + int(2 * DELAY * paid.uniform()), []).append((choice, reward))
    return choices, events


def late_rewards(policy: AnyPolicy) -> None:
    """Late, shuffled and lost rewards: p(t) stays a distribution and the better of two arms is found.

    A policy that says it cannot is left alone: where rewards come late it is refused.
    """
    if policy.late == "no":
        return
    better = total = 0
    for seed in range(4):
        chosen, paid = streams(60 + seed)
        state = begun(scaled(policy), 2, 6000, chosen)
        choices, _ = walk_late(scaled(policy), state, 6000, chosen, paid)
        better += sum(choice.arm == 1 for choice in choices[3000:])
        total += 3000
    waived = policy.about.waived if hasattr(type(policy), "about") else {}
    require(
        "learns" in waived or better > 0.75 * total,
        f"late rewards: only {100 * better / total:.1f} % on the better arm",
    )


def deferring_is_harmless(policy: AnyPolicy) -> None:
    """A choice that is deferred and rewarded at once leaves the same state as one that is rewarded at once."""
    states = []
    for deferred in (False, True):
        chosen, paid = streams(61)
        state = begun(scaled(policy), 4, 600, chosen)
        for _ in range(600):
            choice = policy.choose(state, chosen)
            if deferred:
                policy.defer(state, choice)
            scaled(policy).learn(state, choice, reward_of(choice.arm, 4, paid), chosen)
        states.append(saved(state))
    require(states[0] == states[1], "deferring a choice changed what its reward taught")


def replay_equals_learning(policy: AnyPolicy) -> None:
    """A log of 10,000 rows, late and fractional rewards included, folds to the same bits compiled and interpreted."""
    chosen, paid = streams(62)
    plain = scaled(policy)
    state = begun(plain, 4, 10_000, chosen)
    if policy.late == "no":
        events: list[Event] = []
        for _ in range(10_000):
            choice = plain.choose(state, chosen)
            reward = reward_of(choice.arm, 4, paid)
            plain.learn(state, choice, reward, chosen)
            events.append((choice, reward))
    else:
        events = walk_late(plain, state, 6000, chosen, paid)[1][:10_000]
    log = log_of(events)
    folded = [saved(replay_log(plain, log, arms=4, horizon=10_000, engine=engine)) for engine in ("rounds", "plain")]
    require(folded[0] == folded[1], "a log folds to other bits compiled than interpreted")


def log_of(events: list[Event]) -> Log:
    """Events as columns."""
    return Log(
        np.array([choice.arm for choice, _ in events]),
        np.array([choice.chance for choice, _ in events]),
        np.array([0.0 if reward is None else reward for _, reward in events]),
        np.array([choice.note for choice, _ in events]),
        np.array([reward is not None for _, reward in events]),
    )
