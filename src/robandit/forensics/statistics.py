"""The statistics of an audit, in one table: how each is computed, against which hypothesis, and what it means.

Each counts a log's rows up mark by mark, so that the evidence of evidence.py can be looked at over time. A new
statistic is one function and one entry of STATISTICS; reports, alarms and the service's page follow from the entry.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from robandit.forensics.evidence import (
    CALIBRATION,
    SHARES,
    WINDOWS,
    Evidence,
    bursts,
    delays,
    mean_of,
    rates,
    selection,
)
from robandit.forensics.reward_log import Codes, RewardLog
from robandit.game import Floats

LOOKS = 100  # marks at which the evidence is shown; fewer where there are very many sources
NUMBERS = 2 * 10**7  # worked out for all marks together


@dataclass(frozen=True)
class ReportedRows:
    """The rows of a log that have a reward and count, as columns."""

    rows: Codes  # their numbers in the log
    codes: Codes  # their sources; `sources` where unknown
    arms: Codes
    rewards: Floats
    probabilities: Floats
    delays: Floats | None
    sources: int  # how many there are
    arm_count: int

    def pieces(self, marks: Codes) -> Iterator[slice]:
        """Yield the rows that came since the last mark, for each mark."""
        return split(self.rows, marks)


def split(rows: Codes, marks: Codes) -> Iterator[slice]:
    """Yield a slice of the rows that came since the last mark, for each mark."""
    ends = np.searchsorted(rows, marks)
    for first, last in zip([0, *ends[:-1]], ends, strict=True):
        yield slice(first, last)


def count(places: Any, size: int, weights: Any = None) -> Floats:
    """Return how many rows, or how much of something, fell on each place."""
    return np.bincount(places, weights, size)[:size].astype(np.float64)


def rates_by_mark(log: ReportedRows, marks: Codes) -> list[Floats]:
    """Rewards by source and arm; rows of unknown sources count among all."""
    arms, size = log.arm_count, (log.sources + 1) * log.arm_count
    sums, pulls = np.zeros((2, size))
    evidence = []
    for piece in log.pieces(marks):
        places = log.codes[piece] * arms + log.arms[piece]
        pulls += count(places, size)
        sums += count(places, size, log.rewards[piece])
        by_arm = [total.reshape(-1, arms) for total in (sums, pulls)]
        evidence.append(rates(by_arm[0][:-1], by_arm[1][:-1], by_arm[0].sum(axis=0), by_arm[1].sum(axis=0)))
    return evidence


def selection_by_mark(log: ReportedRows, marks: Codes) -> list[Floats]:
    """What bettors on each arm gained while each source reported; nothing where a probability is missing."""
    if np.isnan(log.probabilities).any() or not log.probabilities.min() < 1.0:
        return []
    shares, arms, size = np.array(SHARES), log.arm_count, (log.sources + 1) * log.arm_count
    pulls, gains = np.zeros(size), np.zeros((len(shares), size))
    evidence = []
    for piece in log.pieces(marks):
        places = log.codes[piece] * arms + log.arms[piece]
        pulls += count(places, size)
        for stake, gain in zip(shares, gains, strict=True):
            gain += count(places, size, np.log1p(stake * (1.0 / log.probabilities[piece] - 1.0)))
        evidence.append(selection(pulls.reshape(-1, arms)[:-1], gains.reshape(len(shares), -1, arms)[:, :-1]))
    return evidence


def bursts_by_mark(log: ReportedRows, marks: Codes) -> list[Floats]:
    """How often a source reported within a few rows of its last report, and how many such rows there were."""
    codes, windows, sources = log.codes, np.array(WINDOWS)[:, None], log.sources
    order = np.argsort(codes, kind="stable")
    gaps = np.zeros(len(codes), np.int64)
    same = codes[order][1:] == codes[order][:-1]
    gaps[order[1:]] = np.where(same, np.diff(order), 0)
    reports, last = np.zeros(sources), np.full(sources, -1, np.int64)
    again, closed = np.zeros((2, len(WINDOWS), sources))
    evidence = []
    for piece in log.pieces(marks):
        code, gap = codes[piece], gaps[piece]
        reports += count(code, sources)
        for place, window in enumerate(WINDOWS):
            again[place] += count(code[(gap > 0) & (gap <= window)], sources)
            closed[place] += count(code, sources, np.minimum(gap, window))
        named = code < sources
        last[code[named]] = np.arange(piece.start, piece.stop)[named]
        opened = np.where(last >= 0, np.minimum(piece.stop - 1 - last, windows), 0)
        evidence.append(bursts(reports, again, closed + opened, float(piece.stop)))
    return evidence


def delays_by_mark(log: ReportedRows, marks: Codes) -> list[Floats]:
    """How often a source's reports came later than the median of the first ones; nothing where too few have a delay."""
    if log.delays is None:
        return []
    timed = ~np.isnan(log.delays)
    waits, codes, rows = log.delays[timed], log.codes[timed], log.rows[timed]
    if len(waits) <= 2 * CALIBRATION or waits.min() == waits.max():
        return []
    late = (waits > np.median(waits[:CALIBRATION])).astype(np.float64)
    late, codes, rows = late[CALIBRATION:], codes[CALIBRATION:], rows[CALIBRATION:]
    counts = np.zeros((2, log.sources + 1))
    evidence = []
    for piece in split(rows, marks):
        counts[0] += count(codes[piece], log.sources + 1, late[piece])
        counts[1] += count(codes[piece], log.sources + 1, 1.0 - late[piece])
        evidence.append(delays(counts[0], counts[1])[:-1])
    return evidence


@dataclass(frozen=True)
class Statistic:
    """One way in which a source may differ from the others."""

    name: str
    by_mark: Callable[[ReportedRows, Codes], list[Floats]]  # log e-values of all sources at each mark, or nothing
    hypothesis: str  # what the evidence is against
    title: str  # an alarm in a few words
    meaning: str  # and in a sentence or two
    is_alarm: bool  # honest people do not set it off; otherwise it is a notice
    is_about_rewards: bool  # it is part of a source's e-value


ALL = (
    Statistic(
        "rate",
        rates_by_mark,
        "On every arm a source's rewards have the mean of all others' there, and the means stay as they are.",
        "Some sources report unlike everybody else",
        "For the same arms, their rewards are higher or lower than what all others report. Luck alone would hardly "
        "ever do that.",
        is_alarm=True,
        is_about_rewards=True,
    ),
    Statistic(
        "selection",
        selection_by_mark,
        "Whether a source reports does not depend on the arm shown, and logged probabilities are true.",
        "Some sources report about certain arms only",
        "Nobody can choose which arm is shown. These sources report more often on some arms than the draw explains.",
        is_alarm=True,
        is_about_rewards=True,
    ),
    Statistic(
        "bursts",
        bursts_by_mark,
        "Each row comes from a source with the same probability, whatever came before. Honest people break that.",
        "Some sources report in bursts",
        "Many reports close to each other. Honest people do that too, so this alone is no alarm.",
        is_alarm=False,
        is_about_rewards=False,
    ),
    Statistic(
        "delays",
        delays_by_mark,
        "A source's reports come late as often as all others'.",
        "Some sources report sooner or later than others",
        "It may be a bot, or just another way of reporting, so this alone is no alarm.",
        is_alarm=False,
        is_about_rewards=False,
    ),
)
STATISTICS = {statistic.name: statistic for statistic in ALL}


def all_evidence(log: RewardLog, codes: Codes, looks: int | None = None) -> list[Evidence]:
    """Return every statistic that the log's columns allow, at so many marks, without the rows whose code is below 0."""
    columns, sources, arms = log.columns, len(log.sources), len(log.arms)
    rows = np.nonzero(columns["rewarded"] & (codes >= 0))[0]
    if sources < 2 or len(rows) == 0:
        return []
    number = looks or max(1, min(LOOKS, NUMBERS // (sources * arms)))
    marks = np.unique(np.linspace(0, log.rows, number + 1).round().astype(np.int64)[1:])
    reported = ReportedRows(
        rows,
        codes[rows],
        columns["arms"][rows],
        columns["rewards"][rows],
        columns["probabilities"][rows],
        None if log.delays is None else log.delays[rows],
        sources,
        arms,
    )
    by_name = {statistic.name: statistic.by_mark(reported, marks) for statistic in ALL}
    return [over_time(name, marks, logs) for name, logs in by_name.items() if logs]


def over_time(name: str, marks: Codes, logs: list[Floats]) -> Evidence:
    """Return one statistic from its log e-values at each mark."""
    everyone = np.array([mean_of(one, 0) for one in logs])
    return Evidence(name, marks.astype(np.float64), logs[-1], everyone)
