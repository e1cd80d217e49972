"""Epsilon-greedy: the best empirical mean, and now and then any arm."""

from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.parts import About, parameter


@dataclass
class State:
    """Pulls and reward sums per arm."""

    chances: Floats
    pulls: Floats
    sums: Floats


@dataclass(frozen=True)
class EpsilonGreedy(Policy[State]):
    """Each arm once, then with probability epsilon any arm, else one of those with the best mean."""

    about = About(
        name="epsilon-greedy",
        summary="the best mean so far, and with probability epsilon any arm",
        reference="Sutton & Barto 2018",
        fidelity="recalled",
        bound="linear in T for a fixed epsilon",
    )
    epsilon: float = parameter(0.1, "probability of exploring", least=0, most=1, published=0.1)

    def start(self, setting: Setting) -> State:
        return State(np.eye(setting.arms)[0], np.zeros(setting.arms), np.zeros(setting.arms))

    def learn(self, state: State, choice: Choice, reward: float, random: Random) -> None:
        state.pulls[choice.arm] += 1.0
        state.sums[choice.arm] += reward
        arms = len(state.pulls)
        untried, best, ties = -1, -1.0, 0
        for arm in range(arms - 1, -1, -1):
            if state.pulls[arm] == 0.0:
                untried = arm
            elif state.sums[arm] / state.pulls[arm] > best:
                best, ties = state.sums[arm] / state.pulls[arm], 1
            elif state.sums[arm] / state.pulls[arm] == best:
                ties += 1
        for arm in range(arms):
            if untried >= 0:
                state.chances[arm] = 1.0 if arm == untried else 0.0
            else:
                greedy = 1.0 / ties if state.sums[arm] / state.pulls[arm] == best else 0.0
                state.chances[arm] = self.epsilon / arms + (1.0 - self.epsilon) * greedy
