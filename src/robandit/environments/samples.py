"""Rewards drawn from recorded samples, one list per arm."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robandit.csv_files import is_number_text, read_csv_rows, to_number
from robandit.environments.means import move_reward
from robandit.errors import InputError
from robandit.game import Environment, Floats
from robandit.parts import About, parameter


@dataclass
class SortedSamples:
    """All samples, sorted within each arm and laid end to end, where each arm's begin, and the arms' means."""

    values: Floats
    begin: NDArray[np.int64]
    means: Floats


@dataclass(frozen=True)
class Samples(Environment[SortedSamples]):
    """Pays a value drawn uniformly from the arm's own samples."""

    about = About(
        name="samples",
        summary="reward drawn from a list of recorded values per arm (CSV: one column per arm, a header row)",
    )
    samples: tuple[tuple[float, ...], ...] = ()
    file: str = parameter(
        "", "CSV file with one column per arm, values in [0, 1], a header row; columns may differ in length"
    )

    def __post_init__(self) -> None:
        has_samples = len(self.samples) > 0
        super().__post_init__()
        if bool(self.file) == has_samples:
            raise InputError("samples: give either samples (a list of values per arm) or file (a CSV), one of the two")
        columns = read_columns(Path(self.file)) if self.file else self.samples
        try:
            sorted_columns = tuple(tuple(sorted(float(value) for value in column)) for column in columns)
        except (TypeError, ValueError) as error:
            raise InputError("samples: must be a list of numbers for each arm") from error
        object.__setattr__(self, "samples", sorted_columns)
        for number, column in enumerate(self.samples, start=1):
            if not column:
                raise InputError(f"samples: arm {number} has no values")
            if not all(0.0 <= value <= 1.0 for value in column):
                seen = f"{column[0]:g} to {column[-1]:g}"
                raise InputError(f"samples: values must be numbers from 0 to 1; arm {number} has {seen}")

    @property
    def means(self) -> tuple[float, ...]:  # type: ignore[override]  # computed from the samples
        """The mean of each arm's samples."""
        return tuple(math.fsum(column) / len(column) for column in self.samples)

    def parameters(self) -> dict[str, object]:
        return {"file": self.file} if self.file else {"samples": self.samples}

    def start(self) -> SortedSamples:
        lengths = [len(column) for column in self.samples]
        begin = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return SortedSamples(np.concatenate([np.array(column) for column in self.samples]), begin, np.array(self.means))

    def reward(self, tables: SortedSamples, arm: int, mean: float, uniform: float) -> float:
        begin = tables.begin[arm]
        value = tables.values[begin + int(uniform * (tables.begin[arm + 1] - begin))]
        return move_reward(value, tables.means[arm], mean)


def read_columns(path: Path) -> list[list[float]]:
    """The columns of a CSV file with a header row, blank cells left out."""
    rows = read_csv_rows(path, ragged=True)
    _, header = next(rows)
    if all(is_number_text(cell) for cell in header):
        raise InputError(f"samples: {path.name} line 1 must name the arms, not hold values: {','.join(header)!r}")
    columns: list[list[float]] = [[] for _ in header]
    for line, row in rows:
        for column, name, cell in zip(columns, header, row, strict=False):
            if cell.strip():
                column.append(to_number(cell, name, path, line))
    if not any(columns):
        raise InputError(f"samples: file {str(path)!r} must have a header row and at least one row of values")
    return columns
