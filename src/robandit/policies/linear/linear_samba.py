"""SAMBA on features: rewards of all arms estimated from one, and a step that the log barrier keeps on the simplex."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import barrier_step
from robandit.parts import About, parameter
from robandit.policies.linear.ridge import features_of


@dataclass
class LinearSambaState:
    """p(t), the arms' features in a basis of what they span, and room for one step."""

    probabilities: Floats
    features: Floats
    matrix: Floats  # M = sum of p f f'
    factor: Floats
    estimate: Floats  # M^-1 f R
    steps: Floats


@dataclass(frozen=True)
class LinearSamba(Policy[LinearSambaState]):
    """g_a = f_a' M^-1 f R is unbiased for every arm; 1/p_a falls by alpha g_a, and by a level that all share."""

    plays = "features"
    about = About(
        name="linear-samba",
        family="SAMBA",
        summary="SAMBA that learns of all arms from each: costs far more to fool than SAMBA, mostly behind cw-oful",
        reference="a variant of Denisov & Walton 2020, ours",
        needs=("features",),
        bound="none proved",
        cost="O(K d^2 + d^3)",
        late="weighted",
    )
    learning_rate: float = parameter(0.2, "step alpha", above=0, below=1)

    def start(self, setting: Setting) -> LinearSambaState:
        features = spanning(features_of(setting, self.name))
        dimension = features.shape[1]
        square = np.zeros((dimension, dimension))
        even = np.full(setting.arms, 1.0 / setting.arms)
        return LinearSambaState(even, features, square, square.copy(), np.zeros(dimension), np.zeros(setting.arms))

    def learn(self, state: LinearSambaState, choice: Choice, reward: float, random: Random) -> None:
        if reward == 0.0:
            return
        p, f, d = state.probabilities, state.features, len(state.estimate)
        for i in range(d):
            for j in range(i + 1):
                total = 0.0
                for arm in range(len(p)):
                    total += p[arm] * f[arm, i] * f[arm, j]
                state.matrix[i, j] = total
        factorise(state.matrix, state.factor)
        weight = reward * min(p[choice.arm] / choice.probability, 2.0)  # reward itself unless it comes late
        for i in range(d):
            state.estimate[i] = weight * f[choice.arm, i]
        solve_in_place(state.factor, state.estimate)
        for arm in range(len(p)):
            gain = 0.0
            for i in range(d):
                gain += f[arm, i] * state.estimate[i]
            state.steps[arm] = min(self.learning_rate * gain, 0.5 / p[arm])  # binds about once a run at alpha = 0.4
        barrier_step(p, state.steps)


def spanning(features: Floats) -> Floats:
    """The features in an orthonormal basis of what they span, so that M can be inverted; g does not change."""
    _, sizes, basis = np.linalg.svd(features, full_matrices=False)
    return np.ascontiguousarray(features @ basis[sizes > 1e-9 * sizes[0]].T)


def factorise(matrix: Floats, factor: Floats) -> None:
    """Cholesky's lower factor of a positive definite matrix."""
    for i in range(len(matrix)):
        for j in range(i + 1):
            rest = matrix[i, j]
            for k in range(j):
                rest -= factor[i, k] * factor[j, k]
            factor[i, j] = math.sqrt(max(rest, 1e-300)) if i == j else rest / factor[j, j]


def solve_in_place(factor: Floats, vector: Floats) -> None:
    """The solution of L L' x = vector, written over it."""
    d = len(vector)
    for i in range(d):
        for j in range(i):
            vector[i] -= factor[i, j] * vector[j]
        vector[i] /= factor[i, i]
    for i in range(d - 1, -1, -1):
        for j in range(i + 1, d):
            vector[i] -= factor[j, i] * vector[j]
        vector[i] /= factor[i, i]
