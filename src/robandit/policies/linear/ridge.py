"""Ridge regression of rewards on features, in place: what policies that believe in a linear reward share."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.errors import InputError
from robandit.game import Floats, Setting


@dataclass
class Ridge:
    """A = I + sum of w f f', its Cholesky factor, b = sum of w f R, theta = A^-1 b, and each arm's f with L^-1 f."""

    features: Floats
    matrix: Floats
    factor: Floats
    sums: Floats
    theta: Floats
    whitened: Floats  # L^-1 f, one row per arm: its squared length is f' A^-1 f


def features_of(setting: Setting, name: str) -> Floats:
    """The arms' features; raises InputError where the environment has none."""
    if setting.features is None:
        raise InputError(
            f"{name} needs arms with features: give an environment that has some, such as linear:arms=30,dimension=5"
        )
    return np.array(setting.features, np.float64)


def new_ridge(features: Floats) -> Ridge:
    """A regression without rows."""
    dimension = features.shape[1]
    zeros = np.zeros(dimension)
    return Ridge(features, np.eye(dimension), np.eye(dimension), zeros, zeros.copy(), features.copy())


def add_reward(ridge: Ridge, arm: int, weight: float, reward: float) -> None:
    """One more row of the regression."""
    f, d = ridge.features, len(ridge.sums)
    for i in range(d):
        ridge.sums[i] += weight * reward * f[arm, i]
        for j in range(d):
            ridge.matrix[i, j] += weight * f[arm, i] * f[arm, j]
    factorise(ridge.matrix, ridge.factor)
    for i in range(d):
        ridge.theta[i] = ridge.sums[i]
    solve_in_place(ridge.factor, ridge.theta)
    whiten(ridge)


def see(ridge: Ridge, features: Floats) -> None:
    """Take the arms' features of this round; what was learnt stays."""
    copy_features(features, ridge.features)
    whiten(ridge)


def copy_features(features: Floats, copy: Floats) -> None:
    """Write features over an array of the same shape."""
    for arm in range(len(features)):
        for i in range(copy.shape[1]):
            copy[arm, i] = features[arm, i]


def whiten(ridge: Ridge) -> None:
    """L^-1 f of every arm, by forward substitution."""
    f = ridge.features
    for arm in range(len(f)):
        for i in range(len(ridge.theta)):
            rest = f[arm, i]
            for j in range(i):
                rest -= ridge.factor[i, j] * ridge.whitened[arm, j]
            ridge.whitened[arm, i] = rest / ridge.factor[i, i]


def value(ridge: Ridge, arm: int) -> float:
    """The reward expected of an arm."""
    total = 0.0
    for i in range(len(ridge.theta)):
        total += ridge.theta[i] * ridge.features[arm, i]
    return total


def squared_width(ridge: Ridge, arm: int) -> float:
    """f' A^-1 f: how uncertain the regression is in an arm's direction."""
    total = 0.0
    for i in range(len(ridge.theta)):
        total += ridge.whitened[arm, i] * ridge.whitened[arm, i]
    return total


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
