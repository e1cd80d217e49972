"""What policies for slates share: a slate of m items is m rounds in a row, drawn whole when the one before was paid."""

import math
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from robandit.dice import Random
from robandit.errors import InputError
from robandit.game import Choice, Floats, Policy, Setting


@dataclass
class Slate:
    """The probability that each item is shown, the slate on show, and what it has paid so far."""

    probabilities: Floats  # marginals / m, which is a distribution
    marginals: Floats  # the probability that an item is on the next slate
    shown: NDArray[np.int64]
    paid: Floats
    slot: int  # the next one to be shown


Memory = TypeVar("Memory", bound=Slate)
Members = NDArray[np.int64]  # (listed slates, items); one row of -1 where any m items are a slate
DRAWN = {
    "probability_is_true": "a slate is drawn when the one before was paid: the state already holds what comes next"
}


class SlatePolicy(Policy[Memory]):
    """A subclass says how a slate is drawn and what is learnt from one that was paid."""

    plays = "slates"
    takes: ClassVar[str] = "sets"  # any m items, or those of a list, or both

    def begin(self, state: Memory, random: Random) -> None:
        self.draw_slate(state, random)

    def draw_slate(self, state: Memory, random: Random) -> None:
        """Write the next slate."""
        madow(state.marginals, state.shown, random)

    def learn_slate(self, state: Memory, random: Random) -> None:
        """Learn from a slate whose items were all paid, and write its items' probabilities."""

    def choose(self, state: Memory, random: Random) -> Choice:
        item = int(state.shown[state.slot])
        return Choice(item, state.marginals[item], state.slot)

    def learn(self, state: Memory, choice: Choice, reward: float, random: Random) -> None:
        state.shown[state.slot] = choice.arm
        state.paid[state.slot] = reward
        state.slot += 1
        if state.slot == len(state.shown):
            self.learn_slate(state, random)
            state.slot = 0
            self.draw_slate(state, random)


def even_slate(setting: Setting) -> tuple[Floats, Floats, NDArray[np.int64], Floats, int]:
    """Every item as likely as any other; the fields of a `Slate` in their order."""
    arms, slots = setting.arms, setting.slots
    first, paid = np.arange(slots, dtype=np.int64), np.zeros(slots)
    return np.full(arms, 1.0 / arms), np.full(arms, slots / arms), first, paid, 0


def madow(marginals: Floats, slate: NDArray[np.int64], random: Random) -> None:
    """Madow's systematic draw: one uniform, exactly m items, none twice, each with its marginal as probability."""
    threshold, total, taken = random.uniform(), 0.0, 0
    for item in range(len(marginals)):
        total += marginals[item]
        if taken < len(slate) and threshold < total:
            slate[taken] = item
            taken += 1
            threshold += 1.0
    item = len(marginals) - 1
    while taken < len(slate):  # rounding left the sum just below the last threshold
        if marginals[item] > 0.0 and not holds(slate, taken, item):
            slate[taken] = item
            taken += 1
        item -= 1


def holds(slate: NDArray[np.int64], taken: int, item: int) -> bool:
    """Whether an item is among the first `taken` of a slate."""
    is_held = False
    for slot in range(taken):
        is_held = is_held or slate[slot] == item
    return is_held


def share_out(state: Slate) -> None:
    """`probabilities` from the marginals."""
    for item in range(len(state.probabilities)):
        state.probabilities[item] = state.marginals[item] / len(state.shown)


def certain(state: Slate) -> None:
    """Marginals and probabilities of a slate that will be shown for sure."""
    for item in range(len(state.probabilities)):
        state.marginals[item] = 0.0
    for slot in range(len(state.shown)):
        state.marginals[state.shown[slot]] = 1.0
    share_out(state)


def best_slate(values: Floats, members: Members, slate: NDArray[np.int64]) -> None:
    """The slate with the largest sum of values: the m largest, or the best of the list; the first one on ties."""
    if members[0, 0] < 0:
        for slot in range(len(slate)):
            best = -1
            for item in range(len(values)):
                if (best < 0 or values[item] > values[best]) and not holds(slate, slot, item):
                    best = item
            slate[slot] = best
        return
    chosen, most = 0, -math.inf
    for number in range(len(members)):
        total = 0.0
        for slot in range(len(slate)):
            total += values[members[number, slot]]
        if total > most:
            chosen, most = number, total
    for slot in range(len(slate)):
        slate[slot] = members[chosen, slot]


def members_of(setting: Setting) -> Members:
    """The list of slates; anything where there is none."""
    return anything(setting) if setting.family is None else np.array(setting.family, np.int64)


def anything(setting: Setting) -> Members:
    """Any m items are a slate."""
    return np.full((1, setting.slots), -1, np.int64)


def check_rate(name: str, rate: float, limit: float, slots: int) -> None:
    """Refuse a step that could leave the polytope."""
    if rate >= limit:
        raise InputError(f"{name}: learning_rate must be below {limit:.4g} with slates of {slots}, not {rate:g}")
