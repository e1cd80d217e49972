"""Studies from Python: run one, or read what is stored, and get its cells with their parameters."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from robandit.errors import InputError, whole
from robandit.estimates import summarise
from robandit.lab.trace import Trace, as_frame
from robandit.progress import report_to
from robandit.store.cells import Store
from robandit.store.files import write_atomically
from robandit.study.cell import Cell
from robandit.study.lines import Lines
from robandit.study.report import write_report
from robandit.study.results import Results
from robandit.study.run import missing, run_here
from robandit.study.spec import Study, checked_study, read_study

SPEC, MAPPING = "spec.toml", "spec.json"  # a file's copy, or what was given as a dictionary


@dataclass(frozen=True)
class StudyResults:
    """The stored cells of a study."""

    spec: Study
    folder: Path
    results: Results

    def __repr__(self) -> str:
        cells = [cell for grid in self.spec.grids for cell in grid.cells]
        there = sum(self.results.trace(cell) is not None for cell in cells)
        return f"<StudyResults {self.spec.name!r}: {there} of {len(cells)} cells, in {str(self.folder)!r}>"

    def cells(self, grid: str | None = None) -> Iterator[tuple[dict[str, Any], Trace]]:
        """The parameters of each stored cell (grid, policy, means, attack, ...), and its trace."""
        for one in self.spec.grids:
            if grid in (None, one.id):
                for cell in one.cells:
                    trace = self.results.trace(cell)
                    if trace is not None:
                        yield {"grid": one.id, "arms": len(cell.means), **asdict(cell)}, trace

    def trace(self, grid: str, **coordinates: Any) -> Trace:
        """The one cell of a grid with these coordinates, such as policy="samba", budget=300, arms=9."""
        if grid not in [one.id for one in self.spec.grids]:
            raise InputError(f"grid {grid!r} is unknown (allowed: {', '.join(one.id for one in self.spec.grids)})")
        fields = (*Cell.__dataclass_fields__, "arms")
        for name in coordinates:
            if name not in fields:
                raise InputError(f"coordinate {name!r} is unknown (allowed: {', '.join(fields)})")
        fitting = [cell for cell in self.spec.grid(grid).cells if fits(cell, coordinates)]
        if len(fitting) != 1:
            raise InputError(f"{len(fitting)} cells of grid {grid!r} have {coordinates}, name one: {self.varied(grid)}")
        found = self.results.trace(fitting[0])
        if found is None:
            raise InputError(f"the cell of grid {grid!r} with {coordinates} is not stored: run the study first")
        return found

    def varied(self, grid: str) -> str:
        """The coordinates that differ between the cells of a grid, with their values."""
        cells = [{"arms": len(cell.means), **asdict(cell)} for cell in self.spec.grid(grid).cells]
        values = {name: list(dict.fromkeys(cell[name] for cell in cells)) for name in cells[0]}
        return ", ".join(f"{name} in {many}" for name, many in values.items() if len(many) > 1 and name != "means")

    def summary(self) -> list[dict[str, Any]]:
        """One row a cell: its parameters, and mean, interval and quantiles of the regret."""
        return [{**row, **summarise(trace.regret[:, -1])} for row, trace in self.cells()]

    def to_arrow(self) -> Any:
        """A pyarrow table, one row a run: the cell's parameters, the run, its regret and what corruption was paid."""
        import pyarrow

        columns: dict[str, list[Any]] = {}
        for row, trace in self.cells():
            for run in range(len(trace.regret)):
                told = {"run": run, "regret": trace.regret[run, -1], "corruption_paid": trace.corruption_paid[run, -1]}
                for name, value in {**row, **told}.items():
                    columns.setdefault(name, []).append(str(value) if name == "checkpoints" else value)
        return pyarrow.table(columns)

    def to_pandas(self) -> Any:
        """The same as a pandas frame."""
        return as_frame(self.to_arrow())

    def report(self) -> Path:
        """Write the report page; answers where it is."""
        return write_report(self.spec, Store(self.folder), self.folder)


def fits(cell: Cell, coordinates: Mapping[str, Any]) -> bool:
    """Whether a cell has these coordinates."""
    known = {"arms": len(cell.means), **asdict(cell)}
    wanted = {name: tuple(value) if name == "means" else value for name, value in coordinates.items()}
    return all(known[name] == value for name, value in wanted.items())


def run_study(
    spec: str | Path | Mapping[str, Any],
    out: str | Path | None = None,
    *,
    threads: int | None = None,
    progress: bool = False,
) -> StudyResults:
    """Run what is missing of a study, and give its cells.

    `spec` is a TOML file, or the same as a dictionary: {"name": "mine", "grid": [{"id": "g", "policies": ["samba"]}]}.
    Results are kept in `out` (out/NAME if nothing is said); what is stored there is not played again.
    """
    checked = given_study(spec)
    folder = Path(out) if out is not None else Path("out") / checked.name
    workers = whole("threads", (os.cpu_count() or 1) if threads is None else threads, 1)
    store = Store(folder)
    todo = missing(checked.cells(), store)
    keep_spec(spec, folder)
    done = 0
    with report_to(progress) as report:

        def seen(*_: Any) -> None:
            nonlocal done
            done += 1
            report(done / len(todo))

        failed = run_here(todo, store, workers, seen, checked.catalogue)
    if failed:
        error = (store.told(failed[0], "failed") or {}).get("error")
        raise InputError(f"{len(failed)} of {len(todo)} cells failed, the first with: {error}")
    return StudyResults(checked, folder, Results(checked, store))


def read_results(folder: str | Path) -> StudyResults:
    """What is stored in the folder of a study, by `robandit study run`, `robandit reproduce` or `run_study`."""
    folder = Path(folder)
    if (folder / MAPPING).is_file():
        checked = given_study(json.loads((folder / MAPPING).read_text()))
    elif (folder / SPEC).is_file():
        checked = read_study(folder / SPEC)
    else:
        raise InputError(f"{str(folder)!r} is not the folder of a study: it has no {SPEC}")
    return StudyResults(checked, folder, Results(checked, Store(folder)))


def given_study(spec: str | Path | Mapping[str, Any]) -> Study:
    """A checked spec, from a file or from a dictionary."""
    if isinstance(spec, str | Path):
        return read_study(Path(spec))
    if not isinstance(spec, Mapping):
        raise InputError(f"a study is a TOML file or a dictionary with a name and a grid, not {spec!r}")
    return checked_study(dict(spec), Lines(Path("the study"), ""))


def keep_spec(spec: str | Path | Mapping[str, Any], folder: Path) -> None:
    """Beside the results, what they are results of."""
    given = isinstance(spec, str | Path)
    (folder / (MAPPING if given else SPEC)).unlink(missing_ok=True)
    if not isinstance(spec, str | Path):
        write_atomically(folder / MAPPING, json.dumps(dict(spec), indent=1).encode())
    elif Path(spec).resolve() != (folder / SPEC).resolve():
        write_atomically(folder / SPEC, Path(spec).read_bytes())
