"""The frontier as small multiples: the clean regret of a policy against what it costs to fool it."""

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from textwrap import fill
from typing import Any

import numpy as np

from robandit.pictures.labels import DotLabel, place_labels
from robandit.pictures.rendered import picture
from robandit.pictures.style import FAMILIES, colour_of, family_of, log_ticks, plain_axes, thousands

PRICES = {"reward": "price C (rewards)", "share": "price (% of rounds)"}
ROOM = 20  # dots of the front that a large panel has room to label
FEW, MOST = 8, 6  # so few dots are all labelled; no more lines than this are, where panels are small


@dataclass(frozen=True)
class FrontierDot:
    """One policy with its knob at one value; a price that no block reached is infinite."""

    policy: str
    line: str  # dots of one line are joined
    value: float | None  # of the knob
    regret: float
    half: float
    low: float
    price: float
    high: float
    front: bool
    attack: str = ""
    checks: float = 0.0  # rewards that it asks to have verified, per run: a third cost


@dataclass(frozen=True)
class FrontierPanel:
    """One attacker on one environment."""

    attacker: str
    place: str
    horizon: int
    dots: list[FrontierDot]
    idle: tuple[str, ...] = ()  # policies that do not learn within the horizon
    unit: str = "reward"
    limit: float | None = None  # a share from which on no policy can know better


@picture
def draw_frontier(panels: list[FrontierPanel], caption: str) -> Any:
    """Attackers side by side, environments below each other; of one attacker, two environments side by side."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    attackers = list(dict.fromkeys(panel.attacker for panel in panels))
    places = list(dict.fromkeys(panel.place for panel in panels))
    grid = len(attackers) > 1
    columns = len(attackers) if grid else min(2, len(places))
    rows = len(places) if grid else -(-len(places) // columns)
    width = max(2.1 * columns + 0.1, 4.0) if grid else 3.9 if columns == 2 else 6.4
    height = 4.2 if columns == 1 else 2.4 if rows == 1 else 1.75
    figure = Figure(figsize=(width, height * rows + 1.3), layout="constrained")
    words = fill(caption, round(15.5 * width))
    figure.suptitle(words + ("\n\n\n" if grid else ""), fontsize=8, x=0.01, ha="left")
    boxes = figure.subplots(rows, columns, sharex="row" if grid else False, squeeze=False)
    placed = []
    for number, panel in enumerate(panels):
        row = places.index(panel.place) if grid else number // columns
        column = attackers.index(panel.attacker) if grid else number % columns
        title = f"{panel.place}; T = {panel.horizon:,}" if column == 0 else ""
        if columns == 2 and not grid:  # no room beside each other
            title = f"{fill(panel.place, 34)}\nT = {panel.horizon:,}"
        draw_panel(boxes[row, column], panel, title, row == rows - 1 or not grid, columns > 1)
        placed.append((boxes[row, column], panel))
    empty = [axes for axes in boxes.ravel() if not any(axes is used for used, _ in placed)]
    for axes in empty:
        axes.remove()
    add_legend(figure, panels, 5 if width > 5 else 3)
    FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]  # settles the layout, so that labels can be placed
    figure.set_layout_engine("none")
    for axes, panel in placed:
        label_panel(figure, axes, panel, 6.5 if columns > 1 else 8.5)
    for column, attacker in enumerate(attackers if grid else ()):
        spot = boxes[0, column].get_position()
        high = spot.y1 + 0.27 / figure.get_figheight()
        style: dict[str, Any] = {"fontsize": 8.5, "fontweight": "bold", "va": "bottom", "ha": "left"}
        figure.text(spot.x0, high, fill(attacker, 24), **style)
    return figure


def add_legend(figure: Any, panels: list[FrontierPanel], columns: int) -> None:
    """The colour of each family that is there."""
    from matplotlib.lines import Line2D

    used = {family_of(dot.policy) for panel in panels for dot in panel.dots}
    handles = [
        Line2D([], [], color=colour, marker="o", markersize=4, linewidth=1.4, label=family)
        for family, colour in FAMILIES.items()
        if family in used
    ]
    if any(math.isinf(dot.high) and not dot.checks for panel in panels for dot in panel.dots):
        words = "not fooled in every block"
        handles.append(Line2D([], [], color="#757575", marker="^", markersize=4, linewidth=0, label=words))
    if any(dot.checks for panel in panels for dot in panel.dots):
        words = "with checks"
        handles.append(Line2D([], [], color="#757575", marker="s", markersize=4, linewidth=0, label=words))
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False, fontsize=7.5)


def draw_panel(axes: Any, panel: FrontierPanel, title: str, bottom: bool, small: bool) -> None:
    """Every line pale, the front strong and with its bars, what no policy can exceed as a dashed line."""
    size, dots = 7 if small else 9, scaled(panel)
    for line in dict.fromkeys(dot.line for dot in dots):
        members = [dot for dot in dots if dot.line == line]
        members.sort(key=lambda dot: (dot.value is None, dot.value, dot.regret))
        colour, front = colour_of(members[0].policy), any(dot.front for dot in members)
        look = {"color": colour, "linewidth": 1.1 if front else 0.6, "alpha": 0.85 if front else 0.3}
        xs, ys = [dot.regret for dot in members], [dot.price for dot in members]
        axes.plot(xs, ys, marker=".", markersize=3, zorder=2.5 if front else 1, **look)
    for dot in dots:
        if dot.front:
            draw_front(axes, dot)
    if dots:
        axes.set_xscale("log")
        axes.set_yscale("log")
        if panel.limit is not None:
            draw_limit(axes, 100 * panel.limit, size - 1)
        axes.margins(x=0.12, y=0.15)
        axes.autoscale_view()
        for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            axis.set_ticks(log_ticks(low, high), minor=False)
            axis.set_ticks([], minor=True)
            axis.set_major_formatter(thousands)
    axes.tick_params(labelsize=size - 0.5, length=2, pad=2, labelbottom=True)
    axes.set_ylabel(PRICES[panel.unit], fontsize=size, labelpad=1)
    if bottom:
        axes.set_xlabel("clean regret (rewards lost)", fontsize=size, labelpad=1)
    if title:
        axes.set_title(title, fontsize=size + 0.5, loc="left", pad=4)
    plain_axes(axes, "both")
    if not dots:
        axes.set(xticks=[], yticks=[])
        words = f"no policy learns\nwithin T = {panel.horizon:,}"
        axes.text(0.5, 0.5, words, fontsize=size, ha="center", va="center", transform=axes.transAxes)


def draw_limit(axes: Any, limit: float, size: float) -> None:
    """From this share on no policy can know better, whatever it does."""
    style = {"fontsize": size, "color": "#444444", "ha": "right", "va": "bottom"}
    axes.axhline(limit, color="#444444", linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
    axes.text(0.99, limit, f"limit {limit:.3g} %", transform=axes.get_yaxis_transform(), **style)


def draw_front(axes: Any, dot: FrontierDot) -> None:
    """One dot of the front with both of its ranges; an open end is a triangle, one with checks a square."""
    colour, half = colour_of(dot.policy), [[min(dot.half, 0.9 * dot.regret)], [dot.half]]
    sure = math.isfinite(dot.high)
    bars = None if not sure else [[dot.price - dot.low], [dot.high - dot.price]]
    marker = "s" if dot.checks else "o" if sure else "^"
    look = {"markersize": 4.2, "elinewidth": 0.8, "capsize": 1.2, "zorder": 4}
    axes.errorbar(dot.regret, dot.price, xerr=half, yerr=bars, fmt=marker, color=colour, ecolor=colour, **look)


def scaled(panel: FrontierPanel) -> list[FrontierDot]:
    """The dots in the units of the axes; one that no attack fooled stands above all others."""
    unit = 100.0 if panel.unit == "share" else 1.0
    reached = [value for dot in panel.dots for value in (dot.price, dot.high) if math.isfinite(value)]
    top = 1.5 * max([*reached, panel.limit or 0.0], default=1.0) or 1.0
    capped = [
        replace(dot, low=min(dot.low, top), price=min(dot.price, top)) if not math.isfinite(dot.price) else dot
        for dot in panel.dots
    ]
    return [replace(dot, low=unit * dot.low, price=unit * dot.price, high=unit * dot.high) for dot in capped]


def label_panel(figure: Any, axes: Any, panel: FrontierPanel, size: float) -> None:
    """A label for each line that leads the front; with room enough, for each dot on it with its value."""
    dots, few, large = scaled(panel), len(panel.dots) <= FEW, size > 8
    front = [dot for dot in dots if dot.front]
    candidates = dots if few else front if large and len(front) <= ROOM else leading(dots)
    groups: dict[str, list[FrontierDot]] = {}
    for dot in sorted(candidates, key=lambda dot: dot.regret):
        groups.setdefault(dot.policy if few else dot.line + describe_value(dot) * large, []).append(dot)
    labelled = sorted(groups.items(), key=lambda item: -len(item[1]))[: None if few or large else MOST]
    labels = [
        DotLabel(words, colour_of(group[0].policy), [(dot.regret, dot.price) for dot in group])
        for words, group in reversed(labelled)  # what has one place only comes first
    ]
    named = {dot.line for dot in candidates}
    if large:  # who is nowhere on the front has a name too
        rest = [dot for dot in dots if dot.line not in named]
        lines = {dot.line: [one for one in rest if one.line == dot.line] for dot in rest}
        labels += [
            DotLabel(line, colour_of(group[0].policy), [(dot.regret, dot.price) for dot in group])
            for line, group in lines.items()
        ]
    bars = [bar for dot in front for bar in bars_of(dot)]
    place_labels(figure, axes, labels, [(dot.regret, dot.price) for dot in dots] + along_lines(dots), bars, size)


def describe_value(dot: FrontierDot) -> str:
    """What a label says of a dot beside the name of its line: the knob's value and the checks."""
    value = "" if dot.value is None else f" {dot.value:g}"
    value += " (default)" if value and ":" not in dot.policy else ""  # a policy's text leaves out what is usual
    value += f", {dot.checks:,.0f} checks" if dot.checks else ""
    return value + (", never fooled" if math.isinf(dot.high) and dot.low >= dot.price else "")


def bars_of(dot: FrontierDot) -> list[tuple[float, float, float, float]]:
    """The places of a dot's error bars."""
    bars = [(max(dot.regret - dot.half, 0.1 * dot.regret), 0.99 * dot.price, dot.regret + dot.half, 1.01 * dot.price)]
    if math.isfinite(dot.high):
        bars.append((0.99 * dot.regret, max(dot.low, 0.01 * dot.price), 1.01 * dot.regret, dot.high))
    return bars


def along_lines(dots: list[FrontierDot]) -> list[tuple[float, float]]:
    """Points on the lines between dots, so that labels keep clear of these too."""
    points, steps = list[tuple[float, float]](), np.linspace(0.05, 0.95, 25)
    for line in dict.fromkeys(dot.line for dot in dots):
        members = sorted((dot for dot in dots if dot.line == line), key=lambda dot: (dot.value is None, dot.value))
        for one, two in pairwise(members):
            xs = one.regret * (two.regret / one.regret) ** steps
            ys = one.price * (two.price / one.price) ** steps
            points += list(zip(xs.tolist(), ys.tolist(), strict=True))
    return points


def leading(dots: list[FrontierDot]) -> list[FrontierDot]:
    """Those of the front whose price nobody reaches with less clean regret and no more checks, by estimates alone."""

    def beats(one: FrontierDot, other: FrontierDot) -> bool:
        sooner = (one.regret, -one.price) < (other.regret, -other.price)
        return sooner and one.price >= other.price and one.checks <= other.checks

    front = [dot for dot in dots if dot.front]
    return [dot for dot in front if not any(beats(one, dot) for one in front)]
