"""Phased policies, whose distribution changes only at the end of an epoch."""

import math

from .base import NaivePolicy, Randomness, argmax


def barbar_lambda(scale: float, arms: int, horizon: int, delta: float) -> float:
    """Return scale * ln((8K/delta) log2 T)."""
    return scale * math.log(8 * arms / delta * math.log2(horizon))


class Planned(NaivePolicy):
    """Pulls that are due, in blocks or shuffled; a policy that draws at random has nothing due."""

    due: list[int]
    pulls: str

    def due_shares(self) -> list[float]:
        """Which entry comes next, as a distribution."""
        if self.pulls == "shuffled":
            return [count / sum(self.due) for count in self.due]
        first = next(entry for entry, count in enumerate(self.due) if count > 0)
        return [float(entry == first) for entry in range(len(self.due))]


class NaiveBarbar(NaivePolicy):
    """BARBAR (Gupta, Koren and Talwar)."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        scale: float = 1024.0,
        delta: float | None = None,
        pulls: str = "random",
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.lam = barbar_lambda(scale, arms, horizon, self.failure_probability(delta))
        self.pulls = pulls
        self.gaps = [1.0] * arms
        self.epoch = 0
        self.start_epoch()

    def start_epoch(self) -> None:
        """Plan the pulls of the next epoch from the gaps."""
        self.epoch += 1
        self.wanted = [self.lam / gap**2 for gap in self.gaps]
        self.due = [math.ceil(count) for count in self.wanted]
        if self.pulls == "random":
            self.length = math.ceil(sum(self.wanted))
            self.expected = [self.length * n / sum(self.wanted) for n in self.wanted]
        else:
            self.length = sum(self.due)
            self.expected = [float(count) for count in self.due]
        self.sums = [0.0] * self.arms
        self.played = 0

    @property
    def probabilities(self) -> list[float]:
        """The distribution of the coming choice."""
        if self.pulls == "random":
            return [count / sum(self.wanted) for count in self.wanted]
        if self.pulls == "shuffled":
            return [count / sum(self.due) for count in self.due]
        current = next(arm for arm in range(self.arms) if self.due[arm] > 0)
        return [float(arm == current) for arm in range(self.arms)]

    def choose(self) -> int:
        """Draw an arm, or take the next one of the plan when the pulls come in blocks."""
        if self.pulls == "blocks":
            return self.probabilities.index(1.0)
        return self.draw(self.probabilities)

    def learn(self, arm: int, reward: float) -> None:
        """Add the reward to the epoch's sums and revise the gaps at its end."""
        self.sums[arm] += reward
        self.due[arm] -= 1
        self.played += 1
        if self.played == self.length:
            means = [self.sums[i] / self.expected[i] for i in range(self.arms)]
            best = max(means[i] - self.gaps[i] / 16 for i in range(self.arms))
            self.gaps = [max(2.0**-self.epoch, best - estimate) for estimate in means]
            self.start_epoch()


class NaiveDraa(Planned):
    """DRAA for a single agent, a reconstruction of Liu, Li and Li."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        scale: float = 1024.0,
        delta: float | None = None,
        pulls: str = "random",
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.lam = barbar_lambda(scale, arms, horizon, self.failure_probability(delta))
        self.gaps = [1.0] * arms
        self.pulls = pulls
        self.epoch = 0
        self.start_epoch()

    def start_epoch(self) -> None:
        """Give bad arms their expected pulls and share the rest among the active ones."""
        floor = 2.0**-self.epoch
        self.epoch += 1
        self.length = math.ceil(self.arms * self.lam * 4 ** (self.epoch - 1))
        active = [arm for arm in range(self.arms) if self.gaps[arm] == floor]
        self.expected = [self.lam / gap**2 for gap in self.gaps]
        bad = sum(self.expected[arm] for arm in range(self.arms) if arm not in active)
        for arm in active:
            self.expected[arm] = (self.length - bad) / len(active)
        self.probabilities = [count / self.length for count in self.expected]
        if self.pulls != "random":
            self.due = [math.ceil(count) for count in self.expected]
            self.length, self.expected = sum(self.due), [float(count) for count in self.due]
            self.probabilities = self.due_shares()
        self.sums = [0.0] * self.arms
        self.played = 0

    def choose(self) -> int:
        """Draw an arm in proportion to its expected pulls."""
        return self.draw(self.probabilities)

    def learn(self, arm: int, reward: float) -> None:
        """Add the reward to the epoch's sums and revise the gaps at its end."""
        self.sums[arm] += reward
        if self.pulls != "random":
            self.due[arm] -= 1
        self.played += 1
        if self.played == self.length:
            self.finish_epoch()
        elif self.pulls != "random":
            self.probabilities = self.due_shares()

    def finish_epoch(self) -> None:
        """Revise the gaps."""
        means = [self.sums[i] / self.expected[i] for i in range(self.arms)]
        best = max(means[i] - self.gaps[i] / 16 for i in range(self.arms))
        self.gaps = [max(2.0**-self.epoch, best - estimate) for estimate in means]
        self.start_epoch()


class NaiveCbarbar(Planned):
    """CBARBAR (Xu and Li) with single arms as super-arms."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        scale: float = 1024.0,
        delta: float | None = None,
        band: str = "lower",
        pulls: str = "random",
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.lam = barbar_lambda(scale, arms, horizon, self.failure_probability(delta))
        self.side = 1 if band == "upper" else -1
        self.gaps = [1.0] * arms
        self.pulls = pulls
        self.leader = math.floor(random.uniform() * arms)
        self.leader_drawn = False
        self.epoch = 0
        self.start_epoch()

    def start_epoch(self) -> None:
        """Plan the draws of the leader's entry (index 0) and of the arms' own entries."""
        self.epoch += 1
        counts = [self.lam * self.arms * 2 ** ((self.epoch - 1) / 2)]
        counts += [self.lam / gap**2 for gap in self.gaps]
        if self.pulls != "random":
            counts = [math.ceil(count) for count in counts]
            self.due = [int(count) for count in counts]
        total = sum(counts)
        self.length = math.ceil(total)
        self.entry_probabilities = [count / total for count in counts]
        self.sums = [0.0] * self.arms
        self.played = 0

    def choose(self) -> int:
        """Draw an entry and play its arm."""
        entry = self.draw(self.entry_probabilities if self.pulls == "random" else self.due_shares())
        self.entry = entry
        self.leader_drawn = entry == 0
        return self.leader if self.leader_drawn else entry - 1

    def learn(self, arm: int, reward: float) -> None:
        """Count the reward of an arm's own entry and revise the gaps at the end of the epoch."""
        if not self.leader_drawn:
            self.sums[arm] += reward
        if self.pulls != "random":
            self.due[self.entry] -= 1
        self.played += 1
        if self.played == self.length:
            self.finish_epoch()
            self.start_epoch()

    def finish_epoch(self) -> None:
        """Estimate the means and set the next leader and gaps."""
        bests = []
        values = []
        for arm, gap in enumerate(self.gaps):
            estimate = self.sums[arm] / (self.length * self.entry_probabilities[arm + 1])
            bests.append(estimate + self.side * gap / 16)
            values.append(estimate - self.side * gap / 16)
        self.leader = argmax(bests)
        self.gaps = [
            max(2.0 ** (-self.epoch / 4), max(bests) - value, gap / 2)
            for value, gap in zip(values, self.gaps, strict=True)
        ]


class NaiveBarbat(Planned):
    """BARBAT, a reconstruction of Hu and Chen."""

    def __init__(
        self,
        arms: int,
        horizon: int,
        corruption: float,
        random: Randomness,
        *,
        scale: float = 256.0,
        pulls: str = "random",
    ) -> None:
        super().__init__(arms, horizon, corruption, random)
        self.scale = scale
        self.gaps = [1.0] * arms
        self.pulls = pulls
        self.leader = 0
        self.epoch = 0
        self.start_epoch()

    def start_epoch(self) -> None:
        """Give the other arms their expected pulls and the leader the rest."""
        self.epoch += 1
        m = self.epoch
        zeta = (m + 4) * 4 ** (m + 4) * max(math.log(self.arms), math.log(2))
        delta = 1 / (self.arms * zeta)
        lam = self.scale * math.log(4 * self.arms / delta)
        self.beta = delta / self.arms
        self.length = math.ceil(self.arms * lam * 4 ** (m - 1))
        self.expected = [lam / gap**2 for gap in self.gaps]
        self.expected[self.leader] = 0.0
        self.expected[self.leader] = self.length - sum(self.expected)
        self.probabilities = [count / self.length for count in self.expected]
        if self.pulls != "random":
            self.due = [math.ceil(count) for count in self.expected]
            self.length, self.expected = sum(self.due), [float(count) for count in self.due]
            self.probabilities = self.due_shares()
        self.sums = [0.0] * self.arms
        self.played = 0

    def choose(self) -> int:
        """Draw an arm in proportion to its expected pulls."""
        return self.draw(self.probabilities)

    def learn(self, arm: int, reward: float) -> None:
        """Add the reward to the epoch's sums and revise leader and gaps at its end."""
        self.sums[arm] += reward
        if self.pulls != "random":
            self.due[arm] -= 1
        self.played += 1
        if self.played == self.length:
            self.finish_epoch()
        elif self.pulls != "random":
            self.probabilities = self.due_shares()

    def finish_epoch(self) -> None:
        """Revise the gaps."""
        means = [min(self.sums[i] / self.expected[i], 1.0) for i in range(self.arms)]
        log = math.log(4 / self.beta)
        best = max(means[i] - math.sqrt(4 * log / self.expected[i]) for i in range(self.arms))
        self.gaps = [max(2.0**-self.epoch, best - estimate) for estimate in means]
        self.leader = argmax(means)
        self.start_epoch()
