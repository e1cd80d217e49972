"""The softmax policy gradient on features: preferences are <w, f>."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.parts import About, parameter
from robandit.policies.linear.ridge import copy_features, features_of


@dataclass
class LinearSoftmaxState:
    """p(t), features, weights w, the mean feature under p(t), and the sum and number of rewards seen."""

    probabilities: Floats
    features: Floats
    weights: Floats
    mean: Floats
    total: float = 0.0
    rounds: int = 0


@dataclass(frozen=True)
class LinearSoftmax(Policy[LinearSoftmaxState]):
    """w += step (R - baseline) (f_a - sum of p f), baseline = mean of the earlier rewards."""

    plays = "features"
    about = About(
        name="linear-softmax",
        family="gradient",
        summary="softmax gradient whose preferences are linear in the features; some runs stay on a wrong arm",
        reference="Williams 1992",
        fidelity="recalled",
        needs=("features",),
        bound="none",
        cost="O(K d), exponentials",
        late="weighted",
    )
    step: float = parameter(0.2, "step size", above=0)

    def start(self, setting: Setting) -> LinearSoftmaxState:
        features = features_of(setting, self.name)
        even = np.full(setting.arms, 1.0 / setting.arms)
        return LinearSoftmaxState(even, features, np.zeros(features.shape[1]), features.mean(axis=0))

    def look(self, state: LinearSoftmaxState, features: Floats) -> None:
        copy_features(features, state.features)
        self.show(state)

    def learn(self, state: LinearSoftmaxState, choice: Choice, reward: float, random: Random) -> None:
        baseline = state.total / state.rounds if state.rounds > 0 else 0.0
        weight = (
            state.probabilities[choice.arm] / choice.probability
        )  # 1 unless the arm was drawn with another probability
        push = self.step * weight * (reward - baseline)
        state.total += reward
        state.rounds += 1
        for i in range(len(state.weights)):
            state.weights[i] += push * (state.features[choice.arm, i] - state.mean[i])
        self.show(state)

    def show(self, state: LinearSoftmaxState) -> None:
        """p(t) as the softmax of the preferences, and the mean feature under it."""
        p, f, d = state.probabilities, state.features, len(state.weights)
        largest = -math.inf
        for arm in range(len(p)):
            p[arm] = 0.0
            for i in range(d):
                p[arm] += state.weights[i] * f[arm, i]
            largest = max(largest, p[arm])
        total = 0.0
        for arm in range(len(p)):
            p[arm] = math.exp(p[arm] - largest)
            total += p[arm]
        for i in range(d):
            state.mean[i] = 0.0
        for arm in range(len(p)):
            p[arm] /= total
            for i in range(d):
                state.mean[i] += p[arm] * f[arm, i]
