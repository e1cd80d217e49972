"""Wrappers that forget, around naive Thompson sampling: everything is worked out anew from the whole history."""

import math

from .base import NaivePolicy, Randomness, argmax
from .classics import NaiveThompson, bernoulli_kl


class RememberingPolicy(NaivePolicy):
    """Keeps every arm and success of the game."""

    def __init__(self, arms: int, horizon: int, corruption: float, random: Randomness) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.history: list[tuple[int, bool]] = []

    def learn(self, arm: int, reward: float) -> None:
        """Count a success or a failure."""
        self.history.append((arm, reward == 1 if reward in (0, 1) else self.random.uniform() < reward))


class NaiveWindow(RememberingPolicy):
    """Thompson sampling on the last rewards only."""

    def __init__(self, arms: int, horizon: int, corruption: float, random: Randomness, *, size: int) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.size = size

    def choose(self) -> int:
        """Choose as one who has seen nothing but the last rewards."""
        newborn = NaiveThompson(self.arms, self.horizon, self.corruption, self.random)
        for arm, success in self.history[-self.size :]:
            newborn.learn(arm, float(success))
        return newborn.choose()


class NaiveBatched(RememberingPolicy):
    """Thompson sampling on the rewards of whole batches only."""

    def __init__(self, arms: int, horizon: int, corruption: float, random: Randomness, *, update_every: int) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.update_every = update_every

    def choose(self) -> int:
        """Choose as one who has not seen the batch that is not full yet."""
        newborn = NaiveThompson(self.arms, self.horizon, self.corruption, self.random)
        for arm, success in self.history[: len(self.history) // self.update_every * self.update_every]:
            newborn.learn(arm, float(success))
        return newborn.choose()


class NaiveDiscount(RememberingPolicy):
    """Thompson sampling where a reward of n rewards ago counts rate to the power of n."""

    def __init__(self, arms: int, horizon: int, corruption: float, random: Randomness, *, rate: float) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.rate = rate

    def choose(self) -> int:
        """Draw from posteriors of discounted counts."""
        wins, losses = [1.0] * self.arms, [1.0] * self.arms
        for age, (arm, success) in enumerate(reversed(self.history)):
            counts = wins if success else losses
            counts[arm] += self.rate**age
        return argmax([self.random.beta(a, b) for a, b in zip(wins, losses, strict=True)])


class NaiveRestart(NaivePolicy):
    """Thompson sampling that begins anew when an arm's rewards cannot have had one mean."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        false_alarm: float = 0.01,
        withstand: float = 0.0,
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.false_alarm = false_alarm
        self.withstand = withstand
        self.restarts = 0
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.inner = NaiveThompson(self.arms, self.horizon, self.corruption, self.random)
        self.blocks: list[list[list[float]]] = [[] for _ in range(self.arms)]  # of each arm, the oldest first

    def choose(self) -> int:
        """Choose as the policy inside."""
        return self.inner.choose()

    def learn(self, arm: int, reward: float) -> None:
        """Pass the reward on, and begin anew if the arm has changed; it is looked at with every fourth reward."""
        self.inner.learn(arm, reward)
        blocks = self.blocks[arm]
        blocks.append([reward])
        size = 1
        while sum(len(block) == size for block in blocks) > 4:  # the two oldest of this size become one
            first = next(place for place, block in enumerate(blocks) if len(block) == size)
            blocks[first : first + 2] = [blocks[first] + blocks[first + 1]]
            size *= 2
        rewards = [one for block in blocks for one in block]
        ends = [sum(map(len, blocks[:place])) for place in range(1, len(blocks))]
        if len(rewards) % 4 == 0 and any(self.differ(rewards[:end], rewards[end:]) for end in ends):
            self.restarts += 1
            self.forget()

    def differ(self, early: list[float], late: list[float]) -> bool:
        """Whether two stretches surely have different means, however rewards worth `withstand` were forged."""
        s, j = len(early), len(late)
        sureness = math.log(self.arms / self.false_alarm) + math.log(s * (2 + math.log2(s)) ** 2)
        sureness += math.log(2 * math.sqrt(s)) + math.log(2 * math.sqrt(j))
        sign = 1 if sum(early) / s > sum(late) / j else -1
        for part in range(201):  # how the forging may be split between the two
            first = sum(early) - sign * self.withstand * part / 200
            second = sum(late) + sign * self.withstand * (200 - part) / 200
            if sign * first / s <= sign * second / j:
                return False
            mean = (first + second) / (s + j)
            if s * bernoulli_kl(first / s, mean) + j * bernoulli_kl(second / j, mean) <= sureness:
                return False
        return True
