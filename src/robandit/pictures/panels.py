"""Panels of lines: regret against C, K or T with intervals, and regret over time with the corrupted rounds shaded."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from robandit.game import Floats
from robandit.pictures.rendered import Rendered
from robandit.pictures.style import Look, plain_axes, thousands


@dataclass(frozen=True)
class Line:
    """One policy; half widths make it points with error bars."""

    label: str
    look: Look
    x: Floats
    y: Floats
    half: Floats | None = None


@dataclass(frozen=True)
class Panel:
    """Lines on one pair of axes, and the stretch of rounds that was corrupted."""

    title: str
    lines: list[Line]
    shaded: tuple[float, float] | None = None


@dataclass(frozen=True)
class Drawing(Rendered):
    """Panels two a row under one legend; plain data until it is rendered."""

    panels: list[Panel]
    x_label: str
    y_label: str
    log_x: bool = False
    log_y: bool = False

    def laid_out(self) -> Any:
        """The figure."""
        return drawn(self)


def drawn(drawing: Drawing) -> Any:
    """The figure."""
    from matplotlib.figure import Figure

    count = len(drawing.panels)
    columns = min(count, 2)
    rows = -(-count // columns)
    figure = Figure(figsize=(5.2 * columns, 3.4 * rows + 0.9), layout="constrained")
    boxes = list(np.atleast_1d(figure.subplots(rows, columns, sharey=drawing.log_y)).ravel())
    for unused in boxes[count:]:
        unused.remove()
    for axes, panel in zip(boxes, drawing.panels, strict=False):
        draw_panel(axes, panel)
        dress(axes, panel.title, drawing)
    handles, labels = boxes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    return figure


def draw_panel(axes: Any, panel: Panel) -> None:
    """The lines of one panel, told apart without colour too."""
    for line in panel.lines:
        look: dict[str, Any] = {"color": line.look.colour, "linestyle": line.look.dash, "label": line.label}
        if line.half is None:
            axes.plot(line.x, line.y, linewidth=1.4, **look)
        else:
            look |= {"marker": line.look.marker, "markersize": 4, "linewidth": 1.3}
            axes.errorbar(line.x, line.y, yerr=line.half, capsize=2, **look)
    if panel.shaded:
        axes.axvspan(*panel.shaded, color="#888888", alpha=0.2, linewidth=0)


def dress(axes: Any, title: str, drawing: Drawing) -> None:
    """Titles, ticks and scales of one panel."""
    axes.set_title(title, fontsize=10, loc="left")
    axes.set_xlabel(drawing.x_label, fontsize=9)
    axes.set_ylabel(drawing.y_label, fontsize=9)
    axes.tick_params(labelsize=8)
    plain_axes(axes)
    if drawing.log_y:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.yaxis.set_minor_formatter(lambda value, _: f"{value:,.0f}" if str(value)[0] in "25" else "")
        axes.tick_params(axis="y", which="minor", labelsize=7)
    if drawing.log_x:
        axes.set_xscale("log")
    elif drawing.x_label == "row":
        axes.xaxis.set_major_formatter(thousands)
