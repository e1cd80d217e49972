"""Lying bars, one a name: who moved something, and how far; marked ones in a second colour."""

from dataclasses import dataclass
from typing import Any

from robandit.pictures.rendered import Rendered
from robandit.pictures.style import COLOURS, plain_axes


@dataclass(frozen=True)
class Bars(Rendered):
    """Names with values, from top to bottom; plain data until it is rendered."""

    names: list[str]
    values: list[float]
    marked: list[bool]
    meaning: tuple[str, str]  # of a plain bar and of a marked one
    x_label: str

    def laid_out(self) -> Any:
        """The figure."""
        from matplotlib.figure import Figure
        from matplotlib.patches import Patch

        figure = Figure(figsize=(7.2, 1.3 + 0.27 * len(self.names)), layout="constrained")
        axes = figure.subplots()
        colours = [COLOURS[1] if mark else COLOURS[0] for mark in self.marked]
        places = range(len(self.names))
        hatches = ["//" if mark else "" for mark in self.marked]
        axes.barh(places, self.values, color=colours, height=0.7, hatch=hatches, edgecolor="white", linewidth=0.5)
        axes.set_yticks(places, [name if len(name) <= 28 else name[:27] + "…" for name in self.names], fontsize=8)
        axes.set_ylim(len(self.names) - 0.4, -0.6)
        axes.axvline(0.0, color="#555555", linewidth=0.8)
        axes.set_xlabel(self.x_label, fontsize=9)
        axes.tick_params(axis="x", labelsize=8)
        plain_axes(axes, "x")
        looks = [(COLOURS[0], "", self.meaning[0]), (COLOURS[1], "//", self.meaning[1])]
        kinds = [look for look, there in zip(looks, (not all(self.marked), any(self.marked)), strict=True) if there]
        patches = [Patch(facecolor=c, hatch=h, edgecolor="white", label=words) for c, h, words in kinds]
        figure.legend(handles=patches, loc="outside lower center", ncols=2, frameon=False, fontsize=8)
        return figure
