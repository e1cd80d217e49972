"""Index policies, posterior sampling and other classic reference points."""

import math

from .base import NaivePolicy, Randomness, argmax, bisect, mean


class NaiveUniform(NaivePolicy):
    """Uniform play."""

    def __init__(self, arms: int, horizon: int, corruption: float, random: Randomness) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.probabilities = [1 / arms] * arms

    def choose(self) -> int:
        """Draw every arm with the same probability."""
        return self.draw(self.probabilities)

    def learn(self, arm: int, reward: float) -> None:
        """Ignore the reward."""


class HistoryPolicy(NaivePolicy):
    """A policy that keeps every reward of every arm and first plays each arm once."""

    def __init__(self, arms: int, horizon: int, corruption: float, random: Randomness) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.rewards: list[list[float]] = [[] for _ in range(arms)]

    def choose(self) -> int:
        """Play the first arm never played, then whatever the history says."""
        for arm in range(self.arms):
            if not self.rewards[arm]:
                return arm
        return self.choose_from_history()

    def choose_from_history(self) -> int:
        """Return the arm once every arm has a reward."""
        raise NotImplementedError

    def learn(self, arm: int, reward: float) -> None:
        """Append the reward to the arm's history."""
        self.rewards[arm].append(reward)

    def rounds_played(self) -> int:
        """Return the number of rewards seen so far."""
        return sum(len(history) for history in self.rewards)


class NaiveEpsilonGreedy(HistoryPolicy):
    """Epsilon-greedy with ties shared equally."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        epsilon: float = 0.1,
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.epsilon = epsilon

    @property
    def probabilities(self) -> list[float]:
        """The distribution of the coming choice."""
        for arm in range(self.arms):
            if not self.rewards[arm]:
                return [float(other == arm) for other in range(self.arms)]
        means = [mean(history) for history in self.rewards]
        best = [arm for arm in range(self.arms) if means[arm] == max(means)]
        probabilities = [self.epsilon / self.arms] * self.arms
        for arm in best:
            probabilities[arm] += (1 - self.epsilon) / len(best)
        return probabilities

    def choose_from_history(self) -> int:
        """Draw from the explicit mixture of uniform and greedy play."""
        return self.draw(self.probabilities)


class NaiveUcb1(HistoryPolicy):
    """UCB1 with a scaled bonus."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        scale: float = 1.0,
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.scale = scale

    def choose_from_history(self) -> int:
        """Play the arm with the largest upper confidence bound."""
        log_t = math.log(self.rounds_played())
        return argmax([mean(history) + math.sqrt(2 * self.scale * log_t / len(history)) for history in self.rewards])


def bernoulli_kl(p: float, q: float) -> float:
    """Return the Kullback-Leibler divergence from Bernoulli(p) to Bernoulli(q), 0 < q < 1."""
    success = p * math.log(p / q) if p > 0 else 0.0
    failure = (1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0.0
    return success + failure


class NaiveKlUcb(HistoryPolicy):
    """KL-UCB with exploration ln t."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        scale: float = 1.0,
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.scale = scale

    def upper_bound(self, history: list[float], exploration: float) -> float:
        """Return the largest q whose divergence from the mean fits the exploration."""
        centre = mean(history)
        if centre >= 1:
            return 1.0
        return bisect(lambda q: len(history) * bernoulli_kl(centre, q) - exploration, centre, 1.0)

    def choose_from_history(self) -> int:
        """Play the arm with the largest upper confidence bound."""
        exploration = self.scale * math.log(self.rounds_played())
        return argmax([self.upper_bound(history, exploration) for history in self.rewards])


def beta_grid(wins: float, losses: float, points: int = 4000) -> list[float]:
    """Return P(a Beta number lies in each of so many equal pieces of [0, 1]), by its density in their middles."""
    middles = [(place + 0.5) / points for place in range(points)]
    logs = [(wins - 1) * math.log(x) + (losses - 1) * math.log(1 - x) for x in middles]
    largest = max(logs)
    weights = [math.exp(value - largest) for value in logs]
    total = sum(weights)
    return [weight / total for weight in weights]


def best_of_grids(grids: list[list[float]]) -> list[float]:
    """Return the probability that each arm is the best, ties within a piece shared."""
    below, shares = [0.0] * len(grids), [0.0] * len(grids)
    for pieces in zip(*grids, strict=True):
        halves = [under + piece / 2 for under, piece in zip(below, pieces, strict=True)]
        for arm, piece in enumerate(pieces):
            shares[arm] += piece * math.prod(half for other, half in enumerate(halves) if other != arm)
        below = [under + piece for under, piece in zip(below, pieces, strict=True)]
    return [share / sum(shares) for share in shares]


class NaiveThompson(NaivePolicy):
    """Thompson sampling from Beta(1,1) priors with Bernoulli binarisation of the rewards."""

    def __init__(
        self, arms: int, horizon: int, corruption: float, random: Randomness, *, probabilities: str = "usual"
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.successes = [0] * arms
        self.failures = [0] * arms
        self.is_computed = probabilities == "computed"

    def choose(self) -> int:
        """Play the arm with the largest posterior draw, or draw it from the probabilities to be the best."""
        counts = [(1 + wins, 1 + losses) for wins, losses in zip(self.successes, self.failures, strict=True)]
        if self.is_computed:
            return self.draw(best_of_grids([beta_grid(*pair) for pair in counts]))
        return argmax([self.random.beta(*pair) for pair in counts])

    def learn(self, arm: int, reward: float) -> None:
        """Count a success or a failure."""
        success = reward == 1 if reward in (0, 1) else self.random.uniform() < reward
        if success:
            self.successes[arm] += 1
        else:
            self.failures[arm] += 1


class NaiveTemperedThompson(NaivePolicy):
    """Thompson sampling from Beta(1,1) priors with counts divided by a temperature."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        temper: float = 10.0,
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.temper = temper
        self.gains = [1.0] * arms
        self.losses = [1.0] * arms

    def choose(self) -> int:
        """Play the arm with the largest posterior draw."""
        return argmax([self.random.beta(a, b) for a, b in zip(self.gains, self.losses, strict=True)])

    def learn(self, arm: int, reward: float) -> None:
        """Add the tempered reward and loss to the arm's counts."""
        self.gains[arm] += reward / self.temper
        self.losses[arm] += (1 - reward) / self.temper
