"""What elimination policies share: counts, sums and active sets of several copies side by side, one row per copy."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import no_longer_awaited
from robandit.parts import parameter


@dataclass
class Copies:
    """Row l holds copy l's rewards seen, awaited and summed, active arms (1 or 0) and the arm it would pull next."""

    probabilities: Floats
    pulls: NDArray[np.float64]
    sums: NDArray[np.float64]
    waiting: NDArray[np.float64]
    active: NDArray[np.float64]
    next_arm: NDArray[np.int64]
    shares: Floats  # the probability that a copy is drawn
    log_term: float
    corruption: float


class Race(Policy[Copies]):
    """Copies of arm elimination, the one drawn most often first; the note of a choice is the row that chose."""

    arms_fixed = "it compares all its arms after equal numbers of pulls, so none may be missing"

    def linear(self, state: Copies, row: int) -> float:
        """The factor of 1/n in a copy's width."""
        return 0.0

    def learn(self, state: Copies, choice: Choice, reward: float, random: Random) -> None:
        row = choice.note
        if 0 <= row < len(state.shares):
            record(state, row, choice.arm, reward)
            dropped = drop_beaten(state, row, self.linear(state, row))
            if dropped:
                drop_in_faster(state, row)
            show(state, 0 if dropped else row, row)

    def defer(self, state: Copies, choice: Choice) -> None:
        if 0 <= choice.note < len(state.shares):
            state.waiting[choice.note, choice.arm] += 1.0
            show(state, choice.note, choice.note)


@dataclass(frozen=True)
class KnownCorruption(Race):
    """Elimination for a corruption level that is known beforehand."""

    corruption: float | None = parameter(None, "the corruption level it expects; the play's budget by default", least=0)
    delta: float | None = parameter(None, "failure probability; 1/T by default", above=0, below=1)

    def level(self, setting: Setting) -> float:
        """C."""
        return setting.corruption if self.corruption is None else self.corruption

    def log_term(self, setting: Setting, factor: int) -> float:
        """ln(factor K T/delta)."""
        delta = 1.0 / setting.horizon if self.delta is None else self.delta
        return math.log(factor * setting.arms * setting.horizon / delta)


def new_copies(arms: int, shares: list[float], log_term: float, corruption: float = 0.0) -> Copies:
    """All arms active, none pulled."""
    rows = len(shares)
    return Copies(
        np.eye(arms)[0],
        np.zeros((rows, arms)),
        np.zeros((rows, arms)),
        np.zeros((rows, arms)),
        np.ones((rows, arms)),
        np.zeros(rows, np.int64),
        np.array(shares),
        log_term,
        corruption,
    )


def least_pulled(state: Copies, row: int) -> int:
    """The active arm chosen least often, awaited or not, lowest index on ties; -1 if none is active."""
    best, least = -1, math.inf
    for arm in range(len(state.probabilities)):
        chosen = state.pulls[row, arm] + state.waiting[row, arm]
        if state.active[row, arm] > 0.0 and chosen < least:
            best, least = arm, chosen
    return best


def record(state: Copies, row: int, arm: int, reward: float) -> None:
    """Add a reward to a copy's statistics."""
    no_longer_awaited(state.waiting[row], arm)
    state.pulls[row, arm] += 1.0
    state.sums[row, arm] += reward


def width(log_term: float, pulls: float, linear: float) -> float:
    """sqrt(L/n) + linear/n; without pulls, infinite."""
    return math.sqrt(log_term / pulls) + linear / pulls if pulls > 0.0 else math.inf


def drop_beaten(state: Copies, row: int, linear: float) -> bool:
    """Drop the arms whose mean + width lies below the largest mean - width of the copy; returns whether any fell."""
    floor, lowest = -math.inf, math.inf
    for arm in range(len(state.probabilities)):
        pulls = state.pulls[row, arm]
        if state.active[row, arm] > 0.0 and pulls > 0.0:
            mean, about = state.sums[row, arm] / pulls, width(state.log_term, pulls, linear)
            floor, lowest = max(floor, mean - about), min(lowest, mean + about)
    if lowest >= floor:
        return False
    for arm in range(len(state.probabilities)):
        pulls = state.pulls[row, arm]
        if state.active[row, arm] == 0.0 or pulls == 0.0:
            continue
        if state.sums[row, arm] / pulls + width(state.log_term, pulls, linear) < floor:
            state.active[row, arm] = 0.0
    return True


def drop_in_faster(state: Copies, slow: int) -> None:
    """What a copy has dropped, those drawn more often drop too."""
    for row in range(slow):
        for arm in range(len(state.probabilities)):
            state.active[row, arm] = min(state.active[row, arm], state.active[slow, arm])


def show(state: Copies, first: int, last: int) -> None:
    """The next arm of each copy, of which some rows have changed, and p(t), the mixture of these arms.

    A copy without arms plays the next one of the fastest that still has some; faster ones have none either.
    An adversary sees the mixture, never which copy was drawn.
    """
    for row in range(first, last + 1):
        state.next_arm[row] = least_pulled(state, row)
    fastest = 0
    while state.active[fastest, max(state.next_arm[fastest], 0)] == 0.0:
        fastest += 1
    for row in range(fastest):
        state.next_arm[row] = state.next_arm[fastest]
    for arm in range(len(state.probabilities)):
        state.probabilities[arm] = 0.0
    for row in range(len(state.shares)):
        state.probabilities[state.next_arm[row]] += state.shares[row]
