"""A log that is learnt many times, without one source or several, on all cores; beliefs come back."""

import os
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robandit.dice import Role, decision_key, decision_words
from robandit.errors import InputError
from robandit.game import Floats, Policy, Setting
from robandit.lab import leave_out
from robandit.lab.log import Log, LogRows, check_columns, fresh_state
from robandit.lab.parts import PolicyParts
from robandit.lab.pool import run_jobs
from robandit.lab.preflight import ROUNDS, check_user_replay
from robandit.lab.sight import LogView
from robandit.layout import Fresh
from robandit.progress import Progress, ignore
from robandit.state import load_state

TRIALS = 1000  # choices drawn to see p of a policy that cannot tell it
REFERENCES = 100  # contexts for whom a belief is read, evenly spaced in the log
NOBODY = -1  # no source has this number: nothing is left out

Codes = NDArray[np.int64]


class SourcedRows(NamedTuple):
    """The columns of a log and the source of each row."""

    arms: Any
    probabilities: Any
    notes: Any
    rewards: Any
    rewarded: Any
    numbers: Any
    places: Any
    verified: Any
    withdrawn: Any
    sources: Any


class FreshState(NamedTuple):
    """What each replay begins with."""

    state: Fresh


class ReplayStreams(NamedTuple):
    """What the streams of decisions follow from, and those of trial choices."""

    key: Any
    trial_words: Any
    trials: int


class ReplaySpan(NamedTuple):
    """Where beliefs are written, from which row on, and what they are read from."""

    marks: Codes
    first: int
    kind: int


class ReplayControl(NamedTuple):
    """How a replay is stopped and watched from outside."""

    stop: Codes
    progress: Codes  # rows done


class ReplayRecord(NamedTuple):
    """What the loop writes; empty where it is not wanted."""

    beliefs: Floats  # (sources, marks, arms)
    taken: Floats  # the probability of each row's arm
    expected: Floats  # the reward expected before each row
    seen: Floats  # sum and number of the rewards of each arm so far
    control: ReplayControl


@dataclass(frozen=True)
class Shadow:
    """What a policy would have done row by row, had it learnt the same log."""

    beliefs: Floats  # (marks, arms)
    taken: Floats  # the probability it gave to the arm that was taken
    expected: Floats  # the reward it expected by the means seen so far


@dataclass(frozen=True)
class Folding:
    """A policy and a log; `codes` numbers the source of each row from 0, below 0 the row is left out."""

    policy: Policy[Any]
    log: Log
    codes: Codes
    setting: Setting
    seed: int = 1
    threads: int | None = None
    start: dict[str, Any] | None = None  # a saved state to begin with, in place of a fresh one
    engine: str = field(default="rounds", kw_only=True)  # compiled, or "plain"
    # where contexts came: those for whom a belief is read, as numbers; by default some of the log's
    references: Floats | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_columns(self.columns, self.policy, self.setting.arms)
        if self.codes.shape != (self.rows,):
            raise InputError(f"sources must have one entry per row ({self.rows}), not the shape {self.codes.shape}")

    @property
    def trials(self) -> int:
        """How many trial choices a belief is read from, where it must be."""
        return TRIALS

    def looks(self, count: int) -> int:
        """How many of so many looks over time can be afforded."""
        return count

    @property
    def rows(self) -> int:
        """How many rows the log has."""
        return len(self.columns["arms"])

    @cached_property
    def columns(self) -> dict[str, Any]:
        """The log's columns, each as an array of its type."""
        return self.log.columns()

    @cached_property
    def fresh(self) -> Any:
        """The state before the first row."""
        if self.start is not None:
            return load_state(self.policy, self.setting, self.start)
        return fresh_state(self.policy, self.setting, self.seed)

    @cached_property
    def kind(self) -> int:
        """What a belief is read from: where p is all on one arm it says the next choice only, so the best mean is."""
        if not self.policy.explicit:
            return leave_out.TRIALS
        if len(self.view().references) > 0:
            return leave_out.PRESENT
        state = self.fold(np.array([NOBODY]), np.array([self.rows]), leave_out.PRESENT, self.codes)[1]
        return leave_out.MEANS if state.probabilities.max() == 1.0 else leave_out.PRESENT

    def view(self) -> LogView:
        """What the policy sees of those who came; empty where it does not look."""
        view = self.log.view(self.policy, self.setting)
        if len(view.users) == 0:
            return view
        some = np.linspace(0, len(view.users) - 1, min(REFERENCES, len(view.users))).round().astype(np.int64)
        references = view.users[some] if self.references is None else self.references
        return view._replace(references=np.ascontiguousarray(references))

    def marks(self, count: int) -> Codes:
        """Rows after which p is looked at: so many, evenly spaced, the last one among them."""
        count = self.looks(count)
        return np.unique(np.linspace(0, self.rows, count + 1).round().astype(np.int64)[1:])

    def over_time(self, marks: Codes, codes: Codes | None = None) -> Floats:
        """p at each mark, shaped (marks, arms)."""
        beliefs: Floats = self.without(np.array([NOBODY]), codes, marks=marks)[0]
        return beliefs

    def without(
        self,
        left: Codes,
        codes: Codes | None = None,
        *,
        marks: Codes | None = None,
        progress: Progress = ignore,
    ) -> Floats:
        """p after the log without each of these sources in turn, shaped (sources, marks, arms)."""
        ends = np.array([self.rows]) if marks is None else marks
        sources, kind = self.codes if codes is None else codes, self.kind
        workers = max(1, min(self.threads or os.cpu_count() or 1, len(left)))
        pieces = np.array_split(left, min(len(left), 8 * workers))
        stop, counters = np.zeros(1, np.int64), [np.zeros(1, np.int64) for _ in pieces]
        jobs = [
            partial(self.fold, piece, ends, kind, sources, control=ReplayControl(stop, counter))
            for piece, counter in zip(pieces, counters, strict=True)
        ]
        total = max(1, self.rows * len(left))

        def watch() -> None:
            progress(sum(int(counter[0]) for counter in counters) / total)

        return np.concatenate([beliefs for beliefs, _ in run_jobs(jobs, workers, stop, watch)])

    def shadow(self, marks: Codes, codes: Codes | None = None) -> Shadow:
        """What the policy would have done at each row, looked at before it learns from it."""
        taken, expected = np.zeros((2, self.rows))
        sources = self.codes if codes is None else codes
        beliefs, _ = self.fold(np.array([NOBODY]), marks, self.kind, sources, watched=(taken, expected))
        return Shadow(beliefs[0], taken, expected)

    def state(self, codes: Codes | None = None) -> Any:
        """The state after the log."""
        sources = self.codes if codes is None else codes
        return self.fold(np.array([NOBODY]), np.array([self.rows]), leave_out.PRESENT, sources)[1]

    def fold(
        self,
        left: Codes,
        marks: Codes,
        kind: int,
        codes: Codes,
        *,
        control: ReplayControl | None = None,
        watched: tuple[Floats, Floats] | None = None,
        since: tuple[Any, int] | None = None,
    ) -> tuple[Floats, Any]:
        """One call of the loop, compiled or as plain Python (the same bits).

        Args:
            left: the sources to leave out, one after another.
            marks: rows after which the belief is written.
            kind: what a belief is read from.
            codes: the source of each row; below 0 the row is left out.
            control: to stop it and to see how far it is.
            watched: room for the probability of each row's arm and for the reward expected.
            since: a state and the row it belongs to, to begin with; the fresh state and row 0 by default.

        Returns:
            Beliefs, shaped (sources, marks, arms), and the state after the last source.
        """
        before, first = since or (self.fresh, 0)
        parts = PolicyParts(self.policy, deepcopy(before))
        arms = len(parts.state.probabilities)
        taken, expected = (np.zeros(0), np.zeros(0)) if watched is None else watched
        seen = np.zeros((2, arms if kind == leave_out.MEANS or watched is not None else 0))
        control = control or ReplayControl(np.zeros(1, np.int64), np.zeros(1, np.int64))
        record = ReplayRecord(np.zeros((len(left), len(marks), arms)), taken, expected, seen, control)
        view = self.view()
        words = decision_words(self.seed, np.zeros(1, np.uint64), Role.CHOOSING)[0]
        streams = ReplayStreams(np.uint64(decision_key(self.seed, Role.LEARNING)), words, self.trials)
        rows = SourcedRows(**self.columns, sources=codes)
        rest = (
            FreshState(Fresh(deepcopy(before))),
            rows,
            streams,
            left,
            ReplaySpan(marks, first, kind),
            record,
            view,
        )
        if self.engine == "plain":
            plain = SourcedRows(*(column.tolist() for column in rows))
            fresh, _, _, *others = rest
            leave_out.leave_out(parts, fresh, plain, streams._replace(key=int(streams.key)), *others)
            return record.beliefs, self.at_rest(parts.state)
        from robandit.lab.compile.kernel import kernel_for

        some = slice(first, first + ROUNDS)
        head = LogRows(*(getattr(rows, name)[some].tolist() for name in LogRows._fields))
        check_user_replay(parts, head, decision_words(self.seed, rows.numbers[some], Role.LEARNING), view)
        kernel_for(leave_out.leave_out, parts, rest)(parts, *rest)
        return record.beliefs, self.at_rest(parts.state)

    def at_rest(self, state: Any) -> Any:
        """A state that sees what its setting has, as between two decisions."""
        if self.policy.looks and self.setting.features is not None and self.log.users is not None:
            self.policy.look(state, self.setting.features)
        return state
