"""What a study's store holds, asked for by grid and coordinates."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from robandit.estimates import summarise
from robandit.game import Floats
from robandit.lab.trace import Trace
from robandit.store.cells import Store
from robandit.study.cell import Cell
from robandit.study.spec import Grid, Study

ADVERSARIAL = ("attack", "schedule", "size", "charge", "can", "share")


@dataclass
class Results:
    """Finished cells of a study; a cell that is not there is simply not there."""

    study: Study
    store: Store
    _traces: dict[str, Trace | None] = field(default_factory=dict)

    def trace(self, cell: Cell) -> Trace | None:
        """A cell's trace, None if it is not stored."""
        key = cell.key(self.study.catalogue)
        if key not in self._traces:
            self._traces[key] = self.store.load(key)
        return self._traces[key]

    def finals(self, cell: Cell) -> Floats | None:
        """The regret at the horizon, one number a run."""
        trace = self.trace(cell)
        return None if trace is None else trace.regret[:, -1]

    def stored(self, cell: Cell) -> Floats:
        """The same of a cell that must be stored."""
        finals = self.finals(cell)
        assert finals is not None
        return finals

    def has(self, grid: str) -> bool:
        """Whether the study has the grid and all its cells are stored."""
        known = [item for item in self.study.grids if item.id == grid]
        return bool(known) and all(self.trace(cell) is not None for cell in known[0].cells)

    def find(self, grid: str, **coordinates: Any) -> Cell:
        """The one cell of a grid with these coordinates; without a budget the adversary's do not count."""
        wanted = {name: value for name, value in coordinates.items() if name != "arms"}
        if wanted.get("budget") == 0:
            wanted = {name: value for name, value in wanted.items() if name not in ADVERSARIAL}
        for cell in self.study.grid(grid).cells:
            fits = all(getattr(cell, name) == value for name, value in wanted.items())
            if fits and coordinates.get("arms", len(cell.means)) == len(cell.means):
                return cell
        raise KeyError(f"{grid} has no cell with {coordinates}")

    def runs(self, grid: str, **coordinates: Any) -> Floats:
        """The regrets of one cell, which must be stored."""
        return self.stored(self.find(grid, **coordinates))

    def mean(self, grid: str, **coordinates: Any) -> float:
        """The mean regret of one cell."""
        return float(self.runs(grid, **coordinates).mean())

    def rows(self, grid: Grid) -> Iterator[tuple[Cell, dict[str, Any]]]:
        """The stored cells of a grid with their summaries."""
        for cell in grid.cells:
            finals = self.finals(cell)
            if finals is not None:
                yield cell, summarise(finals)


def values(grid: Grid, name: str) -> list[Any]:
    """The distinct values of a coordinate in a grid in order of first mention; an absent adversary has none."""
    cells = [cell for cell in grid.cells if not cell.clean or name not in ADVERSARIAL]
    of = (lambda cell: len(cell.means)) if name == "arms" else (lambda cell: getattr(cell, name))
    return list(dict.fromkeys(of(cell) for cell in cells))
