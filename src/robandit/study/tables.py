"""Tables of a report: every stored cell with its interval, and paired comparisons."""

import math
from typing import Any

from robandit.estimates import adjust_p_values, estimate_difference
from robandit.report.table import Column, DataTable, format_value
from robandit.study.axes import ADVERSARIAL, COORDINATES
from robandit.study.cell import Cell
from robandit.study.results import Results, values
from robandit.study.spec import Grid
from robandit.study.weigh import is_same_game


def coordinate(cell: Cell, name: str) -> Any:
    """A coordinate as a table shows it."""
    value = getattr(cell, name)
    if cell.clean and name in ADVERSARIAL:
        return "-"
    if name == "budget" and math.isinf(value):
        return "no limit"
    return int(value) if isinstance(value, float) and value.is_integer() else value


def varied_in(grid: Grid) -> dict[str, str]:
    """The coordinates that differ between cells of a grid, each with its heading."""
    several = {name: axis for name, axis in COORDINATES.items() if name != "means" and len(values(grid, name)) > 1}
    return {name: axis.heading or name for name, axis in several.items()}


def summary_table(results: Results, grid: Grid) -> DataTable:
    """Every stored cell: mean with a 95 % interval, standard deviation, median, runs."""
    varied, has_team = varied_in(grid), any(cell.agents > 1 for cell in grid.cells)
    headings = ["policy", *varied.values(), "mean regret", "± 95 %", "sd", "median", "5 % quantile", "95 % quantile"]
    headings += ["best played", "runs", *(["messages"] if has_team else [])]
    rows = []
    for cell, summary in results.summaries(grid):
        trace = results.stored(cell)
        row = [cell.policy, *(coordinate(cell, name) for name in varied)]
        row += [summary[name] for name in ("mean", "half_width_95", "sd", "median", "p05", "p95")]
        row += [f"{100 * trace.best_arm_share:.1f} %", cell.runs]
        messages = None if trace.team is None else float(trace.team.messages.mean())
        rows.append([*row, messages] if has_team else row)
    return DataTable("Regret at the horizon", headings, rows, id=f"{grid.id}-regret")


def brief_table(results: Results, grid: Grid) -> DataTable:
    """Every stored cell in the columns that a terminal has room for."""
    whole, varied = summary_table(results, grid), [*varied_in(grid).values()]
    at = whole.headings.index
    rows = [
        [
            row[0],
            *(format_value(value) for value in row[1 : 1 + len(varied)]),
            f"{format_value(row[at('mean regret')])} ± {format_value(row[at('± 95 %')])}",
            row[at("best played")],
        ]
        for row in whole.rows
    ]
    columns = [Column("policy", "name"), *(Column(name, "name") for name in varied)]
    columns += [Column("mean regret, 95 % interval"), Column("best played")]
    return DataTable(grid.title or grid.id, columns, rows)


def paired_table(results: Results, grid: Grid) -> DataTable | None:
    """Every policy against the grid's first one, run by run on common random numbers, with Holm's correction."""
    reference, varied, cells = grid.cells[0].policy, varied_in(grid), results.cells(grid)
    differences = []
    for cell in cells:
        rival = next((other for other in cells if other.policy == reference and is_same_game(cell, other)), None)
        if cell.policy != reference and rival is not None and min(cell.runs, rival.runs) > 1:
            differences.append((cell, estimate_difference(results.finals(cell), results.finals(rival))))
    if not differences:
        return None
    corrected = adjust_p_values([difference.p_value for _, difference in differences])
    rows = []
    for (cell, difference), p in zip(differences, corrected, strict=True):
        row = [cell.policy, *(coordinate(cell, name) for name in varied)]
        rows.append([*row, difference.mean, difference.half_width, difference.count, p])
    headings = ["policy", *varied.values(), f"regret minus {reference}'s", "± 95 %", "pairs", "p (Holm)"]
    caption = f"Pairs share their random numbers; p-values are corrected for {len(rows)} comparisons (Holm)."
    return DataTable(f"Difference to {reference}", headings, rows, caption, f"{grid.id}-paired")
