"""CSV files of numbers under a header row, read with a complaint that names the line."""

import csv
from pathlib import Path

from robandit.errors import InputError


def header_and_rows(who: str, path: Path) -> tuple[list[str], list[list[float]]]:
    """The names of the columns, and the numbers below them."""
    try:
        lines = list(csv.reader(path.read_text().splitlines()))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{who}: file {str(path)!r} cannot be read ({error})") from error
    header = [name.strip() for name in lines[0]] if lines else []
    rows = []
    for line, cells in enumerate(lines[1:], start=2):
        if len(cells) != len(header):
            raise InputError(f"{who}: {path.name} line {line} has {len(cells)} cells, the header {len(header)}")
        try:
            rows.append([float(cell) for cell in cells])
        except ValueError as error:
            raise InputError(f"{who}: {path.name} line {line}: {error}") from error
    return header, rows
