"""A log made ready to be folded many times: without one source or several, on all cores; beliefs come back."""

import os
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.dice import Random, decision_key, decision_words
from robandit.errors import InputError
from robandit.game import Floats, Policy, Setting
from robandit.lab import leave_out
from robandit.lab.log import BEGINNING, CHOOSING, LEARNING, Log, check_columns
from robandit.lab.preflight import ROUNDS, check_user_replay
from robandit.layout import Fresh
from robandit.state import load_state

TRIALS = 1000  # choices thrown to see p of a policy that cannot tell it
SPLITMIX = (4, 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
NOBODY = -1  # no source has this number: nothing is left out

Codes = NDArray[np.int64]
Progress = Callable[[float], None]  # told how many rows were folded since it was told last


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

    def __post_init__(self) -> None:
        check_columns(self.columns, self.policy, self.setting.arms)
        if self.codes.shape != (self.rows,):
            raise InputError(f"sources must have one entry a row ({self.rows}), not the shape {self.codes.shape}")

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
        state = self.policy.start(self.setting)
        words = decision_words(self.seed, np.zeros(1, np.uint64), BEGINNING)
        self.policy.begin(state, Random(*map(int, words[0])))
        return state

    @cached_property
    def kind(self) -> int:
        """What a belief is read from: where p is all on one arm it tells the next choice only, so the best mean is."""
        if not self.policy.explicit:
            return leave_out.TRIALS
        state = self.fold(np.array([NOBODY]), np.array([self.rows]), leave_out.PRESENT, self.codes)[1]
        return leave_out.MEANS if state.probabilities.max() == 1.0 else leave_out.PRESENT

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
        progress: Progress | None = None,
    ) -> Floats:
        """p after the log without each of these sources in turn, shaped (sources, marks, arms)."""
        ends = np.array([self.rows]) if marks is None else marks
        kept, kind = self.codes if codes is None else codes, self.kind
        workers = max(1, min(self.threads or os.cpu_count() or 1, len(left)))
        pieces = np.array_split(left, min(len(left), 8 * workers))
        stop, counters = np.zeros(1, np.int64), [np.zeros(1, np.int64) for _ in pieces]
        with ThreadPoolExecutor(workers) as pool:
            futures = [
                pool.submit(self.fold, piece, ends, kind, kept, (stop, counter))
                for piece, counter in zip(pieces, counters, strict=True)
            ]
            try:
                waiting, told = set(futures), 0
                while waiting:
                    done, waiting = wait(waiting, timeout=0.2, return_when=FIRST_EXCEPTION)
                    for future in done:
                        future.result()  # raises what a worker met, at once
                    folded = sum(int(counter[0]) for counter in counters)
                    if progress:
                        progress(folded - told)
                    told = folded
            except BaseException:
                stop[0] = 1
                pool.shutdown(wait=True, cancel_futures=True)
                raise
        return np.concatenate([future.result()[0] for future in futures])

    def shadow(self, marks: Codes, codes: Codes | None = None) -> Shadow:
        """What the policy would have done at each row, looked at before it learns from it."""
        taken, expected = np.zeros((2, self.rows))
        kept = self.codes if codes is None else codes
        beliefs, _ = self.fold(np.array([NOBODY]), marks, self.kind, kept, watched=(taken, expected))
        return Shadow(beliefs[0], taken, expected)

    def state(self, codes: Codes | None = None) -> Any:
        """The state after the log."""
        kept = self.codes if codes is None else codes
        return self.fold(np.array([NOBODY]), np.array([self.rows]), leave_out.PRESENT, kept)[1]

    def fold(
        self,
        left: Codes,
        marks: Codes,
        kind: int,
        codes: Codes,
        control: tuple[Codes, Codes] | None = None,
        *,
        watched: tuple[Floats, Floats] | None = None,
        engine: str = "rounds",
        start: Any = None,
        first: int = 0,
    ) -> tuple[Floats, Any]:
        """One call of the loop, compiled or as plain Python (the same bits): beliefs, and the last fold's state.

        It begins at the row `first`, where the state is `start`; with all rows and a fresh one if neither is given.
        """
        state = deepcopy(self.fresh if start is None else start)
        arms = len(state.probabilities)
        rows = tuple(
            self.columns[name] for name in ("arms", "probabilities", "notes", "rewards", "rewarded", "numbers")
        )
        dice = np.array([decision_key(self.seed, LEARNING), *SPLITMIX], np.uint64)
        words = decision_words(self.seed, np.zeros(1, np.uint64), CHOOSING)[0]
        beliefs = np.zeros((len(left), len(marks), arms))
        taken, expected = (np.zeros(0), np.zeros(0)) if watched is None else watched
        rest = (
            (Fresh(deepcopy(state)),),
            (*rows, codes),
            dice,
            left,
            (marks, first, kind, (words, self.trials)),
            (beliefs, taken, expected, np.zeros((2, arms))),
            control or (np.zeros(1, np.int64), np.zeros(1, np.int64)),
        )
        if engine == "plain":
            given = (rest[0], tuple(column.tolist() for column in rest[1]), dice.tolist(), *rest[3:])
            leave_out.leave_out((self.policy, state), *given)
            return beliefs, state
        from robandit.lab.compile.kernel import kernel_for

        some = slice(first, first + ROUNDS)
        head = tuple(column[some].tolist() for column in rows[:5])
        check_user_replay(self.policy, state, head, decision_words(self.seed, rows[5][some], LEARNING))
        kernel_for(leave_out.leave_out, {"policy": self.policy, "state": state}, rest)((self.policy, state), *rest)
        return beliefs, state
