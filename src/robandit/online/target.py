"""Whoever reads a journal through a docket: the fold of a policy, the columns of a log, or both."""

from typing import Any, Protocol

from robandit.game import Choice
from robandit.online.standing import Entry


class DocketTarget(Protocol):
    """What a docket hands its results to: the fold of a policy, or the columns of a log."""

    def index(self, arm: str) -> int:
        """Return an arm's index by its name."""

    def record_decision(self, choice: Choice, learns: bool, entry: Entry) -> None:
        """Take the next decision; nothing is ever learnt from it unless `learns`."""

    def learn_reward(self, number: int, reward: float, entry: Entry) -> None:
        """Learn a decision's reward, in [0, 1], now; `entry` holds its source and its time."""

    def record_claim(self, number: int, reward: float | None, entry: Entry) -> None:
        """Take an unverified reward of a decision that waits for a verified one; None where it does not count."""

    def drop_decision(self, number: int, source: str | None) -> None:
        """Nothing will be learnt from that decision; `source` reported a reward that does not count."""

    def record_exposure(self, number: int, is_shown: bool) -> None:
        """A decision was displayed, or its window ended and nobody said so."""

    def change_arm(self, name: str, change: str, values: Any = None) -> None:
        """An arm was added (with these features of its own, if any), paused, resumed or retired."""
