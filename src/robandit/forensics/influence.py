"""Which sources moved the belief: the log folded without each of them, then without a set that changes the leader.

An influence is measured, not estimated: it is the difference between two folds of the same rows. A witness set is a
certain upper bound on how many sources the leader rests on; a smaller one may exist.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from robandit.forensics.reward_log import Codes, RewardLog, final_rewards
from robandit.game import Floats
from robandit.lab import leave_out
from robandit.lab.folds import NOBODY, Folding
from robandit.progress import Progress, ignore

FOLDED = 10**10  # rows folded for leave-one-out at most, unless asked for more: minutes on two cores
STEPS = 16  # greedy steps, each of which looks at the next few sources again
NEXT = 16
PRUNED = 64  # a larger set is not made minimal


@dataclass(frozen=True)
class Influence:
    """Sources by how far each moved the belief in the leader, the most influential first."""

    order: Codes  # sources' numbers
    probabilities: Floats  # p without each of them, in that order
    rows: Codes  # how many rows each has
    left_out: int  # sources that were not folded without, because there are too many

    def moved(self, leader: int, probability: float) -> Floats:
        """Return how far each moved p(leader): what it is, less what it would be."""
        moved: Floats = probability - self.probabilities[:, leader]
        return moved


def first_order(folding: Folding, leader: int, sources: int) -> Floats:
    """Return how far each source moved the leader's mean reward against that of the other arms, to first order.

    The influence function of a difference of means: cheap, the same for every policy. It ranks where folding without
    every source would take too long, and where the belief is too sure to move.
    """
    columns, codes = folding.columns, np.where(folding.codes < 0, sources, folding.codes)
    arms, rewards, rewarded = columns["arms"], columns["rewards"], final_rewards(columns, folding.codes)
    pulls = np.maximum(np.bincount(arms[rewarded], minlength=folding.setting.arms), 1)
    means = np.bincount(arms[rewarded], rewards[rewarded], folding.setting.arms) / pulls
    push = np.where(rewarded, (rewards - means[arms]) / pulls[arms], 0.0)
    push[arms != leader] *= -1.0
    moved: Floats = np.bincount(codes, push, sources + 1)[:sources].astype(np.float64)
    return moved


def influence_of(
    folding: Folding, log: RewardLog, leader: int, replays: int | None = None, progress: Progress = ignore
) -> Influence:
    """Fold without each source; without the most promising ones only, if there are too many for the time there is."""
    sources = len(log.sources)
    counts = np.bincount(folding.codes[(folding.codes >= 0) & (folding.codes < sources)], minlength=sources)
    present = np.nonzero(counts)[0]
    hint = first_order(folding, leader, sources)
    most = replays or max(FOLDED // folding.rows, 1)
    tried = present[np.argsort(-np.abs(hint[present]), kind="stable")][:most]
    if len(tried) == 0:
        return Influence(tried, np.zeros((0, folding.setting.arms)), counts[tried], 0)
    probabilities = folding.without(tried, progress=progress)[:, 0]
    order = np.lexsort((-hint[tried], probabilities[:, leader]))  # the lowest p(leader) first, ties by first order
    return Influence(tried[order], probabilities[order], counts[tried[order]], len(present) - len(tried))


def find_witness(folding: Folding, leader: int, influence: Influence) -> Codes | None:
    """Return sources without which another arm leads; None if there are none among those that were looked at."""
    ranked = [int(source) for source in influence.order]
    removed: list[int] = []
    by_trials = folding.kind == leave_out.TRIALS
    margin = 3.0 / folding.trials**0.5 if by_trials else 0.0  # beyond the noise of trial choices

    def other_leads(sources: list[int]) -> bool:
        belief = folding.over_time(np.array([folding.rows]), without(folding.codes, np.array(sources)))[0]
        return leader_of(belief) != leader and bool(belief.max() > belief[leader] + margin)

    for _ in range(min(STEPS, len(ranked))):
        next_ones = np.array([source for source in ranked if source not in removed][:NEXT])
        if len(next_ones) == 0:
            break
        probabilities = folding.without(next_ones, without(folding.codes, np.array(removed, np.int64)))[:, 0, leader]
        removed.append(int(next_ones[probabilities.argmin()]))
        if other_leads(removed):
            return prune(removed, other_leads)
    rest = removed + [source for source in ranked if source not in removed]
    size = bisect_size(rest, len(removed), other_leads)
    return None if size is None else prune(rest[:size], other_leads)


def bisect_size(ranked: list[int], low: int, other_leads: Callable[[list[int]], bool]) -> int | None:
    """Return how many of the ranking must go until another arm leads: doubled, then bisected."""
    high = low
    while True:
        if high >= len(ranked):
            return None
        high = min(2 * max(high, 1), len(ranked))
        if other_leads(ranked[:high]):
            break
        low = high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if other_leads(ranked[:middle]) else (middle, high)
    return high


def prune(sources: list[int], other_leads: Callable[[list[int]], bool]) -> Codes:
    """Return the set without those that need not be in it."""
    smallest = list(sources)
    for source in sources if 1 < len(sources) <= PRUNED else []:
        fewer = [other for other in smallest if other != source]
        if fewer and other_leads(fewer):
            smallest = fewer
    return np.array(smallest, np.int64)


def without(codes: Codes, sources: Codes) -> Codes:
    """Return codes in which the rows of some sources are left out."""
    return np.where(np.isin(codes, sources), NOBODY, codes)


def leader_of(probabilities: Any) -> int:
    """Return the arm that is believed to be best, the first one on ties."""
    return int(np.argmax(probabilities))
