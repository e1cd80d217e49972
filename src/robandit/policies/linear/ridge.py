"""Ridge regression of rewards on features, in place: what policies that believe in a linear reward share.

Either one regression serves all arms, and each arm has features of its own; or each arm has a regression of its own on
the features of whoever comes (the disjoint model of Li, Chu, Langford & Schapire 2010). The second is the first with
every arm's features in a block of their own, and gives the same numbers in a fraction of the time.
"""

import math
from dataclasses import dataclass

import numpy as np

from robandit.errors import InputError
from robandit.game import Floats, Setting


@dataclass
class Ridge:
    """A = I + sum of w f f' as its Cholesky factor, b = sum of w f R, theta = A^-1 b; one each per regression."""

    features: Floats  # (arms, dimension); one row where all arms see the same
    factor: Floats  # (regressions, dimension, dimension): upper, A = U' U
    sums: Floats
    theta: Floats
    whitened: Floats  # U'^-1 f, one row per arm: its squared length is f' A^-1 f
    room: Floats  # for one row


def features_of(setting: Setting, name: str) -> Floats:
    """The features; raises InputError where there are none."""
    if setting.features is None:
        raise InputError(
            f"{name} needs features, of the arms or of whoever comes: in the lab give an environment that has some, "
            "such as contexts or linear:arms=30,dimension=5; a learner needs its features declared"
        )
    return np.array(setting.features, np.float64)


def new_ridge(features: Floats, arms: int) -> Ridge:
    """Regressions without rows."""
    dimension, regressions = features.shape[1], arms if len(features) == 1 else 1
    sums = np.zeros((regressions, dimension))
    factor = np.tile(np.eye(dimension), (regressions, 1, 1))
    ridge = Ridge(features, factor, sums, sums.copy(), np.zeros((arms, dimension)), np.zeros(dimension))
    whiten(ridge)
    return ridge


def unknowns(ridge: Ridge) -> int:
    """How many numbers are estimated, over all regressions."""
    return len(ridge.theta) * len(ridge.theta[0])


def regression_of(ridge: Ridge, arm: int) -> int:
    """The regression that an arm's rewards are rows of."""
    return arm if len(ridge.theta) > 1 else 0


def row_of(ridge: Ridge, arm: int) -> int:
    """The row of `features` that is an arm's."""
    return arm if len(ridge.features) > 1 else 0


def add_reward(ridge: Ridge, arm: int, weight: float, reward: float) -> None:
    """One more row of an arm's regression, whose theta is solved anew."""
    which = regression_of(ridge, arm)
    f, factor, sums, theta, room = (
        ridge.features[row_of(ridge, arm)],
        ridge.factor[which],
        ridge.sums[which],
        ridge.theta[which],
        ridge.room,
    )
    root = math.sqrt(weight)
    for i in range(len(room)):
        room[i] = root * f[i]
        sums[i] += weight * reward * f[i]
        theta[i] = sums[i]
    update_factor(factor, room)
    divide_by_factor(factor, theta)
    for i in range(len(theta) - 1, -1, -1):
        row = factor[i]
        for j in range(i + 1, len(theta)):
            theta[i] -= row[j] * theta[j]
        theta[i] /= row[i]


def see(ridge: Ridge, features: Floats) -> None:
    """Take the features of this round; what was learnt stays."""
    copy_features(features, ridge.features)
    whiten(ridge)


def copy_features(features: Floats, copy: Floats) -> None:
    """Write features over an array of the same shape."""
    for row in range(len(features)):
        old, new = copy[row], features[row]
        for i in range(len(old)):
            old[i] = new[i]


def whiten(ridge: Ridge) -> None:
    """U'^-1 f of every arm."""
    for arm in range(len(ridge.whitened)):
        whiten_arm(ridge, arm)


def whiten_arm(ridge: Ridge, arm: int) -> None:
    """U'^-1 f of one arm."""
    f, whitened = ridge.features[row_of(ridge, arm)], ridge.whitened[arm]
    for i in range(len(f)):
        whitened[i] = f[i]
    divide_by_factor(ridge.factor[regression_of(ridge, arm)], whitened)


def whiten_after(ridge: Ridge, arm: int) -> None:
    """U'^-1 f of the arms whose regression has one more row, an arm's."""
    if len(ridge.theta) > 1:
        whiten_arm(ridge, arm)
    else:
        whiten(ridge)


def value(ridge: Ridge, arm: int) -> float:
    """The reward expected of an arm."""
    f, theta, total = ridge.features[row_of(ridge, arm)], ridge.theta[regression_of(ridge, arm)], 0.0
    for i in range(len(theta)):
        total += theta[i] * f[i]
    return total


def squared_width(ridge: Ridge, arm: int) -> float:
    """f' A^-1 f: how uncertain the regression is in an arm's direction."""
    whitened, total = ridge.whitened[arm], 0.0
    for i in range(len(whitened)):
        total += whitened[i] * whitened[i]
    return total


def update_factor(factor: Floats, row: Floats) -> None:
    """The factor of U' U + row row', by rotations; the row is used up."""
    for k in range(len(row)):
        x, across = row[k], factor[k]
        if x != 0.0:
            before = across[k]
            after = math.sqrt(before * before + x * x)
            stretch, turn = after / before, x / before
            across[k] = after
            for i in range(k + 1, len(row)):
                across[i] = (across[i] + turn * row[i]) / stretch
                row[i] = stretch * row[i] - turn * across[i]


def divide_by_factor(factor: Floats, vector: Floats) -> None:
    """The solution of U' x = vector, written over it."""
    for j in range(len(vector)):
        across = factor[j]
        x = vector[j] / across[j]
        vector[j] = x
        if x != 0.0:
            for i in range(j + 1, len(vector)):
                vector[i] -= across[i] * x
