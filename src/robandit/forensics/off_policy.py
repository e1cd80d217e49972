"""What an arm, or another policy, would have earned, from the probabilities in the log: three estimates with intervals.

Importance weights need true probabilities; where one is missing nothing is estimated. Intervals are asymptotic (95 %).
"""

from typing import Any

import numpy as np

from robandit.forensics.reward_log import Codes, RewardLog, final_rewards
from robandit.game import Floats
from robandit.lab.folds import Shadow

NORMAL = 1.959963984540054


def why_not(log: RewardLog, codes: Codes) -> str:
    """Return why nothing can be estimated from some of the rows; empty if it can."""
    if log.partial or log.changes:
        return "no off-policy values: not every arm could be taken in every decision"
    columns = log.columns
    if not final_rewards(columns, codes).any():
        return "no off-policy values: no reward counts"
    missing = np.isnan(columns["probabilities"])
    if missing.all():
        return "no off-policy values: the log has no probabilities"
    if missing.any():
        return f"no off-policy values: {log.place(int(np.argmax(missing)))} has no probability"
    return ""


class Estimator:
    """Rewards with the probabilities of their decisions, and the means of the arms when each decision was made."""

    def __init__(self, log: RewardLog, codes: Codes) -> None:
        columns = log.columns
        self.columns, self.arms = columns, len(log.arms)
        self.learnt = final_rewards(columns, codes)
        self.rows = np.nonzero(self.learnt)[0]  # with a reward that counts
        self.decided = decision_rows(columns)[self.rows]
        self.taken, self.rewards = columns["arms"][self.rows], columns["rewards"][self.rows]
        self.weights = 1.0 / columns["probabilities"][self.rows]

    def mean_before(self, arm: int) -> Floats:
        """Return the mean of an arm's rewards before each decision was made; 1/2 before any reward."""
        here = self.learnt & (self.columns["arms"] == arm)
        sums = np.cumsum(np.where(here, self.columns["rewards"], 0.0))
        counts = np.cumsum(here)
        before = np.maximum(self.decided - 1, 0)
        begun = self.decided > 0
        return (np.where(begun, sums[before], 0.0) + 0.5) / (np.where(begun, counts[before], 0) + 1.0)

    def by_arm(self) -> list[dict[str, Any]]:
        """Return the value of always taking each arm."""
        values = []
        for arm in range(self.arms):
            mean = self.mean_before(arm)
            values.append(estimate_value(self.weights * (self.taken == arm), self.rewards, mean, mean))
        return values

    def of(self, shadow: Shadow) -> dict[str, Any]:
        """Return the value of a policy that would have learnt from the same log."""
        control = np.zeros(len(self.rows))
        for arm in range(self.arms):
            here = self.taken == arm
            control[here] = self.mean_before(arm)[here]
        weights = self.weights * shadow.taken[self.decided]
        return estimate_value(weights, self.rewards, shadow.expected[self.decided], control)


def decision_rows(columns: dict[str, Any]) -> Codes:
    """Return for each row the row in which its decision was made: an earlier one where the reward came late."""
    rows = np.arange(len(columns["arms"]))
    waiting = np.nonzero(~columns["rewarded"])[0]
    if len(waiting) == 0:
        return rows
    numbers = columns["numbers"]
    order = waiting[np.argsort(numbers[waiting], kind="stable")]
    place = np.minimum(np.searchsorted(numbers[order], numbers), len(order) - 1)
    return np.where(numbers[order][place] == numbers, order[place], rows)


def estimate_value(weights: Floats, rewards: Floats, expected: Floats, control: Floats) -> dict[str, Any]:
    """Return importance sampling, self-normalised, and doubly robust: what was expected plus the weighted surprise."""
    rows, total = len(weights), float(weights.sum())
    values: dict[str, Any] = {
        "ips": interval(weights * rewards),
        "snips": None,
        "dr": interval(expected + weights * (rewards - control)),
        "effective_rows": total**2 / float((weights**2).sum()) if total > 0 else 0.0,
        "largest_weight": float(weights.max()) if rows else 0.0,
    }
    if total > 0:
        value = float((weights * rewards).sum()) / total
        half = NORMAL * float(np.sqrt(((weights * (rewards - value)) ** 2).sum())) / total
        values["snips"] = {"value": value, "low": value - half, "high": value + half}
    return values


def interval(values: Floats) -> dict[str, float] | None:
    """Return a mean with its interval; None for fewer than two rows."""
    if len(values) < 2:
        return None
    mean, half = float(values.mean()), NORMAL * float(values.std(ddof=1)) / len(values) ** 0.5
    return {"value": mean, "low": mean - half, "high": mean + half}
