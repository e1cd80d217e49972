"""Follow-the-perturbed-leader."""

import math

from .base import NaivePolicy, Randomness, argmax


class NaiveFtpl(NaivePolicy):
    """FTPL with Frechet(2) perturbations and resampled weights (Honda, Ito and Tsuchiya)."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        resampling: str = "conditional",
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.resampling = resampling
        self.round = 1
        self.losses = [0.0] * arms
        self.weight = 0

    def perturbations(self) -> list[float]:
        """Draw one Frechet(2) variable per arm in arm order."""
        return [1 / math.sqrt(-math.log(self.random.uniform())) for _ in range(self.arms)]

    def winner(self, perturbations: list[float]) -> int:
        """Return the arm with the smallest perturbed loss."""
        eta = 1 / math.sqrt(self.round)
        return argmax([f / eta - loss for f, loss in zip(perturbations, self.losses, strict=True)])

    def choose(self) -> int:
        """Play the perturbed leader and resample the weight of its loss."""
        arm = self.winner(self.perturbations())
        if self.resampling == "conditional":
            rivals = [i for i in range(self.arms) if self.losses[i] <= self.losses[arm]]
        else:
            rivals = [arm]
        self.weight = len(rivals) * self.vectors_until_win(arm, rivals)
        return arm

    def vectors_until_win(self, arm: int, rivals: list[int]) -> int:
        """Count fresh vectors until the arm wins with the largest perturbation of the rivals."""
        count = 0
        while True:
            count += 1
            fresh = self.perturbations()
            largest = max(rivals, key=lambda i: fresh[i])
            fresh[arm], fresh[largest] = fresh[largest], fresh[arm]
            if self.winner(fresh) == arm:
                return count

    def learn(self, arm: int, reward: float) -> None:
        """Add the weighted loss of the arm."""
        self.losses[arm] += (1 - reward) * self.weight
        self.round += 1
