"""Stochastic-gradient policies on the simplex and the exploration floor."""

from collections.abc import Callable

from .base import NaivePolicy, Randomness, argmax, mean
from .regularised import softmax


class NaiveSamba(NaivePolicy):
    """SAMBA (Denisov and Walton)."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        learning_rate: float = 0.05,
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.learning_rate = learning_rate
        self.probabilities = [1 / arms] * arms

    def choose(self) -> int:
        """Draw an arm from the current probabilities."""
        return self.draw(self.probabilities)

    def learn(self, arm: int, reward: float) -> None:
        """Move probability between the leader and the others."""
        if reward == 0:
            return
        leader = argmax(self.probabilities)
        old = list(self.probabilities)
        new = list(self.probabilities)
        if arm == leader:
            for i in range(self.arms):
                if i != leader:
                    new[i] = old[i] - self.learning_rate * old[i] ** 2 * reward / old[leader]
        else:
            new[arm] = old[arm] + self.learning_rate * old[arm] * reward
        new[leader] = 1 - sum(new[i] for i in range(self.arms) if i != leader)
        self.probabilities = new


class NaiveFloor(NaivePolicy):
    """Exploration floor around a policy whose update takes a weighted reward, such as SAMBA."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        share: float = 0.05,
        inner: Callable[[int, int, float, Randomness], NaiveSamba] = NaiveSamba,
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.share = share
        self.inner = inner(arms, horizon, corruption, random)

    @property
    def probabilities(self) -> list[float]:
        """The mixture of the inner distribution and the uniform one."""
        return [(1 - self.share) * p + self.share / self.arms for p in self.inner.probabilities]

    def choose(self) -> int:
        """Draw an arm from the mixture."""
        return self.draw(self.probabilities)

    def learn(self, arm: int, reward: float) -> None:
        """Pass the reward on, weighted by the ratio of the two probabilities."""
        self.inner.learn(arm, reward * self.inner.probabilities[arm] / self.probabilities[arm])


class NaiveSoftmaxGradient(NaivePolicy):
    """Softmax policy gradient with a constant step and the mean reward as baseline."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        step: float = 0.1,
        baseline: bool = True,
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.step = step
        self.baseline = baseline
        self.preferences = [0.0] * arms
        self.rewards: list[float] = []

    @property
    def probabilities(self) -> list[float]:
        """The softmax of the preferences."""
        return softmax(self.preferences)

    def choose(self) -> int:
        """Draw an arm from the softmax."""
        return self.draw(self.probabilities)

    def learn(self, arm: int, reward: float) -> None:
        """Take one stochastic gradient step."""
        centre = mean(self.rewards) if self.baseline and self.rewards else 0.0
        probabilities = self.probabilities
        for i in range(self.arms):
            gradient = float(i == arm) - probabilities[i]
            self.preferences[i] += self.step * (reward - centre) * gradient
        self.rewards.append(reward)
