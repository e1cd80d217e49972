"""Everything that happened in an experiment, out of the service: as its journal, or as one row per reward.

A row has the probability the arm was drawn with, so that values of other policies can be estimated.
`robandit audit` reads all three.
"""

import csv
import io
from collections.abc import Iterator
from typing import Any

import msgspec

from robandit.errors import InputError
from robandit.online.journal import write_line
from robandit.online.rules import FIRST
from robandit.online.terms import Terms, read_terms
from robandit.service.stores.base import ServiceStore

FORMATS = {"journal": "text/plain", "csv": "text/csv", "parquet": "application/vnd.apache.parquet"}
ROLES = {"journal": "admin"}  # it has the seed, from which every decision can be foretold; the others are for readers
CONTEXT = "context."  # before the name of a feature, in its column
COLUMNS = ("decision", "time", "arm", "probability", "holdout", "unit", "reward", "reward_time", "source")
VERIFIED = "verified"  # the column after those of the contexts
PIECE = 4_000  # rows written at once: what is in memory of an export of any length


def export_experiment(store: ServiceStore, experiment: int, format: str, unrewarded: bool = False) -> Iterator[bytes]:
    """Yields an experiment in pieces; decisions without a reward only if `unrewarded`."""
    if format == "journal":
        return journal(store, experiment)
    terms = read_terms(msgspec.json.decode(next(iter(store.lines(experiment)))[1]))
    rows = table(store, experiment, terms, unrewarded)
    return as_csv(rows, terms) if format == "csv" else as_parquet(rows, terms)


def columns_of(terms: Terms) -> list[str]:
    """Returns the columns of a table: one per feature of the contexts after the usual ones."""
    return [*COLUMNS, *(CONTEXT + name for name in names_of(terms)), VERIFIED]


def names_of(terms: Terms) -> tuple[str, ...]:
    """Returns the names of the features of contexts."""
    return () if terms.features is None else terms.features.order


def journal(store: ServiceStore, experiment: int) -> Iterator[bytes]:
    """Yields the lines as a learner's journal has them, each with the checksum up to it."""
    checksum, piece = 0, []
    for _, body in store.lines(experiment):
        text, checksum = write_line(msgspec.json.decode(body), checksum)
        piece.append(text)
        if len(piece) == PIECE:
            yield b"".join(piece)
            piece = []
    yield b"".join(piece)


def table(store: ServiceStore, experiment: int, terms: Terms, unrewarded: bool) -> Iterator[list[Any]]:
    """Yields one row per reward, in the order they came; then, if `unrewarded`, one per decision without any."""
    lines, rules, names = store.lines(experiment, 1), terms.rules, names_of(terms)
    may_have_more = terms.verified is not None or (rules is not None and rules.aggregate != FIRST)
    waiting: dict[int, list[Any]] = {}  # decisions without a reward
    rewarded: dict[int, list[Any]] = {}  # those with one, while more may come
    checked = set[int]()  # decisions whose reward the policy wanted to be verified
    for _, body in lines:
        entry = msgspec.json.decode(body)
        number = entry.get("id")
        if entry["entry"] == "decide":
            row = [number, entry["time"], entry["arm"], entry["chance"], entry.get("holdout", False)]
            waiting[number] = [*row, entry.get("unit"), [entry["context"][name] for name in names]]
            if entry.get("check"):
                checked.add(number)
        elif entry["entry"] == "reward":
            row = waiting.pop(number) if number in waiting else rewarded[number]
            is_verified = entry.get("verified", False)
            if may_have_more or (number in checked and not is_verified):
                rewarded[number] = row
            yield [*row[:-1], entry["value"], entry["time"], entry["source"], *row[-1], is_verified]
    for row in waiting.values() if unrewarded else ():
        yield [*row[:-1], None, None, None, *row[-1], False]


def pieces(rows: Iterator[list[Any]]) -> Iterator[list[list[Any]]]:
    """Yields rows, many at a time."""
    piece = []
    for row in rows:
        piece.append(row)
        if len(piece) == PIECE:
            yield piece
            piece = []
    yield piece


def as_csv(rows: Iterator[list[Any]], terms: Terms) -> Iterator[bytes]:
    """Yields text with a header."""
    head: list[Any] = [columns_of(terms)]
    for piece in pieces(rows):
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(head + [[plain(value) for value in row] for row in piece])
        head = []
        yield out.getvalue().encode()


def plain(value: Any) -> Any:
    """Returns a value as CSV; text that a spreadsheet would run as a formula is quoted."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return "'" + value
    return value


def as_parquet(rows: Iterator[list[Any]], terms: Terms) -> Iterator[bytes]:
    """Yields a Parquet file, one row group per piece."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    text, number = pa.string(), pa.float64()
    kinds = [pa.int64(), number, text, number, pa.bool_(), text, number, number, text]
    numeric = [] if terms.features is None else [name for name, _, _ in terms.features.ranges]
    kinds += [*(number if name in numeric else text for name in names_of(terms)), pa.bool_()]
    schema = pa.schema(list(zip(columns_of(terms), kinds, strict=True)))
    out = io.BytesIO()
    with pq.ParquetWriter(out, schema) as writer:
        for piece in pieces(rows):
            columns = list(zip(*piece, strict=True)) or [()] * len(kinds)
            writer.write_table(
                pa.table([pa.array(one, kind) for one, kind in zip(columns, kinds, strict=True)], schema=schema)
            )
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()


def check_format(format: str) -> str:
    """Returns a format's media type. Raises InputError."""
    if format not in FORMATS:
        raise InputError(f"format must be one of {', '.join(FORMATS)}, not {format!r}")
    return FORMATS[format]
