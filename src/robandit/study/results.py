"""What a study's store holds, asked for by grid and coordinates."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from robandit.estimates import Estimate, estimate, summarise
from robandit.game import Floats
from robandit.lab.trace import Trace
from robandit.store.cells import ResultStore
from robandit.study.axes import ADVERSARIAL
from robandit.study.cell import Cell
from robandit.study.spec import Grid, Study


@dataclass
class Results:
    """Finished cells of a study, each read from the store once; a cell that is not there is simply not there."""

    study: Study
    store: ResultStore
    traces: dict[Cell, Trace] = field(default_factory=dict)

    def trace(self, cell: Cell) -> Trace | None:
        """The trace of a cell, None if it is not stored."""
        if cell not in self.traces:
            trace = self.store.load(self.study.keys[cell])
            if trace is None:
                return None
            self.traces[cell] = trace
        return self.traces[cell]

    def missing(self) -> dict[str, Cell]:
        """The cells that are not stored, by key; what a killed run left half written is removed first."""
        self.store.sweep()
        return {key: cell for key, cell in self.study.cells().items() if self.trace(cell) is None}

    def stored(self, cell: Cell) -> Trace:
        """The trace of a cell; raises KeyError if it is not stored."""
        trace = self.trace(cell)
        if trace is None:
            raise KeyError(f"{cell} is not stored")
        return trace

    def finals(self, cell: Cell) -> Floats:
        """The regret at the horizon, one number per run, of a cell that must be stored."""
        return self.stored(cell).regret[:, -1]

    def has(self, grid: str) -> bool:
        """Whether the study has the grid and all its cells are stored."""
        cells = next((item.cells for item in self.study.grids if item.id == grid), ())
        return bool(cells) and all(self.trace(cell) is not None for cell in cells)

    def find(self, grid: str, **coordinates: Any) -> Cell:
        """The one cell of a grid with these coordinates; without a budget the adversary's do not count."""
        if coordinates.get("budget") == 0:
            coordinates = {name: value for name, value in coordinates.items() if name not in ADVERSARIAL}
        for cell in self.study.grid(grid).cells:
            if all(getattr(cell, name) == value for name, value in coordinates.items()):
                return cell
        raise KeyError(f"{grid} has no cell with {coordinates}")

    def runs(self, grid: str, **coordinates: Any) -> Floats:
        """The regrets of one cell, which must be stored."""
        return self.finals(self.find(grid, **coordinates))

    def mean(self, grid: str, **coordinates: Any) -> float:
        """The mean regret of one cell."""
        return float(self.runs(grid, **coordinates).mean())

    def cells(self, grid: Grid) -> list[Cell]:
        """The cells of a grid that are stored."""
        return [cell for cell in grid.cells if self.trace(cell) is not None]

    def count(self) -> tuple[int, int]:
        """How many cells of all grids are stored, and how many there are; one in several grids counts in each."""
        return sum(len(self.cells(grid)) for grid in self.study.grids), sum(len(one.cells) for one in self.study.grids)

    def estimates(self, cells: Iterable[Cell]) -> Iterator[tuple[Cell, Estimate]]:
        """Those of some cells that are stored, with the estimate of their mean regret."""
        for cell in cells:
            if self.trace(cell) is not None:
                yield cell, estimate(self.finals(cell))

    def summaries(self, grid: Grid) -> Iterator[tuple[Cell, dict[str, Any]]]:
        """The stored cells of a grid with the summary of their regret."""
        for cell in self.cells(grid):
            yield cell, summarise(self.finals(cell))


def values(grid: Grid, name: str) -> list[Any]:
    """The distinct values of a coordinate in a grid in order of first mention; an absent adversary has none."""
    cells = [cell for cell in grid.cells if not cell.clean or name not in ADVERSARIAL]
    return list(dict.fromkeys(getattr(cell, name) for cell in cells))
