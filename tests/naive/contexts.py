"""A game with contexts from beginning to end, each arm with a regression of its own and no blocks."""

from collections.abc import Callable

import numpy as np

from .base import Randomness


class NaiveArms:
    """One ridge regression an arm on the user's features (Li et al. 2010, disjoint)."""

    def __init__(self, arms: int, size: int, horizon: int, random: Randomness, normal: Callable[[], float]) -> None:
        self.horizon, self.random, self.normal, self.rounds = horizon, random, normal, 0
        self.moments = [np.eye(size) for _ in range(arms)]
        self.sums = [np.zeros(size) for _ in range(arms)]

    def learn(self, arm: int, user: np.ndarray, reward: float) -> None:
        """Take in what the arm paid this user."""
        self.moments[arm] = self.moments[arm] + np.outer(user, user)
        self.sums[arm] = self.sums[arm] + reward * user
        self.rounds += 1

    def values(self, user: np.ndarray) -> np.ndarray:
        """What each arm is expected to pay this user."""
        return np.array([user @ np.linalg.solve(a, b) for a, b in zip(self.moments, self.sums, strict=True)])


class NaiveUcb(NaiveArms):
    """Optimism; the bonus is that of one regression on all blocks."""

    def choose(self, user: np.ndarray) -> int:
        """The arm for this user."""
        self.random.uniform()  # the package's draw from a one-hot p(t)
        size = len(self.moments) * len(user)
        beta = 0.5 * np.sqrt(size * np.log((1 + self.rounds) * self.horizon)) + 1
        widths = [np.sqrt(user @ np.linalg.solve(a, user)) for a in self.moments]
        return int(np.argmax(self.values(user) + beta * np.array(widths)))


class NaiveSampling(NaiveArms):
    """One draw of each arm's theta a round."""

    def choose(self, user: np.ndarray) -> int:
        """The arm for this user."""
        drawn = []
        for moments in self.moments:
            z = np.array([self.normal() for _ in user])
            drawn.append(user @ np.linalg.solve(np.linalg.cholesky(moments).T, z))
        return int(np.argmax(self.values(user) + 0.5 * np.array(drawn)))


class NaiveGaps(NaiveArms):
    """An arm is drawn by its gap to the best prediction."""

    def choose(self, user: np.ndarray) -> int:
        """The arm for this user."""
        values, arms = self.values(user), len(self.moments)
        error = arms * len(user) * np.log(1 + self.rounds)
        gamma = 16 * np.sqrt(arms * self.rounds / error) if self.rounds else 0.0
        shares = 1 / (arms + gamma * (values.max() - values))
        best = int(np.argmax(values))
        shares[best] += 1 - shares.sum()
        return min(int((np.cumsum(shares) <= self.random.uniform()).sum()), arms - 1)


def play(policy: NaiveArms, users: np.ndarray, means: np.ndarray, paid: Randomness, budget: float) -> tuple[float, ...]:
    """Regret and bill of a game in which whatever is best in a round fails while the budget lasts."""
    regret = spent = 0.0
    for _ in range(policy.horizon):
        user, left = divmod(paid.uniform() * len(users), 1.0)
        who = int(user)
        arm = policy.choose(users[who])
        reward = float(left < means[who, arm])
        if means[who, arm] == max(means[who]) and reward > 0 and spent < budget:
            cost = min(reward, budget - spent)
            reward, spent = reward - cost, spent + cost
        policy.learn(arm, users[who], reward)
        regret += max(means[who]) - means[who, arm]
    return regret, spent


def replay(policy: NaiveArms, log: list[tuple[np.ndarray, int, float, float]], coins: Randomness) -> list[float]:
    """The rewards of the rows a policy takes as the logger did, the probabilities evened out."""
    least, taken = min(probability for *_, probability in log), []
    for user, arm, reward, probability in log:
        chosen, coin = policy.choose(user), coins.uniform()
        if chosen == arm and coin < least / probability:
            policy.learn(arm, user, reward)
            taken.append(reward)
    return taken
