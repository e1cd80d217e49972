"""UCB with a trimmed mean, for a share of forged rewards in every arm: the contamination model (Niss & Tewari 2020)."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.dice import Random
from robandit.game import Choice, Setting
from robandit.numerics import choices_remembered, fade_counts, no_longer_awaited, uncount
from robandit.parts import About, parameter
from robandit.policies.ucb1 import Ucb1, Ucb1State, largest_sum

STEPS = 100  # rewards are rounded to the nearest of these, 0 and 1 exactly, so that a state stays small


@dataclass
class TrimmedUcbState(Ucb1State):
    """As UCB1, its means trimmed, and per arm how often each hundredth was seen."""

    seen: NDArray[np.float64] = field(kw_only=True)


@dataclass(frozen=True)
class TrimmedUcb(Ucb1):
    """Each arm once, then the largest trimmed mean + sqrt(scale ln t / n)/(1 - 2 trim)."""

    about = About(
        name="trimmed-ucb",
        family="UCB",
        summary="an index on means without the largest and smallest rewards; on rewards of 0 or 1 it is ucb1:scale=0.5",
        reference="crUCB of Niss & Tewari 2020, for sigma = 1/2; rewards are rounded to hundredths",
        fidelity="recalled",
        bound="sqrt(K T log T) if a share of at most trim of each arm's rewards is forged, and trim is small",
        cost="O(K + 100)",
        late="exact",
    )
    scale: float = parameter(1.0, "factor on the squared bonus", above=0, published=1.0)
    trim: float = parameter(0.05, "the share of an arm's rewards left out at either end", least=0, below=0.5)

    def start(self, setting: Setting) -> TrimmedUcbState:
        pulls, sums, means, waiting = np.zeros((4, setting.arms))
        seen = np.zeros((setting.arms, STEPS + 1))
        return TrimmedUcbState(np.eye(setting.arms)[0], pulls, sums, means, waiting, seen=seen)

    def learn(self, state: Any, choice: Choice, reward: float, random: Random) -> None:
        arm = choice.arm
        state.rounds += no_longer_awaited(state.waiting, arm)
        state.pulls[arm] += 1.0
        state.sums[arm] += reward
        state.seen[arm, int(STEPS * reward + 0.5)] += 1.0
        state.means[arm] = self.trimmed_mean(state, arm)
        self.show(state)

    def fade(self, state: Any, share: float) -> None:
        fade_counts(state.pulls, state.sums, state.waiting, share)
        state.rounds = choices_remembered(state.pulls, state.waiting)
        for arm in range(len(state.pulls)):
            for step in range(STEPS + 1):
                state.seen[arm, step] *= share if state.pulls[arm] > 0.0 else 0.0

    def unlearn(self, state: Any, arm: int, outcome: float) -> None:
        uncount(state.pulls, state.sums, state.waiting, arm, outcome)
        state.rounds = choices_remembered(state.pulls, state.waiting)
        state.seen[arm, int(STEPS * outcome + 0.5)] -= 1.0
        state.means[arm] = self.trimmed_mean(state, arm) if state.pulls[arm] > 0.0 else 0.0

    def trimmed_mean(self, state: TrimmedUcbState, arm: int) -> float:
        """The mean of an arm's rewards without the smallest and the largest ones, as many of each."""
        left_out = math.floor(self.trim * state.pulls[arm])
        below, total, used = 0.0, 0.0, state.pulls[arm] - 2.0 * left_out
        for step in range(STEPS + 1):  # in order of size: those from left_out to left_out + used
            here = state.seen[arm, step]
            inside = min(below + here, left_out + used) - max(below, left_out)
            total += max(inside, 0.0) * step
            below += here
        return float(total / (STEPS * used))

    def largest_index(self, state: Ucb1State) -> int:
        """As UCB1 with its own bonus."""
        bonus = self.scale * math.log(max(state.rounds, 1)) / (1.0 - 2.0 * self.trim) ** 2
        return largest_sum(state, bonus)
