"""What elimination policies share: counts, sums and active sets of several copies side by side, one row a copy."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robandit.game import Choice, Floats, Policy
from robandit.numerics import no_longer_awaited


@dataclass
class Copies:
    """Row l holds copy l's rewards seen, awaited and summed, active arms (1 or 0) and the arm it would pull next."""

    chances: Floats
    pulls: NDArray[np.float64]
    sums: NDArray[np.float64]
    waiting: NDArray[np.float64]
    active: NDArray[np.float64]
    next_arm: NDArray[np.int64]
    shares: Floats  # the probability that a copy is drawn
    log_term: float
    corruption: float


class Race(Policy[Copies]):
    """Copies of arm elimination; the note of a choice is the row that made it."""

    arms_fixed = "it compares all its arms after equal numbers of pulls, so none may be missing"

    def defer(self, state: Copies, choice: Choice) -> None:
        if 0 <= choice.note < len(state.shares):
            state.waiting[choice.note, choice.arm] += 1.0
            self.show(state)

    def show(self, state: Copies) -> None:
        """Each copy's next arm, and their mixture."""


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
    for arm in range(len(state.chances)):
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
    """Drop the arms whose mean + width lies below the largest mean - width of the copy; answers whether any fell."""
    floor = -math.inf
    for arm in range(len(state.chances)):
        if state.active[row, arm] > 0.0 and state.pulls[row, arm] > 0.0:
            pulls = state.pulls[row, arm]
            floor = max(floor, state.sums[row, arm] / pulls - width(state.log_term, pulls, linear))
    dropped = False
    for arm in range(len(state.chances)):
        pulls = state.pulls[row, arm]
        if state.active[row, arm] == 0.0 or pulls == 0.0:
            continue
        if state.sums[row, arm] / pulls + width(state.log_term, pulls, linear) < floor:
            state.active[row, arm] = 0.0
            dropped = True
    return dropped


def show_mixture(state: Copies) -> None:
    """p(t): each copy's next arm with that copy's probability; an adversary sees this, never the coin."""
    for arm in range(len(state.chances)):
        state.chances[arm] = 0.0
    for row in range(len(state.shares)):
        state.chances[state.next_arm[row]] += state.shares[row]
