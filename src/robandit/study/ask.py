"""Studies from Python: run one, or read what is stored, and get its cells with their parameters."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from robandit.errors import InputError, whole
from robandit.estimates import summarise
from robandit.extras import require
from robandit.lab.trace import Trace, as_frame
from robandit.progress import Progress, report_to
from robandit.store.cells import ResultStore
from robandit.store.files import write_atomically
from robandit.study.cell import Cell
from robandit.study.report import write_report
from robandit.study.results import Results
from robandit.study.run import run_cells
from robandit.study.spec import Study, read_study

SPEC, MAPPING = "spec.toml", "spec.json"  # the copy of a file, or a dictionary
Spec = str | Path | Mapping[str, Any]


@dataclass(frozen=True)
class StudyResults:
    """The stored cells of a study."""

    results: Results

    @property
    def spec(self) -> Study:
        """What was studied."""
        return self.results.study

    @property
    def folder(self) -> Path:
        """Where the results are."""
        return self.results.store.folder

    def __repr__(self) -> str:
        stored, total = self.results.count()
        return f"<StudyResults {self.spec.name!r}: {stored} of {total} cells, in {str(self.folder)!r}>"

    def cells(self, grid: str | None = None) -> Iterator[tuple[dict[str, Any], Trace]]:
        """The parameters of each stored cell (grid, policy, means, attack, ...), and its trace."""
        for one in self.spec.grids:
            if grid in (None, one.id):
                for cell in self.results.cells(one):
                    yield {"grid": one.id, **parameters_of(cell)}, self.results.stored(cell)

    def trace(self, grid: str, **coordinates: Any) -> Trace:
        """The one cell of a grid with these coordinates, such as policy="samba", budget=300, arms=9.

        Raises:
            InputError: if no cell or several have them, or the cell is not stored.
        """
        cells = self.spec.grid(grid).cells
        allowed = parameters_of(cells[0])
        for name in coordinates:
            if name not in allowed:
                raise InputError(f"coordinate {name!r} is unknown (allowed: {', '.join(allowed)})")
        wanted = {name: tuple(value) if name == "means" else value for name, value in coordinates.items()}
        fitting = [cell for cell in cells if wanted.items() <= parameters_of(cell).items()]
        if len(fitting) != 1:
            raise InputError(f"{len(fitting)} cells of grid {grid!r} have {coordinates}, name one: {self.varied(grid)}")
        trace = self.results.trace(fitting[0])
        if trace is None:
            raise InputError(f"the cell of grid {grid!r} with {coordinates} is not stored: run the study first")
        return trace

    def varied(self, grid: str) -> str:
        """The coordinates that differ between the cells of a grid, with their values."""
        rows = [parameters_of(cell) for cell in self.spec.grid(grid).cells]
        values = {name: list(dict.fromkeys(row[name] for row in rows)) for name in rows[0]}
        return ", ".join(f"{name} in {many}" for name, many in values.items() if len(many) > 1 and name != "means")

    def summary(self) -> list[dict[str, Any]]:
        """One row per cell: its parameters, and mean, interval and quantiles of the regret."""
        return [{**row, **summarise(trace.regret[:, -1])} for row, trace in self.cells()]

    def to_arrow(self) -> Any:
        """A pyarrow table, one row per run: the parameters of the cell, the run, its regret and the corruption paid."""
        pyarrow = require("pyarrow", "an Arrow table")

        columns: dict[str, list[Any]] = {}
        for row, trace in self.cells():
            for run in range(len(trace.regret)):
                ends = {"run": run, "regret": trace.regret[run, -1], "corruption_paid": trace.corruption_paid[run, -1]}
                for name, value in {**row, **ends}.items():
                    columns.setdefault(name, []).append(str(value) if name == "checkpoints" else value)
        return pyarrow.table(columns)

    def to_pandas(self) -> Any:
        """The same as a pandas frame."""
        return as_frame(self.to_arrow())

    def report(self) -> Path:
        """Write the report page; returns its path."""
        return write_report(self.results)


def parameters_of(cell: Cell) -> dict[str, Any]:
    """A cell as plain values, with the number of its arms."""
    return {"arms": cell.arms, **asdict(cell)}


def run_study(
    spec: Spec,
    out: str | Path | None = None,
    *,
    threads: int | None = None,
    scheduler: str | None = None,
    progress: Progress | bool | None = None,
) -> StudyResults:
    """Run the cells of a study that are not stored.

    Args:
        spec: a TOML file, or the same as a dictionary:
            {"name": "mine", "grid": [{"id": "g", "policies": ["samba"]}]}.
        out: the folder of the results, out/NAME if not given; what is stored there is not played again.
        threads: how many cells are played at once; as many as there are cores if not given.
        scheduler: the address of a Dask scheduler, whose workers play instead.
        progress: called with the share that is done; True draws a line on stderr.

    Returns:
        All cells of the study with their traces.

    Raises:
        InputError: if something in the spec is wrong, or a cell failed.
    """
    workers = whole("threads", (os.cpu_count() or 1) if threads is None else threads, 1)
    results = open_study(spec, out)
    todo = results.missing()
    left = len(todo)
    with report_to(progress) as report:

        def finished(*_: Any) -> None:
            nonlocal left
            left -= 1
            report(1.0 - left / len(todo))

        failed = run_cells(results, todo, workers, scheduler, finished)
    if failed:
        error = (results.store.note(failed[0], "failed") or {}).get("error")
        raise InputError(f"{len(failed)} of {len(todo)} cells failed, the first with: {error}")
    return StudyResults(results)


def open_study(spec: Spec, out: str | Path | None = None) -> Results:
    """Check a spec and write it into the folder of its results, out/NAME if none is given; nothing is played."""
    study = read_study(spec)
    folder = Path(out) if out is not None else Path("out") / study.name
    if isinstance(spec, Mapping):
        write_atomically(folder / MAPPING, json.dumps(dict(spec), indent=1).encode())
    elif Path(spec).resolve() != (folder / SPEC).resolve():
        write_atomically(folder / SPEC, Path(spec).read_bytes())
    (folder / (SPEC if isinstance(spec, Mapping) else MAPPING)).unlink(missing_ok=True)
    for file in study.load:  # so that the results can be read wherever the folder goes
        if file.parent != folder.resolve():
            write_atomically(folder / file.name, file.read_bytes())
    return Results(study, ResultStore(folder))


def read_results(folder: str | Path) -> StudyResults:
    """Read what is stored in the folder of a study.

    Args:
        folder: what `robandit study run`, `robandit reproduce` or `run_study` wrote.

    Raises:
        InputError: if the folder is not that of a study.
    """
    folder = Path(folder)
    specs = [path for path in (folder / SPEC, folder / MAPPING) if path.is_file()]
    if not specs:
        raise InputError(f"{str(folder)!r} is not the folder of a study: it has no {SPEC}")
    newest = max(specs, key=lambda path: path.stat().st_mtime_ns)  # earlier versions left the other one behind
    study = read_study(json.loads(newest.read_text()) if newest.name == MAPPING else newest, folder)
    return StudyResults(Results(study, ResultStore(folder)))
