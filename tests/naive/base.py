"""Shared pieces of the reference policies: constructor, arm draw, bisection."""

from collections.abc import Callable, Sequence
from typing import Protocol


class Randomness(Protocol):
    """A source of random numbers."""

    def uniform(self) -> float:
        """Return a number strictly between 0 and 1."""

    def beta(self, a: float, b: float) -> float:
        """Return a draw from Beta(a, b)."""


class NaivePolicy:
    """A bandit policy that alternates between `choose` and `learn`."""

    def __init__(self, arms: int, horizon: int, corruption: float, random: Randomness) -> None:
        self.arms = arms
        self.horizon = horizon
        self.corruption = corruption
        self.random = random

    def choose(self) -> int:
        """Return the arm of this round."""
        raise NotImplementedError

    def learn(self, arm: int, reward: float) -> None:
        """Take in the reward of the arm just chosen."""
        raise NotImplementedError

    def wants_check(self, arm: int) -> bool:
        """Whether the reward of the arm just chosen shall be verified; a policy that asks learns from those alone."""
        return False

    def leave(self, arm: int) -> None:
        """The reward of the arm just chosen was not verified."""

    def draw(self, probabilities: Sequence[float]) -> int:
        """Draw an index with the given probabilities from one uniform number."""
        u = self.random.uniform()
        total = 0.0
        for index, probability in enumerate(probabilities):
            total += probability
            if u < total:
                return index
        return max(index for index, probability in enumerate(probabilities) if probability > 0)

    def failure_probability(self, delta: float | None) -> float:
        """Return delta, by default one over the horizon."""
        return 1 / self.horizon if delta is None else delta


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean."""
    return sum(values) / len(values)


def argmax(values: Sequence[float]) -> int:
    """Return the lowest index of the largest value."""
    return max(range(len(values)), key=lambda index: (values[index], -index))


def normalised(weights: Sequence[float]) -> list[float]:
    """Return the weights divided by their sum."""
    total = sum(weights)
    return [weight / total for weight in weights]


def bisect(increasing: Callable[[float], float], low: float, high: float) -> float:
    """Return the root in [low, high] of an increasing function, to the last bit of the bracket."""
    while low < (middle := (low + high) / 2) < high:
        if increasing(middle) <= 0:
            low = middle
        else:
            high = middle
    return low
