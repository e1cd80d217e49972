"""What an adversary pays: proposals are clipped, shortened to what is left, and charged here and nowhere else."""

from dataclasses import dataclass
from typing import Any


@dataclass
class Bill:
    """The account of one adversary in one run; scalars only, so that a compiled loop keeps it in registers."""

    budget: float
    by_rounds: bool  # each changed round costs 1, in place of the cost of the definition
    paid: float = 0.0  # the cost of the definition, summed by Kahan's method: many equal items must come out even
    lost: float = 0.0  # what rounding lost of it
    changed: int = 0  # rounds
    left: float = 0.0  # what is left of the budget, as of the last `balance`

    def balance(self) -> None:
        """Work out what is left; dust that only rounding left there is nothing."""
        left = self.budget - self.changed if self.by_rounds else self.budget - self.paid
        self.left = left if left > 1e-12 * self.paid else 0.0

    def pay(self, cost: float) -> None:
        """Charge one round."""
        amount = cost - self.lost
        after = self.paid + amount
        self.lost = (after - self.paid) - amount
        self.paid = after
        self.changed += 1
        self.balance()

    def total(self) -> float:
        """What was paid, as it is recorded: never a rounding more than the budget."""
        return min(self.paid, self.budget)

    def move_reward(self, reward: float, wanted: float) -> float:
        """The reward the policy sees where an adversary wants another: as far as the budget allows, and paid."""
        wanted = clipped(wanted, reward)
        cost = abs(wanted - reward)
        if not self.by_rounds and cost > self.left:
            wanted = reward + (wanted - reward) * (self.left / cost)
            cost = self.left
        if cost > 0.0:
            self.pay(cost)
            return wanted
        return reward

    def move_means(self, means: Any, proposal: Any) -> bool:
        """Clip proposed means to [0, 1], shorten the step to what is left, and pay; returns whether any was moved."""
        cost = 0.0
        for arm in range(len(means)):
            proposal[arm] = clipped(proposal[arm], means[arm])
            cost = max(cost, abs(proposal[arm] - means[arm]))
        if not self.by_rounds and cost > self.left:
            for arm in range(len(means)):
                proposal[arm] = means[arm] + (proposal[arm] - means[arm]) * (self.left / cost)
            cost = self.left
        if cost > 0.0:
            self.pay(cost)
            return True
        return False


def clipped(value: float, fallback: float) -> float:
    """A number in [0, 1]; what is none becomes the fallback, so that nonsense changes nothing."""
    if value < 0.0:
        return 0.0
    if value > 1.0:
        return 1.0
    return value if value == value else fallback
