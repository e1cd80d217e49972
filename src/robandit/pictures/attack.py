"""An attack over time: the regret, the share of pulls on the best arm, and the corruption paid."""

from typing import Any

import numpy as np

from robandit.pictures.rendered import picture
from robandit.pictures.style import WIDTH, headline, plain_axes, thousands

GREY = "#757575"  # of what is compared with


@picture
def draw_attack(stories: list[tuple[str, Any]], colour: str, message: str, rest: str) -> Any:
    """Three panels on one time axis; mean over runs, band from the 5 % to the 95 % quantile."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 7.0), layout="constrained")
    panels = figure.subplots(3, 1, sharex=True)
    names = ("cumulative regret\n(true means)", "share of pulls\non the best arm", "corruption paid")
    for axes, name, field in zip(panels, names, ("regret", "best_share", "paid"), strict=True):
        for number, (label, story) in enumerate(stories):
            values = getattr(story, field)
            if field == "paid" and values.max() == 0.0:
                continue
            style: dict[str, Any] = {"color": GREY if number else colour, "linestyle": "--" if number else "-"}
            axes.plot(story.rounds, values.mean(axis=0), linewidth=1.8, label=label, **style)
            if len(values) > 1 and field != "best_share":
                low, high = np.quantile(values, [0.05, 0.95], axis=0)
                axes.fill_between(story.rounds, low, high, color=style["color"], alpha=0.15, linewidth=0)
        axes.set_ylabel(name, fontsize=9)
        axes.tick_params(labelsize=8.5)
        axes.yaxis.set_major_formatter(thousands)
        axes.set_ylim(bottom=0)
        plain_axes(axes)
    panels[1].set_ylim(0, 1.02)
    panels[1].yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    panels[2].set_xlabel("round")
    panels[2].set_xlim(0, stories[0][1].rounds[-1])
    panels[2].xaxis.set_major_formatter(thousands)
    headline(figure, panels[0], message, rest)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    return figure
