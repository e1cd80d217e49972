"""CSV files with a header row, read row by row; every error names the file and the line."""

import csv
from collections.abc import Iterator
from pathlib import Path

from robandit.errors import InputError


def read_csv_rows(path: Path, ragged: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Read a CSV file in UTF-8, header row first.

    Args:
        path: The file.
        ragged: Whether rows may be shorter than the header.

    Yields:
        The line number and the cells of each row.

    Raises:
        InputError: The file cannot be read, has no header, or a row does not fit its header.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file)
            header = next(reader, [])
            if not header:
                raise InputError(f"{path.name} is empty: its first line must name the columns")
            yield 1, header
            for row in reader:
                if len(row) > len(header) or (len(row) < len(header) and not ragged):
                    width = f"{'at most ' if ragged else ''}{len(header)}"
                    raise InputError(f"{place(path, reader.line_num)}: there must be {width} values, not {len(row)}")
                yield reader.line_num, row
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name} is not text in UTF-8") from error
    except (OSError, csv.Error) as error:
        raise InputError(f"file {str(path)!r} cannot be read ({error})") from error


def read_csv_numbers(path: Path) -> tuple[list[str], list[list[float]]]:
    """Return the names of the columns and the numbers below them; raises InputError where a cell is no number."""
    (_, first), *rows = read_csv_rows(path)
    header = [name.strip() for name in first]
    return header, [
        [to_number(cell, name, path, line) for name, cell in zip(header, row, strict=True)] for line, row in rows
    ]


def to_number(cell: str, column: str, path: Path, line: int) -> float:
    """Return a cell as a number, or raise an InputError that says where it stands."""
    if not is_number_text(cell):
        raise InputError(f"{place(path, line)}: {column} must be a number, not {cell!r}")
    return float(cell)


def is_number_text(text: str) -> bool:
    """Whether text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def place(path: Path, line: int) -> str:
    """Return how errors name a line of a file."""
    return f"{path.name}, line {line}"
