"""Rows that shall be taken as fake, named by source, by time or by row: `source=x`, `time=10..20`, `rows=5..9`."""

import numpy as np

from robandit.errors import InputError, unknown
from robandit.forensics.tables import Codes, Table
from robandit.lab.folds import NOBODY, Folding

FINER = 200  # marks looked at between two, until a row is found


def left_out(table: Table, wishes: list[str]) -> Codes:
    """The table's codes, with the rows that were named left out."""
    codes = table.codes.copy()
    for wish in wishes:
        kind, equals, value = wish.partition("=")
        if not equals or kind not in ("source", "time", "rows"):
            raise InputError(f"what to leave out must be source=NAME, time=FROM..TO or rows=FROM..TO, not {wish!r}")
        if kind == "source":
            if value not in table.sources:
                raise missing(table, value)
            codes[table.codes == table.sources.index(value)] = NOBODY
        elif kind == "time":
            if table.times is None:
                raise InputError(f"{wish!r} cannot be left out: the log has no times")
            low, high = ends(wish, value)
            codes[(table.times >= low) & (table.times <= high)] = NOBODY
        else:
            low, high = ends(wish, value)
            numbers = np.arange(1, table.rows + 1)
            codes[(numbers >= low) & (numbers <= high)] = NOBODY
    if wishes and np.array_equal(codes, table.codes):
        raise InputError(f"nothing is left out: no row fits {', '.join(wishes)}")
    return codes


def missing(table: Table, name: str) -> InputError:
    """The error for a source that is not in the log, without a list of thousands."""
    if not table.sources:
        return InputError(f"source {name!r} cannot be left out: the log has no sources")
    if len(table.sources) <= 20:
        return unknown("source", name, table.sources)
    return InputError(f"source {name!r} is not among the {len(table.sources):,} of this log")


def ends(wish: str, value: str) -> tuple[float, float]:
    """The ends of a span, both of them in it; one number is a span too."""
    first, dots, last = value.partition("..")
    try:
        low, high = float(first), float(last if dots else first)
    except ValueError as error:
        raise InputError(f"{wish!r} must have numbers, such as 10..20") from error
    if not low <= high:
        raise InputError(f"{wish!r} must have the lower end first")
    return low, high


def first_other_leader(folding: Folding, codes: Codes) -> int | None:
    """The first row after which another arm leads than did; None if none is found between any two looks.

    Looked for coarsely, then between the last look that agreed and the first that did not: exact for the change
    it finds, blind to one that was undone between two looks.
    """
    low, high, finer = 0, folding.rows, folding.looks(FINER)
    while True:
        marks = np.unique(np.linspace(low, high, finer + 1).round().astype(np.int64)[1:])
        ours, theirs = (folding.over_time(marks, kept).argmax(axis=1) for kept in (folding.codes, codes))
        differs = np.nonzero(ours != theirs)[0]
        if len(differs) == 0:
            return None
        first = int(differs[0])
        if high - low <= finer:
            return int(marks[first])
        low, high = (int(marks[first - 1]) if first else low), int(marks[first])
