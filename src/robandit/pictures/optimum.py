"""The shape of the exact worst attack: at which p of the best arm it strikes, over time."""

from pathlib import Path
from typing import Any

import numpy as np

from robandit.game import Floats
from robandit.pictures.style import thousands

SHADES = ("#f3f3f3", "#56b4e9", "#0072b2", "#d55e00")
TICKS = (0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999)


def attack_shape(
    rounds: Any, chances: Floats, decisions: Any, words: tuple[str, ...], caption: str, path: Path
) -> None:
    """Decisions as coloured areas, log-odds upwards."""
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    figure = Figure(figsize=(8, 4.8), layout="constrained")
    axes = figure.add_subplot()
    odds = np.log(chances / (1.0 - chances))
    colours = ListedColormap(SHADES)
    terms: dict[str, Any] = {"cmap": colours, "vmin": -0.5, "vmax": 3.5, "shading": "nearest"}
    axes.pcolormesh(rounds + 1, odds, decisions.T, **terms, rasterized=True)  # else an SVG holds 50,000 rectangles
    inside = [tick for tick in TICKS if odds[0] <= np.log(tick / (1 - tick)) <= odds[-1]]
    axes.set_yticks([np.log(tick / (1 - tick)) for tick in inside], [f"{100 * tick:g} %" for tick in inside])
    axes.axhline(0.0, color="#333333", linewidth=0.8, linestyle=":")
    axes.set_xlabel("round")
    axes.set_ylabel("chance of the best arm, p(t)  (log-odds)")
    axes.xaxis.set_major_formatter(thousands)
    axes.set_title(caption, fontsize=10, loc="left")
    used = [number for number in range(len(words)) if (decisions == number).any()]
    patches = [Patch(facecolor=SHADES[number], edgecolor="#777777", label=words[number]) for number in used]
    figure.legend(handles=patches, loc="outside lower center", ncols=len(used), frameon=False, fontsize=9)
    figure.savefig(path, dpi=160)
