"""Regret against the budget C under the worst attack found, one line a policy, with what theory says beside it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robandit.game import Floats
from robandit.pictures.style import COLOURS, DASHES, MARKERS, plain_axes, thousands


@dataclass(frozen=True)
class Curve:
    """One policy: budgets, mean regret with half a 95 % interval, the clean regret, and a heuristic slope if any."""

    label: str
    budgets: Floats
    regret: Floats
    half: Floats
    clean: float
    slope: float | None = None


def regret_against_budget(panels: list[tuple[str, list[Curve]]], caption: str, path: Path) -> None:
    """One panel a threat model; both axes logarithmic."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4 * len(panels) + 0.4, 8.2), layout="constrained")
    order = {curve.label: number for number, curve in enumerate(panels[0][1])}
    boxes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (title, curves) in zip(boxes, panels, strict=True):
        for curve in sorted(curves, key=lambda curve: -curve.regret[-1]):
            number = order.get(curve.label, 0)
            colour, dash = COLOURS[number % len(COLOURS)], DASHES[number // len(COLOURS) % len(DASHES)]
            axes.errorbar(
                curve.budgets,
                curve.regret,
                yerr=curve.half,
                color=colour,
                linestyle=dash,
                marker=MARKERS[number % len(MARKERS)],
                markersize=4.5,
                linewidth=1.3 if curve.slope is None else 2.8,
                capsize=2,
                label=curve.label,
            )
            if curve.slope is not None:
                many = np.geomspace(curve.budgets.min(), curve.budgets.max(), 60)
                name = f"{curve.label}: clean + (2+α)C/(1−α/α_max), a heuristic, no bound"
                axes.plot(many, curve.clean + curve.slope * many, ":", color=colour, linewidth=1.6, label=name)
        spread = np.array([min(c.budgets.min() for c in curves), max(c.budgets.max() for c in curves)])
        axes.plot(spread, spread, color="#222222", linewidth=2.2, label="regret = C: no policy is below it everywhere")
        axes.set_xscale("log")
        axes.set_yscale("log")
        budgets = sorted({float(budget) for curve in curves for budget in curve.budgets})
        axes.set_xticks(budgets, [thousands(budget) for budget in budgets], minor=False)
        axes.set_xticks([], minor=True)
        axes.set_xlabel("corruption budget C")
        axes.set_title(title, fontsize=10, loc="left")
        axes.yaxis.set_major_formatter(thousands)
        plain_axes(axes, "both")
    boxes[0].set_ylabel("regret under the worst attack found")
    figure.suptitle(caption, fontsize=10, x=0.01, ha="left")
    handles, labels = boxes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    figure.savefig(path, dpi=160)
