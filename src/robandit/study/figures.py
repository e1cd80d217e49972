"""Figures of a report, from a grid's shape alone: what is drawn against what, as plain data for pictures/panels.py."""

from dataclasses import dataclass

import numpy as np

from robandit.game import Floats
from robandit.lab.trace import Trace
from robandit.pictures.panels import Drawing, Line, Panel
from robandit.pictures.rendered import Rendered
from robandit.pictures.style import Look, looks
from robandit.study.results import Results, values
from robandit.study.spec import Grid

X_AXES = {"budget": "corruption budget C", "arms": "number of arms K", "horizon": "horizon T"}


@dataclass(frozen=True)
class Picture:
    """A drawing with the words that go under it."""

    id: str
    caption: str
    drawing: Rendered


def pictures_of(results: Results, grid: Grid) -> list[Picture]:
    """The figures a grid's axes ask for."""
    if over_time(grid):
        return [Picture(f"{grid.id}-over-time", f"{grid.title}. Mean; grey: corrupted rounds.", in_time(results, grid))]
    x = max(X_AXES, key=lambda name: len(values(grid, name)))
    if len(values(grid, x)) < 2 or len(values(grid, "means")) > len(values(grid, "arms")):
        return []  # several games of one size would share a line
    return [Picture(f"{grid.id}-by-{x}", f"{grid.title}. Mean and 95 % interval.", against(results, grid, x))]


def over_time(grid: Grid) -> bool:
    """Whether a grid recorded enough checkpoints to draw curves."""
    return any(cell.checkpoints == "log" or int(cell.checkpoints) >= 50 for cell in grid.cells)


def looks_of(results: Results) -> dict[str, Look]:
    """How each policy of a study looks, the same in all its figures."""
    return looks(cell.policy for grid in results.study.grids for cell in grid.cells)


def against(results: Results, grid: Grid, x: str) -> Drawing:
    """Mean regret against one coordinate, a panel for each schedule, a line for each policy."""
    schedules = values(grid, "schedule") or ["start"]
    means, look, panels = dict(results.rows(grid)), looks_of(results), []
    for schedule in schedules:
        lines = []
        for policy in values(grid, "policy"):
            points = sorted(
                (len(cell.means) if x == "arms" else getattr(cell, x), told["mean"], told["half_width_95"] or 0.0)
                for cell, told in means.items()
                if cell.policy == policy and (cell.schedule == schedule or cell.budget == 0)
            )
            if points:
                xs, ys, halves = np.array(points, dtype=float).T
                lines.append(Line(policy, look[policy], xs, ys, halves))
        panels.append(Panel(f"schedule {schedule}" if len(schedules) > 1 else "", lines))
    return Drawing(panels, X_AXES[x], "regret at the horizon", log_x=x == "horizon", log_y=True)


def in_time(results: Results, grid: Grid) -> Drawing:
    """Mean regret over time, a panel for each corrupted setting, a line for each policy."""
    settings = list(dict.fromkeys((cell.schedule, cell.budget) for cell in grid.cells if cell.budget > 0))
    look, panels = looks_of(results), []
    for schedule, budget in settings or [("start", 0.0)]:
        lines, shaded = [], None
        for policy in values(grid, "policy"):
            trace = results.trace(results.find(grid.id, policy=policy, schedule=schedule, budget=budget))
            if trace is not None:
                curve: Floats = trace.regret.mean(axis=0)
                lines.append(Line(policy, look[policy], trace.rounds.astype(float), curve))
                shaded = struck(trace)
        panels.append(Panel(f"schedule {schedule}, C = {budget:,.0f}", lines, shaded))
    return Drawing(panels, "round", "cumulative regret")


def struck(trace: Trace) -> tuple[float, float] | None:
    """From where to where corruption was paid."""
    paid = trace.corruption_paid.mean(axis=0)
    spent = trace.rounds[np.diff(paid, prepend=0.0) > 1e-3 * paid[-1]]
    return (float(spent[0] - trace.rounds[0]), float(spent[-1])) if paid[-1] > 0 else None
