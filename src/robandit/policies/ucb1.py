"""UCB1: optimism by a confidence bonus (Auer, Cesa-Bianchi & Fischer 2002)."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import (
    choices_remembered,
    fade_counts,
    mean_of_all,
    narrowed,
    no_longer_awaited,
    one_hot,
    point_at,
    uncount,
)
from robandit.parts import About, parameter


@dataclass
class Ucb1State:
    """Per arm the rewards seen, their sum and mean, and those awaited; the number of choices; the next arm."""

    probabilities: Floats
    pulls: Floats
    sums: Floats
    means: Floats
    waiting: Floats
    rounds: int = 0
    next_arm: int = 0


@dataclass(frozen=True)
class Ucb1(Policy[Ucb1State]):
    """Each arm once, then the largest mean + sqrt(2 scale ln t / n)."""

    about = About(
        name="ucb1",
        family="UCB",
        summary="optimism in the face of uncertainty; deterministic, so an adversary knows its next pull",
        reference="Auer, Cesa-Bianchi & Fischer 2002",
        fidelity="exact",
        basis="SMPyBandits' UCB, run beside it",
        bound="sum over arms of 8 ln(T)/Delta_a without corruption; none with it",
        late="exact",
    )
    scale: float = parameter(1.0, "factor on the squared bonus", above=0, published=1.0)

    def start(self, setting: Setting) -> Ucb1State:
        pulls, sums, means, waiting = np.zeros((4, setting.arms))
        return Ucb1State(np.eye(setting.arms)[0], pulls, sums, means, waiting)

    def learn(self, state: Ucb1State, choice: Choice, reward: float, random: Random) -> None:
        arm = choice.arm
        state.rounds += no_longer_awaited(state.waiting, arm)
        state.pulls[arm] += 1.0
        state.sums[arm] += reward
        state.means[arm] = state.sums[arm] / state.pulls[arm]
        self.show(state)

    def defer(self, state: Ucb1State, choice: Choice) -> None:
        state.rounds += 1
        state.waiting[choice.arm] += 1.0
        if state.pulls[choice.arm] == 0.0:
            state.means[choice.arm] = mean_of_all(state.sums, state.pulls)
        self.show(state)

    def probabilities_among(self, state: Ucb1State, eligible: list[int]) -> list[float]:
        return one_hot(self.largest_index(narrowed(state, eligible)), len(eligible))

    def admit(self, state: Ucb1State, arm: int, present: list[int]) -> None:
        """A new arm is tried first; one that comes back has its counts."""
        self.show(state)

    def restart(self, state: Ucb1State) -> None:
        self.fade(state, 0.0)
        self.show(state)

    def fade(self, state: Ucb1State, share: float) -> None:
        fade_counts(state.pulls, state.sums, state.waiting, share)
        state.rounds = choices_remembered(state.pulls, state.waiting)

    def unlearn(self, state: Ucb1State, arm: int, outcome: float) -> None:
        state.means[arm] = uncount(state.pulls, state.sums, state.waiting, arm, outcome)
        state.rounds = choices_remembered(state.pulls, state.waiting)

    def show(self, state: Ucb1State) -> None:
        """The next arm as a one-hot p(t)."""
        point_at(state, self.largest_index(state))

    def largest_index(self, state: Ucb1State) -> int:
        """The arm with the largest index."""
        return largest_sum(state, 2.0 * self.scale * math.log(max(state.rounds, 1)))


def largest_sum(state: Ucb1State, bonus: float) -> int:
    """The largest mean + sqrt(bonus / n); an arm never chosen comes first, and awaited rewards count as seen."""
    best, best_index = 0, -1.0
    for arm in range(len(state.pulls)):
        chosen = state.pulls[arm] + state.waiting[arm]
        if chosen == 0.0:
            return arm
        index = state.means[arm] + math.sqrt(bonus / chosen)
        if index > best_index:
            best, best_index = arm, index
    return best
