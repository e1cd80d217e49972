"""Where corruption buys most: a line over p for two arms, a map over log-ratios for three."""

from typing import Any

import numpy as np

from robandit.game import Floats
from robandit.pictures.rendered import picture
from robandit.pictures.style import COLOURS, WIDTH, plain_axes

TICKS = (0.01, 0.1, 0.5, 0.9, 0.99)
RATIOS = (0.01, 0.1, 1.0, 10.0, 100.0)


def draw_line(axes: Any, probabilities: Floats, worth: Floats, price: float, title: str) -> None:
    """Worth of a unit by the probability of the best arm, log-odds to the right, and the price it is held against."""
    odds = np.log(probabilities / (1.0 - probabilities))
    seen = np.abs(odds) <= 6.0
    axes.plot(odds[seen], worth[seen], color=COLOURS[0])
    axes.axhline(price, color=COLOURS[1], linestyle="--", linewidth=1)
    above: dict[str, Any] = {"xytext": (0, 3), "textcoords": "offset points", "ha": "right", "va": "bottom"}
    axes.annotate(f"price {price:g}", (0.98, price), xycoords=("axes fraction", "data"), **above)
    axes.axvline(0.0, color="#333333", linewidth=0.8, linestyle=":")
    axes.set_xticks([np.log(tick / (1 - tick)) for tick in TICKS], [f"{100 * tick:g} %" for tick in TICKS])
    axes.set_ylim(0.0, 1.15 * max(price, float(worth.max())))
    axes.set_xlabel("probability of the best arm (log-odds)")
    axes.set_ylabel("regret per unit of corruption")
    axes.set_title(title, fontsize=10, loc="left")
    plain_axes(axes)


def draw_plane(figure: Any, axes: Any, ratios: Floats, worth: Floats, title: str) -> None:
    """The same for three arms: colour over the two log-ratios, with the lines on which the leader changes."""
    seen = np.abs(ratios) <= np.log(150.0)
    drawn = axes.pcolormesh(ratios[seen], ratios[seen], worth[np.ix_(seen, seen)].T, cmap="viridis", shading="nearest")
    figure.colorbar(drawn, ax=axes, label="regret per unit of corruption", shrink=0.95)  # as high as the map
    end = float(ratios[seen][-1])
    for across, upwards in (((-end, 0.0), (0.0, 0.0)), ((0.0, 0.0), (-end, 0.0)), ((0.0, end), (0.0, end))):
        axes.plot(across, upwards, color="white", linewidth=1, linestyle=":")
    for x, y, words in (
        (-0.55, -0.55, "the best\narm leads"),
        (0.6, -0.45, "arm 2 leads"),
        (-0.45, 0.6, "arm 3 leads"),
    ):
        axes.text(x * end, y * end, words, color="white", ha="center", va="center", fontsize=9)
    for set_ticks in (axes.set_xticks, axes.set_yticks):
        set_ticks([np.log(ratio) for ratio in RATIOS], [f"{ratio:g}" for ratio in RATIOS])
    axes.set_xlabel("probability of arm 2 over that of the best")
    axes.set_ylabel("probability of arm 3 over that of the best")
    axes.set_title(title, fontsize=10, loc="left")
    axes.set_aspect("equal")


@picture
def draw_price_maps(line: tuple[Floats, Floats, float, str], plane: tuple[Floats, Floats, str]) -> Any:
    """Both, one above the other, so that they can be read on a phone."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 8.4), layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=(2, 3))
    draw_line(above, *line)
    draw_plane(figure, below, *plane)
    return figure
