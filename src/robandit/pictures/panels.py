"""Panels of lines on one pair of scales: regret against C, K or T with intervals, and regret over time."""

from dataclasses import dataclass, field
from functools import partial
from textwrap import fill
from typing import Any

import numpy as np

from robandit.game import Floats
from robandit.pictures.rendered import Rendered
from robandit.pictures.style import LineStyle, log_ticks, plain_axes, thousands

WIDE, NARROW = 5.2, 4.4  # inches per panel


@dataclass(frozen=True)
class PlotLine:
    """One policy; half widths make it points with error bars, or a band; published points stand beside it, hollow."""

    label: str
    style: LineStyle
    x: Floats
    y: Floats
    half: Floats | None = None
    published: Floats = field(default_factory=lambda: np.empty((0, 2)))
    band: bool = False


@dataclass(frozen=True)
class LinePanel:
    """Lines on one pair of axes, a grey stretch with what it means, and events with what happened."""

    title: str
    lines: list[PlotLine]
    shaded: tuple[float, float] | None = None
    meaning: str = ""  # of the grey stretch, for the legend; without it a caption says it
    events: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True)
class LinePlot:
    """Panels under one legend, as plain data."""

    panels: list[LinePanel]
    x_label: str
    y_label: str
    log_x: bool = False
    log_y: bool = False


def draw_lines(plot: LinePlot) -> Rendered:
    """Two panels side by side; on a phone one below the other, unless there is only one."""
    narrow = Rendered(partial(lay_out, plot, 1)) if len(plot.panels) > 1 else None
    return Rendered(partial(lay_out, plot, 2), narrow)


def lay_out(plot: LinePlot, across: int) -> Any:
    """The figure, with so many panels side by side."""
    from matplotlib.figure import Figure

    count = len(plot.panels)
    columns = min(count, across)
    rows = -(-count // columns)
    names = dict.fromkeys(name for panel in plot.panels for name in names_in(panel))
    width = WIDE * columns if across > 1 else NARROW
    wide = max(1, min(3, round(width * 13) // (max(map(len, names), default=1) + 7)))
    height = (3.4 if columns > 1 else 2.9) * rows + 0.5 + 0.17 * -(-len(names) // wide)
    figure = Figure(figsize=(width, height), layout="constrained")
    boxes = list(np.atleast_1d(figure.subplots(rows, columns, sharex=True, sharey=True)).ravel())
    for unused in boxes[count:]:
        unused.remove()
    handles = dict[str, Any]()
    for number, (axes, panel) in enumerate(zip(boxes, plot.panels, strict=False)):
        draw_panel(axes, panel)
        dress(axes, fill(panel.title, round(10 * width / columns)), plot)
        axes.tick_params(labelbottom=True, labelleft=True)
        if number % columns:
            axes.set_ylabel("")
        handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=wide, frameon=False, fontsize=8)
    return figure


def names_in(panel: LinePanel) -> list[str]:
    """What the legend says of a panel."""
    return [line.label for line in panel.lines] + ([panel.meaning] if panel.shaded and panel.meaning else [])


def draw_panel(axes: Any, panel: LinePanel) -> None:
    """The lines of one panel, which differ without colour too."""
    for line in panel.lines:
        style: dict[str, Any] = {"color": line.style.colour, "linestyle": line.style.dash, "label": line.label}
        if line.band or line.half is None:
            axes.plot(line.x, line.y, linewidth=1.4, **style)
        else:
            style |= {"marker": line.style.marker, "markersize": 4, "linewidth": 1.3}
            axes.errorbar(line.x, line.y, yerr=line.half, capsize=2, **style)
        if line.band and line.half is not None:
            low, high = line.y - line.half, line.y + line.half
            axes.fill_between(line.x, low, high, color=line.style.colour, alpha=0.18, linewidth=0)
        hollow = {"marker": line.style.marker, "markerfacecolor": "none", "markersize": 7, "linestyle": "none"}
        axes.plot(*line.published.T, color=line.style.colour, **hollow)
    if panel.shaded:
        axes.axvspan(*panel.shaded, color="#888888", alpha=0.2, linewidth=0, label=panel.meaning or None)
    side: dict[str, Any] = {"xytext": (-4, 0), "textcoords": "offset points", "ha": "right", "va": "center"}
    for x, words in panel.events:
        axes.axvline(x, color="#444444", linewidth=1.0, linestyle=(0, (4, 2)), zorder=1)
        axes.annotate(words, (x, 0.5), xycoords=axes.get_xaxis_transform(), fontsize=8, color="#444444", **side)


def dress(axes: Any, title: str, plot: LinePlot) -> None:
    """Titles, ticks and scales of one panel."""
    axes.set_title(title, fontsize=10, loc="left")
    axes.set_xlabel(plot.x_label, fontsize=9)
    axes.set_ylabel(plot.y_label, fontsize=9)
    axes.tick_params(labelsize=8)
    plain_axes(axes)
    ends = [(line.x, line.y) for panel in plot.panels for line in panel.lines]
    if plot.log_y and ends:
        positive = np.concatenate([y[y > 0] for _, y in ends])
        axes.set_yscale("log")
        if len(positive):
            logarithmic(axes.yaxis, 0.7 * positive.min(), 1.4 * positive.max())
    if plot.log_x and ends:
        every = np.concatenate([x for x, _ in ends])
        axes.set_xscale("log")
        logarithmic(axes.xaxis, 0.99 * every.min(), 1.01 * every.max())
    elif plot.x_label in ("decisions made", "round"):
        axes.xaxis.set_major_locator(few())
        axes.xaxis.set_major_formatter(thousands)
    if plot.x_label == "round":
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
