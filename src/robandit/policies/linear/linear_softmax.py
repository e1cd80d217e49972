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
    features: Floats  # (arms, dimension); one row where all arms see the same, each with weights of its own
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
        zeros = np.zeros((setting.arms if len(features) == 1 else 1, features.shape[1]))
        state = LinearSoftmaxState(np.full(setting.arms, 1.0 / setting.arms), features, zeros, zeros.copy())
        self.show(state)
        return state

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
        own = choice.arm if len(state.weights) > 1 else 0
        f = state.features[choice.arm if len(state.features) > 1 else 0]
        for which in range(len(state.weights)):
            weights, mean = state.weights[which], state.mean[which]
            for i in range(len(weights)):
                weights[i] += push * ((f[i] if which == own else 0.0) - mean[i])
        self.show(state)

    def admit(self, state: LinearSoftmaxState, arm: int, present: list[int]) -> None:
        """A new arm begins with weights 0, which are nobody's preference; one that comes back has its own."""
        self.show(state)

    def show(self, state: LinearSoftmaxState) -> None:
        """p(t) as the softmax of the preferences, and the mean feature under it."""
        p, own_weights, own_features = state.probabilities, len(state.weights) > 1, len(state.features) > 1
        largest = -math.inf
        for arm in range(len(p)):
            weights, f = state.weights[arm if own_weights else 0], state.features[arm if own_features else 0]
            p[arm] = 0.0
            for i in range(len(f)):
                p[arm] += weights[i] * f[i]
            largest = max(largest, p[arm])
        total = 0.0
        for arm in range(len(p)):
            p[arm] = math.exp(p[arm] - largest)
            total += p[arm]
        for which in range(len(state.mean)):
            mean = state.mean[which]
            for i in range(len(mean)):
                mean[i] = 0.0
        for arm in range(len(p)):
            p[arm] /= total
            mean, f = state.mean[arm if own_weights else 0], state.features[arm if own_features else 0]
            for i in range(len(f)):
                mean[i] += p[arm] * f[i]
