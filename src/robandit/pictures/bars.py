"""Horizontal bars, one per name, such as the sources that moved a belief: suspects in a second colour, some hatched."""

from typing import Any

from robandit.pictures.rendered import picture
from robandit.pictures.style import COLOURS, plain_axes


@picture
def draw_bars(
    names: list[str],
    values: list[float],
    marks: tuple[list[bool], list[bool]],
    meaning: tuple[str, str, str],
    x_label: str,
) -> Any:
    """Names with values, from top to bottom.

    `marks` says which are coloured and which hatched (coloured too), `meaning` what a plain bar is, a coloured one
    and a hatched one.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    figure = Figure(figsize=(7.2, 1.3 + 0.27 * len(names)), layout="constrained")
    axes = figure.subplots()
    coloured = [one or other for one, other in zip(*marks, strict=True)]
    colours = [COLOURS[1] if mark else COLOURS[0] for mark in coloured]
    places = range(len(names))
    hatches = ["//" if mark else "" for mark in marks[1]]
    axes.barh(places, values, color=colours, height=0.7, hatch=hatches, edgecolor="white", linewidth=0.5)
    axes.set_yticks(places, [name if len(name) <= 28 else name[:27] + "…" for name in names], fontsize=8)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.axvline(0.0, color="#555555", linewidth=0.8)
    axes.set_xlabel(x_label, fontsize=9)
    axes.tick_params(axis="x", labelsize=8)
    plain_axes(axes, "x")
    kinds = [
        (COLOURS[0], "", meaning[0], not all(coloured)),
        (COLOURS[1], "", meaning[1], any(marks[0])),
        (COLOURS[1], "//", meaning[2], any(marks[1])),
    ]
    patches = [Patch(facecolor=c, hatch=h, edgecolor="white", label=words) for c, h, words, is_used in kinds if is_used]
    figure.legend(handles=patches, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    return figure
