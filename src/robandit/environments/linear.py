"""Arms with features: a policy sees a vector of each arm, and means may be linear in it."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from robandit.csv_files import read_csv_numbers
from robandit.environments.means import ZeroOne, check_means
from robandit.errors import InputError
from robandit.game import Floats
from robandit.parts import About, parameter

DRAWS = 20_000  # games drawn in search of one with the gap wanted
NEAR = 0.01  # ... to within this


@dataclass(frozen=True)
class LinearRewards(ZeroOne):
    """Pays 1 with the arm's mean as probability, else 0.

    Without a file the game is drawn: an arm is a constant and a point of the unit sphere, over sqrt(2); means are
    linear, from 0.1 to 0.9, the best ahead by `gap`. With a file nothing makes the means linear.
    """

    about = About(
        name="linear",
        summary="Bernoulli arms with features: drawn, or a CSV with a column `mean` and one column per feature",
    )
    arms: int = parameter(30, "arms of a drawn game", least=2, most=100_000)
    dimension: int = parameter(5, "features of an arm, the constant among them", least=2, most=1000)
    instance: int = parameter(1, "which of the drawn games", least=0)
    gap: float = parameter(0.07, "how far the best arm of a drawn game is ahead, to within 0.01", least=0, most=0.8)
    file: str = parameter("", "CSV in place of a drawn game: a header row, a column named mean, the others features")
    rows: tuple[tuple[float, ...], ...] = ()  # mean and features, one row per arm: read, drawn, or set in Python

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.file and self.rows:
            raise InputError("linear: give a file or rows, not both")
        rows = read_rows(Path(self.file)) if self.file else self.rows or self.draw_game()
        try:
            table = np.array(rows, np.float64)
        except (TypeError, ValueError) as error:
            raise InputError("linear: rows must hold numbers, a mean and the same features for each arm") from error
        if table.ndim != 2 or table.shape[1] < 2 or not np.isfinite(table).all() or not table[:, 1:].any():
            raise InputError("linear: each arm must have a mean and at least one feature, all finite, not all 0")
        check_means(table[:, 0])
        object.__setattr__(self, "rows", tuple(tuple(row) for row in table.tolist()))

    @property
    def means(self) -> tuple[float, ...]:  # type: ignore[override]  # read or drawn
        """The first column."""
        return tuple(row[0] for row in self.rows)

    @property
    def features(self) -> Floats:  # type: ignore[override]  # read or drawn
        """The other columns."""
        return np.array([row[1:] for row in self.rows])

    def parameters(self) -> dict[str, Any]:
        """Without the rows: they follow from the others, or are a file's."""
        return {name: value for name, value in super().parameters().items() if name != "rows"}

    def __str__(self) -> str:
        return f"linear:file={self.file}" if self.file else f"linear of {len(self.rows)} arms"

    def draw_game(self) -> list[list[float]]:
        """Mean and features of each arm, the first drawn game whose gap is near enough."""
        if self.gap > 0.8 - NEAR and self.arms > 2:
            raise InputError(f"linear: gap must be at most {0.8 - NEAR:g} with more than 2 arms, not {self.gap:g}")
        random = np.random.default_rng(np.random.SeedSequence(self.instance, spawn_key=(self.arms, self.dimension)))
        for _ in range(DRAWS):
            points = random.normal(size=(self.arms, self.dimension - 1))
            points /= np.linalg.norm(points, axis=1, keepdims=True)
            along = points @ random.normal(size=self.dimension - 1)
            if np.ptp(along) == 0.0:
                continue
            means = 0.1 + 0.8 * (along - along.min()) / np.ptp(along)
            second, best = np.sort(means)[-2:]
            if abs(best - second - self.gap) <= NEAR or self.arms == 2:
                features = np.column_stack([np.ones(self.arms), points]) / math.sqrt(2.0)
                return np.column_stack([means, features]).tolist()  # type: ignore[no-any-return]  # rows of floats
        raise InputError(f"linear: no game of {self.arms} arms with a gap near {self.gap:g} in {DRAWS:,} draws")


def read_rows(path: Path) -> list[list[float]]:
    """Mean and features of each arm from a CSV file."""
    header, rows = read_csv_numbers(path)
    if header.count("mean") != 1 or not rows:
        raise InputError(f"linear: {path.name} must have a header row with one column named mean, and one row per arm")
    first = header.index("mean")
    return [[row[first], *row[:first], *row[first + 1 :]] for row in rows]
