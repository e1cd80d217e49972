"""Which statistics ring: an alarm where what differs matters, a notice with its size where it does not.

An alarm about sources needs both: evidence against a hypothesis that honest shops satisfy, and influence. Influence is
measured by two replays: one without the sources, and one in which they had reported as the others did on the same arm
in the same block of time, for leaving rows out brings back nothing that they suppressed. Where the leader hangs by a
thread any rows move it: so the sources must move it farther than random sets of others with as many rows move what is
left without them.
Evidence is at the level that all alarms share, over all looks together; asking for influence only makes an alarm rarer.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from robandit.forensics.blocks import cut_blocks
from robandit.forensics.describe import describe
from robandit.forensics.evidence import Evidence, flag_sources
from robandit.forensics.influence import without
from robandit.forensics.reward_log import Codes, RewardLog
from robandit.forensics.statistics import ALARMS, STATISTICS, ReportedRows
from robandit.game import Floats
from robandit.lab.folds import Folding

LEVEL = 0.05  # of all alarms together, over all looks
SHARED = LEVEL / len(ALARMS)  # of each
MOVED = 0.05  # how far p(leader) moves where sources matter: one decision in twenty
RANDOM_SETS = 19  # sets of other sources: at random the named ones move the leader farthest in one case of twenty


@dataclass(frozen=True)
class Signal:
    """A statistic that rings."""

    statistic: str
    is_alarm: bool
    row: int  # after which the evidence sufficed
    subjects: tuple[str, ...]  # sources, or arms
    moved: float | None  # p(leader) less what it would be, had the sources reported as the others; None: not measured
    moved_at_random: float | None  # the same for a random set of other sources with as many rows; None: not needed
    text: str  # what was seen, with its size
    assumption: str

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {**asdict(self), "subjects": list(self.subjects)}


def as_others_report(reported: ReportedRows, sources: Codes) -> Floats:
    """Return the rewards, had some sources reported the mean of the others on the same arm in the same block of time.

    Where no other source reported in the block it is the mean of all rows of the others on the arm; without any, the
    reward stays.
    """
    rewards, own = reported.rewards.copy(), np.isin(reported.codes, sources)
    blocks = np.full(len(rewards), -1, np.int64)
    blocks[reported.order] = cut_blocks(reported.arms[reported.order]).of_row
    for groups in (reported.arms, blocks):
        others, wanted = ~own & (groups >= 0), np.nonzero(own & (groups >= 0))[0]
        size = int(groups.max(initial=0)) + 1
        counts = np.bincount(groups[others], minlength=size)
        means = np.bincount(groups[others], reported.rewards[others], size) / np.maximum(counts, 1)
        wanted = wanted[counts[groups[wanted]] > 0]
        rewards[wanted] = means[groups[wanted]]
    return rewards


def influence_together(folding: Folding, reported: ReportedRows, sources: Codes, leader: int, now: float) -> float:
    """Return p(leader) less what it would be without these sources, or had they reported as the others did.

    Of the two it is the one that is farther from 0.
    """
    column, end = folding.columns["rewards"].copy(), np.array([folding.rows])
    column[reported.rows] = as_others_report(reported, sources)
    other = replace(folding, log=replace(folding.log, rewards=column)).over_time(end)[0]
    rest = folding.over_time(end, without(folding.codes, sources))[0]
    return max(now - float(other[leader]), now - float(rest[leader]), key=abs)


def draw_others(codes: Codes, sources: Codes, rows: int, numbers: np.random.Generator) -> Codes | None:
    """Return random sources with at least so many rows, none of them among `sources`; None if there are too few."""
    counts = np.bincount(codes[codes >= 0])
    others = np.setdiff1d(np.nonzero(counts)[0], sources)
    others = numbers.permutation(others)
    reach = np.cumsum(counts[others])
    return others[: int(np.searchsorted(reach, rows)) + 1] if len(others) and reach[-1] >= rows else None


def influence_at_random(
    folding: Folding, reported: ReportedRows, sources: Codes, leader: int, enough: float
) -> float | None:
    """Return the farthest that random sets of other sources with as many rows move p(leader); None if there are none.

    The named sources are left out of these replays, for what they moved already is easily moved on. The search ends
    with the first set that reaches `enough`.
    """
    numbers, farthest = np.random.default_rng(0), None  # the same rows always give the same answer
    rows, end = int(np.isin(reported.codes, sources).sum()), np.array([folding.rows])
    codes = without(folding.codes, sources)
    rest = float(folding.over_time(end, codes)[0, leader])
    for _ in range(RANDOM_SETS):
        others = draw_others(reported.codes, sources, rows, numbers)
        if others is None:
            return None
        moved = rest - float(folding.over_time(end, without(codes, others))[0, leader])
        farthest = moved if farthest is None else max(farthest, moved, key=abs)
        if abs(farthest) >= enough:
            break
    return farthest


def find_signals(
    log: RewardLog, reported: ReportedRows, evidence: list[Evidence], folding: Folding | None, belief: Floats
) -> list[Signal]:
    """Return what rings, alarms first.

    Args:
        log: its names.
        reported: its rows.
        evidence: the statistics.
        folding: to measure influence with; None where the policy cannot be replayed with other rewards.
        belief: p after the log.
    """
    signals, leader = [], int(np.argmax(belief))
    for one in evidence:
        statistic, row = STATISTICS[one.name], one.alarm(SHARED)
        if row is None:
            continue
        subjects, moved, at_random = flag_sources(one.sources, LEVEL), None, None
        if statistic.is_about_arms:
            subjects = subjects or [int(np.argmax(one.sources))]
        names = tuple((log.arms if statistic.is_about_arms else log.sources)[subject] for subject in subjects)
        if statistic.is_alarm and subjects and folding is not None and not statistic.is_about_arms:
            moved = influence_together(folding, reported, np.array(subjects), leader, float(belief[leader]))
        matters = moved is not None and abs(moved) >= MOVED
        if folding is not None and moved is not None and matters:
            at_random = influence_at_random(folding, reported, np.array(subjects), leader, abs(moved))
            matters = at_random is None or abs(at_random) < abs(moved)
        rings = statistic.is_alarm and (statistic.is_about_arms or matters)
        text = describe(one.name, log, reported, subjects, log.arms[leader], moved, at_random)
        signals.append(Signal(one.name, rings, row, names, moved, at_random, text, statistic.hypothesis))
    return sorted(signals, key=lambda signal: not signal.is_alarm)
