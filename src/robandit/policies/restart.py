"""A restart rule around any policy that can begin again: it forgets everything when an arm has surely changed.

For each arm the rewards since the last restart are cut in two, at every place that an exponential histogram keeps, and
the generalised likelihood ratio asks whether one mean explains both parts. The threshold is not asymptotic. For one cut
after s of n rewards, Krichevsky and Trofimov's mixtures of both parts, over the likelihood of the true mean, are a
martingale (for rewards in [0, 1] a supermartingale) that begins at 1, and each mixture is at least 1/(2 sqrt(length))
of the largest likelihood. So the ratio exceeds ln(1/w) + ln(4 sqrt(s (n - s))) at any time with probability at most w
(Ville); the weights 1/(s (2 + log2 s)^2) of the cuts sum to less than 1.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.parts import About, parameter
from robandit.policies.wrapped import INSIDE, THOMPSON, WrappedState, Wrapper

LEVELS, WIDTH = 40, 4  # a histogram has up to 4 buckets of each of 40 sizes: 1, 2, 4, ... rewards
EVERY = 4  # an arm is looked at with every so many-th of its rewards
STEPS = 60  # of a ternary search: the bracket shrinks to 1e-10 of itself


@dataclass
class RestartState(WrappedState):
    """Of each arm the rewards since the restart, their sum, and the histogram: sums of buckets, oldest first."""

    counts: NDArray[np.int64]
    totals: Floats
    buckets: NDArray[np.float64]  # (arms, LEVELS * WIDTH)
    used: NDArray[np.int64]  # (arms, LEVELS): how many buckets of each size there are
    restarts: int = 0


@dataclass(frozen=True)
class Restart(Wrapper[RestartState]):
    """Restarts the policy inside when the rewards of one arm cannot have had one mean all the time."""

    about = About(
        name="restart",
        summary="wraps a policy so that it begins anew when an arm has changed; one line of doubt is a lever for liars",
        reference="GLR-klUCB: Besson, Kaufmann, Maillard & Seznec 2022; threshold and histogram: ours",
        fidelity="exact",
        bound="in a world that stands still the inner policy's, with probability 1 - false_alarm",
        cost="the inner policy's + O(log T)",
        late="as the inner policy",
    )
    false_alarm: float = parameter(
        0.01, "probability, at most, that a world that stands still ever makes it restart", above=0, below=1
    )
    withstand: float = parameter(
        0.0, "forged rewards that cannot make it restart: changes that so many could fake are left alone", least=0
    )
    inner: Policy[Any] = parameter(THOMPSON, INSIDE)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("can_restart")

    def start(self, setting: Setting) -> RestartState:
        inner, arms = self.inner.start(setting), setting.arms
        buckets, used = np.zeros((arms, LEVELS * WIDTH)), np.zeros((arms, LEVELS), np.int64)
        return RestartState(inner.probabilities.copy(), inner, np.zeros(arms, np.int64), np.zeros(arms), buckets, used)

    def learn(self, state: RestartState, choice: Choice, reward: float, random: Random) -> None:
        self.inner.learn(state.inner, choice, reward, random)
        arm = choice.arm
        state.counts[arm] += 1
        state.totals[arm] += reward
        add_to_histogram(state.buckets, state.used, arm, reward)
        if state.counts[arm] % EVERY == 0 and self.has_changed(state, arm):
            state.restarts += 1
            self.inner.restart(state.inner)
            for other in range(len(state.counts)):
                state.counts[other] = 0
                state.totals[other] = 0.0
                for level in range(LEVELS):
                    state.used[other, level] = 0
        self.show(state)

    def has_changed(self, state: RestartState, arm: int) -> bool:
        """Whether one mean cannot explain the arm's rewards since the restart, even if some were forged."""
        count, total = float(state.counts[arm]), state.totals[arm]
        mean, whole = total / count, surprise(total, count)
        doubt = math.log(len(state.counts) / self.false_alarm)
        least_square = doubt * mean * (1.0 - mean) / count
        late_count, late_total = 0.0, 0.0
        for level in range(LEVELS):
            size = float(1 << level)
            for place in range(state.used[arm, level] - 1, -1, -1):  # the newest first
                late_count += size
                late_total += state.buckets[arm, level * WIDTH + place]
                early_count = count - late_count
                if early_count < 1.0:
                    return False
                excess = late_total - late_count * mean
                if excess * excess <= least_square * early_count * late_count:
                    continue  # kl(p, q) <= (p - q)^2/(q (1 - q)): the ratio is below the doubt, and no logarithm needed
                early_total = min(max(total - late_total, 0.0), early_count)
                ratio = whole - surprise(early_total, early_count) - surprise(late_total, late_count)
                least, forged = doubt + threshold(early_count, late_count), self.withstand
                if ratio > least < least_ratio(early_total, early_count, late_total, late_count, forged):
                    return True
        return False


def add_to_histogram(buckets: Any, used: Any, arm: int, reward: float) -> None:
    """One more reward; where a size has too many buckets, its two oldest become one of the next size."""
    value = reward
    for level in range(LEVELS):
        first, count = level * WIDTH, used[arm, level]
        if count < WIDTH:
            buckets[arm, first + count] = value
            used[arm, level] += 1
            return
        merged = buckets[arm, first] + buckets[arm, first + 1]
        for place in range(WIDTH - 2):
            buckets[arm, first + place] = buckets[arm, first + place + 2]
        buckets[arm, first + WIDTH - 2] = value
        used[arm, level] = WIDTH - 1
        value = merged


def surprise(total: float, count: float) -> float:
    """Minus the largest log-likelihood of rewards with this sum: their number times the entropy of their mean."""
    mean = total / count
    if mean <= 0.0 or mean >= 1.0:
        return 0.0
    return -count * (mean * math.log(mean) + (1.0 - mean) * math.log(1.0 - mean))


def threshold(early: float, late: float) -> float:
    """What the ratio of a cut may reach by chance, besides ln(1/probability)."""
    log_early = math.log(early)
    weight = log_early + 2.0 * math.log(2.0 + log_early / math.log(2.0))
    return weight + 0.5 * (log_early + math.log(late)) + math.log(4.0)


def least_ratio(early_total: float, early: float, late_total: float, late: float, forged: float) -> float:
    """The least likelihood ratio of a cut if rewards worth `forged` in all were not what was paid.

    It is convex in both sums, so that a ternary search over the share of the late part finds it.
    """
    gap = late_total / late - early_total / early
    if forged >= abs(gap) * min(early, late):
        return 0.0
    towards = -1.0 if gap > 0.0 else 1.0  # the late sum was moved by forging away from the early mean, or vice versa
    low, high = 0.0, forged
    for _ in range(STEPS if forged > 0.0 else 0):
        third = (high - low) / 3.0
        left = ratio_if(early_total, early, late_total, late, towards * (forged - low - third), towards * (low + third))
        right = ratio_if(
            early_total, early, late_total, late, towards * (forged - high + third), towards * (high - third)
        )
        if left < right:
            high -= third
        else:
            low += third
    middle = 0.5 * (low + high)
    return ratio_if(early_total, early, late_total, late, towards * (forged - middle), towards * middle)


def ratio_if(early_total: float, early: float, late_total: float, late: float, down: float, up: float) -> float:
    """The likelihood ratio of a cut with `down` taken from the early sum and `up` added to the late one."""
    first, second = early_total - down, late_total + up
    return surprise(first + second, early + late) - surprise(first, early) - surprise(second, late)
