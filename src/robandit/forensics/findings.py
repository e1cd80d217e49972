"""What an audit found: arrays for those who want to draw, plain values for those who want to read."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from robandit.forensics.evidence import Evidence, as_number, flagged
from robandit.forensics.influence import Influence, leader_of
from robandit.forensics.tables import Codes, Table
from robandit.game import Floats, Policy
from robandit.state import save_state

LEVEL = 0.05
ABOUT_REWARDS = ("rate", "selection")  # statistics that make up a source's e-value


@dataclass(frozen=True)
class Belief:
    """p over the arms after the log."""

    leader: str
    probabilities: dict[str, float]

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"leader": self.leader, "probabilities": self.probabilities}


@dataclass(frozen=True)
class WhatIf:
    """The log without some rows."""

    belief: Belief
    over_time: Floats
    rows: int  # left out
    first_other_leader: int | None  # the row after which another arm leads
    state: Any


@dataclass(frozen=True)
class Audit:
    """What was found; plain values in `as_json`, arrays for those who want to draw."""

    table: Table
    policy: Policy[Any]
    belief: Belief
    marks: Codes
    over_time: Floats  # p at each mark
    influence: Influence | None
    evidence: list[Evidence]
    witness: tuple[str, ...] | None
    witness_leader: str | None
    without: WhatIf | None
    price: dict[str, Any] | None
    off_policy: dict[str, Any] | None
    state: Any
    notes: list[str] = field(default_factory=list)

    def sources(self) -> list[dict[str, Any]]:
        """Sources by influence, the one that moved p(leader) up most first."""
        if self.influence is None:
            return []
        arms, leader = self.table.arms, self.table.arms.index(self.belief.leader)
        moved = self.influence.moved(leader, self.belief.probabilities[self.belief.leader])
        logs = self.e_values()
        return [
            {
                "source": self.table.sources[source],
                "rows": int(rows),
                "influence": float(far),
                "leader_without": arms[leader_of(probabilities)],
                "e_value": as_number(float(logs[source])) if logs is not None else None,
            }
            for source, rows, far, probabilities in zip(
                self.influence.order, self.influence.rows, moved, self.influence.probabilities, strict=True
            )
        ]

    def e_values(self) -> Floats | None:
        """log e-values of the sources: the mean of those about rates and about selection."""
        told = [one.sources for one in self.evidence if one.name in ABOUT_REWARDS]
        if not told:
            return None
        logs: Floats = np.logaddexp.reduce(told, axis=0) - math.log(len(told))
        return logs

    def flagged(self) -> list[str]:
        """Sources that differ at the level of the audit, with false ones among them held at that share."""
        logs = self.e_values()
        return [] if logs is None else [self.table.sources[source] for source in flagged(logs, LEVEL)]

    def alarms(self) -> dict[str, int | None]:
        """By statistic the first row at which some source differs for sure; the level is shared among them."""
        return {one.name: one.alarm(LEVEL / len(self.evidence)) for one in self.evidence}

    def repaired(self) -> dict[str, Any]:
        """The state as it is, or as it would be without what was left out; a learner loads it."""
        return save_state(self.policy, self.state if self.without is None else self.without.state)

    def as_json(self) -> dict[str, Any]:
        """The plain values that a program reads."""
        witness = None
        if self.witness is not None:
            witness = {"sources": list(self.witness), "leader_without": self.witness_leader}
        return {
            "rows": self.table.rows,
            "arms": list(self.table.arms),
            "policy": str(self.policy),
            "belief": self.belief.as_json(),
            "sources": self.sources(),
            "witness": witness,
            "without": None if self.without is None else self.without.belief.as_json(),
            "price": self.price,
            "off_policy": self.off_policy,
            "notes": self.notes,
        }
