"""What an audit found: arrays for those who want to draw, plain values for those who want to read."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from robandit.forensics.alarms import LEVEL, Signal
from robandit.forensics.evidence import Evidence, as_number, flag_sources
from robandit.forensics.grouped import GroupedMeans
from robandit.forensics.influence import Influence, leader_of
from robandit.forensics.reward_log import Codes, RewardLog
from robandit.forensics.statistics import STATISTICS
from robandit.game import Floats, Policy
from robandit.state import save_state


@dataclass(frozen=True)
class Note:
    """A remark of an audit: a code for programs, a sentence for people, and whom it is about, if anybody."""

    code: str
    text: str
    subject: str = ""


@dataclass(frozen=True)
class ArmBelief:
    """p over the arms after the log."""

    leader: str
    probabilities: dict[str, float]

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {"leader": self.leader, "probabilities": self.probabilities}


@dataclass(frozen=True)
class LogWithout:
    """The log without some rows."""

    belief: ArmBelief
    over_time: Floats
    rows: int  # left out
    first_other_leader: int | None  # the row after which another arm leads
    state: Any


@dataclass(frozen=True)
class Audit:
    """The result of `audit`; plain values in `as_json`, arrays for those who want to draw."""

    log: RewardLog
    policy: Policy[Any]
    belief: ArmBelief
    marks: Codes
    over_time: Floats  # p at each mark
    influence: Influence | None
    evidence: list[Evidence]
    signals: list[Signal]
    witness: tuple[str, ...] | None
    witness_leader: str | None
    without: LogWithout | None
    price: dict[str, Any] | None
    off_policy: dict[str, Any] | None
    state: Any
    notes: list[Note] = field(default_factory=list)
    grouped: GroupedMeans | None = None  # what arms paid by the median of groups of sources; None: too few of them
    forged: dict[str, Any] | None = None  # from decisions with an unverified and a verified reward (forged.py)

    def sources(self) -> list[dict[str, Any]]:
        """Return sources by influence, the one that moved p(leader) up most first."""
        if self.influence is None:
            return []
        arms, leader = self.log.arms, self.log.arms.index(self.belief.leader)
        moved = self.influence.moved(leader, self.belief.probabilities[self.belief.leader])
        logs = self.e_values()
        return [
            {
                "source": self.log.sources[source],
                "rows": int(rows),
                "influence": float(far),
                "leader_without": arms[leader_of(probabilities)],
                "e_value": as_number(float(logs[source])) if logs is not None else None,
            }
            for source, rows, far, probabilities in zip(
                self.influence.order, self.influence.rows, moved, self.influence.probabilities, strict=True
            )
        ]

    def about_rewards(self) -> list[Evidence]:
        """Return the evidence that makes up a source's e-value."""
        return [one for one in self.evidence if STATISTICS[one.name].is_about_rewards]

    def e_values(self) -> Floats | None:
        """Return log e-values of the sources, the mean of those about rewards; None if there are none."""
        parts = [one.sources for one in self.about_rewards()]
        if not parts:
            return None
        logs: Floats = np.logaddexp.reduce(parts, axis=0) - math.log(len(parts))
        return logs

    def flagged(self) -> list[str]:
        """Return sources that differ at the level of the audit, with false ones among them held at that share."""
        logs = self.e_values()
        return [] if logs is None else [self.log.sources[source] for source in flag_sources(logs, LEVEL)]

    def alarms(self) -> dict[str, int | None]:
        """Return, of each statistic that can raise an alarm, the row at which it did; None where all is quiet."""
        rows = {signal.statistic: signal.row for signal in self.signals if signal.is_alarm}
        return {one.name: rows.get(one.name) for one in self.evidence if STATISTICS[one.name].is_alarm}

    def notices(self) -> dict[str, int]:
        """Return, of each statistic that found a difference which raises no alarm, the row at which it did."""
        return {signal.statistic: signal.row for signal in self.signals if not signal.is_alarm}

    def notes_on(self, code: str) -> list[str]:
        """Return the sentences of the notes with a code."""
        return [note.text for note in self.notes if note.code == code]

    def save_state(self) -> dict[str, Any]:
        """Return the state as it is, or as it would be without what was left out; a learner loads it."""
        return save_state(self.policy, self.state if self.without is None else self.without.state)

    def as_json(self) -> dict[str, Any]:
        """Return the plain values that a program reads."""
        witness = None
        if self.witness is not None:
            witness = {"sources": list(self.witness), "leader_without": self.witness_leader}
        return {
            "rows": self.log.rows,
            "arms": list(self.log.arms),
            "policy": str(self.policy),
            "belief": self.belief.as_json(),
            "sources": self.sources(),
            "signals": [signal.as_json() for signal in self.signals],
            "witness": witness,
            "without": None if self.without is None else self.without.belief.as_json(),
            "price": self.price,
            "off_policy": self.off_policy,
            "grouped": None if self.grouped is None else self.grouped.as_json(self.log.arms),
            "forged": self.forged,
            "notes": [note.text for note in self.notes],
        }
