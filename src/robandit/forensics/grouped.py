"""Which arm pays most if no few sources may decide: the median over groups of sources in place of the mean.

Sources are dealt to groups at random, each group has its own mean of an arm, and the median of these counts (median of
means). A few sources spoil at most so many groups, however much they report and whatever it is; they must reach half of
the groups to move the median far. Groups must stay large enough for each to see the best arm's rewards.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from robandit.forensics.reward_log import Codes
from robandit.forensics.statistics import ReportedRows, why_no_rates
from robandit.game import Floats

SEEN = 4.0  # rewards, and failures, of the best arm that a group has on average at least
LEAST, MOST = 5, 101  # groups; an odd number, so that the median is one of them


@dataclass(frozen=True)
class GroupedMeans:
    """What each arm paid, by all rows and by the median of groups of sources; NaN of an arm without rewards."""

    groups: int
    means: Floats
    medians: Floats

    @property
    def leaders(self) -> tuple[int, int]:
        """The arm that pays most by the means, and by the medians."""
        return int(np.nanargmax(self.means)), int(np.nanargmax(self.medians))

    def as_json(self, arms: tuple[str, ...]) -> dict[str, Any]:
        """Return plain values by the arms' names."""
        values = {name: value for name, value in asdict(self).items() if name != "groups"}
        named = {
            name: {arm: None if np.isnan(one) else float(one) for arm, one in zip(arms, column, strict=True)}
            for name, column in values.items()
        }
        return {"groups": self.groups, **named, "leader": arms[self.leaders[1]]}


def number_of_groups(sources: int, ones: float, rows: float) -> int:
    """Return how many groups a log carries, an odd number; 0 if too few for a median to mean anything.

    Args:
        sources: that reported.
        ones: sum of the rewards of the arm that pays most.
        rows: of that arm.
    """
    most = int(min(sources, MOST, min(ones, rows - ones) / SEEN))
    return 0 if most < LEAST else most - 1 + most % 2


def group_means(arms: Codes, rewards: Floats, groups: Codes, shape: tuple[int, int]) -> Floats:
    """Return the mean reward of each arm in each group, shaped (groups, arms); NaN where there is none."""
    places, size = groups * shape[1] + arms, shape[0] * shape[1]
    counts = np.bincount(places, minlength=size).reshape(shape)
    sums = np.bincount(places, rewards, size).reshape(shape)
    means: Floats = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means


def grouped_means(reported: ReportedRows, seed: int = 0) -> GroupedMeans | None:
    """Return what arms paid by groups of sources; None where sources are too few, or say only what succeeded."""
    if why_no_rates(reported):
        return None
    rows = reported if reported.defaulted is None or not reported.defaulted.any() else reported.some(reported.asked)
    named = rows.codes < rows.sources
    arms, rewards, codes = rows.arms[named], rows.rewards[named], rows.codes[named]
    if len(rewards) == 0:
        return None
    means = group_means(arms, rewards, np.zeros(len(arms), np.int64), (1, rows.arm_count))[0]
    best = rewards[arms == np.nanargmax(means)]
    count = number_of_groups(len(np.unique(codes)), float(best.sum()), float(len(best)))
    if count == 0:
        return None
    dealt = np.random.default_rng(seed).permutation(rows.sources) % count
    by_group = group_means(arms, rewards, dealt[codes], (count, rows.arm_count))
    paid = ~np.isnan(means)
    medians = np.full(rows.arm_count, np.nan)
    medians[paid] = np.nanmedian(by_group[:, paid], axis=0)
    return GroupedMeans(count, means, medians)
