"""Bounds beside measured curves: one panel for each policy with a bound whose constants are known."""

from typing import Any

from robandit.pictures.rendered import picture
from robandit.pictures.style import colour_of, plain_axes, thousands

COLUMNS = 4


@picture
def draw_bounds(panels: list[dict[str, Any]], rounds: list[int], caption: str) -> Any:
    """Regret over rounds, both logarithmic; a panel has `policy`, `mean`, `half`, `bound` and `least`, each by round.

    `bound` is None where only the growth is known; `least` is the line of Lai and Robbins, which holds for large T.
    """
    from matplotlib.figure import Figure

    lines = -(-len(panels) // COLUMNS)
    figure = Figure(figsize=(11, 0.9 + 2.5 * lines), layout="constrained")
    every: Any = figure.subplots(lines, COLUMNS, sharex=True, sharey=True, squeeze=False)
    for axes, panel in zip(every.flat, panels, strict=False):
        colour, mean = colour_of(panel["policy"]), panel["mean"]
        low, high = mean - panel["half"], mean + panel["half"]
        axes.fill_between(rounds, low.clip(min=0.1), high, color=colour, alpha=0.25, linewidth=0)
        axes.plot(rounds, mean, color=colour, linewidth=1.8)
        if panel["bound"] is not None:
            axes.plot(rounds, panel["bound"], "--", color="#333333", linewidth=1.3)
        axes.plot(rounds, panel["least"], ":", color="#333333", linewidth=1.3)
        axes.set_title(panel["policy"], fontsize=10, loc="left", color=colour)
    for axes in every.flat[len(panels) :]:
        axes.set_visible(False)
    for axes in every.flat:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(bottom=1.0)
        axes.xaxis.set_major_formatter(thousands)
        axes.yaxis.set_major_formatter(thousands)
        axes.tick_params(labelsize=8)
        plain_axes(axes, "both")
    first = every.flat[0]
    handles = [
        first.plot([], [], color="#757575", linewidth=1.8, label="measured without corruption, mean and 95 %")[0],
        first.plot([], [], "--", color="#333333", linewidth=1.3, label="upper bound with its constants")[0],
        first.plot(
            [],
            [],
            ":",
            color="#333333",
            linewidth=1.3,
            label="c ln T (Lai and Robbins): binds as T grows, not at one T",
        )[0],
    ]
    for axes in every[-1]:
        axes.set_xlabel("round", fontsize=9)
    figure.supylabel("regret (true means)", fontsize=10)
    figure.suptitle(caption, fontsize=11, x=0.01, ha="left")
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return figure
