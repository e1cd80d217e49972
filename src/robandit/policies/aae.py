"""Active arm elimination in rounds (Even-Dar, Mannor & Mansour 2006)."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.parts import About, parameter


@dataclass
class State:
    """Reward sums, active arms (1 or 0), the pulls each active arm has had, and the arm that comes next."""

    chances: Floats
    sums: Floats
    active: Floats
    log_term: float
    passes: int = 0
    next_arm: int = 0


@dataclass(frozen=True)
class Aae(Policy[State]):
    """Pulls all active arms in turn; after each pass drops those clearly behind."""

    about = About(
        name="aae",
        summary="round robin over the arms not yet eliminated; not robust",
        reference="Even-Dar, Mannor & Mansour 2006",
        fidelity="recalled",
        needs=("horizon", "delta"),
        bound="sum over arms of log(KT)/Delta_a without corruption; none with it",
    )
    delta: float | None = parameter(None, "failure probability; 1/T if not given", above=0, below=1)
    c: float = parameter(5.0, "constant inside the logarithm", least=1, published=5.0)

    def start(self, setting: Setting) -> State:
        arms = setting.arms
        delta = 1.0 / setting.horizon if self.delta is None else self.delta
        return State(np.eye(arms)[0], np.zeros(arms), np.ones(arms), math.log(self.c * arms / delta))

    def learn(self, state: State, choice: Choice, reward: float, random: Random) -> None:
        if choice.arm != state.next_arm:  # pulled by a floor around it: not its turn
            return
        state.sums[choice.arm] += reward
        state.chances[state.next_arm] = 0.0
        state.next_arm = next_active(state.active, state.next_arm + 1)
        if state.next_arm < 0:
            state.passes += 1
            drop_behind(state)
            state.next_arm = next_active(state.active, 0)
        state.chances[state.next_arm] = 1.0


def next_active(active: Floats, first: int) -> int:
    """The first active arm from `first` on, -1 if there is none."""
    for arm in range(first, len(active)):
        if active[arm] > 0.0:
            return arm
    return -1


def drop_behind(state: State) -> None:
    """Drop the arms whose mean is 2 sqrt(ln(c K n^2/delta)/n) or more below the best."""
    best = 0.0
    for arm in range(len(state.sums)):
        if state.active[arm] > 0.0:
            best = max(best, state.sums[arm])
    n = state.passes
    margin = 2.0 * math.sqrt((state.log_term + 2.0 * math.log(n)) / n)
    for arm in range(len(state.sums)):
        if best / n - state.sums[arm] / n >= margin:
            state.active[arm] = 0.0
