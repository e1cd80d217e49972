"""What phased policies share: an epoch draws from fixed probabilities and uses its sums only when it ends.

Because nothing happens inside an epoch, a phased policy can also be simulated by counts: see lab/counts.py.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from robandit.dice import Random, draw
from robandit.game import Choice, Floats, Policy, Setting
from robandit.parts import parameter


@dataclass
class Epoch:
    """One epoch: what can be drawn (entries), which arm each entry pulls, and what has been seen of each."""

    probabilities: Floats  # p(t) over arms
    entries: Floats  # probability of each entry
    arms: NDArray[np.int64]  # the arm an entry pulls
    expected: Floats  # expected draws of each entry in the whole epoch
    drawn: Floats  # draws of each entry so far
    sums: Floats  # rewards seen through each entry
    gaps: Floats  # gap estimates, one an arm
    log_term: float  # lambda
    number: int = 0
    length: int = 0
    left: int = 0  # rewards still to be seen before the epoch ends


def new_epoch(arms: int, log_term: float, extra_entries: int = 0) -> Epoch:
    """Nothing seen, all gaps 1; entries beyond the arms come first."""
    entries = arms + extra_entries
    pulled = np.concatenate([np.zeros(extra_entries, np.int64), np.arange(arms)])
    probabilities, shares, expected, drawn, sums = (np.zeros(size) for size in (arms, *[entries] * 4))
    return Epoch(probabilities, shares, pulled, expected, drawn, sums, np.ones(arms), log_term)


def log_factor(scale: float, delta: float | None, setting: Setting) -> float:
    """lambda = scale ln((8K/delta) log2 T); delta is 1/T where it is None."""
    horizon = max(setting.horizon, 2)
    return scale * math.log(8 * setting.arms * (horizon if delta is None else 1.0 / delta) * math.log2(horizon))


Memory = TypeVar("Memory", bound=Epoch)


class Phased(Policy[Memory]):
    """A policy of epochs; a subclass says how one is planned and what is concluded from it.

    An epoch lasts until its planned number of rewards was seen. The note of a choice names epoch and
    entry, so that a reward which comes after its epoch has ended is recognised and left out.
    """

    reads_note = True
    arms_fixed = "its epochs plan the pulls of every arm beforehand, so none may be missing"
    rewards_fixed = "its epochs ended when their rewards had come: without one, all later ones would fall elsewhere"
    by_counts: ClassVar[bool] = True  # draws inside an epoch are independent with fixed probabilities

    def plan(self, state: Memory) -> None:
        """Write the expected draws of each entry and the length of the coming epoch."""

    def fit(self, state: Memory) -> None:
        """Make the planned draws whole numbers, where the order is fixed and nothing is drawn."""

    def conclude(self, state: Memory) -> None:
        """Write new gap estimates from the sums of the epoch that ended."""

    def open_epoch(self, state: Memory) -> None:
        """Begin the next epoch: probabilities from the plan, sums at zero."""
        state.number += 1
        self.plan(state)
        self.fit(state)
        state.left = state.length
        total = 0.0
        for entry in range(len(state.expected)):
            total += state.expected[entry]
        for entry in range(len(state.expected)):
            state.entries[entry] = state.expected[entry] / total
            state.expected[entry] *= state.length / total  # the length was rounded up to whole rounds
            state.drawn[entry] = 0.0
            state.sums[entry] = 0.0
        self.arrange(state)
        self.show(state)

    def arrange(self, state: Memory) -> None:
        """Change the entries' probabilities inside an epoch; most policies keep them."""

    def show(self, state: Memory) -> None:
        """p(t) over arms from the entries' probabilities."""
        for arm in range(len(state.probabilities)):
            state.probabilities[arm] = 0.0
        for entry in range(len(state.entries)):
            state.probabilities[state.arms[entry]] += state.entries[entry]

    def close_epoch(self, state: Memory) -> None:
        """End an epoch whose last round was played and begin the next."""
        self.conclude(state)
        self.open_epoch(state)

    def choose(self, state: Memory, random: Random) -> Choice:
        entry = draw(state.entries, random)
        arm = int(state.arms[entry])
        return Choice(arm, state.probabilities[arm], state.number * len(state.entries) + entry)

    def learn(self, state: Memory, choice: Choice, reward: float, random: Random) -> None:
        entry = choice.note % len(state.entries)
        if choice.note // len(state.entries) != state.number:
            return
        if not self.by_counts and state.drawn[entry] >= state.expected[entry] - 0.5:
            return  # more than was planned: drawn while rewards were late
        state.drawn[entry] += 1.0
        state.sums[entry] += reward
        state.left -= 1
        if state.left == 0:
            self.close_epoch(state)
        elif not self.by_counts:
            self.arrange(state)
            self.show(state)

    def notes(self, setting: Setting) -> list[str]:
        """A warning where the constants are too large for the horizon."""
        state = self.start(setting)
        if state.length <= setting.horizon:
            return []
        return [
            f"its first epoch lasts {state.length:,} rounds, longer than the horizon {setting.horizon:,}: "
            "it explores uniformly throughout; try scale=1"
        ]


@dataclass(frozen=True)
class LogPhased(Phased[Memory]):
    """A phased policy whose epochs are multiples of lambda = scale ln((8K/delta) log2 T)."""

    scale: float = parameter(
        1024.0, "factor in lambda = scale ln((8K/delta) log2 T)", above=0, published=1024.0, scaled=1.0
    )
    delta: float | None = parameter(None, "failure probability; 1/T by default", above=0, below=1)


def gaps_to_best(state: Epoch) -> None:
    """BARBAR's estimate: r_i = sum/expected, r_* = max(r_i - gap_i/16), gap_i = max(2^-m, r_* - r_i)."""
    best = -1.0
    for arm in range(len(state.gaps)):
        best = max(best, state.sums[arm] / state.expected[arm] - state.gaps[arm] / 16.0)
    for arm in range(len(state.gaps)):
        state.gaps[arm] = max(math.pow(2.0, -state.number), best - state.sums[arm] / state.expected[arm])


def whole(length: float) -> int:
    """A length rounded up to whole rounds; beyond any horizon it stays a number an integer can hold."""
    return math.ceil(min(length, 4.0e18))
