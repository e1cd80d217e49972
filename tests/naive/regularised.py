"""Follow-the-regularised-leader policies on cumulative estimated losses."""

import math
from collections.abc import Sequence

from .base import NaivePolicy, Randomness, bisect, normalised


def tsallis_probabilities(losses: Sequence[float], eta: float) -> list[float]:
    """Return p_i = 4 / (eta (L_i - x))^2 with x below every loss such that they sum to one."""
    offsets = [eta / 2 * (loss - min(losses)) for loss in losses]
    z = bisect(
        lambda z: 1 - sum((offset + z) ** -2 for offset in offsets),
        1.0,
        math.sqrt(len(losses)),
    )
    return normalised([(offset + z) ** -2 for offset in offsets])


def hybrid_probabilities(losses: Sequence[float], eta: float, b: float) -> list[float]:
    """Return the minimiser with the hybrid regulariser by nested bisection.

    At the minimum L_i + slope(p_i) is the same number x for all arms; each p_i, and hence their
    sum, increases with x, and x = L_i + slope(1/K) for the smallest (largest) loss makes every
    p_i at most (at least) 1/K.
    """
    arms = len(losses)
    if arms == 1:
        return [1.0]
    a = 1 / math.sqrt(arms)

    def slope(p: float) -> float:
        return (0.5 * a / math.sqrt(1 - p) - 0.5 / math.sqrt(p)) / eta - b / p

    def solve(level: float, low: float, high: float) -> float:
        return bisect(lambda p: slope(p) - level, low, high)

    def at(x: float, lows: Sequence[float], highs: Sequence[float]) -> list[float]:
        return [solve(x - losses[i], lows[i], highs[i]) for i in range(arms)]

    low_x = min(losses) + slope(1 / arms)
    high_x = max(losses) + slope(1 / arms)
    lows = at(low_x, [0.0] * arms, [1.0] * arms)
    highs = at(high_x, [0.0] * arms, [1.0] * arms)
    while lows != highs and low_x < (x := (low_x + high_x) / 2) < high_x:
        probabilities = at(x, lows, highs)
        if sum(probabilities) < 1:
            low_x, lows = x, probabilities
        else:
            high_x, highs = x, probabilities
    return normalised(highs)


def softmax(values: Sequence[float]) -> list[float]:
    """Return probabilities proportional to the exponentials of the values."""
    return normalised([math.exp(value - max(values)) for value in values])


class LossPolicy(NaivePolicy):
    """A policy that draws from an explicit function of round and cumulative loss estimates."""

    def __init__(self, arms: int, horizon: int, corruption: float, random: Randomness) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.round = 1
        self.losses = [0.0] * arms
        self.probabilities = [1 / arms] * arms

    def eta(self) -> float:
        """Return the learning rate of the current round."""
        raise NotImplementedError

    def solve(self) -> list[float]:
        """Return the distribution of the current round."""
        raise NotImplementedError

    def estimate(self, i: int, arm: int, loss: float) -> float:
        """Return the estimated loss of arm i; by default importance weighted."""
        return loss / self.probabilities[i] if i == arm else 0.0

    def choose(self) -> int:
        """Draw an arm from the current distribution."""
        return self.draw(self.probabilities)

    def learn(self, arm: int, reward: float) -> None:
        """Add the estimates of this round and move to the next."""
        for i in range(self.arms):
            self.losses[i] += self.estimate(i, arm, 1 - reward)
        self.round += 1
        self.probabilities = self.solve()


class NaiveTsallisInfIw(LossPolicy):
    """Tsallis-INF with importance-weighted losses (Zimmert and Seldin)."""

    def eta(self) -> float:
        """Return 2 / sqrt(t)."""
        return 2 / math.sqrt(self.round)

    def solve(self) -> list[float]:
        """Return the Tsallis distribution of the current round."""
        return tsallis_probabilities(self.losses, self.eta())


class NaiveTsallisInfRv(LossPolicy):
    """Tsallis-INF with reduced-variance losses (Zimmert and Seldin)."""

    def eta(self) -> float:
        """Return 4 / sqrt(t)."""
        return 4 / math.sqrt(self.round)

    def solve(self) -> list[float]:
        """Return the Tsallis distribution of the current round."""
        return tsallis_probabilities(self.losses, self.eta())

    def estimate(self, i: int, arm: int, loss: float) -> float:
        """Return the importance-weighted loss around its baseline."""
        baseline = 0.5 if self.probabilities[i] >= self.eta() ** 2 else 0.0
        return (loss - baseline) / self.probabilities[i] + baseline if i == arm else baseline


class NaiveFtrlHybrid(LossPolicy):
    """FTRL with the hybrid regulariser of Jin and Luo, K-armed case."""

    def __init__(self, arms: int, horizon: int, corruption: float, random: Randomness, *, b: float = 64.0) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.b = b

    def eta(self) -> float:
        """Return 1 / sqrt(t)."""
        return 1 / math.sqrt(self.round)

    def solve(self) -> list[float]:
        """Return the minimiser of the regularised losses of the current round."""
        return hybrid_probabilities(self.losses, self.eta(), self.b)


class NaiveExp3(LossPolicy):
    """Anytime EXP3 in its exponential-weights form."""

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

    def eta(self) -> float:
        """Return scale * sqrt(ln K / (K t))."""
        return self.scale * math.sqrt(math.log(self.arms) / (self.arms * self.round))

    def solve(self) -> list[float]:
        """Return the exponential weights of the current round."""
        return softmax([-self.eta() * loss for loss in self.losses])


class NaiveExp3Ix(NaiveExp3):
    """EXP3 with implicit exploration."""

    def estimate(self, i: int, arm: int, loss: float) -> float:
        """Return the loss over the probability plus half the learning rate."""
        return loss / (self.probabilities[i] + self.eta() / 2) if i == arm else 0.0


class NaiveLbInfV(NaivePolicy):
    """LB-INF-V with least-squares predictions, one arm per round."""

    def __init__(self, arms: int, horizon: int, corruption: float, random: Randomness, *, epsilon: float = 0.2) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.gamma = math.log(horizon)
        self.estimates = [0.0] * arms
        self.seen: list[list[float]] = [[] for _ in range(arms)]
        self.beta_squares = [(1 + epsilon) ** 2] * arms
        self.probabilities = [1 / arms] * arms

    def predicted(self, arm: int) -> float:
        """Return the mean loss of an arm, with one more loss of a half."""
        return (0.5 + sum(self.seen[arm])) / (1 + len(self.seen[arm]))

    def share(self, arm: int, multiplier: float) -> float:
        """Return the p with phi'(p) = (multiplier - loss)/beta."""
        wanted = (multiplier - self.estimates[arm] - self.predicted(arm)) / math.sqrt(self.beta_squares[arm])
        return bisect(lambda p: 1 - 1 / p - self.gamma * math.log(1 - p) - wanted, 0.0, 1.0)

    def choose(self) -> int:
        """Draw from the last solution."""
        return self.draw(self.probabilities)

    def learn(self, arm: int, reward: float) -> None:
        """Estimate every loss, then solve for the multiplier with which all shares add up to one."""
        probability, loss, guess = self.probabilities[arm], 1 - reward, self.predicted(arm)
        self.estimates = [self.estimates[i] + self.predicted(i) for i in range(self.arms)]
        self.estimates[arm] += (loss - guess) / probability
        growth = (loss - guess) ** 2 * min(1, 2 * (1 - probability) / (probability**2 * self.gamma))
        self.beta_squares[arm] += growth / self.gamma
        self.seen[arm].append(loss)
        low, high = min(self.estimates) - 1e4, max(self.estimates) + 1e4
        multiplier = bisect(lambda x: sum(self.share(i, x) for i in range(self.arms)) - 1, low, high)
        self.probabilities = [self.share(i, multiplier) for i in range(self.arms)]
