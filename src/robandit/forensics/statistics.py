"""The statistics of an audit, in one table: how each is computed, against which hypothesis, and what it means.

Each counts a log's rows up mark by mark, so that its evidence can be looked at over time. A new statistic is one
function and one entry of STATISTICS; reports, alarms and the service's page follow from the entry. An alarm asks for
more than evidence (alarms.py): the sources must have moved the belief. Everything else is a notice.
"""

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from robandit.forensics.blocks import BlockComparison, compare_arms, compare_levels, compare_shares
from robandit.forensics.evidence import CALIBRATION, WINDOWS, Evidence, bursts, delays, mean_of
from robandit.forensics.exposure import Exposures, exposures_by_mark
from robandit.forensics.reward_log import Codes, RewardLog
from robandit.game import Floats
from robandit.homogeneity import change_evidence

LOOKS = 100  # marks at which the evidence is shown; fewer where there are very many sources
NUMBERS = 2 * 10**7  # worked out for all marks together
ALIKE = 4.0  # honest odds differ by this factor at most, on the same arm at the same time
ALIKE_SHARES = 2.0  # the same of the odds that a report is about an arm, where failures are reported too


@dataclass(frozen=True)
class ReportedRows:
    """The rows of a log that have a reward and count, as columns."""

    rows: Codes  # their numbers in the log
    codes: Codes  # their sources; `sources` where unknown
    arms: Codes
    rewards: Floats
    delays: Floats | None
    sources: int  # how many there are
    arm_count: int
    numbers: Codes  # of their decisions
    settled: int | None = None  # decisions before this one are settled; None: rows are compared in the order of the log
    defaulted: Any = None  # whether nobody reported, and the default was learnt; None: all were reported
    asked: Any = None  # whether the decision named its source
    partial: bool = False  # whether some decisions were made among some of the arms only
    contextual: bool = False  # whether decisions knew who came
    exposures: Exposures | None = None
    decided: tuple[Codes, Codes, Floats] | None = None  # numbers, arms and probabilities of the decisions

    def pieces(self, marks: Codes) -> Iterator[slice]:
        """Yield the rows that came since the last mark, for each mark."""
        return split(self.rows, marks)

    @cached_property
    def order(self) -> Codes:
        """Places of the rows in the order in which they are compared.

        Where a window settles rewards that nobody reported, that is the order of the decisions, up to the first one
        that waits: else a source's sales would be compared with what others left unsold a window ago.
        """
        if self.settled is None:
            return np.arange(len(self.rows))
        ordered = np.argsort(self.numbers, kind="stable")
        return ordered[self.numbers[ordered] < self.settled]

    @cached_property
    def reports(self) -> "ReportedRows":
        """The rows that somebody reported."""
        return self if self.defaulted is None else self.some(~self.defaulted)

    def some(self, these: Any) -> "ReportedRows":
        """Return some of the rows."""
        columns = {name: getattr(self, name) for name in ("rows", "codes", "arms", "rewards", "numbers", "delays")}
        columns = {name: None if column is None else column[these] for name, column in columns.items()}
        return ReportedRows(**columns, sources=self.sources, arm_count=self.arm_count, settled=self.settled)

    @cached_property
    def comparison(self) -> BlockComparison:
        """All rows whose source is known whether or not it reported, for comparisons of rewards."""
        log = self if self.defaulted is None or not self.defaulted.any() else self.some(self.asked)
        return log.compared(above_usual(log.rewards[log.order], log.arms[log.order]))

    def compared(self, outcomes: Codes) -> BlockComparison:
        """Return a comparison of the rows, in their order, by some outcome."""
        order = self.order
        known = np.maximum.accumulate(self.rows[order]) if len(order) else self.rows[order]
        return BlockComparison(outcomes, self.arms[order], self.codes[order], known, self.sources, self.arm_count)


def above_usual(rewards: Floats, arms: Codes) -> Codes:
    """Return whether each reward is above the mean of those of its arm before it; a 0 or 1 where all are."""
    if np.isin(rewards, (0.0, 1.0)).all():
        return rewards.astype(np.int64)
    above = np.zeros(len(rewards), np.int64)
    for arm in np.unique(arms):
        own = arms == arm
        sums, counts = np.cumsum(rewards[own]) - rewards[own], np.arange(own.sum())
        usual = np.where(counts > 0, sums / np.maximum(counts, 1), 0.5)
        above[own] = rewards[own] > np.minimum(
            usual, 1.0 - 1e-12
        )  # a 1 is above any mean, so 0 and 1 stay what they are
    return above


def split(rows: Codes, marks: Codes) -> Iterator[slice]:
    """Yield a slice of the rows that came since the last mark, for each mark."""
    ends = np.searchsorted(rows, marks)
    for first, last in zip([0, *ends[:-1]], ends, strict=True):
        yield slice(first, last)


def count(places: Any, size: int, weights: Any = None) -> Floats:
    """Return how many rows, or how much of something, fell on each place."""
    return np.bincount(places, weights, size)[:size].astype(np.float64)


def rates_by_mark(log: ReportedRows, marks: Codes) -> list[Floats]:
    """Rewards on each arm beside the others' in the same block of time."""
    return compare_arms(log.comparison, ALIKE, marks)


def levels_by_mark(log: ReportedRows, marks: Codes) -> list[Floats]:
    """The same on all arms together, against sources that do not differ at all."""
    return compare_levels(log.comparison, marks)


def why_no_rates(log: ReportedRows) -> str:
    """Return why rewards cannot be compared; nothing if they can."""
    if log.defaulted is None or not log.defaulted.any() or log.asked.any():
        return ""
    return (
        "where nobody reports, the default is learnt, and the journal does not say whose decision it was: "
        "name the source (or the unit) when you decide"
    )


def selection_by_mark(log: ReportedRows, marks: Codes) -> list[Floats]:
    """The arms that a source reports about beside those of the others in the same block of time."""
    reports = log.reports
    alike = ALIKE if (reports.rewards > 0.0).all() else ALIKE_SHARES
    return compare_shares(reports.compared(np.zeros(len(reports.order), np.int64)), alike, marks)


def why_no_selection(log: ReportedRows) -> str:
    """Return why the arms that are reported about cannot be compared; nothing if they can."""
    return "some decisions were made among some of the arms only, and a source may have had its own" * log.partial


def lost_by_mark(log: ReportedRows, marks: Codes) -> list[Floats]:
    """Decisions that nobody saw, by arm: here the e-values are of arms."""
    if log.exposures is None or log.decided is None:
        return []
    return exposures_by_mark(log.exposures, log.decided, marks)


def why_no_exposure(log: ReportedRows) -> str:
    """Return why lost exposures cannot be looked for; nothing if they can."""
    if log.exposures is None or log.decided is None:
        return "only a journal with the rule `activation` and a window says which decisions were displayed"
    numbers = log.decided[2], log.exposures.probabilities
    return "the policy logs no probabilities" if any(np.isnan(one).any() for one in numbers) else ""


def bursts_by_mark(log: ReportedRows, marks: Codes) -> list[Floats]:
    """How often a source reported within a few rows of its last report, and how many such rows there were."""
    log = log.reports
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
    log = log.reports
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


def homogeneity_by_mark(log: ReportedRows, marks: Codes) -> list[Floats]:
    """Whether the rewards of an arm keep one mean: here the e-values are of arms."""
    order = log.order
    known = np.maximum.accumulate(log.rows[order]) if len(order) else log.rows[order]
    evidence = np.zeros((len(marks), log.arm_count))
    for arm in range(log.arm_count):
        own = log.arms[order] == arm
        sums = np.concatenate([[0.0], np.cumsum(log.rewards[order][own])])
        for place, pulls in enumerate(np.searchsorted(known[own], marks)):
            earlier = sums[2 ** np.arange(int(pulls).bit_length())]
            evidence[place, arm] = math.log(change_evidence(float(pulls), sums[pulls], earlier))
    return list(evidence)


def why_no_homogeneity(log: ReportedRows) -> str:
    """Return why arms need not keep one mean; nothing if an honest log in a world that stays the same must."""
    return "what an arm pays depends on who comes, and who gets it changes while the policy learns" * log.contextual


def always(log: ReportedRows) -> str:
    """Return no reason against a statistic."""
    return ""


@dataclass(frozen=True)
class Statistic:
    """One way in which a source, or an arm, may differ from the others."""

    name: str
    by_mark: Callable[[ReportedRows, Codes], list[Floats]]  # log e-values of all sources at each mark, or nothing
    hypothesis: str  # what the evidence is against: what an honest log is assumed to satisfy
    title: str  # an alarm in a few words
    meaning: str  # and in a sentence or two
    is_alarm: bool = False  # honest people do not set it off; otherwise it is a notice
    is_about_rewards: bool = False  # it is part of a source's e-value
    is_about_arms: bool = False  # the e-values are of arms, not of sources
    why_not: Callable[[ReportedRows], str] = always  # why a log cannot carry it; nothing if it can


ALL = (
    Statistic(
        "rate",
        rates_by_mark,
        f"The odds of a reward differ between honest sources by a factor of at most {ALIKE:g}, on the same arm in the "
        "same block of time.",
        "Some sources report unlike everybody else",
        f"For the same arms at the same time, their odds of a reward are more than {ALIKE:g} times, or less than a "
        "quarter of, what all others report. Chance alone would hardly ever do that.",
        is_alarm=True,
        is_about_rewards=True,
        why_not=why_no_rates,
    ),
    Statistic(
        "selection",
        selection_by_mark,
        f"The odds that a report is about an arm differ between honest sources by a factor of at most {ALIKE_SHARES:g} "
        f"in the same block of time ({ALIKE:g} where only successes are reported).",
        "Some sources report about certain arms only",
        "Nobody can choose which arm is shown. At the same time, these sources report on some arms far more often than "
        "all others do.",
        is_alarm=True,
        is_about_rewards=True,
        why_not=why_no_selection,
    ),
    Statistic(
        "exposure",
        lost_by_mark,
        "Whether a decision is displayed does not depend on its arm, and logged probabilities are true.",
        "Exposures of an arm are being lost",
        "Decisions for this arm are reported as displayed less often than those for the others. Look for a page that "
        "does not load or a client that does not report.",
        is_alarm=True,
        is_about_arms=True,
        why_not=why_no_exposure,
    ),
    Statistic(
        "level",
        levels_by_mark,
        "On the same arm in the same block of time all sources have the same rewards. Honest people break that.",
        "Some sources earn more or less than others",
        "On all arms alike. People and partners differ, so this alone is no alarm.",
        why_not=why_no_rates,
    ),
    Statistic(
        "homogeneity",
        homogeneity_by_mark,
        "The rewards of an arm have one mean from first to last. A world that changes breaks that.",
        "Some arms do not pay what they paid",
        "Their mean changed. Seasons and new visitors do that too, so this alone is no alarm; an attack that begins or "
        "ends leaves the same trace.",
        is_about_arms=True,
        why_not=why_no_homogeneity,
    ),
    Statistic(
        "bursts",
        bursts_by_mark,
        "Each row comes from a source with the same probability, whatever came before. Honest people break that.",
        "Some sources report in bursts",
        "Many reports close to each other. Honest people do that too, so this alone is no alarm.",
    ),
    Statistic(
        "delays",
        delays_by_mark,
        "A source's reports come late as often as all others'. Honest people break that.",
        "Some sources report sooner or later than others",
        "It may be a bot, or just another way of reporting, so this alone is no alarm.",
    ),
)
STATISTICS = {statistic.name: statistic for statistic in ALL}
ALARMS = tuple(statistic.name for statistic in ALL if statistic.is_alarm)


def reported_rows(log: RewardLog, codes: Codes) -> ReportedRows:
    """Return the rows that have an unverified reward, without those whose code is below 0."""
    columns = log.columns
    rows = np.nonzero(columns["rewarded"] & (codes >= 0) & ~columns["verified"] & ~columns["withdrawn"])[0]
    decisions = np.nonzero(~columns["rewarded"])[0]
    decided = tuple(columns[name][decisions] for name in ("numbers", "arms", "probabilities"))
    return ReportedRows(
        rows,
        codes[rows],
        columns["arms"][rows],
        columns["rewards"][rows],
        None if log.delays is None else log.delays[rows],
        len(log.sources),
        len(log.arms),
        columns["numbers"][rows].astype(np.int64),
        log.settled,
        None if log.defaulted is None else log.defaulted[rows],
        None if log.asked is None else log.asked[rows],
        log.partial,
        log.log.users is not None,
        log.exposures,
        decided if len(decisions) else None,
    )


def all_evidence(log: RewardLog, codes: Codes, looks: int | None = None) -> list[Evidence]:
    """Return every statistic that the log's columns allow, at so many marks, without the rows whose code is below 0."""
    return evidence_of(reported_rows(log, codes), log.rows, looks)


def evidence_of(
    reported: ReportedRows, rows: int, looks: int | None = None, names: Collection[str] = tuple(STATISTICS)
) -> list[Evidence]:
    """Return every statistic that some rows allow, or those of some names."""
    entries = max(reported.sources, 1) * reported.arm_count
    number = looks or max(1, min(LOOKS, NUMBERS // (6 * entries)))
    marks = np.unique(np.linspace(0, rows, number + 1).round().astype(np.int64)[1:])
    evidence = []
    for statistic in (STATISTICS[name] for name in names):
        enough = statistic.is_about_arms or (reported.sources >= 2 and len(reported.rows) > 0)
        logs = statistic.by_mark(reported, marks) if enough and not statistic.why_not(reported) else []
        if logs:
            everyone = np.array([mean_of(one, 0) for one in logs])
            evidence.append(Evidence(statistic.name, marks.astype(np.float64), logs[-1], everyone))
    return evidence
