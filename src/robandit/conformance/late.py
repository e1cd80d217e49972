"""Laws of policies in a world where rewards come late, out of order or never."""

from typing import Any

import numpy as np

from robandit.catalogue import scaled
from robandit.conformance.law import require, require_distribution, waivers
from robandit.conformance.walks import AnyPolicy, begun, features_for, reward_of, streams, teach
from robandit.dice import Random
from robandit.game import Choice
from robandit.lab.log import Log, replay_log
from robandit.state import save_values

DELAY, LOST = 50, 0.3
Event = tuple[Choice, float | None]  # what was learnt, in order; no reward: a choice that waits for one


def walk_late(policy: AnyPolicy, state: Any, rounds: int, chosen: Random, paid: Random) -> list[Event]:
    """Interpreted rounds whose rewards come 1 to 100 rounds later, shuffled, three of ten never."""
    due: dict[int, list[tuple[Choice, float, bool]]] = {}
    events: list[Event] = []
    for t in range(rounds):
        for choice, reward, is_verified in due.pop(t, []):
            policy.learn_any(state, choice, reward, is_verified, chosen)
            events.append((choice, reward))
        if t % 10 == 0:
            policy.refresh(state)
            require_distribution(state.probabilities, f"with late rewards before round {t}")
        choice = policy.choose(state, chosen)
        wanted = policy.wants_check(state, choice)
        policy.defer(state, choice)
        events.append((choice, None))
        reward = reward_of(choice.arm, len(state.probabilities), paid)
        if paid.uniform() >= LOST:
            due.setdefault(t + 1 + int(2 * DELAY * paid.uniform()), []).append((choice, reward, wanted))
    return events


def late_rewards(policy: AnyPolicy) -> None:
    """Late, shuffled and lost rewards: p(t) stays a distribution and the better of two arms is found.

    A policy that says it cannot is left alone: where rewards come late it is refused. A fixed seed; the share is
    that of the second half of a play, above 93 % for every policy here that learns, so 75 % leaves room.
    """
    if policy.late == "no":
        return
    chosen, paid = streams(60)
    variant = scaled(policy)
    state = begun(variant, 2, 3000, chosen)
    arms = [choice.arm for choice, reward in walk_late(variant, state, 3000, chosen, paid) if reward is None]
    share = 100 * np.mean(arms[1500:])
    require("learns" in waivers(policy) or share > 75, f"with late rewards only {share:.1f} % went to the better arm")


def deferring_is_harmless(policy: AnyPolicy) -> None:
    """A choice that is deferred and rewarded at once leaves the same state as one that is rewarded at once."""
    states = []
    variant = scaled(policy)
    for deferred in (False, True):
        chosen, paid = streams(61)
        state = begun(variant, 4, 600, chosen)
        for _ in range(600):
            choice = variant.choose(state, chosen)
            wanted = variant.wants_check(state, choice)
            if deferred:
                variant.defer(state, choice)
            variant.learn_any(state, choice, reward_of(choice.arm, 4, paid), wanted, chosen)
        states.append(save_values(state))
    require(states[0] == states[1], "deferring a choice changed what its reward taught")


def replay_equals_learning(policy: AnyPolicy) -> None:
    """A log of 2,500 rows, late and fractional rewards included, gives the same bits compiled and interpreted."""
    chosen, paid = streams(62)
    plain = scaled(policy)
    state = begun(plain, 4, 2500, chosen)
    events: list[Event] = []
    if policy.late == "no":
        for _ in range(2500):
            choice = plain.choose(state, chosen)
            events.append((choice, reward_of(choice.arm, 4, paid)))
            teach(plain, state, choice, events[-1][1] or 0.0, chosen)
    else:
        events = walk_late(plain, state, 1500, chosen, paid)[:2500]
    log = log_of(events)
    terms: dict[str, Any] = {"arms": 4, "horizon": 2500, "features": features_for(policy, 4)}
    states = [save_values(replay_log(plain, log, engine=engine, **terms)) for engine in ("rounds", "plain")]
    require(states[0] == states[1], "a log gives other bits compiled than interpreted")


def log_of(events: list[Event]) -> Log:
    """Events as columns."""
    return Log(
        np.array([choice.arm for choice, _ in events]),
        np.array([choice.probability for choice, _ in events]),
        np.array([0.0 if reward is None else reward for _, reward in events]),
        np.array([choice.note for choice, _ in events]),
        np.array([reward is not None for _, reward in events]),
    )
