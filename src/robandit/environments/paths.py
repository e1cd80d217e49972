"""Paths through a grid: every road pays, and a slate is a whole way from the first crossing to the last."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from robandit.environments.means import ZeroOne, check_means
from robandit.errors import InputError
from robandit.parts import About, parameter

DRAWS = 20_000  # games drawn in search of one with the gap wanted
NEAR = 0.08  # ... to within this
MOST = 20_000  # paths


@dataclass(frozen=True)
class PathRewards(ZeroOne):
    """Roads lead right or down; each pays 1 with its mean as probability, else 0. Means are drawn from 0.1 to 0.9."""

    about = About(
        name="paths",
        summary="ways through a grid of crossings, right and down: slates from a list, each road of which is paid",
    )
    rows: int = parameter(4, "crossings from top to bottom", least=2, most=12)
    columns: int = parameter(4, "crossings from left to right", least=2, most=12)
    instance: int = parameter(1, "which of the drawn games", least=0)
    gap: float = parameter(0.28, "how far the best path is ahead of the second, to within 0.08", least=0, most=2)
    roads: tuple[float, ...] = ()  # the roads' means: drawn, or set in Python

    def __post_init__(self) -> None:
        super().__post_init__()
        paths = comb(self.rows + self.columns - 2, self.rows - 1)
        if paths > MOST:
            raise InputError(f"paths: {self.rows} x {self.columns} crossings have {paths:,} paths, more than {MOST:,}")
        means = check_means(self.roads or self.draw_game())
        if len(means) != self.family.max() + 1:
            raise InputError(f"paths: roads must be {self.family.max() + 1} means, not {len(means)}")
        object.__setattr__(self, "roads", means)

    @property
    def means(self) -> tuple[float, ...]:  # type: ignore[override]  # drawn
        """The roads' means."""
        return self.roads

    def parameters(self) -> dict[str, object]:
        return {name: value for name, value in super().parameters().items() if name != "roads"}

    @cached_property
    def family(self) -> NDArray[np.int64]:  # type: ignore[override]
        """Each path as its roads: those to the right are numbered first, row by row, then those down."""
        down, right = self.rows - 1, self.columns - 1
        paths = []
        for turns in combinations(range(down + right), down):
            row, column, path = 0, 0, []
            for step in range(down + right):
                if step in turns:
                    path.append(self.rows * right + row * self.columns + column)
                    row += 1
                else:
                    path.append(row * right + column)
                    column += 1
            paths.append(path)
        return np.array(paths, np.int64)

    def draw_game(self) -> tuple[float, ...]:
        """Means of the first drawn game whose gap is near enough."""
        random = np.random.default_rng(np.random.SeedSequence(self.instance, spawn_key=(self.rows, self.columns)))
        for _ in range(DRAWS):
            means = random.uniform(0.1, 0.9, size=self.family.max() + 1)
            second, best = np.sort(means[self.family].sum(axis=1))[-2:]
            if abs(best - second - self.gap) <= NEAR:
                return tuple(means.tolist())
        raise InputError(f"paths: no game with a gap near {self.gap:g} in {DRAWS:,} draws")
