"""Are an arm's exposures being lost? A sample-ratio test for splits that adapt, which may be looked at at any time.

A decision is lost if nobody reported within its window that it was displayed. If whether it is lost has nothing to do
with its arm, then a lost decision had the arm a with the probability p that was logged, whatever happened before: the
bet 1[arm = a]/p - 1 is fair. A bettor who thinks that the odds of the arm among the lost are k times what they should
be stakes the share p'(k - 1)/(1 - p' + k p') of its wealth, which is best if p' is p; p' is the last probability that
was logged of this arm before, so that it is known beforehand. Other bettors begin later, for a loss that begins later.
"""

import math
from dataclasses import dataclass

import numpy as np

from robandit.forensics.evidence import mean_of
from robandit.forensics.reward_log import Codes
from robandit.game import Floats

TIMES = (1.5, 2.0, 4.0, 10.0, 40.0)  # bets: the odds of the arm among lost decisions are so many times p's
FRESH = 1000  # decisions after which one more bettor begins


@dataclass(frozen=True)
class Exposures:
    """The decisions whose fate is known: which were lost, and how many were displayed."""

    numbers: Codes  # of the lost decisions, rising
    arms: Codes
    probabilities: Floats
    rows: Codes  # how many rows the log had when it was known
    shown: Codes  # displayed decisions by arm

    @property
    def lost(self) -> Codes:
        """Lost decisions by arm."""
        return np.bincount(self.arms, minlength=len(self.shown))[: len(self.shown)]

    def loss_of(self, arm: int) -> tuple[float, float]:
        """Return the share of an arm's decisions that is lost, and of all others'."""
        lost, all_of = self.lost, self.lost + self.shown
        rest = max(int(all_of.sum() - all_of[arm]), 1)
        return float(lost[arm] / max(all_of[arm], 1)), float((lost.sum() - lost[arm]) / rest)


def last_before(numbers: Codes, known: Codes, values: Floats, usual: float) -> Floats:
    """Return the last of the known values before each number."""
    place = np.searchsorted(known, numbers) - 1
    return np.where(place >= 0, values[np.maximum(place, 0)] if len(values) else usual, usual)


def log_steps(exposures: Exposures, decided: tuple[Codes, Codes, Floats]) -> Floats:
    """Return the log of what each bettor's wealth is multiplied by in each lost decision: (lost, arms, bets).

    Args:
        exposures: the fates.
        decided: numbers, arms and probabilities of all decisions.
    """
    numbers, arms, probabilities = decided
    count = len(exposures.shown)
    steps = np.zeros((len(exposures.numbers), count, len(TIMES)))
    for arm in range(count):
        own = arms == arm
        before = last_before(exposures.numbers, numbers[own], probabilities[own], 1.0 / count)
        before = np.clip(before, 1e-9, 1.0 - 1e-9)
        hit = exposures.arms == arm
        for place, times in enumerate(TIMES):
            stake = before * (times - 1.0) / (1.0 - before + times * before)
            steps[:, arm, place] = np.where(
                hit, np.log1p(stake * (1.0 / exposures.probabilities - 1.0)), np.log1p(-stake)
            )
    return steps


def exposures_by_mark(exposures: Exposures, decided: tuple[Codes, Codes, Floats], marks: Codes) -> list[Floats]:
    """Return the log e-values of all arms at each mark, against "whether a decision is lost depends on no arm".

    A bettor that begins at decision i * FRESH begins with 1/((i + 1)(i + 2)); who has not begun keeps that.
    """
    count = len(exposures.shown)
    wealth = np.concatenate([np.zeros((1, count, len(TIMES))), log_steps(exposures, decided).cumsum(axis=0)])
    begins = np.searchsorted(exposures.numbers, np.arange(0, int(exposures.numbers.max(initial=0)) + 1, FRESH))
    ranks = np.arange(len(begins))
    shares = -np.log((ranks + 1.0) * (ranks + 2.0))[:, None, None]
    rest = -math.log(len(begins) + 1.0)
    evidence = []
    for known in np.searchsorted(exposures.rows, marks, side="right"):
        since = np.maximum(wealth[known] - wealth[np.minimum(begins, known)], -700.0)
        mixed = np.logaddexp(np.logaddexp.reduce(shares + since, axis=0), rest)
        evidence.append(mean_of(mixed, 1))
    return evidence
