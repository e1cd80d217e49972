"""Tables of a report: every stored cell with its interval, and paired comparisons."""

import math
from typing import Any

from robandit.estimates import adjust_p_values, estimate_difference
from robandit.report.table import DataTable
from robandit.study.cell import Cell
from robandit.study.results import ADVERSARIAL, Results, values
from robandit.study.spec import Grid

COORDINATES = (
    *("environment", "arms", "agents", "slate", "attack", "schedule", "size", "charge", "can", "share"),
    *("budget", "horizon", "seed"),
)
HEADINGS = {"arms": "K", "budget": "C", "horizon": "T", "agents": "V", "slate": "M", "share": "ring's share"}


def coordinate(cell: Cell, name: str) -> Any:
    """A coordinate as it is shown."""
    if name == "arms":
        return len(cell.means)
    if cell.clean and name in ADVERSARIAL:
        return "-"
    if math.isinf(getattr(cell, name, 0.0) if name == "budget" else 0.0):
        return "no limit"
    value = getattr(cell, name)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def varied(grid: Grid) -> list[str]:
    """The coordinates that differ between cells of a grid."""
    return [name for name in COORDINATES if len(values(grid, name)) > 1]


def summary_table(results: Results, grid: Grid) -> DataTable:
    """Every stored cell: mean with a 95 % interval, standard deviation, median, runs."""
    names = varied(grid)
    headings = ["policy", *(HEADINGS.get(name, name) for name in names)]
    headings += ["mean regret", "± 95 %", "sd", "median", "5 %", "95 %", "best played", "runs"]
    talked = any(cell.agents > 1 for cell in grid.cells)
    headings += ["messages"] if talked else []
    rows = []
    for cell, told in results.rows(grid):
        trace = results.trace(cell)
        assert trace is not None
        row = [cell.policy, *(coordinate(cell, name) for name in names)]
        row += [told[name] for name in ("mean", "half_width_95", "sd", "median", "p05", "p95")]
        row += [f"{100 * trace.best_arm_share:.1f} %", cell.runs]
        sent = None if trace.team is None else float(trace.team.messages.mean())
        rows.append([*row, sent] if talked else row)
    return DataTable("Regret at the horizon", headings, rows, id=f"{grid.id}-regret")


def paired_table(results: Results, grid: Grid) -> DataTable | None:
    """Every policy against the grid's first one, run by run on common random numbers, with Holm's correction."""
    reference = grid.cells[0].policy
    names = varied(grid)
    found = []
    for cell in grid.cells:
        rival = next((other for other in grid.cells if matches(cell, other, reference)), None)
        ours, theirs = results.finals(cell), None if rival is None else results.finals(rival)
        if cell.policy != reference and ours is not None and theirs is not None and min(len(ours), len(theirs)) > 1:
            found.append((cell, estimate_difference(ours, theirs)))
    if not found:
        return None
    corrected = adjust_p_values([difference.p_value for _, difference in found])
    rows = [
        [
            cell.policy,
            *(coordinate(cell, name) for name in names),
            difference.mean,
            difference.half_width,
            difference.count,
            p,
        ]
        for (cell, difference), p in zip(found, corrected, strict=True)
    ]
    headings = ["policy", *(HEADINGS.get(name, name) for name in names)]
    headings += [f"regret minus {reference}'s", "± 95 %", "pairs", "p (Holm)"]
    caption = f"Pairs share their random numbers; p-values are corrected for {len(rows)} comparisons (Holm)."
    return DataTable(f"Difference to {reference}", headings, rows, caption, f"{grid.id}-paired")


def matches(cell: Cell, other: Cell, policy: str) -> bool:
    """Whether another cell is the same game played by the given policy."""
    if other.policy != policy:
        return False
    return all(coordinate(cell, name) == coordinate(other, name) for name in COORDINATES) and cell.means == other.means
