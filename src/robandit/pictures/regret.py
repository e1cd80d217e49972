"""Regret over time, and regret of many policies side by side."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from robandit.errors import InputError
from robandit.lab.trace import Trace
from robandit.pictures.rendered import Rendered, picture
from robandit.pictures.style import WIDTH, colour_of, headline, line_styles, plain_axes, thousands


def plot(traces: Trace | Mapping[str, Trace], caption: str = "") -> Rendered:
    """Draw regret over time: a notebook shows it, `.save("regret.png")` writes it.

    Args:
        traces: one play, or several by name; they must have the same checkpoints.
        caption: what was measured; by default the arms, the runs and what the band is.

    Returns:
        The picture; the band goes from the 5 % to the 95 % quantile of the runs.

    Raises:
        InputError: if something is no trace, or the checkpoints differ.
    """
    named = {"regret": traces} if isinstance(traces, Trace) else dict(traces)
    for name, trace in named.items():
        if not isinstance(trace, Trace):
            raise InputError(f"plot draws traces, such as plot({{'samba': trace}}), not {trace!r} for {name!r}")
    if len({tuple(trace.rounds) for trace in named.values()}) != 1:
        raise InputError("plot draws one or more plays with the same checkpoints: give them the same horizon")
    first = next(iter(named.values()))
    runs, arms = len(first.regret), len(first.gaps)
    return draw_regret(named, caption or f"{arms} arms, {runs:,} runs; band: 5 % to 95 % of runs")


@picture
def draw_regret(traces: dict[str, Trace], caption: str) -> Any:
    """Mean cumulative regret with a band from the 5 % to the 95 % quantile, corrupted rounds shaded."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 4.6), layout="constrained")
    axes = figure.add_subplot()
    styles = line_styles(traces)
    for label, trace in traces.items():
        colour, dash = styles[label].colour, styles[label].dash
        rounds = np.concatenate([[0], trace.rounds])
        mean = np.concatenate([[0.0], trace.regret.mean(axis=0)])
        axes.plot(rounds, mean, dash, color=colour, linewidth=1.8, label=f"{label}  ({mean[-1]:,.0f})")
        if len(trace.regret) > 1:
            low, high = np.quantile(trace.regret, [0.05, 0.95], axis=0)
            axes.fill_between(rounds[1:], low, high, color=colour, alpha=0.15, linewidth=0)
    shade_corruption(axes, list(traces.values()))
    axes.set_xlabel("round", fontsize=9)
    axes.set_ylabel("cumulative regret (true means)", fontsize=9)
    axes.tick_params(labelsize=8.5)
    ends = [(label, float(trace.regret[:, -1].mean())) for label, trace in traces.items()]
    headline(figure, axes, compare(ends), caption)
    axes.set_xlim(0, next(iter(traces.values())).horizon)
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_formatter(thousands)
    axes.yaxis.set_major_formatter(thousands)
    plain_axes(axes)
    figure.legend(
        title="policy (mean regret at the end)", frameon=False, loc="outside lower center", ncols=2, fontsize=8.5
    )
    return figure


def compare(ends: list[tuple[str, float]]) -> str:
    """Which policies lost least and most, in words."""
    ends = sorted(ends, key=lambda end: end[1])
    (low, least), (high, most) = ends[0], ends[-1]
    if len(ends) == 1:
        return f"{low} loses {least:,.0f} on average"
    times = f", {most / least:.1f} times as much" if least > 0 else ""
    return f"{low} loses {least:,.0f} on average, {high} {most:,.0f}{times}"


def shade_corruption(axes: Any, traces: list[Trace]) -> None:
    """Grey where corruption was paid, darker where more of it was."""
    paid = np.mean([trace.corruption_paid.mean(axis=0) for trace in traces], axis=0)
    spent = np.diff(paid, prepend=0.0)
    edges = np.concatenate([[0], traces[0].rounds])
    if spent.max() <= 0.0:
        return
    rate = spent / np.diff(edges)
    for first, stop, share in zip(edges[:-1], edges[1:], rate / rate.max(), strict=True):
        if share > 0.01:
            axes.axvspan(first, stop, color="#888888", alpha=0.05 + 0.25 * share, linewidth=0, zorder=0)
    axes.fill_between([], [], [], color="#888888", alpha=0.3, linewidth=0, label="corrupted rounds (darker: more)")


def describe_play(result: dict[str, Any]) -> str:
    """What was measured, in two lines."""
    adversary, means = result["adversary"], result["environment"]["means"]
    first = f"{len(means)} arms ({result['environment']['name']}), {result['runs']} runs; band: 5 % to 95 % of runs"
    if adversary is None:
        return first + "\nno corruption"
    budget = "unlimited" if adversary["budget"] is None else f"{adversary['budget']:,g}"
    when = f", {adversary['schedule']}, size {adversary['size']}" if adversary["schedule"] is not None else ""
    return first + (
        f"\nthreat model {adversary['threat']}: {adversary['attack']}{when}, C = {budget} by {adversary['charge']}"
    )


@picture
def draw_comparison(
    rows: dict[str, tuple[dict[str, Any], dict[str, Any]]], conditions: tuple[str, str], message: str, rest: str
) -> Any:
    """Mean regret of many policies under two conditions, one line per policy, best first, intervals as bars."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    names = sorted(rows, key=lambda name: rows[name][1]["mean"], reverse=True)
    figure = Figure(figsize=(WIDTH, 1.6 + 0.22 * len(names)), layout="constrained")
    axes = figure.add_subplot()
    marks: tuple[dict[str, Any], ...] = (
        {"marker": "o", "markerfacecolor": "white", "markersize": 5},
        {"marker": "D", "markersize": 4.5},
    )
    for place, name in enumerate(names):
        clean, corrupted = rows[name]
        axes.plot([clean["mean"], corrupted["mean"]], [place, place], color="#bbbbbb", linewidth=1.2, zorder=1)
        for summary, mark in zip((clean, corrupted), marks, strict=True):
            half = summary["half_width_95"]
            axes.errorbar(
                summary["mean"], place, xerr=half, color=colour_of(name), linestyle="none", capsize=2.5, **mark
            )
    axes.set_yticks(range(len(names)), [name.replace("learning_rate", "rate") for name in names], fontsize=8.5)
    for name, tick in zip(names, axes.get_yticklabels(), strict=True):
        tick.set_color(colour_of(name))
    axes.set_xscale("log")
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.xaxis.set_major_formatter(thousands)
    axes.set_xlabel("regret at the horizon (true means, logarithmic)", fontsize=9)
    axes.tick_params(axis="x", labelsize=8.5)
    headline(figure, axes, message, rest, room=0.7)
    plain_axes(axes, "x")
    handles = [
        Line2D([], [], color="#333333", linestyle="none", label=words, **mark)
        for words, mark in zip(conditions, marks, strict=True)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=1, frameon=False, fontsize=8.5)
    return figure
