"""Sources compared with all others within the same block of time, honest ones being allowed to differ by a factor.

A block is a few successive rows, so a rhythm, a trend or a drift that all share cancels. Of n rows of a block a source
has k, x of them with the outcome 1, and R of all n have it. If the odds of any two honest sources differ by a factor of
at most c, the probability of x grows from one number to the next at most as fast as in Fisher's noncentral
hypergeometric distribution with odds c: the coefficients e(j) of a product of (1 + odds z) have
e(j + 1)/e(j) between the least and the largest odds, times (m - j)/(j + 1). A bettor on odds above c owns, per block,
the ratio of that distribution with their odds to the one with c; it grows with x, so it earns nothing on average as
long as honest sources stay within the factor. Downwards the same holds with 1/c.

Assumed besides: who comes next within a block does not depend on the rewards in it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from robandit.forensics.evidence import mean_of
from robandit.forensics.reward_log import Codes
from robandit.game import Floats

BLOCK = 40  # rows that are compared with each other
SPAN = 1000  # rows of the log that a block covers at most: rows of a rare arm come from many hours
STAKES = (3.0, 30.0)  # a bettor's odds, as multiples of what honest sources may have
SMALL_STAKES = (1.25, 2.0)  # against sources that are exactly alike
LOG_FACTORIALS = np.concatenate([np.zeros(1), np.cumsum(np.log(np.arange(1, BLOCK + 1)))])
MOST_ARMS = 20  # whose shares are compared: those that were reported most


@dataclass(frozen=True)
class Blocks:
    """Rows cut into blocks, in the order in which they are compared."""

    of_row: Codes  # the block of each row; -1: it is not full yet
    ends: Codes  # the row that completes each block


def cut_blocks(groups: Codes, size: int = BLOCK, span: int = SPAN) -> Blocks:
    """Return the rows of each group (an arm) in blocks of so many; one that spans too many rows ends early."""
    of_row = np.full(len(groups), -1, np.int64)
    ends: list[int] = []
    for group in np.unique(groups):
        places, first = np.nonzero(groups == group)[0], 0
        while first < len(places):
            limit = int(places[first]) + span
            last = min(first + size, int(np.searchsorted(places, limit)))
            if last - first < size and limit > len(groups):
                break
            of_row[places[first:last]] = len(ends)
            ends.append(int(places[last - 1]) if last - first == size else limit - 1)
            first = last
    return Blocks(of_row, np.array(ends, np.int64))


@dataclass(frozen=True)
class Cells:
    """What each source did in each block: one entry per source and block in which both outcomes occur."""

    sources: Codes
    blocks: Codes
    ones: Codes  # x
    shapes: Codes  # the different (n, k, R)
    shape: Codes  # which of them each cell has


def count_cells(blocks: Blocks, outcomes: Codes, codes: Codes, sources: int) -> Cells:
    """Return the cells of a log; rows whose source is unknown (`sources`) count among the others."""
    inside = blocks.of_row >= 0
    block, ones, number = blocks.of_row[inside], outcomes[inside], len(blocks.ends)
    rows = np.bincount(block, minlength=number)
    totals = np.bincount(block, ones, number).astype(np.int64)
    keys, place = np.unique(block * (sources + 1) + codes[inside], return_inverse=True)
    own, own_ones = np.bincount(place), np.bincount(place, ones).astype(np.int64)
    cell_block, cell_source = keys // (sources + 1), keys % (sources + 1)
    size, total = rows[cell_block], totals[cell_block]
    telling = (cell_source < sources) & (total > 0) & (total < size) & (own < size)
    base = BLOCK + 1
    shapes, shape = np.unique(((size * base + own) * base + total)[telling], return_inverse=True)
    triples = np.stack([shapes // base**2, shapes // base % base, shapes % base], axis=1)
    return Cells(cell_source[telling], cell_block[telling], own_ones[telling], triples, shape)


def log_choose(total: Any, part: Any) -> Floats:
    """Return the log of a binomial coefficient of numbers of rows in a block."""
    logs: Floats = LOG_FACTORIALS[total] - LOG_FACTORIALS[part] - LOG_FACTORIALS[total - part]
    return logs


def log_total(shapes: Codes, log_odds: float) -> Floats:
    """Return, for each (n, k, R), the log of the sum over x of the weights of x with such odds."""
    size, own, ones = shapes.T
    total = np.full(len(shapes), -np.inf)
    for x in range(int(own.max(initial=-1)) + 1):
        possible = (x <= own) & (x <= ones) & (ones - x <= size - own)
        n, k, r = shapes[possible].T
        weights = log_choose(k, x) + log_choose(n - k, r - x) + x * log_odds
        total[possible] = np.logaddexp(total[possible], weights)
    return total


def log_gains(cells: Cells, alike: float, stake: float) -> Floats:
    """Return the log of what a bettor earns in each cell, against "the odds are at most `alike` times the others'".

    A stake below 1 bets downwards, and `alike` is then the least that honest odds may be.
    """
    low, high = math.log(alike), math.log(alike) + math.log(stake)
    factors = log_total(cells.shapes, high) - log_total(cells.shapes, low)
    gains: Floats = cells.ones * math.log(stake) - factors[cells.shape]
    return gains


def sums_by_mark(places: Codes, size: int, weights: Floats, cell_marks: Codes, marks: int) -> Iterator[Floats]:
    """Yield, for each mark, the sums of weights by place of the cells that came up to it."""
    order = np.argsort(cell_marks, kind="stable")
    ends = np.searchsorted(cell_marks[order], np.arange(marks), side="right")
    sums = np.zeros(size)
    for first, last in zip([0, *ends[:-1]], ends, strict=True):
        some = order[first:last]
        sums = sums + np.bincount(places[some], weights[some], size)
        yield sums


@dataclass(frozen=True)
class BlockComparison:
    """Sources against the others: rows in the order in which they are compared, cut into blocks of one arm each."""

    outcomes: Codes  # 0 or 1
    arms: Codes
    codes: Codes
    rows: Codes  # the row of the log after which each outcome and all before it are known, less 1
    sources: int
    arm_count: int
    cut: Blocks | None = None  # the blocks, where they are known already

    @cached_property
    def blocks(self) -> Blocks:
        """Blocks of one arm each."""
        return cut_blocks(self.arms) if self.cut is None else self.cut

    @cached_property
    def cells(self) -> Cells:
        """What each source did in each block."""
        return count_cells(self.blocks, self.outcomes, self.codes, self.sources)

    @cached_property
    def cell_arms(self) -> Codes:
        """The arm of each cell."""
        arm, inside = np.zeros(len(self.blocks.ends), np.int64), self.blocks.of_row >= 0
        arm[self.blocks.of_row[inside]] = self.arms[inside]
        return arm[self.cells.blocks]

    def by_arm(self, bets: list[tuple[float, float]], marks: Codes) -> Iterator[list[Floats]]:
        """Yield at each mark, for each bet (what honest odds may be, the stake), the log-wealth by source and arm."""
        places, size = self.cells.sources * self.arm_count + self.cell_arms, self.sources * self.arm_count
        cell_marks = np.searchsorted(marks, self.rows[self.blocks.ends][self.cells.blocks] + 1)
        courses = [
            sums_by_mark(places, size, log_gains(self.cells, alike, stake), cell_marks, len(marks))
            for alike, stake in bets
        ]
        for sums in zip(*courses, strict=True):
            yield [one.reshape(self.sources, self.arm_count) for one in sums]

    def sizes(self, source: int) -> tuple[Floats, Floats, Floats]:
        """Return by arm: the rows of a source in blocks, its outcomes, and what the others' would come to in them."""
        own = self.cells.sources == source
        size, rows, ones = self.cells.shapes[self.cells.shape[own]].T
        mine, arms = self.cells.ones[own], self.cell_arms[own]
        expected = rows * (ones - mine) / (size - rows)
        columns = (rows.astype(np.float64), mine.astype(np.float64), expected.astype(np.float64))
        by_arm: list[Floats] = [np.bincount(arms, column, self.arm_count).astype(np.float64) for column in columns]
        return by_arm[0], by_arm[1], by_arm[2]


def compare_arms(comparison: BlockComparison, alike: float, marks: Codes) -> list[Floats]:
    """Return log e-values of all sources at each mark, against "alike on every arm, but for a factor".

    Bettors go up or down on one arm, or up on one and down on all others; their wealth is averaged.
    """
    bets = [(alike**sign, stake**sign) for stake in STAKES for sign in (1, -1)]
    evidence = []
    for sums in comparison.by_arm(bets, marks):
        wealth = []
        for up, down in zip(sums[::2], sums[1::2], strict=True):
            wealth += [up, down, up + down.sum(axis=1, keepdims=True) - down]
        evidence.append(mean_of(np.concatenate(wealth, axis=1), 1))
    return evidence


def compare_levels(comparison: BlockComparison, marks: Codes) -> list[Floats]:
    """Return log e-values of all sources at each mark, against "exactly alike": bets on more, or less, on all arms."""
    bets = [(1.0, stake**sign) for stake in SMALL_STAKES for sign in (1, -1)]
    return [mean_of(np.stack([one.sum(axis=1) for one in sums]), 0) for sums in comparison.by_arm(bets, marks)]


def compare_shares(comparison: BlockComparison, alike: float, marks: Codes) -> list[Floats]:
    """Return log e-values of all sources at each mark, against "an arm's share of a source's rows is like the others'".

    The outcome is the arm itself, within blocks of all arms together; bettors go up on one arm.
    """
    counts = np.bincount(comparison.arms, minlength=comparison.arm_count)
    wealth, cut = np.zeros((len(marks), comparison.sources, 0)), cut_blocks(np.zeros_like(comparison.arms))
    for arm in np.argsort(-counts, kind="stable")[:MOST_ARMS]:
        outcomes = (comparison.arms == arm).astype(np.int64)
        one = replace(comparison, outcomes=outcomes, arms=np.zeros_like(outcomes), arm_count=1, cut=cut)
        courses = [np.concatenate(sums, axis=1) for sums in one.by_arm([(alike, stake) for stake in STAKES], marks)]
        wealth = np.concatenate([wealth, np.array(courses)], axis=2)
    return list(mean_of(wealth, 2))
