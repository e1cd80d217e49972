"""A journal as columns, for the lab's compiled replay and for audits."""

import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.game import Choice, Floats
from robandit.lab.log import Log
from robandit.online.journal import read_into
from robandit.online.standing import Entry
from robandit.online.terms import Terms


@dataclass(frozen=True, kw_only=True)
class JournalLog(Log):
    """A journal as columns: one row per decision (not rewarded) and one row per reward, as `replay_log` takes them."""

    terms: Terms
    names: list[str]  # of all arms there ever were, in the order of their indices
    sources: NDArray[np.int64]  # index into source_names; -1 where there is none
    source_names: list[str]
    times: Floats  # NaN where there is none
    fake: NDArray[np.bool_]  # only a simulation can say
    truth: Floats  # the honest reward in [0, 1], NaN where nobody can say
    changes: list[tuple[int, str, int]]  # before this row: an arm added, paused, ...; and its index
    partial: bool = False  # whether some decisions were made among some of the arms only


class ColumnSink:
    """The rows of what a docket hands on: machine numbers, so that ten million of them fit into memory."""

    kinds = {"arms": "q", "probabilities": "d", "rewards": "d", "notes": "q", "rewarded": "?", "numbers": "Q"}
    kinds |= {"sources": "q", "times": "d", "fake": "?", "truth": "d"}
    pack = struct.Struct("=" + "".join(kinds.values())).pack
    layout = np.dtype([(name, f"={kind}") for name, kind in kinds.items()])

    def __init__(self, terms: Terms) -> None:
        self.terms, self.decisions, self.partial = terms, 0, False
        self.arms = {name: index for index, name in enumerate(terms.arms)}
        self.sources: dict[str, int] = {}
        self.pending: dict[int, Choice] = {}
        self.rows, self.count = bytearray(), 0
        self.changes: list[tuple[int, str, int]] = []
        # A service's columns name neither the times of decisions nor sources of which nothing counts: audits would
        # otherwise weigh sources that were taken out.
        self.is_plain = terms.rules is None

    def index(self, arm: str) -> int:
        """Return an arm's index by its name."""
        return self.arms[arm]

    def record_decision(self, choice: Choice, learns: bool, entry: Entry) -> None:
        """Add a row for a decision, unless nothing is ever learnt from it."""
        number = self.decisions
        self.decisions += 1
        self.pending.pop(number - self.terms.patience, None)
        if learns:
            self.pending[number] = choice
            self.partial = self.partial or entry.get("eligible") is not None
            self.add_row(number, choice, None, -1, entry.get("time") if self.is_plain else None, entry)

    def learn_reward(self, number: int, reward: float, entry: Entry) -> None:
        """Add a row for a reward, where it is learnt."""
        self.add_row(number, self.pending.pop(number), reward, self.code(entry["source"]), entry.get("time"), entry)

    def drop_decision(self, number: int, source: str | None = None) -> None:
        """Add no row."""
        self.pending.pop(number, None)
        if self.is_plain:
            self.code(source)

    def change_arm(self, name: str, change: str) -> None:
        """Note a change of arms before the next row."""
        self.changes.append((self.count, change, self.arms.setdefault(name, len(self.arms))))

    def code(self, source: str | None) -> int:
        """Return the number of a source, a new one if it has none; -1 for none."""
        return -1 if source is None else self.sources.setdefault(source, len(self.sources))

    def add_row(
        self, number: int, choice: Choice, reward: float | None, source: int, time: float | None, entry: Entry
    ) -> None:
        """Add one row: a decision's, if the reward is None."""
        (arm, probability, note), truth = choice, entry.get("truth")
        moment = math.nan if time is None else time
        honest = math.nan if truth is None else self.terms.inside(truth)
        rewarded, value, fake = reward is not None, 0.0 if reward is None else reward, entry.get("fake", False)
        try:
            self.rows += self.pack(arm, probability, value, note, rewarded, number, source, moment, fake, honest)
        except struct.error as error:
            raise ValueError(f"{error}") from error
        self.count += 1

    def log(self) -> JournalLog:
        """Return the rows so far as columns."""
        table = np.frombuffer(self.rows, self.layout)
        columns: dict[str, Any] = {name: np.ascontiguousarray(table[name]) for name in self.kinds}
        return JournalLog(
            **columns,
            terms=self.terms,
            names=list(self.arms),
            source_names=list(self.sources),
            changes=self.changes,
            partial=self.partial,
        )


def read_columns(path: Path | str) -> JournalLog:
    """Return a journal as columns, but for the rewards that do not count.

    `replay_log(policy, log, arms=len(log.terms.arms), horizon=log.terms.horizon, corruption=log.terms.corruption,
    seed=log.terms.seed, state=log.terms.state)` folds it at full speed, where no arm came or went; `warm.fold_log`
    does so in any case.
    """
    return read_into(path, ColumnSink).log()
