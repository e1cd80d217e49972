"""Policies for slates, written from their definitions with plain lists and numpy's or scipy's own tools."""

import math
from collections.abc import Sequence

import numpy as np
from scipy import optimize

from .base import Randomness, argmax


class NaiveSlates:
    """Shows m of K items, and sees what each of them pays; `listed` are the slates allowed, if not all are."""

    def __init__(
        self, arms: int, slots: int, horizon: int, random: Randomness, listed: Sequence[Sequence[int]] = ()
    ) -> None:
        self.arms, self.slots, self.horizon, self.random, self.listed = arms, slots, horizon, random, listed

    def show(self) -> list[int]:
        """The next slate."""
        raise NotImplementedError

    def learn(self, shown: list[int], paid: list[float]) -> None:
        """What it paid."""
        raise NotImplementedError

    def madow(self, x: Sequence[float]) -> list[int]:
        """Item i is in if some u + k lies between its two ends of the cumulated marginals."""
        ends, u = np.concatenate([[0.0], np.cumsum(x)]), self.random.uniform()
        return [i for i in range(self.arms) if any(ends[i] <= u + k < ends[i + 1] for k in range(self.slots))]

    def best(self, values: Sequence[float]) -> list[int]:
        """The slate with the largest sum."""
        if not len(self.listed):
            return sorted(range(self.arms), key=lambda item: (-values[item], item))[: self.slots]
        return list(self.listed[argmax([sum(values[item] for item in slate) for slate in self.listed])])


class NaiveSlateSamba(NaiveSlates):
    """The natural gradient."""

    def __init__(self, *given: object, learning_rate: float = 0.2) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.alpha = learning_rate
        self.x = np.full(self.arms, self.slots / self.arms)

    def show(self) -> list[int]:
        return self.madow(list(self.x))

    def learn(self, shown: list[int], paid: list[float]) -> None:
        g = np.zeros(self.arms)
        g[shown] = np.array(paid) / self.x[shown]
        w = (self.x * (1 - self.x)) ** 2
        self.x = self.x + self.alpha * w * (g - (w * g).sum() / w.sum())


class NaiveSlateBar(NaiveSlateSamba):
    """Leaders, a bar, outsiders."""

    def __init__(self, *given: object, learning_rate: float = 0.1, form: str = "exponential") -> None:
        super().__init__(*given, learning_rate=learning_rate)
        self.form = form

    def step(self, share: float, difference: float) -> float:
        """A share after a step against the bar."""
        if self.form == "linear":
            return share + self.alpha * share**2 * difference
        return share * math.exp(min(self.alpha * share * difference, 0.69))

    def learn(self, shown: list[int], paid: list[float]) -> None:
        g = np.zeros(self.arms)
        g[shown] = np.array(paid) / self.x[shown]
        leaders = self.best(list(self.x))
        bar, new = leaders[-1], self.x.copy()
        for i in range(self.arms):
            if i in leaders:
                new[i] = 1 - self.step(1 - self.x[i], g[bar] - g[i])
            else:
                new[i] = self.step(self.x[i], g[i] - g[bar])
        new[bar] = self.slots - (new.sum() - new[bar])
        shares = [1.0]
        for before, after in zip(self.x, new, strict=True) if self.slots > 1 else ():
            low, high = 0.5 * before, 0.5 + 0.5 * before
            if not low <= after <= high:
                shares.append(((low if after < low else high) - before) / (after - before))
        self.x = self.x + min(shares) * (new - self.x)


class NaiveCombUcb1(NaiveSlates):
    """Optimism for each item."""

    def __init__(self, *given: object, scale: float = 1.5) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.scale, self.seen, self.rounds = scale, [list[float]() for _ in range(self.arms)], 0

    def show(self) -> list[int]:
        def index(rewards: list[float]) -> float:
            if not rewards:
                return 1e12
            return sum(rewards) / len(rewards) + math.sqrt(self.scale * math.log(max(self.rounds, 1)) / len(rewards))

        return self.best([index(rewards) for rewards in self.seen])

    def learn(self, shown: list[int], paid: list[float]) -> None:
        self.rounds += 1
        for item, reward in zip(shown, paid, strict=True):
            self.seen[item].append(reward)


class NaiveSlateThompson(NaiveSlates):
    """A posterior draw for each item."""

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.wins, self.losses = [1] * self.arms, [1] * self.arms

    def show(self) -> list[int]:
        return self.best([self.random.beta(a, b) for a, b in zip(self.wins, self.losses, strict=True)])

    def learn(self, shown: list[int], paid: list[float]) -> None:
        for item, reward in zip(shown, paid, strict=True):
            coin = reward if reward in (0, 1) else float(self.random.uniform() < reward)
            self.wins[item] += int(coin)
            self.losses[item] += 1 - int(coin)


class NaiveSlateHybrid(NaiveSlates):
    """FTRL by two nested bracketing solvers."""

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.losses, self.rounds = np.zeros(self.arms), 1
        self.gamma = min(1.0, 1 / math.sqrt(math.log(self.arms / (self.arms - self.slots))))
        self.x = np.full(self.arms, self.slots / self.arms)

    def show(self) -> list[int]:
        return self.madow(list(self.x))

    def learn(self, shown: list[int], paid: list[float]) -> None:
        for item, reward in zip(shown, paid, strict=True):
            self.losses[item] += 2 * (1 - reward) / self.x[item]
        self.rounds += 1
        level = optimize.brentq(lambda b: self.at(b).sum() - self.slots, -1e4, 1e4, xtol=1e-14, rtol=1e-15)
        self.x = self.at(level)

    def at(self, level: float) -> np.ndarray:
        """Marginals for a multiplier of the constraint."""
        return np.array([self.solve(wanted) for wanted in (self.losses + level) / math.sqrt(self.rounds)])

    def solve(self, wanted: float) -> float:
        """In z, x = 1/(1 + exp(-z)), so that both ends of [0, 1] can be told."""

        def excess(z: float) -> float:
            rest = 1 / (1 + math.exp(z))
            return 0.5 / math.sqrt(1 - rest) + self.gamma * (math.log(rest) + 1) - wanted

        if excess(-34.0) <= 0 or excess(34.0) >= 0:
            return float(excess(34.0) >= 0)
        return 1 / (1 + math.exp(-optimize.brentq(excess, -34.0, 34.0, xtol=1e-13)))


class NaiveListedSamba(NaiveSlates):
    """Exponential SAMBA on the list."""

    def __init__(self, *given: object, learning_rate: float = 0.1) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.alpha, self.p = learning_rate, np.full(len(self.listed), 1 / len(self.listed))

    @property
    def x(self) -> np.ndarray:
        """Marginals of the items."""
        return np.array([sum(p for p, Z in zip(self.p, self.listed, strict=True) if i in Z) for i in range(self.arms)])

    def show(self) -> list[int]:
        u = self.random.uniform()
        return list(self.listed[min(int((np.cumsum(self.p) <= u).sum()), len(self.p) - 1)])

    def learn(self, shown: list[int], paid: list[float]) -> None:
        x = self.x
        g = {item: reward / x[item] for item, reward in zip(shown, paid, strict=True)}
        gains = np.array([sum(g.get(item, 0.0) for item in Z) for Z in self.listed])
        leader = int(np.argmax(self.p))
        new = self.p * np.exp(self.alpha * self.p * (gains - gains[leader]))
        new[leader] = 1 - (new.sum() - new[leader])
        self.p = new


class NaiveSlateCbarbar(NaiveSlates):
    """Epochs in which every item has a slate of its own."""

    def __init__(self, *given: object, scale: float = 1.0) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.lam = scale * math.log(8 * self.arms * self.horizon * math.log2(self.horizon))
        self.gaps, self.epoch = [1.0] * self.arms, 0
        values = [self.random.uniform() for _ in range(self.arms)]
        self.begin(values, values)

    def begin(self, low: list[float], high: list[float]) -> None:
        """Plan an epoch from both sides of the band."""
        self.epoch += 1
        top = self.best(high)
        self.slates = [self.best(low)] + [top if i in top else [*top[:-1], i] for i in range(self.arms)]
        planned = [self.lam * self.slots**2 * self.arms * 2 ** (0.5 * (self.epoch - 1))]
        planned += [self.lam * (self.slots / gap) ** 2 for gap in self.gaps]
        self.length = math.ceil(sum(planned))
        self.probabilities = [n / sum(planned) for n in planned]
        self.expected = [probability * self.length for probability in self.probabilities]
        self.sums, self.played = [0.0] * self.arms, 0

    def show(self) -> list[int]:
        below = np.cumsum(self.probabilities) <= self.random.uniform()
        self.entry = min(int(below.sum()), self.arms)
        return list(self.slates[self.entry])

    def learn(self, shown: list[int], paid: list[float]) -> None:
        self.played += 1
        if self.entry > 0:
            self.sums[self.entry - 1] += paid[shown.index(self.entry - 1)]
        if self.played < self.length:
            return
        r = [self.sums[i] / self.expected[i + 1] for i in range(self.arms)]
        half = [gap / (16 * self.slots) for gap in self.gaps]
        low = [value - h for value, h in zip(r, half, strict=True)]
        high = [value + h for value, h in zip(r, half, strict=True)]
        best, top = sum(sorted(low)[-self.slots :]), self.best(high)
        for i in range(self.arms):
            own = top if i in top else [*top[:-1], i]
            lacking = best - sum(high[item] for item in own)
            self.gaps[i] = max(2 ** (-0.25 * self.epoch), lacking, 0.5 * self.gaps[i])
        self.begin(low, high)
