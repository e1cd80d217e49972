"""The shape of the exact worst attack: at which p of the best arm it strikes, over time."""

from typing import Any

import numpy as np

from robandit.game import Floats
from robandit.pictures.rendered import picture
from robandit.pictures.style import WIDTH, headline, thousands

SHADES = ("#f3f3f3", "#56b4e9", "#0072b2", "#d55e00")
TICKS = (0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999)


@picture
def draw_attack_shape(
    rounds: Any,
    probabilities: Floats,
    decisions: Any,
    reached: Any,
    words: tuple[str, ...],
    titles: tuple[str, str],
) -> Any:
    """Decisions as coloured areas, log-odds upwards; states that no run comes to are left white."""
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    figure = Figure(figsize=(WIDTH, 4.2), layout="constrained")
    axes = figure.add_subplot()
    odds = np.log(probabilities / (1.0 - probabilities))
    colours = ListedColormap(SHADES)
    visible = np.ma.masked_array(decisions, ~reached)
    terms: dict[str, Any] = {"cmap": colours, "vmin": -0.5, "vmax": 3.5, "shading": "nearest"}
    axes.pcolormesh(rounds + 1, odds, visible.T, **terms, rasterized=True)  # else an SVG holds 50,000 rectangles
    there = odds[reached.any(axis=0)]
    axes.set_ylim(there[0] - 0.3, there[-1] + 0.3)
    inside = [tick for tick in TICKS if there[0] - 0.3 <= np.log(tick / (1 - tick)) <= there[-1] + 0.3]
    axes.set_yticks([np.log(tick / (1 - tick)) for tick in inside], [f"{100 * tick:g} %" for tick in inside])
    axes.axhline(0.0, color="#333333", linewidth=0.8, linestyle=":")
    axes.set_xlabel("round", fontsize=9)
    axes.set_ylabel("probability of the best arm, p(t)  (log-odds)", fontsize=9)
    axes.tick_params(labelsize=8.5)
    axes.xaxis.set_major_formatter(thousands)
    headline(figure, axes, *titles)
    used = [number for number in range(len(words)) if (visible == number).any()]
    patches = [Patch(facecolor=SHADES[number], edgecolor="#777777", label=words[number]) for number in used]
    if not reached.all():
        patches.append(Patch(facecolor="white", edgecolor="#777777", label="no run in a million comes here"))
    figure.legend(handles=patches, loc="outside lower center", ncols=2, frameon=False, fontsize=8.5)
    return figure
