"""Active arm elimination in rounds (Even-Dar, Mannor & Mansour 2006)."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import no_longer_awaited, point_at
from robandit.parts import About, parameter


@dataclass
class AaeState:
    """Per arm rewards seen, their sum, those awaited, active or not (1 or 0); complete passes; the next arm."""

    probabilities: Floats
    pulls: Floats
    sums: Floats
    waiting: Floats
    active: Floats
    log_term: float
    passes: float = 0.0
    next_arm: int = 0


@dataclass(frozen=True)
class Aae(Policy[AaeState]):
    """Pulls all active arms in turn; after each pass drops those clearly behind."""

    about = About(
        name="aae",
        family="elimination",
        summary="round robin over the arms not yet eliminated; not robust",
        reference="Even-Dar, Mannor & Mansour 2006",
        fidelity="recalled",
        needs=("horizon", "delta"),
        bound="sum over arms of log(KT)/Delta_a without corruption; none with it",
        late="exact",
    )
    arms_fixed = "it compares all its arms after equal numbers of pulls, so none may be missing"
    delta: float | None = parameter(None, "failure probability; 1/T by default", above=0, below=1)
    c: float = parameter(5.0, "constant inside the logarithm; from memory", least=1)

    def start(self, setting: Setting) -> AaeState:
        arms = setting.arms
        delta = 1.0 / setting.horizon if self.delta is None else self.delta
        pulls, sums, waiting = np.zeros((3, arms))
        return AaeState(np.eye(arms)[0], pulls, sums, waiting, np.ones(arms), math.log(self.c * arms / delta))

    def learn(self, state: AaeState, choice: Choice, reward: float, random: Random) -> None:
        no_longer_awaited(state.waiting, choice.arm)
        state.pulls[choice.arm] += 1.0
        state.sums[choice.arm] += reward
        fewest = fewest_pulls(state)
        if fewest > state.passes:
            state.passes = fewest
            drop_behind(state)
        show(state)

    def defer(self, state: AaeState, choice: Choice) -> None:
        state.waiting[choice.arm] += 1.0
        show(state)


def fewest_pulls(state: AaeState) -> float:
    """The rewards that every active arm has had at least."""
    fewest = math.inf
    for arm in range(len(state.pulls)):
        if state.active[arm] > 0.0:
            fewest = min(fewest, state.pulls[arm])
    return fewest


def show(state: AaeState) -> None:
    """The active arm chosen least often comes next, the lowest index on ties."""
    best, least = -1, math.inf
    for arm in range(len(state.pulls)):
        chosen = state.pulls[arm] + state.waiting[arm]
        if state.active[arm] > 0.0 and chosen < least:
            best, least = arm, chosen
    point_at(state, best)


def drop_behind(state: AaeState) -> None:
    """Drop the arms whose mean is 2 sqrt(ln(c K n^2/delta)/n) or more below the best; n is the number of passes."""
    best = 0.0
    for arm in range(len(state.sums)):
        if state.active[arm] > 0.0:
            best = max(best, state.sums[arm] / state.pulls[arm])
    n = state.passes
    margin = 2.0 * math.sqrt((state.log_term + 2.0 * math.log(n)) / n)
    for arm in range(len(state.sums)):
        if state.active[arm] > 0.0 and best - state.sums[arm] / state.pulls[arm] >= margin:
            state.active[arm] = 0.0
