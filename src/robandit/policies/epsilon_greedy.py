"""Epsilon-greedy: the best empirical mean, and now and then any arm."""

from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import fade_counts, narrowed, no_longer_awaited, uncount
from robandit.parts import About, parameter


@dataclass
class EpsilonGreedyState:
    """Per arm the rewards seen, their sum, and those still awaited."""

    probabilities: Floats
    pulls: Floats
    sums: Floats
    waiting: Floats


@dataclass(frozen=True)
class EpsilonGreedy(Policy[EpsilonGreedyState]):
    """Each arm once, then with probability epsilon any arm, else one of those with the best mean."""

    about = About(
        name="epsilon-greedy",
        summary="the best mean so far, and with probability epsilon any arm",
        reference="Sutton & Barto 2018",
        fidelity="recalled",
        bound="linear in T for a fixed epsilon",
        late="exact",
    )
    epsilon: float = parameter(0.1, "probability of exploring", least=0, most=1, published=0.1)

    def start(self, setting: Setting) -> EpsilonGreedyState:
        pulls, sums, waiting = np.zeros((3, setting.arms))
        return EpsilonGreedyState(np.eye(setting.arms)[0], pulls, sums, waiting)

    def learn(self, state: EpsilonGreedyState, choice: Choice, reward: float, random: Random) -> None:
        no_longer_awaited(state.waiting, choice.arm)
        state.pulls[choice.arm] += 1.0
        state.sums[choice.arm] += reward
        self.show(state)

    def defer(self, state: EpsilonGreedyState, choice: Choice) -> None:
        state.waiting[choice.arm] += 1.0
        self.show(state)

    def probabilities_among(self, state: EpsilonGreedyState, eligible: list[int]) -> Floats:
        some: EpsilonGreedyState = narrowed(state, eligible)
        self.show(some)
        return some.probabilities

    def admit(self, state: EpsilonGreedyState, arm: int, present: list[int]) -> None:
        """A new arm is tried first; one that comes back has its counts."""
        self.show(state)

    def restart(self, state: EpsilonGreedyState) -> None:
        self.fade(state, 0.0)
        self.show(state)

    def fade(self, state: EpsilonGreedyState, share: float) -> None:
        fade_counts(state.pulls, state.sums, state.waiting, share)

    def unlearn(self, state: EpsilonGreedyState, arm: int, outcome: float) -> None:
        uncount(state.pulls, state.sums, state.waiting, arm, outcome)

    def show(self, state: EpsilonGreedyState) -> None:
        """p(t): an arm never chosen, or epsilon spread over all and the rest on the best of those seen."""
        arms = len(state.pulls)
        untried, best, ties = -1, -1.0, 0
        for arm in range(arms - 1, -1, -1):
            if state.pulls[arm] == 0.0:
                untried = arm if state.waiting[arm] == 0.0 else untried
            elif state.sums[arm] / state.pulls[arm] > best:
                best, ties = state.sums[arm] / state.pulls[arm], 1
            elif state.sums[arm] / state.pulls[arm] == best:
                ties += 1
        for arm in range(arms):
            if untried >= 0:
                state.probabilities[arm] = 1.0 if arm == untried else 0.0
            else:
                leads = state.pulls[arm] > 0.0 and state.sums[arm] / state.pulls[arm] == best
                greedy = 1.0 / arms if ties == 0 else 1.0 / ties if leads else 0.0
                state.probabilities[arm] = self.epsilon / arms + (1.0 - self.epsilon) * greedy
