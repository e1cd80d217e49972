"""Active arm elimination and the races between copies of it."""

import math
from collections.abc import Callable

from .base import NaivePolicy, Randomness, mean


class Elimination:
    """One copy of active arm elimination with its own statistics."""

    def __init__(self, arms: int) -> None:
        self.rewards: list[list[float]] = [[] for _ in range(arms)]
        self.active = set(range(arms))

    def least_pulled(self) -> int:
        """Return the active arm with the fewest pulls, the lowest index on ties."""
        return min(self.active, key=lambda arm: (len(self.rewards[arm]), arm))

    def beaten(self, width: Callable[[int], float]) -> set[int]:
        """Return the active arms that an active arm beats by more than both their widths."""
        pulled = [arm for arm in self.active if self.rewards[arm]]
        means = {arm: mean(self.rewards[arm]) for arm in pulled}
        widths = {arm: width(len(self.rewards[arm])) for arm in pulled}
        return {
            worse
            for worse in pulled
            for better in pulled
            if means[better] - means[worse] > widths[better] + widths[worse]
        }


class NaiveAae(NaivePolicy):
    """Active arm elimination by round robin (Even-Dar, Mannor and Mansour)."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        delta: float | None = None,
        c: float = 5.0,
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.delta = self.failure_probability(delta)
        self.c = c
        self.copy = Elimination(arms)

    def choose(self) -> int:
        """Play the next active arm of the round robin."""
        return self.copy.least_pulled()

    def learn(self, arm: int, reward: float) -> None:
        """Store the reward and drop arms when a round robin is complete."""
        self.copy.rewards[arm].append(reward)
        counts = {len(self.copy.rewards[other]) for other in self.copy.active}
        if len(counts) > 1:
            return
        n = counts.pop()
        radius = math.sqrt(math.log(self.c * self.arms * n**2 / self.delta) / n)
        means = {other: mean(self.copy.rewards[other]) for other in self.copy.active}
        best = max(means.values())
        self.copy.active = {other for other in means if best - means[other] < 2 * radius}


class NaiveKnownCAae(NaivePolicy):
    """Arm elimination with confidence radii widened by a known corruption budget."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        delta: float | None = None,
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.delta = self.failure_probability(delta)
        self.copy = Elimination(arms)

    def choose(self) -> int:
        """Play the least-pulled active arm."""
        return self.copy.least_pulled()

    def radius(self, n: int) -> float:
        """Return the confidence radius after n pulls."""
        if n == 0:
            return math.inf
        log = math.log(2 * self.arms * self.horizon / self.delta)
        return math.sqrt(log / n) + self.corruption / n

    def learn(self, arm: int, reward: float) -> None:
        """Store the reward and drop the arms below the best lower bound."""
        self.copy.rewards[arm].append(reward)
        lower = {}
        upper = {}
        for other in self.copy.active:
            history = self.copy.rewards[other]
            centre = mean(history) if history else 0.0
            lower[other] = centre - self.radius(len(history))
            upper[other] = centre + self.radius(len(history))
        best = max(lower.values())
        self.copy.active = {other for other in upper if upper[other] >= best}


class NaiveFastSlowAae(NaivePolicy):
    """Fast-Slow Active Arm Elimination Race (Lykouris, Mirrokni and Paes Leme)."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        delta: float | None = None,
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.log = math.log(8 * arms * horizon / self.failure_probability(delta))
        self.fast = Elimination(arms)
        self.slow = Elimination(arms)
        self.playing: Elimination | None = None

    def fast_width(self, n: int) -> float:
        """Return the confidence width of the fast copy after n > 0 pulls."""
        return math.sqrt(self.log / n)

    def slow_width(self, n: int) -> float:
        """Return the confidence width of the slow copy after n > 0 pulls."""
        return math.sqrt(self.log / n) + 2 * self.log / n

    def choose(self) -> int:
        """Draw a copy and play its least-pulled active arm."""
        use_slow = self.random.uniform() < 1 / max(self.corruption, 1)
        self.playing = self.slow if use_slow else self.fast
        if not self.playing.active:
            self.playing = None
            return self.slow.least_pulled()
        return self.playing.least_pulled()

    def learn(self, arm: int, reward: float) -> None:
        """Update the copy that played and drop the arms beaten in it."""
        if self.playing is None:
            return
        self.playing.rewards[arm].append(reward)
        if self.playing is self.slow:
            beaten = self.slow.beaten(self.slow_width)
            self.slow.active -= beaten
            self.fast.active -= beaten
        else:
            self.fast.active -= self.fast.beaten(self.fast_width)


class NaiveMultiLayerAae(NaivePolicy):
    """Multi-Layer Active Arm Elimination Race (Lykouris, Mirrokni and Paes Leme)."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        delta: float | None = None,
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        failure = self.failure_probability(delta)
        self.log = math.log(4 * arms * horizon * math.log2(horizon) / failure)
        depth = math.ceil(math.log2(horizon))
        self.layers = [Elimination(arms) for _ in range(depth)]
        self.layer_probabilities = [2.0**-level for level in range(1, depth + 1)]
        self.layer_probabilities[0] += 2.0**-depth
        self.playing: int | None = None

    def width(self, n: int) -> float:
        """Return the confidence width after n > 0 pulls in a layer."""
        return math.sqrt(self.log / n) + self.log / n

    def choose(self) -> int:
        """Draw a layer and play its least-pulled active arm."""
        self.playing = self.draw(self.layer_probabilities)
        if not self.layers[self.playing].active:
            self.playing = None
            return next(layer for layer in self.layers if layer.active).least_pulled()
        return self.layers[self.playing].least_pulled()

    def learn(self, arm: int, reward: float) -> None:
        """Update the layer that played and drop its beaten arms there and in faster layers."""
        if self.playing is None:
            return
        self.layers[self.playing].rewards[arm].append(reward)
        beaten = self.layers[self.playing].beaten(self.width)
        for layer in self.layers[: self.playing + 1]:
            layer.active -= beaten


class NaiveMsSeWr(NaivePolicy):
    """A copy of elimination for each guess 2, 4, 8, ... of C; what one drops, those of smaller guesses drop."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        delta: float | None = None,
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.log = math.log(4 * arms * horizon * math.log2(horizon) / self.failure_probability(delta))
        self.guesses = [2**number for number in range(1, math.ceil(math.log2(horizon)) + 1)]
        self.copies = {guess: Elimination(arms) for guess in self.guesses}
        self.playing: int | None = None

    def choose(self) -> int:
        """Draw a guess with probability 1/guess, the first one with what is left, and play its least-pulled arm."""
        rest = 1.0 / self.guesses[-1]
        number = self.draw([1.0 / guess + (rest if guess == 2 else 0.0) for guess in self.guesses])
        self.playing = self.guesses[number]
        if not self.copies[self.playing].active:
            self.playing = None
            return next(copy for copy in self.copies.values() if copy.active).least_pulled()
        return self.copies[self.playing].least_pulled()

    def learn(self, arm: int, reward: float) -> None:
        """Drop the arms that even the guessed budget could not have made to look so bad."""
        playing = self.playing
        if playing is None:
            return
        self.copies[playing].rewards[arm].append(reward)
        beaten = self.copies[playing].beaten(lambda n: math.sqrt(self.log / n) + playing / n)
        for guess, copy in self.copies.items():
            if guess <= playing:
                copy.active -= beaten
