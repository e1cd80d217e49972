"""Figures of a report, from a grid's shape alone: regret against C, K or T, and regret over time."""

import io
from dataclasses import dataclass
from typing import Any

import numpy as np

from robandit.pictures.style import COLOURS, DASHES, MARKERS
from robandit.study.results import Results, values
from robandit.study.spec import Grid

X_AXES = {"budget": "corruption budget C", "arms": "number of arms K", "horizon": "horizon T"}


@dataclass(frozen=True)
class Picture:
    """A figure with the words that go under it."""

    id: str
    caption: str
    figure: Any

    def rendered(self, kind: str) -> bytes:
        """The file: svg, pdf or png; the same bytes for the same results."""
        import matplotlib

        out = io.BytesIO()
        dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
        with matplotlib.rc_context({"svg.hashsalt": "robandit", "svg.fonttype": "none"}):
            self.figure.savefig(out, format=kind, dpi=150, metadata=dates[kind])
        return out.getvalue()


def pictures_of(results: Results, grid: Grid) -> list[Picture]:
    """The figures a grid's axes ask for."""
    found = []
    x = max(X_AXES, key=lambda name: len(values(grid, name)))
    if len(values(grid, x)) > 1 and not over_time(grid):
        found.append(Picture(f"{grid.id}-by-{x}", f"{grid.title}. Mean and 95 % interval.", against(results, grid, x)))
    if over_time(grid):
        found.append(
            Picture(f"{grid.id}-over-time", f"{grid.title}. Mean; grey: corrupted rounds.", in_time(results, grid))
        )
    return found


def over_time(grid: Grid) -> bool:
    """Whether a grid recorded enough checkpoints to draw curves."""
    return any(cell.checkpoints == "log" or int(cell.checkpoints) >= 50 for cell in grid.cells)


def panels(count: int, share: bool = False) -> tuple[Any, list[Any]]:
    """A figure with panels side by side, two a row; they may share their vertical axis."""
    from matplotlib.figure import Figure

    columns = min(count, 2)
    rows = -(-count // columns)
    figure = Figure(figsize=(5.2 * columns, 3.4 * rows + 0.9), layout="constrained")
    axes = list(np.atleast_1d(figure.subplots(rows, columns, sharey=share)).ravel())
    for unused in axes[count:]:
        unused.remove()
    return figure, axes[:count]


def dressed(axes: Any, title: str, x: str, y: str) -> None:
    """The house style of an axis."""
    axes.set_title(title, fontsize=10, loc="left")
    axes.set_xlabel(x, fontsize=9)
    axes.set_ylabel(y, fontsize=9)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", linewidth=0.4, alpha=0.5)


def style(results: Results, policy: str) -> dict[str, Any]:
    """Colour, dash and marker of a policy, the same in all figures of a study; told apart without colour too."""
    number = list(dict.fromkeys(cell.policy for grid in results.study.grids for cell in grid.cells)).index(policy)
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": DASHES[number // len(COLOURS) % len(DASHES)],
        "marker": MARKERS[number % len(MARKERS)],
    }


def against(results: Results, grid: Grid, x: str) -> Any:
    """Mean regret against one coordinate, a panel for each schedule, a line for each policy."""
    schedules = values(grid, "schedule") or ["start"]
    figure, all_axes = panels(len(schedules), share=True)
    means = dict(results.rows(grid))
    for axes, schedule in zip(all_axes, schedules, strict=True):
        for policy in values(grid, "policy"):
            points = sorted(
                (len(cell.means) if x == "arms" else getattr(cell, x), told["mean"], told["half_width_95"] or 0.0)
                for cell, told in means.items()
                if cell.policy == policy and (cell.schedule == schedule or cell.budget == 0)
            )
            if points:
                xs, ys, halves = zip(*points, strict=True)
                axes.errorbar(
                    xs, ys, yerr=halves, capsize=2, markersize=4, linewidth=1.3, label=policy, **style(results, policy)
                )
        title = f"schedule {schedule}" if len(schedules) > 1 else ""
        dressed(axes, title, X_AXES[x], "regret at the horizon")
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.yaxis.set_minor_formatter(lambda value, _: f"{value:,.0f}" if str(value)[0] in "25" else "")
        axes.tick_params(axis="y", which="minor", labelsize=7)
        if x == "horizon":
            axes.set_xscale("log")
    share_legend(figure, all_axes[0])
    return figure


def in_time(results: Results, grid: Grid) -> Any:
    """Mean regret over time, a panel for each corrupted setting, a line for each policy."""
    settings = list(dict.fromkeys((cell.schedule, cell.budget) for cell in grid.cells if cell.budget > 0))
    settings = settings or [("start", 0.0)]
    figure, all_axes = panels(len(settings))
    for axes, (schedule, budget) in zip(all_axes, settings, strict=True):
        paid = None
        for policy in values(grid, "policy"):
            trace = results.trace(results.find(grid.id, policy=policy, schedule=schedule, budget=budget))
            if trace is None:
                continue
            look = {**style(results, policy), "marker": ""}
            axes.plot(trace.rounds, trace.regret.mean(axis=0), linewidth=1.4, label=policy, **look)
            paid = (trace.rounds, trace.corruption_paid.mean(axis=0))
        if paid is not None and paid[1][-1] > 0:
            struck = np.diff(paid[1], prepend=0.0) > 1e-3 * paid[1][-1]
            spent = paid[0][struck]
            axes.axvspan(spent[0] - paid[0][0], spent[-1], color="#888888", alpha=0.2, linewidth=0)
        dressed(axes, f"schedule {schedule}, C = {budget:,.0f}", "round", "cumulative regret")
    share_legend(figure, all_axes[0])
    return figure


def share_legend(figure: Any, axes: Any) -> None:
    """One legend under all panels."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
