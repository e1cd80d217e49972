"""Policies for arms with features, by numpy's own linear algebra and without any in-place trick."""

from collections.abc import Callable

import numpy as np

from .base import Randomness, bisect


class NaiveLinear:
    """A policy that is told a feature vector of each arm."""

    def __init__(self, features: np.ndarray, horizon: int, random: Randomness, normal: Callable[[], float]) -> None:
        self.features, self.horizon, self.random, self.normal = features, horizon, random, normal
        self.arms, self.dimension = features.shape
        self.rows: list[tuple[np.ndarray, float, float]] = []  # feature, weight, reward

    def choose(self) -> int:
        """Return the arm of this round."""
        raise NotImplementedError

    def learn(self, arm: int, reward: float) -> None:
        """Take in the reward of the arm just chosen."""
        self.rows.append((self.features[arm], self.weight(arm), reward))
        self.moments()

    def weight(self, arm: int) -> float:
        """How much the row of an arm counts."""
        return 1.0

    def moments(self) -> None:
        """The regression, from all rows seen."""
        f = np.array([row[0] for row in self.rows]).reshape(-1, self.dimension)
        w = np.array([row[1] for row in self.rows])
        r = np.array([row[2] for row in self.rows])
        self.inverse = np.linalg.inv(np.eye(self.dimension) + f.T @ (w[:, None] * f))
        self.theta = self.inverse @ (f.T @ (w * r))

    def draw(self, probabilities: np.ndarray) -> int:
        """An arm from a distribution."""
        below = np.cumsum(probabilities) <= self.random.uniform()
        return min(int(below.sum()), self.arms - 1)


class NaiveLinUcb(NaiveLinear):
    """Optimism in every direction."""

    scale, extra = 1.0, 0.0

    def choose(self) -> int:
        self.random.uniform()  # the package's draw from a one-hot p(t)
        self.moments()
        beta = self.scale * (
            0.5 * np.sqrt(self.dimension * np.log((1 + len(self.rows)) * self.horizon)) + 1 + self.extra
        )
        return int(np.argmax(self.features @ self.theta + beta * self.widths()))

    def widths(self) -> np.ndarray:
        """|f| in the norm of the inverse."""
        return np.sqrt(np.einsum("ai,ij,aj->a", self.features, self.inverse, self.features))


class NaiveCwOful(NaiveLinUcb):
    """Rows in directions of which little is known count less."""

    def __init__(self, *given: object, bears: float) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.extra = np.sqrt(self.dimension) / 2 + 1
        self.limit = self.extra / bears

    def weight(self, arm: int) -> float:
        return min(1.0, float(self.limit / self.widths()[arm]))


class NaiveLinearThompson(NaiveLinear):
    """One draw of theta a round."""

    spread = 0.5

    def choose(self) -> int:
        self.moments()
        lower = np.linalg.cholesky(np.linalg.inv(self.inverse))
        drawn = np.linalg.solve(lower.T, [self.normal() for _ in range(self.dimension)])
        return int(np.argmax(self.features @ (self.theta + self.spread * drawn)))


class NaiveLinearSamba(NaiveLinear):
    """The barrier's step on estimates of all arms' rewards."""

    learning_rate = 0.2

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.probabilities = np.full(self.arms, 1 / self.arms)

    def choose(self) -> int:
        return self.draw(self.probabilities)

    def learn(self, arm: int, reward: float) -> None:
        p, f = self.probabilities, self.features
        gains = f @ np.linalg.pinv(f.T @ np.diag(p) @ f) @ f[arm] * reward
        v = (1 - np.minimum(self.learning_rate * p * gains, 0.5)) / p
        level = bisect(lambda x: 1 - float((1 / (v + x)).sum()), 1 - v.min(), self.arms - v.min())
        self.probabilities = 1 / (v + level)


class NaiveLinearSoftmax(NaiveLinear):
    """The gradient of the expected reward of a softmax."""

    step = 0.2

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.weights, self.rewards = np.zeros(self.dimension), list[float]()

    @property
    def probabilities(self) -> np.ndarray:
        """The softmax of the preferences."""
        raw = np.exp(self.features @ self.weights - (self.features @ self.weights).max())
        return np.asarray(raw / raw.sum())

    def choose(self) -> int:
        return self.draw(self.probabilities)

    def learn(self, arm: int, reward: float) -> None:
        centre = np.mean(self.rewards) if self.rewards else 0.0
        self.weights = self.weights + self.step * (reward - centre) * (
            self.features[arm] - self.probabilities @ self.features
        )
        self.rewards.append(reward)


class NaiveSquareCb(NaiveLinear):
    """Inverse gap weighting of what a ridge regression expects."""

    scale = 16.0

    @property
    def probabilities(self) -> np.ndarray:
        """From the definition: 1/(K + gamma gap) for all but the best, which has what is left."""
        self.moments()
        values, seen = self.features @ self.theta, len(self.rows)
        error = self.dimension * np.log(1 + seen)
        gamma = self.scale * np.sqrt(self.arms * seen / error) if seen else 0.0
        best = int(np.argmax(values))
        shares = np.array([1 / (self.arms + gamma * (values[best] - value)) for value in values])
        shares[best] = 1 - (shares.sum() - shares[best])
        return shares

    def choose(self) -> int:
        return self.draw(self.probabilities)


class NaiveCwSquareCb(NaiveSquareCb):
    """Rows in directions of which little is known count less."""

    def __init__(self, *given: object, bears: float) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.limit = (np.sqrt(self.dimension) / 2 + 1) / bears

    def weight(self, arm: int) -> float:
        self.moments()
        f = self.features[arm]
        return min(1.0, float(self.limit / np.sqrt(f @ self.inverse @ f)))
