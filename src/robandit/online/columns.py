"""A journal as columns, for the lab's compiled replay and for audits."""

import math
import struct
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.game import Choice, Floats
from robandit.lab.log import Log
from robandit.online.journal import read_into
from robandit.online.rules import Rules
from robandit.online.sight import Sight
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
    defaulted: NDArray[np.bool_]  # nobody reported, and the default was learnt
    asked: NDArray[np.bool_]  # the decision named its source
    settled: int | None = None  # where a window settles rewards: the first decision that waits still
    lost: list[tuple[int, int, float, int]] | None = None  # number, arm, probability, and the rows there were by then
    shown: list[int] | None = None  # decisions by arm that were displayed; None where the rules do not ask
    pairs: list[tuple[int, float, float]]  # of decisions with both: arm, unverified reward, verified one


class ColumnSink:
    """The rows of what a docket hands on: machine numbers, so that ten million of them fit into memory."""

    kinds = {"arms": "q", "probabilities": "d", "rewards": "d", "notes": "q", "rewarded": "?", "numbers": "Q"}
    kinds |= {"sources": "q", "times": "d", "fake": "?", "truth": "d", "defaulted": "?", "asked": "?", "places": "q"}
    kinds |= {"verified": "?", "withdrawn": "?"}
    pack = struct.Struct("=" + "".join(kinds.values())).pack
    layout = np.dtype([(name, f"={kind}") for name, kind in kinds.items()])

    def __init__(self, terms: Terms) -> None:
        self.terms, self.decisions, self.partial = terms, 0, False
        self.arms = {name: index for index, name in enumerate(terms.arms)}
        self.sources: dict[str, int] = {}
        self.pending: dict[int, Choice] = {}
        has_features = terms.features is not None or terms.arm_features is not None
        self.sight = Sight(terms.features, terms.arm_features, terms.rows_of_arms())
        self.users: array[float] | None = array("d") if has_features else None
        self.seen: dict[int, int] = {}  # of pending decisions: the place of their user
        self.rows, self.count = bytearray(), 0
        # unverified rewards of decisions that wait for a verified one; None where it does not count
        self.claims: dict[int, tuple[float | None, Entry]] = {}
        self.pairs: list[tuple[int, float, float]] = []
        self.changes: list[tuple[int, str, int]] = []
        rules = terms.rules or Rules()
        self.has_window, self.has_default = rules.window is not None, rules.default is not None
        self.askers: dict[int, str | None] = {}  # who asked for a decision, where the default may be learnt of it
        self.drawn: dict[int, Choice] | None = {} if rules.activation and self.has_window else None
        self.lost: list[tuple[int, int, float, int]] = []
        self.shown = [0] * len(terms.arms)
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
        if self.drawn is not None:
            self.drawn[number] = choice
        if learns:
            self.pending[number] = choice
            if self.users is not None:
                self.seen[number] = len(self.users) // len(self.sight.unknown)
                self.users.extend(self.sight.read(entry.get("context")))
            if self.has_default:
                self.askers[number] = entry.get("source")
            self.partial = self.partial or entry.get("eligible") is not None
            self.add_row(number, choice, None, -1, entry.get("time") if self.is_plain else None, entry)

    def learn_reward(self, number: int, reward: float, entry: Entry) -> None:
        """Add a row for a reward, where it is learnt.

        Where the default may be learnt, its source is who asked for the decision: that is known of the decisions that
        nobody reported on too, so that rates have their denominators.
        """
        choice = self.pending.pop(number)
        claim, claimed = self.claims.pop(number, (None, entry))
        if claim is not None:
            self.pairs.append((choice.arm, claim, reward))
            if self.terms.takes_back:
                self.add_reward(number, choice, claim, claimed, is_withdrawn=True)
        self.add_reward(number, choice, reward, entry)
        self.askers.pop(number, None)
        self.seen.pop(number, None)

    def record_claim(self, number: int, reward: float | None, entry: Entry) -> None:
        """Keep an unverified reward for its comparison with a verified one; a row if it is learnt for now."""
        self.claims[number] = (reward, entry)
        if self.terms.takes_back and reward is not None:
            self.add_reward(number, self.pending[number], reward, entry)

    def add_reward(
        self, number: int, choice: Choice, reward: float, entry: Entry, *, is_withdrawn: bool = False
    ) -> None:
        """Add a row for a reward that is learnt or taken back, with its source."""
        asker = self.askers.get(number)
        source = self.code(entry["source"] if asker is None else asker)
        time = entry.get("time")
        self.add_row(number, choice, reward, source, time, entry, asker is not None, is_withdrawn=is_withdrawn)

    def record_exposure(self, number: int, is_shown: bool) -> None:
        """Count a displayed decision, or list one that nobody displayed within its window."""
        choice = None if self.drawn is None else self.drawn.pop(number, None)
        if choice is None:
            return
        if is_shown:
            self.shown[choice.arm] += 1
        else:
            self.lost.append((number, choice.arm, choice.probability, self.count))

    def drop_decision(self, number: int, source: str | None = None) -> None:
        """Add no row."""
        self.pending.pop(number, None)
        self.askers.pop(number, None)
        self.seen.pop(number, None)
        self.claims.pop(number, None)
        if self.drawn is not None:
            self.drawn.pop(number, None)
        if self.is_plain:
            self.code(source)

    def change_arm(self, name: str, change: str, values: Any = None) -> None:
        """Note a change of arms before the next row."""
        if change == "added" and self.users is not None:
            self.sight = self.sight.with_arm(values)
        self.changes.append((self.count, change, self.arms.setdefault(name, len(self.arms))))
        self.shown += [0] * (len(self.arms) - len(self.shown))

    def code(self, source: str | None) -> int:
        """Return the number of a source, a new one if it has none; -1 for none."""
        return -1 if source is None else self.sources.setdefault(source, len(self.sources))

    def add_row(
        self,
        number: int,
        choice: Choice,
        reward: float | None,
        source: int,
        time: float | None,
        entry: Entry,
        asked: bool = False,
        *,
        is_withdrawn: bool = False,
    ) -> None:
        """Add one row: a decision's, if the reward is None."""
        (arm, probability, note), truth = choice, entry.get("truth")
        moment = math.nan if time is None else time
        honest = math.nan if truth is None else self.terms.inside(truth)
        rewarded, value, fake = reward is not None, 0.0 if reward is None else reward, entry.get("fake", False)
        marks = fake, honest, entry.get("default", False), asked
        try:
            flags = self.seen.get(number, 0), entry.get("verified", False), is_withdrawn
            self.rows += self.pack(arm, probability, value, note, rewarded, number, source, moment, *marks, *flags)
        except struct.error as error:
            raise ValueError(f"{error}") from error
        self.count += 1

    def log(self) -> JournalLog:
        """Return the rows so far as columns."""
        table = np.frombuffer(self.rows, self.layout)
        columns: dict[str, Any] = {name: np.ascontiguousarray(table[name]) for name in self.kinds}
        return JournalLog(
            **columns,
            users=None if self.users is None else np.array(self.users).reshape(-1, len(self.sight.unknown)),
            own=np.array(self.sight.own) if self.sight.own else None,
            terms=self.terms,
            names=list(self.arms),
            source_names=list(self.sources),
            changes=self.changes,
            partial=self.partial,
            settled=min(self.pending, default=self.decisions) if self.has_window else None,
            lost=None if self.drawn is None else self.lost,
            shown=None if self.drawn is None else self.shown,
            pairs=self.pairs,
        )


def read_columns(path: Path | str) -> JournalLog:
    """Return a journal as columns, but for the rewards that do not count.

    `replay_log(policy, log, arms=len(log.terms.arms), horizon=log.terms.horizon, corruption=log.terms.corruption,
    seed=log.terms.seed, state=log.terms.state)` folds it at full speed, where no arm came or went; `warm.fold_log`
    does so in any case.
    """
    return read_into(path, ColumnSink).log()
