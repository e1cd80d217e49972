"""Rows that shall be taken as fake, named by source, by time or by row: `source=x`, `time=10..20`, `rows=5..9`."""

import numpy as np

from robandit.errors import InputError, unknown
from robandit.forensics.reward_log import Codes, RewardLog
from robandit.lab.folds import NOBODY, Folding

FINER = 200  # marks looked at between two, until a single row is left


def leave_rows_out(log: RewardLog, names: list[str]) -> Codes:
    """Return the log's codes with the named rows left out; raises InputError if a name means no row."""
    codes = log.codes.copy()
    for name in names:
        kind, equals, value = name.partition("=")
        if not equals or kind not in ("source", "time", "rows"):
            raise InputError(f"what to leave out must be source=NAME, time=FROM..TO or rows=FROM..TO, not {name!r}")
        if kind == "source":
            if value not in log.sources:
                raise missing_source(log, value)
            codes[log.codes == log.sources.index(value)] = NOBODY
        elif kind == "time":
            if log.times is None:
                raise InputError(f"{name!r} cannot be left out: the log has no times")
            low, high = parse_span(name, value)
            codes[(log.times >= low) & (log.times <= high)] = NOBODY
        else:
            low, high = parse_span(name, value)
            numbers = np.arange(1, log.rows + 1)
            codes[(numbers >= low) & (numbers <= high)] = NOBODY
    if names and np.array_equal(codes, log.codes):
        raise InputError(f"nothing is left out: no row fits {', '.join(names)}")
    return codes


def missing_source(log: RewardLog, name: str) -> InputError:
    """Return the error for a source that is not in the log, without a list of thousands."""
    if not log.sources:
        return InputError(f"source {name!r} cannot be left out: the log has no sources")
    if len(log.sources) <= 20:
        return unknown("source", name, log.sources)
    return InputError(f"source {name!r} is not among the {len(log.sources):,} of this log")


def parse_span(name: str, value: str) -> tuple[float, float]:
    """Return the ends of a span, both of them in it; one number is a span too."""
    first, dots, last = value.partition("..")
    try:
        low, high = float(first), float(last if dots else first)
    except ValueError as error:
        raise InputError(f"{name!r} must have numbers, such as 10..20") from error
    if not low <= high:
        raise InputError(f"{name!r} must have the lower end first")
    return low, high


def first_other_leader(folding: Folding, codes: Codes) -> int | None:
    """Return the first row after which another arm leads than did; None if no look shows one.

    Searched coarsely, then between the last look that agreed and the first that did not: exact for the change
    it finds, blind to one that was undone between two looks.
    """
    low, high, finer = 0, folding.rows, folding.looks(FINER)
    while True:
        marks = np.unique(np.linspace(low, high, finer + 1).round().astype(np.int64)[1:])
        ours, theirs = (folding.over_time(marks, some).argmax(axis=1) for some in (folding.codes, codes))
        differs = np.nonzero(ours != theirs)[0]
        if len(differs) == 0:
            return None
        first = int(differs[0])
        if high - low <= finer:
            return int(marks[first])
        low, high = (int(marks[first - 1]) if first else low), int(marks[first])
