"""A log of any system as one kind of value: arms and sources by name, rewards in [0, 1]."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from robandit.errors import InputError
from robandit.game import Floats, Policy
from robandit.lab.log import Log
from robandit.online.terms import Terms

if TYPE_CHECKING:
    from robandit.forensics.exposure import Exposures

COLUMNS = ("arms", "probabilities", "notes", "rewards", "rewarded", "numbers", "places", "verified", "withdrawn")
Codes = NDArray[np.int64]
Changes = tuple[tuple[int, str, str], ...]  # before this row, an arm was added, paused, ...; its name


@dataclass(frozen=True)
class ColumnNames:
    """What the columns of a file are called; a column that is not there may only be one that is not needed."""

    arm: str = "arm"
    reward: str = "reward"
    probability: str = "probability"
    source: str = "source"
    time: str = "time"
    delay: str = "delay"
    range: tuple[float, float] = (0.0, 1.0)  # of the rewards, mapped to 0 and 1

    def __post_init__(self) -> None:
        low, high = self.range
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise InputError(
                f"the range of the rewards must be two numbers, the lower one first, not {low:g}, {high:g}"
            )


@dataclass(frozen=True)
class CheckedLog(Log):
    """A log whose columns were coerced and checked already, so that reading them again costs nothing."""

    has_notes: bool = True  # False: the notes are zeros that stand for none

    def columns(self) -> dict[str, Any]:
        """Return the columns as they are."""
        columns = {name: getattr(self, name) for name in COLUMNS}
        if self.places is None:
            columns["places"] = np.zeros(len(self.arms), np.int64)
        for name in ("verified", "withdrawn"):
            columns[name] = np.zeros(len(self.arms), np.bool_) if columns[name] is None else columns[name]
        return columns


@dataclass(frozen=True)
class RewardLog:
    """Rewards in the order they were learnt, with names for everything that a policy numbers."""

    log: Log  # becomes a CheckedLog: its columns are checked here, once
    arms: tuple[str, ...]
    sources: tuple[str, ...] = ()
    codes: Codes = field(default_factory=lambda: np.zeros(0, np.int64))  # a row's source; len(sources): unknown
    times: Floats | None = None  # when a row was learnt, in seconds
    delays: Floats | None = None  # how long after its decision; seconds or decisions, but one of the two
    first_line: int = 1  # of the file, that holds row 0
    terms: Terms | None = None  # what decided and how it began, where the file says it
    changes: Changes = ()  # of the arms; `arms` names all there ever were
    partial: bool = False  # whether some decisions were made among some of the arms only
    settled: int | None = None  # where a window settles rewards: the first decision that waits still
    defaulted: NDArray[np.bool_] | None = None  # rows that nobody reported: the default was learnt
    asked: NDArray[np.bool_] | None = None  # rows whose decision named its source
    exposures: "Exposures | None" = (
        None  # which decisions were displayed and which were lost (exposure.py), where a journal says it
    )
    pairs: tuple[tuple[int, float, float], ...] = ()  # arm, unverified and verified reward of decisions with both

    def __post_init__(self) -> None:
        if not isinstance(self.log, CheckedLog):
            seen: dict[str, Any] = {"users": self.log.users, "own": self.log.own}
            log = CheckedLog(**self.log.columns(), **seen, has_notes=self.log.notes is not None)
            object.__setattr__(self, "log", log)
        if not self.sources and len(self.codes) == 0:
            object.__setattr__(self, "codes", np.zeros(self.rows, np.int64))

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of the log by name, each an array of its type."""
        return self.log.columns()

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(np.size(self.log.arms))

    def place(self, row: int) -> str:
        """Return where a row stands in its file."""
        return f"line {row + self.first_line}" if self.first_line > 1 else f"row {row + 1}"


def final_rewards(columns: dict[str, Any], codes: Codes) -> NDArray[np.bool_]:
    """Return which rows hold a reward that counts and that no verified one has replaced."""
    rewarded: NDArray[np.bool_] = columns["rewarded"] & (codes >= 0)
    gone = columns["withdrawn"]
    if not gone.any():
        return rewarded
    numbers = columns["numbers"]
    rewarded &= ~gone & (columns["verified"] | ~np.isin(numbers, numbers[gone]))
    return rewarded


def fit_log(log: RewardLog, policy: Policy[Any]) -> RewardLog:
    """Return the log as a policy can learn from it; raises InputError if it cannot.

    A policy that only counts never uses a probability, so a missing one is no harm; one that weighs must have it.
    """
    decided = "" if log.terms is None else log.terms.policy
    has_notes = not isinstance(log.log, CheckedLog) or log.log.has_notes
    if policy.reads_note and (not has_notes or decided.partition(":")[0] not in ("", policy.name)):
        raise InputError(f"{policy} learns from what it drew besides its arm, and this log does not hold it")
    columns = log.columns
    if columns["withdrawn"].any() and not policy.can_unlearn:  # it never sees what was replaced
        standing = final_rewards(columns, log.codes) | ~columns["rewarded"]
        rows = replace(log.log, withdrawn=np.zeros(log.rows, np.bool_))
        log = replace(log, log=rows, codes=np.where(standing, log.codes, -1))
    missing = np.isnan(log.log.probabilities)
    if not policy.explicit or not missing.any():
        return log
    if policy.late != "exact":
        row = log.place(int(np.argmax(missing)))
        raise InputError(
            f"{policy} weighs a reward by the probability its arm had, and {row} has none: name their column, "
            "or audit with a policy that only counts, such as ucb1 or thompson"
        )
    return replace(log, log=replace(log.log, probabilities=np.where(missing, 1.0, log.log.probabilities)))
