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
from robandit.forensics.evidence import Evidence, flag_sources, two_rates
from robandit.forensics.influence import without
from robandit.forensics.reward_log import Codes, RewardLog
from robandit.forensics.statistics import ALARMS, STATISTICS, ReportedRows
from robandit.game import Floats
from robandit.lab.folds import Folding

LEVEL = 0.05  # of all alarms together, over all looks
SHARED = LEVEL / len(ALARMS)  # of each
MOVED = 0.05  # how far p(leader) moves where sources matter: one decision in twenty
RANDOM_SETS = 19  # sets of other sources: at random the named ones move the leader farthest in one case of twenty
NAMED = 10  # in a sentence


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


def describe(
    name: str,
    log: RewardLog,
    reported: ReportedRows,
    subjects: list[int],
    leader: str,
    moved: float | None,
    at_random: float | None,
) -> str:
    """Return what was seen, with its size."""
    if not subjects:
        return "Some source differs, and no single one can be named."
    sizes = [SIZES[name](log, reported, subject) for subject in subjects[:NAMED]] if name in SIZES else []
    sizes += [f"{len(subjects) - NAMED:,} more"] if sizes and len(subjects) > NAMED else []
    kind = "arm" if STATISTICS[name].is_about_arms else "source"
    text = f"{len(subjects):,} {kind}{'s' * (len(subjects) > 1)}" + (f": {'; '.join(sizes)}." if sizes else ".")
    if moved is None:
        return text
    change = f"{abs(moved):.2f} {'lower' if moved > 0 else 'higher'}"
    text += f" Without them, or had they reported as the others, p of {leader}, which leads, would be {change}."
    if at_random is None:
        return text
    most = "up to " if abs(at_random) < abs(moved) else ""
    return f"{text} As many rows of random others move it by {most}{abs(at_random):.2f}."


def describe_rate(log: RewardLog, reported: ReportedRows, source: int) -> str:
    """Return the arm on which a source differs most, its rate there and that of the others."""
    rows, ones, expected = reported.comparison.sizes(source)
    arm = int(np.argmax(np.abs(ones - expected)))
    own, others = np.array((ones[arm], expected[arm])) / max(rows[arm], 1.0)
    return f"{log.sources[source]} reports {own:.2g} on {log.arms[arm]}, the others {others:.2g}"


def describe_level(log: RewardLog, reported: ReportedRows, source: int) -> str:
    """Return how many times as much as the others a source earns."""
    _, ones, expected = reported.comparison.sizes(source)
    return f"{log.sources[source]} earns {ones.sum() / max(expected.sum(), 1e-9):.2g} times what the others do"


def describe_selection(log: RewardLog, reported: ReportedRows, source: int) -> str:
    """Return the arm that a source reports about most beside the others, and both shares."""
    reports = reported.reports
    own = reports.codes == source
    mine = np.bincount(reports.arms[own], minlength=len(log.arms)) / max(own.sum(), 1)
    rest = np.bincount(reports.arms[~own], minlength=len(log.arms)) / max((~own).sum(), 1)
    arm = int(np.argmax(mine - rest))
    return f"{log.sources[source]} has {mine[arm]:.0%} of its reports about {log.arms[arm]}, the others {rest[arm]:.0%}"


def describe_exposure(log: RewardLog, reported: ReportedRows, arm: int) -> str:
    """Return how much of an arm's decisions is lost, and how much of the others'."""
    assert reported.exposures is not None
    own, rest = reported.exposures.loss_of(arm)
    return f"{own:.1%} of the decisions for {log.arms[arm]} were not displayed, {rest:.1%} of those for the others"


def describe_homogeneity(log: RewardLog, reported: ReportedRows, arm: int) -> str:
    """Return what an arm paid before and after the power of two that parts its rewards best."""
    order = reported.order
    rewards = reported.rewards[order][reported.arms[order] == arm]
    cuts = 2 ** np.arange((len(rewards) - 1).bit_length())
    ones, total = np.cumsum(rewards)[cuts - 1], rewards.sum()
    best = int(np.argmax(two_rates(ones, cuts - ones, total - ones, len(rewards) - cuts - total + ones)))
    cut, first = int(cuts[best]), ones[best]
    after = (total - first) / (len(rewards) - cut)
    return f"{log.arms[arm]} paid {first / cut:.2g} in its first {cut:,} rewards, {after:.2g} since"


SIZES = {
    "rate": describe_rate,
    "level": describe_level,
    "selection": describe_selection,
    "exposure": describe_exposure,
    "homogeneity": describe_homogeneity,
}
