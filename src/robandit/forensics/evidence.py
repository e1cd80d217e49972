"""How much sources differ, as e-values that may be looked at after every row and stopped at any time.

An e-process is what a fair bettor against a hypothesis would own, having begun with 1: if the hypothesis is true, it
ever reaches 1/a with probability at most a, however often one looks (Ville 1939; Ramdas, Grünwald, Vovk & Shafer
2023).
Every hypothesis here says "like the others". An e-value measures a difference; whether it is fraud, no number can say.
"""

import math
from dataclasses import dataclass

import numpy as np

from robandit.game import Floats
from robandit.numerics import log_gamma

WINDOWS = (8, 64, 512)  # rows within which a source that reports again counts as in a burst
CALIBRATION = 100  # delays that set the threshold between soon and late, and are not tested
LARGEST = 690.0  # e to this power still is a number


def mixture(ones: Floats, zeros: Floats) -> Floats:
    """Return the log-probability of ones and zeros under a rate drawn from Beta(1/2, 1/2): Krichevsky & Trofimov.

    For rewards between 0 and 1 the sums of R and 1 - R take the place of counts: q^R (1 - q)^(1 - R) is convex in R, so
    no bounded reward of the same mean earns more than a coin (sub-Bernoulli; Howard, Ramdas, McAuliffe & Sekhon 2020).
    """
    logs: Floats = log_gamma(ones + 0.5) + log_gamma(zeros + 0.5) - log_gamma(ones + zeros + 1.0) - math.log(math.pi)
    return logs


def best_single(ones: Floats, zeros: Floats) -> Floats:
    """Return the log of the largest probability any one rate gives to a sequence."""
    total = np.maximum(ones + zeros, 1e-300)
    shares = np.maximum(ones / total, 1e-300), np.maximum(zeros / total, 1e-300)
    logs: Floats = ones * np.log(shares[0]) + zeros * np.log(shares[1])
    return logs


def two_rates(ones: Floats, zeros: Floats, other_ones: Floats, other_zeros: Floats) -> Floats:
    """Return the log e-value against "one rate for both": two mixtures over the best single rate.

    For the true rate the ratio is a fair game in the order of the rows, however the next row was chosen; the best rate
    only makes it smaller (universal inference; Wasserman, Ramdas & Balakrishnan 2020).
    """
    both = best_single(ones + other_ones, zeros + other_zeros)
    return mixture(ones, zeros) + mixture(other_ones, other_zeros) - both


def mean_of(logs: Floats, axis: int) -> Floats:
    """Return the log of the mean of e-values, which is an e-value whatever their dependence (Vovk & Wang 2021)."""
    top = logs.max(axis=axis, keepdims=True)
    mean: Floats = np.log(np.mean(np.exp(logs - top), axis=axis)) + np.squeeze(top, axis)
    return mean


def bursts(reports: Floats, again: Floats, near: Floats, rows: float) -> Floats:
    """Return log e-values against "each row comes from this source with the same probability, whatever came before".

    Rows are split by whether the source reported within the last few (`near` of them, in which it reported `again` so
    many times). Shaped (windows, sources). Honest people report in bursts too: read it as a description.
    """
    far, first = rows - near, reports - again
    return mean_of(two_rates(again, near - again, first, far - first), 0)


def delays(late: Floats, soon: Floats) -> Floats:
    """Return log e-values against "a source's reports come late (beyond the first median) as often as all others'"."""
    return two_rates(late, soon, late.sum() - late, soon.sum() - soon)


def flag_sources(logs: Floats, level: float) -> list[int]:
    """Return sources that differ, a share of at most `level` falsely, in expectation: e-BH (Wang & Ramdas 2022)."""
    order = np.argsort(-logs, kind="stable")
    needed = math.log(len(logs) / level) - np.log(np.arange(1, len(logs) + 1)) if len(logs) else np.zeros(0)
    passed = np.nonzero(logs[order] >= needed)[0]
    return [int(source) for source in order[: passed[-1] + 1]] if len(passed) else []


@dataclass(frozen=True)
class Evidence:
    """One statistic over time, for each source and for all of them."""

    name: str
    marks: Floats  # rows after which it was looked at
    sources: Floats  # log e-values at the last mark
    everyone: Floats  # log e-value against "no source differs" at each mark: the mean over sources

    def alarm(self, level: float) -> int | None:
        """Return the first mark at which the evidence against "no source differs" reached 1/level; None if none."""
        reached = np.nonzero(self.everyone >= -math.log(level))[0]
        return int(self.marks[reached[0]]) if len(reached) else None


def as_number(log: float) -> float:
    """Return an e-value as a number that JSON can hold."""
    return math.exp(min(log, LARGEST))
