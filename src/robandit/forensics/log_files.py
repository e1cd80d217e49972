"""Files that hold a log: a learner's own journal, CSV and Parquet of other systems; errors name the line.

Every reader returns a `RewardLog`; a new kind of file is one more function.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from robandit.csv_files import is_number_text, read_csv_rows, to_number
from robandit.errors import InputError
from robandit.extras import require
from robandit.forensics.exposure import Exposures
from robandit.forensics.reward_log import COLUMNS, CheckedLog, Codes, ColumnNames, RewardLog
from robandit.game import Floats
from robandit.lab.log import Log
from robandit.online.columns import JournalLog, read_columns

JOURNAL = b'{"robandit":'  # how a journal begins


def read_log(path: str | Path, columns: ColumnNames | None = None) -> RewardLog:
    """Return the log in a file: a journal by its first words, CSV or Parquet by their endings.

    Args:
        path: the file.
        columns: what its columns are called, in a CSV or Parquet file.

    Raises:
        InputError: if the file cannot be read as a log; the message names the line.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"there is no log {str(path)!r}")
    with path.open("rb") as file:
        if file.read(len(JOURNAL)) == JOURNAL:
            return read_journal(path)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"a log must be a journal or end in {', '.join(READERS)}, not {path.name!r}")
    return reader(path, columns or ColumnNames())


def read_journal(path: Path) -> RewardLog:
    """Return a learner's journal: one row per decision and one per reward; what was retracted is left out already."""
    journal = read_columns(path)
    columns: dict[str, Any] = {name: getattr(journal, name) for name in COLUMNS}
    if len(columns["arms"]) == 0:
        raise InputError(f"{path.name} has no rows")
    names, codes, is_verified = journal.source_names, journal.sources, columns["verified"]
    verifiers = {*codes[is_verified].tolist()} - {*codes[~is_verified].tolist()}  # no sources under suspicion
    order = sorted({*range(len(names))} - verifiers, key=lambda place: natural(names[place]))
    rank = np.full(len(names) + 1, len(order), np.int64)
    rank[order] = np.arange(len(order))
    decided = np.cumsum(~columns["rewarded"])
    delays = np.where(columns["rewarded"], decided - 1.0 - columns["numbers"], np.nan)
    return RewardLog(
        CheckedLog(**columns, users=journal.users, own=journal.own),
        tuple(journal.names),
        tuple(names[place] for place in order),
        np.where(is_verified, len(order), rank[codes]),
        None if np.isnan(journal.times).all() else journal.times,
        delays,
        terms=journal.terms,
        changes=tuple((row, change, journal.names[arm]) for row, change, arm in journal.changes),
        partial=journal.partial,
        settled=journal.settled,
        defaulted=journal.defaulted if journal.defaulted.any() else None,
        asked=journal.asked,
        exposures=exposures_in(journal),
        pairs=tuple(journal.pairs),
    )


def exposures_in(journal: JournalLog) -> Exposures | None:
    """Return which decisions were displayed and which were lost, where the rules of the journal ask for it."""
    if journal.lost is None or journal.shown is None:
        return None
    numbers, arms, probabilities, rows = np.array(journal.lost, np.float64).reshape(-1, 4).T
    whole = [column.astype(np.int64) for column in (numbers, arms, rows)]
    return Exposures(whole[0], whole[1], probabilities, whole[2], np.array(journal.shown, np.int64))


def read_csv(path: Path, columns: ColumnNames) -> RewardLog:
    """Return the log in a CSV file with a header row."""
    pa, csv = require("pyarrow", "a CSV file"), require("pyarrow.csv")

    _, header = next(read_csv_rows(path))
    names = name_by_role(columns, header, path)
    text = pa.dictionary(pa.int32(), pa.string())
    by_role = {"arm": text, "source": text, "time": pa.string()}
    kinds = {name: by_role.get(role, pa.float64()) for role, name in names.items()}
    try:
        table = csv.read_csv(
            path,
            parse_options=csv.ParseOptions(ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(
                column_types=kinds, include_columns=list(names.values()), null_values=[""], strings_can_be_null=True
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowKeyError, UnicodeDecodeError) as error:
        raise explain(path, {name for name, kind in kinds.items() if kind == pa.float64()}, error) from error
    return check_table({role: table[name] for role, name in names.items()}, columns, path, 2)


def read_parquet(path: Path, columns: ColumnNames) -> RewardLog:
    """Return the log in a Parquet file."""
    pa, pq = require("pyarrow", "a Parquet file"), require("pyarrow.parquet")

    try:
        names = name_by_role(columns, pq.read_schema(path).names, path)
        table = pq.read_table(path, columns=list(names.values()))
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{path.name} cannot be read as Parquet: {first_sentence(error)}") from error
    return check_table({role: table[name] for role, name in names.items()}, columns, path, 1)


def name_by_role(columns: ColumnNames, header: list[str], path: Path) -> dict[str, str]:
    """Return the names of a file's columns by role; one that is needed, or was named by hand, must be there."""
    usual, names = ColumnNames(), {}
    for role in ("arm", "reward", "probability", "source", "time", "delay"):
        name = getattr(columns, role)
        if role == name == "probability" and name not in header and "chance" in header:
            name = "chance"  # as exports named it before
        if name in header:
            names[role] = name
        elif role in ("arm", "reward") or name != getattr(usual, role):
            raise InputError(f"{path.name} has no column {name!r} for the {role} (it has {', '.join(header)})")
    return names


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
    """Return the beginning of what a library says."""
    return str(error).partition("\n")[0][:200]


def check_table(table: dict[str, Any], columns: ColumnNames, path: Path, first_line: int) -> RewardLog:
    """Return the log of Arrow columns by role, every value checked."""
    rows = len(table["arm"])
    if rows == 0:
        raise InputError(f"{path.name} has no rows")

    def refuse(wrong: Any, rule: str, describe: Any) -> None:
        if wrong.any():
            row = int(np.argmax(wrong))
            place = f"line {row + first_line}" if first_line > 1 else f"row {row + 1}"
            raise InputError(f"{path.name}, {place}: {rule}, not {describe(row)}")

    arms, arm_names = encode(table["arm"], "arm", path)
    refuse(arms < 0, "every row must name its arm", lambda row: "nothing")
    rewards = numbers_in(table["reward"], "reward", path)
    low, high = columns.range
    rule = f"rewards must be numbers from {low:g} to {high:g}"
    refuse(~((rewards >= low) & (rewards <= high)), rule, lambda row: f"{rewards[row]:g}")
    if columns.range != (0.0, 1.0):
        rewards = np.clip((rewards - low) / (high - low), 0.0, 1.0)
    probabilities = np.full(rows, np.nan)
    if "probability" in table:
        probabilities = numbers_in(table["probability"], "probability", path)
        wrong = ~np.isnan(probabilities) & ~((probabilities > 0) & (probabilities <= 1))
        refuse(
            wrong, "probabilities must be above 0 and at most 1, or left empty", lambda row: f"{probabilities[row]:g}"
        )
    codes, names = np.zeros(rows, np.int64), tuple[str, ...]()
    if "source" in table:
        codes, names = encode(table["source"], "source", path)
        codes[codes < 0] = len(names)
    times = times_in(table["time"], path) if "time" in table else None
    delays = numbers_in(table["delay"], "delay", path) if "delay" in table else None
    log = Log(arms, probabilities, rewards)
    return RewardLog(log, arm_names, names, codes, times, delays, first_line)


def encode(column: Any, role: str, path: Path) -> tuple[Codes, tuple[str, ...]]:
    """Return a column of names as numbers from 0 in the order of the names, -1 where there is none; and the names."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type):
        try:
            column = pc.dictionary_encode(column.cast(pa.string()))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise InputError(f"{path.name}: the {role} must be a name or a number, not {column.type}") from error
    whole = column.unify_dictionaries().combine_chunks()
    whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    names = [str(name) for name in whole.dictionary.to_pylist()]
    order = sorted(range(len(names)), key=lambda place: natural(names[place]))
    rank = np.empty(len(names) + 1, np.int64)
    rank[order] = np.arange(len(names))
    rank[-1] = -1
    places = pc.fill_null(whole.indices, -1).to_numpy(zero_copy_only=False)
    return rank[places], tuple(names[place] for place in order)


def natural(name: str) -> tuple[Any, ...]:
    """Return a key that sorts names as people expect: 9 before 10, numbers before words."""
    return (0, float(name), name) if is_number_text(name) and np.isfinite(float(name)) else (1, 0.0, name)


def numbers_in(column: Any, role: str, path: Path) -> Floats:
    """Return a column of numbers, NaN where there is none."""
    import pyarrow as pa

    try:
        values: Floats = column.cast(pa.float64()).to_numpy().astype(np.float64, copy=True)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(f"{path.name}: the {role} must be a number, not {column.type}") from error
    return values


def times_in(column: Any, path: Path) -> Floats:
    """Return times in seconds: numbers as they are, dates such as 2026-01-31T12:00:00 since 1970."""
    import pyarrow as pa

    for kind in (pa.float64(), pa.timestamp("us", tz="UTC"), pa.timestamp("us")):
        try:
            times = column.cast(kind)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
        if pa.types.is_timestamp(kind):
            times = times.cast(pa.int64()).cast(pa.float64())
            return np.asarray(times.to_numpy(), dtype=np.float64) / 1e6
        return np.asarray(times.to_numpy(), dtype=np.float64)
    raise InputError(f"{path.name}: times must be numbers or dates such as 2026-01-31T12:00:00")


READERS: dict[str, Callable[[Path, ColumnNames], RewardLog]] = {".csv": read_csv, ".parquet": read_parquet}
