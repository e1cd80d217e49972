"""A policy as a user would write it in a script of their own: no import from robandit.policies, no decorator."""

from dataclasses import dataclass

import numpy as np

import robandit as rb


@dataclass
class State:
    probabilities: np.ndarray
    leader: int = 0


@dataclass(frozen=True)
class MySamba(rb.Policy[State]):
    learning_rate: float = 0.05

    def start(self, setting: rb.Setting) -> State:
        return State(np.full(setting.arms, 1 / setting.arms))

    def learn(self, state: State, choice: rb.Choice, reward: float, random: rb.Random) -> None:
        if reward == 0.0:
            return
        p = state.probabilities
        leader = 0
        for a in range(1, len(p)):
            if p[a] > p[leader]:
                leader = a
        state.leader = leader
        rate = self.learning_rate * reward / choice.probability
        others = 0.0
        for a in range(len(p)):
            if a == leader:
                continue
            if choice.arm == leader:
                p[a] -= rate * p[a] * p[a]
            elif choice.arm == a:
                p[a] += rate * p[a] * p[a]
            others += p[a]
        p[leader] = 1.0 - others
