"""Policies that learn from verified rewards only."""

from .base import Randomness, argmax, mean
from .classics import NaiveThompson, NaiveUcb1


def leader_is_known(counts: list[int], leader: int, c: float) -> bool:
    """Whether the leader has c times as many verified rewards as any other arm, each of them given ten more."""
    others = counts[:leader] + counts[leader + 1 :]
    return counts[leader] >= c * (max(others) + 10)


class NaiveVerifiedThompson(NaiveThompson):
    """Thompson sampling on verified rewards."""

    def __init__(self, arms: int, horizon: int, corruption: float, random: Randomness, *, c: float = 4.0) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.c = c

    def wants_check(self, arm: int) -> bool:
        """Check every challenger, and a leader that is not known well enough."""
        pairs = list(zip(self.successes, self.failures, strict=True))
        leader = argmax([(1 + wins) / (2 + wins + losses) for wins, losses in pairs])
        return arm != leader or not leader_is_known([wins + losses for wins, losses in pairs], leader, self.c)


class NaiveVerifiedUcb(NaiveUcb1):
    """UCB1 on verified rewards; the clock counts every round."""

    def __init__(
        self, arms: int, horizon: int, corruption: float, random: Randomness, *, scale: float = 1.0, c: float = 4.0
    ) -> None:
        super().__init__(arms, horizon, corruption, random, scale=scale)
        self.c = c
        self.unverified = 0

    def wants_check(self, arm: int) -> bool:
        """Check every challenger, and a leader that is not known well enough."""
        leader = argmax([mean(history) if history else 0.0 for history in self.rewards])
        return arm != leader or not leader_is_known([len(history) for history in self.rewards], leader, self.c)

    def leave(self, arm: int) -> None:
        """Count the round."""
        self.unverified += 1

    def rounds_played(self) -> int:
        """Return all rounds, whether verified or not."""
        return sum(len(history) for history in self.rewards) + self.unverified
