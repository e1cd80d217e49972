"""Regret against the budget C under the worst attack: one panel per family of policies, all others grey behind it.

The axis of C is logarithmic from the first budget on; before it, C = 0 is no attack.
"""

from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np

from robandit.game import Floats
from robandit.pictures.rendered import picture
from robandit.pictures.style import FAMILIES, LineStyle, family_of, line_styles, log_ticks, plain_axes, thousands

COLUMNS, GREY = 4, "#c8c8c8"


@dataclass(frozen=True)
class BudgetCurve:
    """One policy: budgets, of which the first is 0, mean regret with half a 95 % interval, a heuristic slope if any."""

    label: str
    budgets: Floats
    regret: Floats
    half: Floats
    slope: float | None = None


@picture
def draw_regret_by_budget(groups: list[tuple[str, list[BudgetCurve]]], caption: str) -> Any:
    """One block of panels per threat model, all on the same logarithmic axes."""
    from matplotlib.figure import Figure

    families = [
        name for name in FAMILIES if any(family_of(curve.label) == name for _, all_ in groups for curve in all_)
    ]
    columns = min(COLUMNS, len(families))
    deep = -(-len(families) // columns)
    width = max(2.1 * columns + 0.1, 5.0)
    figure = Figure(figsize=(width, 1.9 * deep * len(groups) + 1.2), layout="constrained")
    words = [caption, "Grey: all other policies. Black: regret = C."]
    if any(curve.slope is not None for _, curves in groups for curve in curves):
        words.append("Dotted: clean + (2+α)C/(1−α/α_max) for SAMBA, a heuristic, no bound.")
    figure.suptitle("\n".join(fill(line, round(15.5 * width)) for line in words), fontsize=8, x=0.01, ha="left")
    boxes = figure.subplots(deep * len(groups), columns, sharex=True, sharey=True, squeeze=False)
    styles = line_styles(curve.label for _, curves in groups for curve in curves)
    for block, (title, curves) in enumerate(groups):
        rows = boxes[block * deep : (block + 1) * deep].ravel()
        for axes, family in zip(rows, families, strict=False):
            own = [curve for curve in curves if family_of(curve.label) == family]
            draw_family(axes, own, [curve for curve in curves if curve not in own], styles)
            axes.set_title(f"{family} ({title})" if axes in boxes[:, 0] else family, fontsize=8, loc="left", pad=3)
        for axes in rows[len(families) :]:
            axes.remove()
    top = max(float(curve.regret.max()) for _, curves in groups for curve in curves)
    boxes[0, 0].set_ylim(top=50.0 * top)  # room for the names
    for axes in boxes[:, 0]:
        axes.set_ylabel("regret (rewards lost)", fontsize=7)
    for axes in boxes[-1]:
        axes.set_xlabel("budget C (0: no attack)", fontsize=7)
    return figure


def draw_family(axes: Any, own: list[BudgetCurve], others: list[BudgetCurve], styles: dict[str, LineStyle]) -> None:
    """The lines of one family with their intervals, the rest behind them."""
    for curve in others:
        axes.plot(curve.budgets, curve.regret, color=GREY, linewidth=0.6, zorder=1)
    for curve in own:
        style = styles[curve.label]
        lines = {"color": style.colour, "linestyle": style.dash, "linewidth": 1.2, "zorder": 3}
        marks = {"marker": style.marker, "markersize": 3, "capsize": 1.5}
        axes.errorbar(curve.budgets, curve.regret, yerr=curve.half, label=curve.label, **lines, **marks)
        if curve.slope is not None:
            many = np.geomspace(curve.budgets[1], curve.budgets.max(), 60)
            axes.plot(many, curve.regret[0] + curve.slope * many, ":", color=style.colour, linewidth=1.2, zorder=2)
    all_ = [*own, *others]
    budgets = sorted({float(budget) for curve in all_ for budget in curve.budgets})
    axes.plot(budgets[1:], budgets[1:], color="#222222", linewidth=1.2, zorder=2)
    axes.set_xscale("symlog", linthresh=budgets[1])
    axes.set_yscale("log")
    axes.set_xticks(budgets, [thousands(budget) for budget in budgets], minor=False)
    axes.set_xticks([], minor=True)
    axes.set_yticks(log_ticks(budgets[1], max(float(curve.regret.max()) for curve in all_)), minor=False)
    axes.set_yticks([], minor=True)
    axes.legend(fontsize=6, frameon=False, loc="upper left", borderaxespad=0.1, labelspacing=0.1, handlelength=3.2)
    axes.yaxis.set_major_formatter(thousands)
    axes.tick_params(labelsize=6.5, length=2, pad=2)
    plain_axes(axes, "both")
