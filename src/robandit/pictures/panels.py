"""Panels of lines on one pair of scales: regret against C, K or T with intervals, and regret over time."""

from dataclasses import dataclass, field, replace
from textwrap import fill
from typing import Any

import numpy as np

from robandit.game import Floats
from robandit.pictures.rendered import Rendered
from robandit.pictures.style import Look, log_ticks, plain_axes, thousands

WIDE, NARROW = 5.2, 4.4  # inches a panel


def nothing() -> Floats:
    """No points."""
    return np.empty((0, 2))


@dataclass(frozen=True)
class Line:
    """One policy; half widths make it points with error bars, or a band; published points stand beside it, hollow."""

    label: str
    look: Look
    x: Floats
    y: Floats
    half: Floats | None = None
    published: Floats = field(default_factory=nothing)
    band: bool = False


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
    columns: int = 2

    def laid_out(self) -> Any:
        """The figure."""
        return drawn(self)

    def narrow(self) -> "Drawing | None":
        """The same for a phone, a panel a row; None where it is narrow already."""
        return replace(self, columns=1) if len(self.panels) > 1 else None


def drawn(drawing: Drawing) -> Any:
    """The figure."""
    from matplotlib.figure import Figure

    count = len(drawing.panels)
    columns = min(count, drawing.columns)
    rows = -(-count // columns)
    names = dict.fromkeys(line.label for panel in drawing.panels for line in panel.lines)
    width = WIDE * columns if drawing.columns > 1 else NARROW
    across = max(1, min(3, round(width * 13) // (max(map(len, names), default=1) + 7)))
    height = (3.4 if columns > 1 else 2.9) * rows + 0.5 + 0.17 * -(-len(names) // across)
    figure = Figure(figsize=(width, height), layout="constrained")
    boxes = list(np.atleast_1d(figure.subplots(rows, columns, sharex=True, sharey=True)).ravel())
    for unused in boxes[count:]:
        unused.remove()
    handles = dict[str, Any]()
    for number, (axes, panel) in enumerate(zip(boxes, drawing.panels, strict=False)):
        draw_panel(axes, panel)
        dress(axes, fill(panel.title, round(10 * width / columns)), drawing)
        axes.tick_params(labelbottom=True, labelleft=True)
        if number % columns:
            axes.set_ylabel("")
        handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=across, frameon=False, fontsize=8)
    return figure


def draw_panel(axes: Any, panel: Panel) -> None:
    """The lines of one panel, told apart without colour too."""
    for line in panel.lines:
        look: dict[str, Any] = {"color": line.look.colour, "linestyle": line.look.dash, "label": line.label}
        if line.band or line.half is None:
            axes.plot(line.x, line.y, linewidth=1.4, **look)
        else:
            look |= {"marker": line.look.marker, "markersize": 4, "linewidth": 1.3}
            axes.errorbar(line.x, line.y, yerr=line.half, capsize=2, **look)
        if line.band and line.half is not None:
            low, high = line.y - line.half, line.y + line.half
            axes.fill_between(line.x, low, high, color=line.look.colour, alpha=0.18, linewidth=0)
        hollow = {"marker": line.look.marker, "markerfacecolor": "none", "markersize": 7, "linestyle": "none"}
        axes.plot(*line.published.T, color=line.look.colour, **hollow)
    if panel.shaded:
        axes.axvspan(*panel.shaded, color="#888888", alpha=0.2, linewidth=0)


def dress(axes: Any, title: str, drawing: Drawing) -> None:
    """Titles, ticks and scales of one panel."""
    axes.set_title(title, fontsize=10, loc="left")
    axes.set_xlabel(drawing.x_label, fontsize=9)
    axes.set_ylabel(drawing.y_label, fontsize=9)
    axes.tick_params(labelsize=8)
    plain_axes(axes)
    ends = [(line.x, line.y) for panel in drawing.panels for line in panel.lines]
    if drawing.log_y and ends:
        positive = np.concatenate([y[y > 0] for _, y in ends])
        axes.set_yscale("log")
        if len(positive):
            logarithmic(axes.yaxis, 0.7 * positive.min(), 1.4 * positive.max())
    if drawing.log_x and ends:
        every = np.concatenate([x for x, _ in ends])
        axes.set_xscale("log")
        logarithmic(axes.xaxis, 0.99 * every.min(), 1.01 * every.max())
    elif drawing.x_label in ("row", "round"):
        axes.xaxis.set_major_locator(few())
        axes.xaxis.set_major_formatter(thousands)
    if drawing.x_label == "round":
        axes.yaxis.set_major_formatter(thousands)


def logarithmic(axis: Any, low: float, high: float) -> None:
    """Two to five round ticks with their numbers."""
    axis.set_ticks(log_ticks(float(low), float(high)), minor=False)
    axis.set_ticks([], minor=True)
    axis.set_major_formatter(thousands)


def few() -> Any:
    """So few ticks that their numbers do not run into each other."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(5)
