"""UCB1: optimism by a confidence bonus (Auer, Cesa-Bianchi & Fischer 2002)."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.parts import About, parameter


@dataclass
class State:
    """Pulls and reward sums per arm, the rounds played, and the arm that comes next as a one-hot p(t)."""

    chances: Floats
    pulls: Floats
    sums: Floats
    rounds: int = 0
    next_arm: int = 0


@dataclass(frozen=True)
class Ucb1(Policy[State]):
    """Each arm once, then the largest mean + sqrt(2 scale ln t / n)."""

    about = About(
        name="ucb1",
        summary="optimism in the face of uncertainty; deterministic, so an adversary sees its next pull",
        reference="Auer, Cesa-Bianchi & Fischer 2002",
        fidelity="recalled",
        bound="sum over arms of 8 ln(T)/Delta_a without corruption; none with it",
    )
    scale: float = parameter(1.0, "factor on the squared bonus", above=0, published=1.0)

    def start(self, setting: Setting) -> State:
        chances = np.zeros(setting.arms)
        chances[0] = 1.0
        return State(chances, np.zeros(setting.arms), np.zeros(setting.arms))

    def learn(self, state: State, choice: Choice, reward: float, random: Random) -> None:
        state.pulls[choice.arm] += 1.0
        state.sums[choice.arm] += reward
        state.rounds += 1
        state.chances[state.next_arm] = 0.0
        state.next_arm = self.largest_index(state)
        state.chances[state.next_arm] = 1.0

    def largest_index(self, state: State) -> int:
        """The arm with the largest index; an arm never pulled comes first."""
        bonus = 2.0 * self.scale * math.log(state.rounds)
        best, best_index = 0, -1.0
        for arm in range(len(state.pulls)):
            pulls = state.pulls[arm]
            if pulls == 0.0:
                return arm
            index = state.sums[arm] / pulls + math.sqrt(bonus / pulls)
            if index > best_index:
                best, best_index = arm, index
        return best
