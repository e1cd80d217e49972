"""Files that hold a log: a learner's own journal, CSV and Parquet of other systems; mistakes are told by line.

Every reader answers a `Table`; a new kind of file is one more function.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from robandit.csv_files import is_number_text, read_csv_rows, to_number
from robandit.errors import InputError
from robandit.forensics.tables import Codes, Columns, Table
from robandit.game import Floats
from robandit.lab.log import Log
from robandit.online.columns import read_columns

JOURNAL = b'{"robandit":'  # how a journal begins


def read_table(path: str | Path, columns: Columns | None = None) -> Table:
    """The table in a file: a journal by its first words, CSV or Parquet by their endings."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"there is no log {str(path)!r}")
    with path.open("rb") as file:
        if file.read(len(JOURNAL)) == JOURNAL:
            return read_journal(path)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"a log must be a journal or end in {', '.join(READERS)}, not {path.name!r}")
    return reader(path, columns or Columns())


def read_journal(path: Path) -> Table:
    """The journal of a learner: a row a decision and a row a reward; what was retracted is left out already."""
    told = read_columns(path)
    columns = told.columns()
    if len(columns["arms"]) == 0:
        raise InputError(f"{path.name} has no rows")
    order = sorted(range(len(told.source_names)), key=lambda place: natural(told.source_names[place]))
    rank = np.full(len(order) + 1, len(order), np.int64)
    rank[order] = np.arange(len(order))
    decided = np.cumsum(~columns["rewarded"])
    delays = np.where(columns["rewarded"], decided - 1.0 - columns["numbers"], np.nan)
    return Table(
        Log(**columns),
        tuple(told.names),
        tuple(told.source_names[place] for place in order),
        rank[told.sources],
        None if np.isnan(told.times).all() else told.times,
        delays,
        terms=told.terms,
        changes=tuple((row, change, told.names[arm]) for row, change, arm in told.changes),
        partial=told.partial,
    )


def read_csv(path: Path, columns: Columns) -> Table:
    """A CSV file with a header row."""
    import pyarrow as pa
    from pyarrow import csv

    _, header = next(read_csv_rows(path))
    found = present(columns, header, path)
    kinds = {name: pa.float64() for role, name in found.items() if role not in ("arm", "source", "time")}
    kinds |= {name: pa.dictionary(pa.int32(), pa.string()) for role, name in found.items() if role in ("arm", "source")}
    if "time" in found:
        kinds[found["time"]] = pa.string()
    try:
        told = csv.read_csv(
            path,
            parse_options=csv.ParseOptions(ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(
                column_types=kinds, include_columns=list(found.values()), null_values=[""], strings_can_be_null=True
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowKeyError, UnicodeDecodeError) as error:
        raise explain(path, {name for name, kind in kinds.items() if kind == pa.float64()}, error) from error
    return table_of({role: told[name] for role, name in found.items()}, columns, path, 2)


def read_parquet(path: Path, columns: Columns) -> Table:
    """A Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = present(columns, pq.read_schema(path).names, path)
        told = pq.read_table(path, columns=list(found.values()))
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{path.name} cannot be read as Parquet: {first_sentence(error)}") from error
    return table_of({role: told[name] for role, name in found.items()}, columns, path, 1)


def present(columns: Columns, header: list[str], path: Path) -> dict[str, str]:
    """The columns of a file by role; one that is needed, or was named by hand, must be there."""
    usual = Columns()
    found = {}
    for role in ("arm", "reward", "probability", "source", "time", "delay"):
        name = getattr(columns, role)
        if role == name == "probability" and name not in header and "chance" in header:
            name = "chance"  # as exports named it before
        if name in header:
            found[role] = name
        elif role in ("arm", "reward") or name != getattr(usual, role):
            raise InputError(f"{path.name} has no column {name!r} for the {role} (it has {', '.join(header)})")
    return found


def explain(path: Path, numbers: set[str], error: Exception) -> InputError:
    """The first line a CSV reader cannot take, found by reading it slowly, as an error; raises it where it can."""
    rows = read_csv_rows(path)
    _, header = next(rows)
    for line, cells in rows:
        for name, cell in zip(header, cells, strict=True):
            if name in numbers and cell.strip():
                to_number(cell, name, path, line)
    return InputError(f"{path.name} cannot be read as CSV: {first_sentence(error)}")


def first_sentence(error: Exception) -> str:
    """What a library says, shortly."""
    return str(error).partition("\n")[0][:200]


def table_of(told: dict[str, Any], columns: Columns, path: Path, first_line: int) -> Table:
    """A table from Arrow columns by role, every value checked."""
    rows = len(told["arm"])
    if rows == 0:
        raise InputError(f"{path.name} has no rows")

    def refuse(wrong: Any, rule: str, given: Any) -> None:
        if wrong.any():
            row = int(np.argmax(wrong))
            place = f"line {row + first_line}" if first_line > 1 else f"row {row + 1}"
            raise InputError(f"{path.name}, {place}: {rule}, not {given(row)}")

    arms, arm_names = coded(told["arm"], "arm", path)
    refuse(arms < 0, "every row must name its arm", lambda row: "nothing")
    rewards = numbers_in(told["reward"], "reward", path)
    low, high = columns.range
    rule = f"rewards must be numbers from {low:g} to {high:g}"
    refuse(~((rewards >= low) & (rewards <= high)), rule, lambda row: f"{rewards[row]:g}")
    if columns.range != (0.0, 1.0):
        rewards = np.clip((rewards - low) / (high - low), 0.0, 1.0)
    probabilities = np.full(rows, np.nan)
    if "probability" in told:
        probabilities = numbers_in(told["probability"], "probability", path)
        wrong = ~np.isnan(probabilities) & ~((probabilities > 0) & (probabilities <= 1))
        refuse(
            wrong, "probabilities must be above 0 and at most 1, or left empty", lambda row: f"{probabilities[row]:g}"
        )
    codes, names = np.zeros(rows, np.int64), tuple[str, ...]()
    if "source" in told:
        codes, names = coded(told["source"], "source", path)
        codes[codes < 0] = len(names)
    times = times_in(told["time"], path) if "time" in told else None
    delays = numbers_in(told["delay"], "delay", path) if "delay" in told else None
    log = Log(arms, probabilities, rewards)
    return Table(log, arm_names, names, codes, times, delays, first_line)


def coded(column: Any, role: str, path: Path) -> tuple[Codes, tuple[str, ...]]:
    """A column of names as numbers from 0 in the order of the names, -1 where there is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type):
        try:
            column = pc.dictionary_encode(column.cast(pa.string()))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise InputError(f"{path.name}: the {role} must be a name or a number, not {column.type}") from error
    whole = column.unify_dictionaries().combine_chunks()
    whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    given = [str(name) for name in whole.dictionary.to_pylist()]
    order = sorted(range(len(given)), key=lambda place: natural(given[place]))
    rank = np.empty(len(given) + 1, np.int64)
    rank[order] = np.arange(len(given))
    rank[-1] = -1
    places = pc.fill_null(whole.indices, -1).to_numpy(zero_copy_only=False)
    return rank[places], tuple(given[place] for place in order)


def natural(name: str) -> tuple[Any, ...]:
    """Names in the order people expect: 9 before 10, numbers before words."""
    return (0, float(name), name) if is_number_text(name) and np.isfinite(float(name)) else (1, 0.0, name)


def numbers_in(column: Any, role: str, path: Path) -> Floats:
    """A column of numbers, NaN where there is none."""
    import pyarrow as pa

    try:
        found: Floats = column.cast(pa.float64()).to_numpy().astype(np.float64, copy=True)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(f"{path.name}: the {role} must be a number, not {column.type}") from error
    return found


def times_in(column: Any, path: Path) -> Floats:
    """Times in seconds: numbers as they are, dates such as 2026-01-31T12:00:00 since 1970."""
    import pyarrow as pa

    for kind in (pa.float64(), pa.timestamp("us", tz="UTC"), pa.timestamp("us")):
        try:
            told = column.cast(kind)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
        if pa.types.is_timestamp(kind):
            told = told.cast(pa.int64()).cast(pa.float64())
            return np.asarray(told.to_numpy(), dtype=np.float64) / 1e6
        return np.asarray(told.to_numpy(), dtype=np.float64)
    raise InputError(f"{path.name}: times must be numbers or dates such as 2026-01-31T12:00:00")


READERS: dict[str, Callable[[Path, Columns], Table]] = {".csv": read_csv, ".parquet": read_parquet}
