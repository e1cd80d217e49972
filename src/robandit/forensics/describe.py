"""What a statistic saw, as a sentence with its size. Sources that differ alike are named together."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from robandit.forensics.evidence import two_rates
from robandit.forensics.reward_log import RewardLog
from robandit.forensics.statistics import STATISTICS, ReportedRows

NAMED = 10  # sources or arms in a sentence


@dataclass(frozen=True)
class SourceDifference:
    """A number of one source beside the same number of the others, on an arm where it needs one."""

    source: int
    own: float
    others: float
    arm: int = 0


def describe(
    name: str,
    log: RewardLog,
    reported: ReportedRows,
    subjects: list[int],
    leader: str,
    moved: float | None,
    at_random: float | None,
) -> str:
    """Return what a statistic saw, and how far it moved the leader's probability.

    Args:
        name: of the statistic.
        log: the names of sources and arms.
        reported: the rows that were compared.
        subjects: the sources, or arms, that differ; empty where none can be named.
        leader: the name of the arm that leads.
        moved: by how much they moved its probability; None where that was not measured.
        at_random: the same for random sets of others; None where that was not measured.
    """
    if not subjects:
        return "Some source differs, and no single one can be named."
    sizes = SIZES[name](log, reported, subjects[:NAMED]) if name in SIZES else []
    sizes += [f"{len(subjects) - NAMED:,} more"] if sizes and len(subjects) > NAMED else []
    kind = "arm" if STATISTICS[name].is_about_arms else "source"
    text = f"{len(subjects):,} {kind}{'s' * (len(subjects) > 1)}" + (f": {'; '.join(sizes)}." if sizes else ".")
    if moved is None:
        return text
    them = "them, or had they" if len(subjects) > 1 else "it, or had it"
    change = f"{abs(moved):.2f} {'lower' if moved > 0 else 'higher'}"
    text += f" Without {them} reported as the others do, the probability of {leader}, which leads, would be {change}"
    if at_random is None:
        return f"{text}."
    most = "at most " if abs(at_random) < abs(moved) else ""
    size = f"{most}{abs(at_random):.2f}" if abs(at_random) >= 0.005 else "less than 0.01"
    return f"{text}; as many rows of randomly picked other sources move it by {size}."


def group_alike(differences: Iterable[SourceDifference]) -> list[list[SourceDifference]]:
    """Return the sources that differ on the same arm in the same direction together."""
    groups: dict[tuple[int, bool], list[SourceDifference]] = {}
    for one in differences:
        groups.setdefault((one.arm, one.own > one.others), []).append(one)
    return list(groups.values())


def join_names(log: RewardLog, group: list[SourceDifference], verb: str) -> str:
    """Return the names of some sources and what they do."""
    return f"{', '.join(log.sources[one.source] for one in group)} {verb if len(group) > 1 else verb + 's'}"


def write_range(numbers: Iterable[float], form: str = ".2g") -> str:
    """Return the least and the greatest number; one where they look the same."""
    ordered = sorted(numbers)
    least, greatest = format(ordered[0], form), format(ordered[-1], form)
    return least if least == greatest else f"{least} to {greatest}"


def describe_rate(log: RewardLog, reported: ReportedRows, sources: list[int]) -> list[str]:
    """Return the arms on which sources differ most, their rates there and those of the others."""
    differences = []
    for source in sources:
        rows, ones, expected = reported.comparison.sizes(source)
        arm = int(np.argmax(np.abs(ones - expected)))
        pulls = max(rows[arm], 1.0)
        differences.append(SourceDifference(source, ones[arm] / pulls, expected[arm] / pulls, arm))
    return [
        f"{join_names(log, group, 'report')} {write_range(one.own for one in group)} on {log.arms[group[0].arm]}, "
        f"the others {write_range(one.others for one in group)}"
        for group in group_alike(differences)
    ]


def describe_level(log: RewardLog, reported: ReportedRows, sources: list[int]) -> list[str]:
    """Return how many times as much as the others sources earn."""
    differences = []
    for source in sources:
        _, ones, expected = reported.comparison.sizes(source)
        differences.append(SourceDifference(source, ones.sum() / max(expected.sum(), 1e-9), 1.0))
    return [
        f"{join_names(log, group, 'earn')} {write_range(one.own for one in group)} times what the others do"
        for group in group_alike(differences)
    ]


def describe_selection(log: RewardLog, reported: ReportedRows, sources: list[int]) -> list[str]:
    """Return the arms that sources report about most beside the others, and both shares."""
    reports, differences = reported.reports, []
    for source in sources:
        own = reports.codes == source
        mine = np.bincount(reports.arms[own], minlength=len(log.arms)) / max(own.sum(), 1)
        rest = np.bincount(reports.arms[~own], minlength=len(log.arms)) / max((~own).sum(), 1)
        arm = int(np.argmax(mine - rest))
        differences.append(SourceDifference(source, mine[arm], rest[arm], arm))
    return [
        f"{join_names(log, group, 'make')} {write_range((one.own for one in group), '.0%')} of "
        f"{'their' if len(group) > 1 else 'its'} reports about {log.arms[group[0].arm]}, "
        f"the others {write_range((one.others for one in group), '.0%')}"
        for group in group_alike(differences)
    ]


def describe_exposure(log: RewardLog, reported: ReportedRows, arms: list[int]) -> list[str]:
    """Return how many of each arm's decisions are lost, and how many of the others'."""
    assert reported.exposures is not None
    losses = [(arm, *reported.exposures.loss_of(arm)) for arm in arms]
    return [
        f"{own:.1%} of the decisions for {log.arms[arm]} were not displayed, {rest:.1%} of those for the others"
        for arm, own, rest in losses
    ]


def describe_homogeneity(log: RewardLog, reported: ReportedRows, arms: list[int]) -> list[str]:
    """Return what each arm paid before and after the power of two that parts its rewards best."""
    sentences = []
    for arm in arms:
        order = reported.order
        rewards = reported.rewards[order][reported.arms[order] == arm]
        cuts = 2 ** np.arange((len(rewards) - 1).bit_length())
        ones, total = np.cumsum(rewards)[cuts - 1], rewards.sum()
        best = int(np.argmax(two_rates(ones, cuts - ones, total - ones, len(rewards) - cuts - total + ones)))
        cut, first = int(cuts[best]), ones[best]
        after = (total - first) / (len(rewards) - cut)
        sentences.append(f"{log.arms[arm]} paid {first / cut:.2g} in its first {cut:,} rewards, {after:.2g} since")
    return sentences


SIZES: dict[str, Callable[[RewardLog, ReportedRows, list[int]], list[str]]] = {
    "rate": describe_rate,
    "level": describe_level,
    "selection": describe_selection,
    "exposure": describe_exposure,
    "homogeneity": describe_homogeneity,
}
