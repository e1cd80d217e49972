"""The frontier: what a policy costs in peace against what it costs to turn it."""

import math
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import Any

from robandit.pictures.style import COLOURS, plain_axes, thousands

DIRECTIONS = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
REACHES = (7, 13, 20, 28, 37, 48)  # points between a dot and its label, nearest first


@dataclass(frozen=True)
class Dot:
    """One policy on one environment."""

    label: str
    family: str  # dots of one family are joined
    regret: float
    half: float
    low: float
    price: float
    high: float
    front: bool


@dataclass(frozen=True)
class Panel:
    """One environment: its dots, and a line about what could not be drawn."""

    title: str
    dots: list[Dot]
    left_out: str = ""


def frontier(panels: list[Panel], families: tuple[str, ...], caption: str, path: Path) -> None:
    """Panels under each other, both axes logarithmic, labels that do not overlap."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5.4 * len(panels) + 0.9), layout="constrained")
    boxes = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
    for axes, panel in zip(boxes, panels, strict=True):
        draw_panel(axes, panel, families)
    figure.suptitle(caption, fontsize=10, x=0.01, ha="left")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]  # settles the layout, so that labels can be placed
    figure.set_layout_engine("none")
    for axes, panel in zip(boxes, panels, strict=True):
        place_labels(figure, axes, panel.dots, families)
    figure.savefig(path, dpi=150)


def draw_panel(axes: Any, panel: Panel, families: tuple[str, ...]) -> None:
    """Dots with their ranges, families as lines, the front as a step."""
    from matplotlib.ticker import LogLocator, NullFormatter

    for dot in panel.dots:
        colour = colour_of(dot, families)
        top = dot.high if math.isfinite(dot.high) else 1.6 * dot.price  # open: some blocks were not turned at all
        if top != dot.high:
            axes.plot(dot.regret, top, "^", color=colour, markersize=6)
        axes.errorbar(
            dot.regret,
            dot.price,
            xerr=[[min(dot.half, 0.9 * dot.regret)], [dot.half]],
            yerr=[[dot.price - dot.low], [top - dot.price]],
            fmt="o" if dot.front else "s",
            markersize=7 if dot.front else 4.5,
            color=colour,
            ecolor=colour,
            elinewidth=1.2,
            capsize=2,
            zorder=3,
        )
    for number, family in enumerate(families):
        members = sorted((dot for dot in panel.dots if dot.family == family), key=lambda dot: dot.regret)
        if not members:
            continue
        axes.plot(
            [dot.regret for dot in members],
            [dot.price for dot in members],
            color=COLOURS[number],
            linewidth=2.4 if number == 0 else 1.2,
            alpha=0.8,
            zorder=2,
        )
    if panel.dots:
        axes.set_xscale("log")
        axes.set_yscale("log")
    axes.margins(x=0.1, y=0.12)
    front = sorted((dot for dot in panel.dots if dot.front), key=lambda dot: dot.regret)
    if front:
        right, bottom = axes.get_xlim()[1], axes.get_ylim()[0]
        x = [front[0].regret, *(dot.regret for dot in front[1:]), right]
        steps = [dot.price for dot in front]
        axes.step([front[0].regret, *x], [bottom, *steps, steps[-1]], where="post", color="#2a7f2a", linewidth=1.0)
        axes.fill_between(x, [*steps, steps[-1]], bottom, step="post", color="#2a7f2a", alpha=0.07, linewidth=0)
        axes.set_xlim(right=right)
        axes.set_ylim(bottom=bottom)
    axes.set_xlabel("clean regret: what the policy costs in peace (logarithmic)")
    axes.set_ylabel("attack price: forged reward\nthat turns it (logarithmic)")
    for axis in (axes.xaxis, axes.yaxis) if panel.dots else ():
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(thousands)
        axis.set_minor_formatter(NullFormatter())
    axes.set_title(panel.title, fontsize=11, loc="left", fontweight="bold")
    if panel.left_out:
        words = "\n".join(fill(line, 84) for line in panel.left_out.splitlines())
        style = {"ha": "right", "va": "bottom", "fontsize": 7.5, "in_layout": False}
        axes.text(0.99, 0.015, words, transform=axes.transAxes, **style)
    plain_axes(axes, "both")


def colour_of(dot: Dot, families: tuple[str, ...]) -> str:
    """A family's own colour, grey for the rest."""
    return COLOURS[families.index(dot.family)] if dot.family in families else "#555555"


def place_labels(figure: Any, axes: Any, dots: list[Dot], families: tuple[str, ...]) -> None:
    """Each label at the nearest place where it covers neither a dot nor another label."""
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=2.5, foreground="white")]
    renderer = figure.canvas.get_renderer()
    inside = axes.get_window_extent(renderer)
    per_point = figure.dpi / 72.0
    centres = [axes.transData.transform((dot.regret, dot.price)) for dot in dots]
    taken = [(x - 5 * per_point, y - 5 * per_point, x + 5 * per_point, y + 5 * per_point) for x, y in centres]
    taken += [box_of(text.get_window_extent(renderer)) for text in axes.texts]
    order = sorted(range(len(dots)), key=lambda place: (not dots[place].front, dots[place].regret))
    for place in order:
        dot, (x, y) = dots[place], centres[place]
        style = {"fontsize": 8.5, "color": colour_of(dot, families), "fontweight": "bold" if dot.front else "normal"}
        text = axes.annotate(dot.label, (dot.regret, dot.price), (0, 0), textcoords="offset points", **style)
        text.set_path_effects(halo)
        size = box_of(text.get_window_extent(renderer))
        width, height = size[2] - size[0], size[3] - size[1]
        best, least = None, None
        for reach in REACHES:
            for dx, dy in DIRECTIONS:
                left = x + dx * reach * per_point - (width if dx < 0 else width / 2 if dx == 0 else 0)
                low = y + dy * reach * per_point - (height if dy < 0 else height / 2 if dy == 0 else 0)
                box = (left, low, left + width, low + height)
                hidden = sum(overlap(box, other) for other in taken) + outside(box, box_of(inside))
                if least is None or hidden < least:
                    best, least = box, hidden
            if least == 0.0:
                break
        assert best is not None
        text.set_position(((best[0] - x) / per_point, (best[1] - y) / per_point))
        taken.append(best)
        if abs(best[0] - x) + abs(best[1] - y) > 22 * per_point + (width if best[0] < x else 0.0):
            line_to(axes, dot, (x, y), best)


def line_to(axes: Any, dot: Dot, centre: tuple[float, float], box: tuple[float, ...]) -> None:
    """A thin line from a dot to a label that had to stand further off."""
    x = min(max(centre[0], box[0]), box[2])
    y = min(max(centre[1], box[1]), box[3])
    end = axes.transData.inverted().transform((x, y))
    axes.plot([dot.regret, end[0]], [dot.price, end[1]], color="#999999", linewidth=0.6, zorder=1)


def box_of(extent: Any) -> tuple[float, float, float, float]:
    """Left, bottom, right, top."""
    return (extent.x0, extent.y0, extent.x1, extent.y1)


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """The area two boxes share."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)


def outside(box: tuple[float, ...], frame: tuple[float, ...]) -> float:
    """The area of a box that lies outside a frame."""
    return (box[2] - box[0]) * (box[3] - box[1]) - overlap(box, frame)
