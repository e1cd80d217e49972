"""Figures of a report, from a grid's shape alone: what is drawn against what, as plain data for pictures/panels.py.

One of C, K, T, a ring's share, agents and slates lies along the axis, every policy is a line, and whatever else varies
makes a panel, so that every cell of a grid can be found. A grid with too many panels, or with nothing to draw along,
gets one sentence instead.
"""

import math
from collections.abc import Mapping
from itertools import count
from typing import Any

import numpy as np

from robandit.catalogue import read_capability
from robandit.estimates import half_widths
from robandit.game import Floats
from robandit.lab.trace import Trace
from robandit.pictures.panels import LinePanel, LinePlot, PlotLine, draw_lines
from robandit.pictures.style import LineStyle, line_styles
from robandit.report.page import Picture
from robandit.study.axes import ADVERSARIAL, ALONG, COORDINATES
from robandit.study.cell import Cell
from robandit.study.results import Results
from robandit.study.spec import Grid

MOST = 12  # panels of one figure
FEW = 4  # means of a title
Published = Mapping[str, Mapping[Any, float]]  # by policy and place along the axis


class Shape:
    """The coordinates of a grid's cells; what lies along the axis, and what makes panels."""

    def __init__(self, grid: Grid) -> None:
        self.grid, self.games = grid, games_of(grid)
        self.along: str | None = None
        self.in_time = any(cell.checkpoints == "log" or int(cell.checkpoints) >= 50 for cell in grid.cells)
        lengths = {name: len({self.at(cell, name) for cell in grid.cells}) for name in ALONG}
        longest = max(ALONG, key=lengths.__getitem__)
        self.along = None if self.in_time or lengths[longest] < 2 else longest
        self.varied = [name for name in COORDINATES if len({self.at(cell, name) for cell in grid.cells} - {None}) > 1]

    def at(self, cell: Cell, name: str) -> Any:
        """A coordinate; None for an absent adversary's, who is the same whatever they are."""
        if name == "means":
            return self.games[cell.means]
        absent = (*ADVERSARIAL, "budget") if self.along == "share" else ADVERSARIAL
        return None if cell.clean and name in absent else getattr(cell, name)

    def x(self, cell: Cell) -> float:
        """Where a cell lies along the axis; nobody has no share."""
        return float(self.at(cell, str(self.along)) or 0.0)

    def panel_names(self) -> list[str]:
        """The coordinates that tell panels apart."""
        return [name for name in self.varied if name != self.along]

    def panels(self) -> dict[tuple[Any, ...], list[Cell]]:
        """The cells of each panel; along C or a share a clean cell begins the line in every panel that is like it."""
        names, panels = self.panel_names(), dict[tuple[Any, ...], list[Cell]]()
        places = [(tuple(self.at(cell, name) for name in names), cell) for cell in self.grid.cells]
        for place, cell in places:
            panels.setdefault(place, []).append(cell)
        if self.along in ("budget", "share"):
            for clean in [place for place in panels if None in place and any(covers(place, other) for other in panels)]:
                for other in [place for place in panels if covers(clean, place)]:
                    panels[other] = [*panels[clean], *panels[other]]
                del panels[clean]
        return panels

    def title(self, place: tuple[Any, ...]) -> str:
        """What a panel's cells share."""
        parts = zip(self.panel_names(), place, strict=True)
        return ", ".join(self.describe(name, value) for name, value in parts if value is not None)

    def describe(self, name: str, value: Any) -> str:
        """A coordinate in words; a game by its means where they are few, else by its number."""
        games = [means for means, number in self.games.items() if number == value] if name == "means" else []
        if len(games) == 1 and len(games[0]) <= FEW:
            return "means " + ", ".join(f"{mean:.3g}" for mean in games[0])
        if name == "can":
            return read_capability(value).words()
        if name == "budget" and math.isinf(value):
            return "C without limit"
        return (COORDINATES[name].title or name + " {}").format(value)

    def refusal(self) -> str:
        """Why there is no figure, in a sentence; nothing where there is one."""
        if not self.in_time and self.along is None:
            return (
                "No figure: a line needs two or more values of C, K or T (or of a share, agents or a slate), or 50 "
                "checkpoints; the table has every cell."
            )
        panels = len(self.panels())
        if panels > MOST:
            names = " x ".join(self.panel_names())
            return (
                f"No figure: {names} would make {panels} panels, and {MOST} is the most; split the grid into several."
            )
        return ""


def games_of(grid: Grid) -> dict[tuple[float, ...], int]:
    """Each game's number among those with as many arms, in the order of the grid."""
    counters, numbers = dict[int, Any](), dict[tuple[float, ...], int]()
    for cell in grid.cells:
        if cell.means not in numbers:
            numbers[cell.means] = next(counters.setdefault(cell.arms, count(1)))
    return numbers


def covers(clean: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether a clean cell's place, in which the adversary is left open, is another's too."""
    same = (one in (None, two) for one, two in zip(clean, other, strict=True))
    return clean != other and all(same)


def pictures_of(results: Results, grid: Grid, published: Published | None = None) -> list[Picture]:
    """The figure a grid's axes ask for, if it can be drawn."""
    shape = Shape(grid)
    if shape.refusal():
        return []
    if shape.in_time:
        words = f"{grid.title}. Mean and its 95 % interval; grey: rounds in which corruption was paid."
        words = " ".join([words, *describe_terms(grid)])
        return [Picture(f"{grid.id}-over-time", words, draw_lines(plot_over_time(results, shape)))]
    beside = " Hollow: the paper's values." if published else ""
    words = " ".join([f"{grid.title}. Mean and 95 % interval.{beside}", *describe_terms(grid)])
    return [Picture(f"{grid.id}-by-{shape.along}", words, draw_lines(plot_along(results, shape, published or {})))]


def describe_terms(grid: Grid) -> list[str]:
    """What an attacker of these cells can do where it is not everything; what regret counts in wider games."""
    attacked = [cell for cell in grid.cells if not cell.clean]
    shares = {cell.share for cell in attacked}
    sentences = []
    for can in dict.fromkeys(cell.can for cell in attacked if cell.capability.limited):
        within = "" if len(shares) == 1 else ", in the share of rounds that is given"
        spoken = read_capability(can) if len(shares) > 1 else next(c.capability for c in attacked if c.can == can)
        sentences.append(f"The attacker sees the draw and {spoken.words()}{within}.")
    if any(math.isinf(cell.budget) for cell in attacked):
        sentences.append("The attacker may spend without limit.")
    if any(cell.agents > 1 for cell in grid.cells):
        sentences.append("Regret and C are the team's, T counts the rounds of each agent.")
    if any(cell.slate > 1 for cell in grid.cells):
        sentences.append("Regret is against the best slate, T counts slates; C is paid by the item.")
    return sentences


def styles_of(results: Results) -> dict[str, LineStyle]:
    """How each policy of a study is drawn, the same in all its figures."""
    return line_styles(cell.policy for grid in results.study.grids for cell in grid.cells)


def plot_along(results: Results, shape: Shape, published: Published) -> LinePlot:
    """Mean regret against one coordinate."""
    styles, panels, along = styles_of(results), [], str(shape.along)
    for place, cells in shape.panels().items():
        lines = []
        for policy in dict.fromkeys(cell.policy for cell in cells):
            points = sorted(
                (shape.x(cell), one.mean, one.half_width if one.count > 1 else 0.0)
                for cell, one in results.estimates(cell for cell in cells if cell.policy == policy)
            )
            if points:
                xs, ys, halves = np.array(points, dtype=float).T
                paper = np.array(sorted(published.get(policy, {}).items()), dtype=float).reshape(-1, 2)
                lines.append(PlotLine(policy, styles[policy], xs, ys, halves, paper))
        panels.append(LinePanel(shape.title(place), lines))
    return LinePlot(panels, COORDINATES[along].label, "regret at the horizon", log_x=along == "horizon", log_y=True)


def plot_over_time(results: Results, shape: Shape) -> LinePlot:
    """Mean regret over time with its interval, the corrupted rounds shaded."""
    styles, panels = styles_of(results), []
    for place, cells in shape.panels().items():
        lines, shaded = [], None
        for cell in cells:
            trace = results.trace(cell)
            if trace is not None:
                curve: Floats = trace.regret.mean(axis=0)
                rounds = trace.rounds.astype(float)
                lines.append(
                    PlotLine(cell.policy, styles[cell.policy], rounds, curve, half_widths(trace.regret), band=True)
                )
                shaded = corrupted_stretch(trace)
        panels.append(LinePanel(shape.title(place), lines, shaded))
    return LinePlot(panels, "round", "cumulative regret")


def corrupted_stretch(trace: Trace) -> tuple[float, float] | None:
    """From where to where corruption was paid."""
    paid = trace.corruption_paid.mean(axis=0)
    spent = trace.rounds[np.diff(paid, prepend=0.0) > 1e-3 * paid[-1]]
    return (float(spent[0] - trace.rounds[0]), float(spent[-1])) if paid[-1] > 0 else None
