"""Policies for several agents, written round by round from their definitions."""

import math

from .base import NaivePolicy, Randomness, bisect
from .epochs import NaiveDraa
from .gradient import NaiveSamba


class NaiveTeamSamba(NaivePolicy):
    """Agents who share p and send sums."""

    def __init__(
        self, arms: int, horizon: int, random: Randomness, agents: int, *,
        learning_rate: float = 0.05, batch: int = 10, growth: float = 0.1, trim: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(arms, horizon, 0.0, random)
        self.agents, self.learning_rate, self.batch = agents, learning_rate, batch
        self.growth, self.trim = growth, trim
        self.probabilities = [1 / arms] * arms
        self.rewards: list[list[list[float]]] = self.nothing()
        self.rounds, self.next, self.messages = 0, batch, 0

    def nothing(self) -> list[list[list[float]]]:
        """No rewards of any agent and arm."""
        return [[[] for _ in range(self.arms)] for _ in range(self.agents)]

    def choose(self) -> int:
        return self.draw(self.probabilities)

    def learn(self, arm: int, reward: float) -> None:
        self.rewards[self.rounds % self.agents][arm].append(reward)
        self.rounds += 1
        if self.rounds % self.agents or self.rounds // self.agents != self.next:
            return
        t, p = self.next, self.probabilities
        v = []
        for i in range(self.arms):
            sums = sorted(sum(agent[i]) for agent in self.rewards)[self.trim : self.agents - self.trim]
            total = sum(sums) * self.agents / (self.agents - 2 * self.trim)
            v.append(1 / p[i] - self.learning_rate * total / p[i])
        level = bisect(lambda x: 1 - sum(1 / (one + x) for one in v), 1 - min(v), self.arms - min(v))
        self.probabilities = [1 / (one + level) for one in v]
        self.rewards = self.nothing()
        self.messages += self.agents
        self.next = t + max(self.batch, int(self.growth * t))


class NaiveIndependent(NaivePolicy):
    """A SAMBA for each agent."""

    def __init__(self, arms: int, horizon: int, random: Randomness, agents: int) -> None:
        super().__init__(arms, horizon, 0.0, random)
        self.team = [NaiveSamba(arms, horizon, 0.0, random) for _ in range(agents)]
        self.rounds, self.messages = 0, 0

    @property
    def probabilities(self) -> list[float]:
        """Those of whoever comes next."""
        return self.team[self.rounds % len(self.team)].probabilities

    def choose(self) -> int:
        return self.team[self.rounds % len(self.team)].choose()

    def learn(self, arm: int, reward: float) -> None:
        self.team[self.rounds % len(self.team)].learn(arm, reward)
        self.rounds += 1


class NaiveTeamDraa(NaiveDraa):
    """DRAA whose agents' sums are trimmed; epochs are whole rounds of the team."""

    def __init__(
        self, arms: int, horizon: int, random: Randomness, agents: int, *, scale: float = 1.0, trim: int = 0
    ) -> None:
        self.agents, self.trim, self.messages = agents, trim, -agents  # the first epoch is nobody's news
        self.rounds = 0
        super().__init__(arms, horizon, 0.0, random, scale=scale)

    def start_epoch(self) -> None:
        super().start_epoch()
        share = self.length
        self.length = self.agents * math.ceil(self.arms * self.lam * 4 ** (self.epoch - 1) / self.agents)
        active = [arm for arm in range(self.arms) if self.gaps[arm] == 2.0 ** -(self.epoch - 1)]
        for arm in active:
            self.expected[arm] += (self.length - share) / len(active)
        self.probabilities = [count / self.length for count in self.expected]
        self.by_agent = [[0.0] * self.arms for _ in range(self.agents)]
        self.messages += self.agents

    def learn(self, arm: int, reward: float) -> None:
        self.by_agent[self.rounds % self.agents][arm] += reward
        self.rounds += 1
        self.played += 1
        if self.played < self.length:
            return
        self.played -= 1
        for i in range(self.arms):
            kept = sorted(sums[i] for sums in self.by_agent)[self.trim : self.agents - self.trim]
            self.sums[i] = sum(kept) * self.agents / (self.agents - 2 * self.trim)
        super().learn(0, 0.0)
