"""Multiplicative variants of SAMBA and classics with an optimistic prior or a linear bonus."""

import math

from .base import NaivePolicy, Randomness, argmax, bisect, mean
from .classics import HistoryPolicy, NaiveThompson, bernoulli_kl


class NaiveExponentialSamba(NaivePolicy):
    """SAMBA whose steps multiply the probabilities by exponentials."""

    def __init__(self, arms: int, horizon: int, corruption: float, random: Randomness, *, learning_rate: float) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.up = learning_rate
        self.down = learning_rate
        self.probabilities = [1 / arms] * arms

    def choose(self) -> int:
        """Draw an arm from the current probabilities."""
        return self.draw(self.probabilities)

    def learn(self, arm: int, reward: float, probability: float | None = None) -> None:
        """Move probability between the leader and the others.

        A late reward comes with the probability that the arm had when it was chosen.
        """
        if reward == 0:
            return
        if probability is None:
            probability = self.probabilities[arm]
        leader = argmax(self.probabilities)
        weighted = reward / probability
        old = list(self.probabilities)
        new = list(self.probabilities)
        if arm == leader:
            for i in range(self.arms):
                if i != leader:
                    new[i] = old[i] * math.exp(-self.down * weighted * min(old[i], 2 * probability))
        else:
            new[arm] = old[arm] * math.exp(min(self.up * weighted * min(old[arm], 2 * probability), 0.69))
        new[leader] = 1 - sum(new[i] for i in range(self.arms) if i != leader)
        self.probabilities = new


class NaiveBalancedSamba(NaiveExponentialSamba):
    """Exponential SAMBA with a smaller step down."""

    def __init__(self, arms: int, horizon: int, corruption: float, random: Randomness, *, learning_rate: float) -> None:
        super().__init__(arms, horizon, corruption, random, learning_rate=learning_rate)
        self.down = math.sqrt(learning_rate * (1 - math.exp(-learning_rate)))


class NaiveOptimisticThompson(NaiveThompson):
    """Thompson sampling from Beta(1 + optimism, 1) priors."""

    def __init__(self, arms: int, horizon: int, corruption: float, random: Randomness, *, optimism: float) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.optimism = optimism

    def choose(self) -> int:
        """Play the arm with the largest posterior draw."""
        draws = []
        for arm in range(self.arms):
            draws.append(self.random.beta(1 + self.optimism + self.successes[arm], 1 + self.failures[arm]))
        return argmax(draws)


class NaiveCappedThompson(NaivePolicy):
    """Thompson sampling on the first rewards of each arm: as many as bring prior and rewards up to the cap."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        prior: float = 10.0,
        cap: float = 200.0,
        mean: float = 0.5,
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.prior = (prior * mean, prior * (1 - mean))
        self.room = cap - prior
        self.outcomes: list[list[bool]] = [[] for _ in range(arms)]

    def choose(self) -> int:
        """Play the arm with the largest posterior draw; of each arm, the first rewards count."""
        draws = []
        for outcomes in self.outcomes:
            counted = [outcome for place, outcome in enumerate(outcomes, 1) if place <= self.room]
            successes = sum(counted)
            draws.append(self.random.beta(self.prior[0] + successes, self.prior[1] + len(counted) - successes))
        return argmax(draws)

    def learn(self, arm: int, reward: float) -> None:
        """Keep a success or a failure."""
        self.outcomes[arm].append(reward == 1 if reward in (0, 1) else self.random.uniform() < reward)


class NaiveBonusThompson(NaiveThompson):
    """Thompson sampling from Beta(1,1) priors with a bonus for arms chosen rarely."""

    def __init__(self, arms: int, horizon: int, corruption: float, random: Randomness, *, linear: float) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.linear = linear
        self.chosen = [0] * arms

    def choose(self) -> int:
        """Play the arm with the largest sum of posterior draw and bonus."""
        values = []
        for arm in range(self.arms):
            draw = self.random.beta(1 + self.successes[arm], 1 + self.failures[arm])
            values.append(draw + self.linear / (self.chosen[arm] + 1))
        best = argmax(values)
        self.chosen[best] += 1
        return best


class LinearBonusPolicy(HistoryPolicy):
    """An index policy with a linear bonus that counts choices whether or not their reward is in."""

    def __init__(
        self, arms: int, horizon: int, corruption: float, random: Randomness, *, scale: float, linear: float
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.scale = scale
        self.linear = linear
        self.chosen = [0] * arms

    def choose(self) -> int:
        """Play the first arm without a reward, else the one with the largest index, and count the choice."""
        arm = super().choose()
        self.chosen[arm] += 1
        return arm

    def choose_from_history(self) -> int:
        """Play the arm with the largest index."""
        return argmax([self.index(arm) for arm in range(self.arms)])

    def index(self, arm: int) -> float:
        """Return the index of an arm once every arm has a reward."""
        raise NotImplementedError


class NaiveOptimisticUcb(LinearBonusPolicy):
    """UCB with a square-root bonus and a linear one."""

    def index(self, arm: int) -> float:
        """Return the mean plus both bonuses."""
        t = sum(self.chosen)
        n = self.chosen[arm]
        return mean(self.rewards[arm]) + self.scale * math.sqrt(math.log(t) / (2 * n)) + self.linear / n


class LinearKlUcb(LinearBonusPolicy):
    """KL-UCB with a linear bonus."""

    def upper_bound(self, arm: int) -> float:
        """Return the largest q whose divergence from the mean fits the exploration."""
        exploration = self.scale * math.log(sum(self.chosen))
        n = self.chosen[arm]
        centre = mean(self.rewards[arm])
        if centre >= 1:
            return 1.0
        return bisect(lambda q: n * bernoulli_kl(centre, q) - exploration, centre, 1.0)

    def index(self, arm: int) -> float:
        """Return the upper confidence bound plus the bonus."""
        return self.upper_bound(arm) + self.linear / self.chosen[arm]


class NaiveTrimmedUcb(LinearBonusPolicy):
    """UCB on the mean of an arm's rewards, to the nearest hundredth, sorted and cut at both ends."""

    def __init__(
        self, arms: int, horizon: int, corruption: float, random: Randomness, *, scale: float = 1.0, trim: float = 0.05
    ) -> None:
        super().__init__(arms, horizon, corruption, random, scale=scale, linear=0.0)
        self.trim = trim

    def index(self, arm: int) -> float:
        """Return the trimmed mean plus a bonus that is wider the more is cut."""
        n = self.chosen[arm]
        cut = int(self.trim * n)
        kept = sorted(math.floor(100 * reward + 0.5) / 100 for reward in self.rewards[arm])[cut : n - cut]
        return mean(kept) + math.sqrt(self.scale * math.log(sum(self.chosen)) / n) / (1 - 2 * self.trim)
