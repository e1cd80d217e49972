"""Softmax policy gradient with a constant step (Williams 1992; Mei et al. 2023), SAMBA's nearest relative."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import FAR
from robandit.parts import About, parameter


@dataclass
class SoftmaxGradientState:
    """Preferences, p(t) as their softmax, and the sum and number of rewards seen."""

    probabilities: Floats
    preferences: Floats
    total: float = 0.0
    rounds: int = 0


@dataclass(frozen=True)
class SoftmaxGradient(Policy[SoftmaxGradientState]):
    """theta_i += step (R - baseline) (1{i = a} - p_i), baseline = mean of the earlier rewards."""

    about = About(
        name="softmax-gradient",
        family="gradient",
        summary="gradient bandit: softmax preferences, constant step, mean reward as baseline",
        reference="Williams 1992; Mei et al. 2023",
        fidelity="recalled",
        bound="log T with a small step without corruption; none with it",
        cost="O(K) exponentials",
        late="weighted",
    )
    step: float = parameter(0.1, "step size", above=0, published=0.1)
    baseline: bool = parameter(
        True, "subtract the mean of earlier rewards; without it some runs never leave a wrong arm"
    )

    def start(self, setting: Setting) -> SoftmaxGradientState:
        return SoftmaxGradientState(np.full(setting.arms, 1.0 / setting.arms), np.zeros(setting.arms))

    def learn(self, state: SoftmaxGradientState, choice: Choice, reward: float, random: Random) -> None:
        baseline = state.total / state.rounds if self.baseline and state.rounds > 0 else 0.0
        weight = (
            state.probabilities[choice.arm] / choice.probability
        )  # 1 unless the arm was drawn with another probability
        push = self.step * weight * (reward - baseline)
        state.total += reward
        state.rounds += 1
        largest = -math.inf
        for arm in range(len(state.probabilities)):
            chosen = 1.0 if arm == choice.arm else 0.0
            state.preferences[arm] += push * (chosen - state.probabilities[arm])
            largest = max(largest, state.preferences[arm])
        self.show(state, largest)

    def show(self, state: SoftmaxGradientState, largest: float) -> None:
        """p(t) as the softmax of the preferences, the largest of which is an argument."""
        total = 0.0
        for arm in range(len(state.probabilities)):
            state.probabilities[arm] = math.exp(state.preferences[arm] - largest)
            total += state.probabilities[arm]
        for arm in range(len(state.probabilities)):
            state.probabilities[arm] /= total

    def admit(self, state: SoftmaxGradientState, arm: int, present: list[int]) -> None:
        """A share of one among those present."""
        others = [state.preferences[other] for other in present if other != arm]
        largest = max(others, default=0.0)
        weight = sum(math.exp(preference - largest) for preference in others)
        state.preferences[arm] = largest + (math.log(weight / len(others)) if others else 0.0)
        self.show(state, max(largest, float(state.preferences[arm])))

    def withdraw(self, state: SoftmaxGradientState, arm: int, present: list[int]) -> None:
        state.preferences[arm] = -FAR
        self.show(state, max(state.preferences))
