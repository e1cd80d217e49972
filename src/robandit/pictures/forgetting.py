"""Two prices against memory: to fool a policy for good, and to flip its leader once; one falls, the other rises."""

from dataclasses import dataclass
from typing import Any

from robandit.pictures.rendered import picture
from robandit.pictures.style import COLOURS, WIDTH, headline, log_ticks, plain_axes, thousands

WORDS = ("to fool it for good", "to flip the leader once")
LAWS = ("law: r* n T/(2 W), n = W (1 - r₂)ⁿ⁺¹", "law: W (r* - r₂)")
SHAPES = {"window": "o", "discount": "D"}


@dataclass(frozen=True)
class PricePoint:
    """A measured price with its range."""

    memory: float
    kind: str  # window or discount
    low: float
    estimate: float
    high: float


@dataclass(frozen=True)
class MemoryCurve:
    """One of the two prices: what was measured, and the law at the same memories (none where there is no law)."""

    points: list[PricePoint]
    law: list[tuple[float, float]]


@picture
def draw_forgetting(for_good: MemoryCurve, once: MemoryCurve, message: str, rest: str) -> Any:
    """Both prices on logarithmic scales; windows are discs, discounts diamonds, laws dashed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 4.2), layout="constrained")
    axes: Any = figure.add_subplot()
    for colour, curve, words, law in zip(COLOURS, (for_good, once), WORDS, LAWS, strict=True):
        for kind, shape in SHAPES.items():
            some = [point for point in curve.points if point.kind == kind]
            ends = [[point.estimate - point.low for point in some], [point.high - point.estimate for point in some]]
            style = {"color": colour, "marker": shape, "linestyle": "none", "markersize": 5, "capsize": 2}
            style |= {"markerfacecolor": "none"} if kind == "discount" else {}
            if some:
                x, y = zip(*((point.memory, point.estimate) for point in some), strict=True)
                axes.errorbar(x, y, yerr=ends, label=f"{words} ({kind})", **style)
        if curve.law:
            axes.plot(*zip(*sorted(curve.law), strict=True), color=colour, linestyle="--", linewidth=1.1, label=law)
    values = [end for curve in (for_good, once) for point in curve.points for end in (point.low, point.high)]
    memories = [point.memory for curve in (for_good, once) for point in curve.points]
    for name, axis, numbers in (("x", axes.xaxis, memories), ("y", axes.yaxis, values)):
        getattr(axes, f"set_{name}scale")("log")
        axis.set_ticks(log_ticks(min(numbers), max(numbers)), minor=False)
        axis.set_ticks([], minor=True)
        axis.set_major_formatter(thousands)
    axes.set_xlabel("rewards remembered, W: a window of W, or a discount of 1 - 1/W", fontsize=9)
    axes.set_ylabel("forged rewards", fontsize=9)
    headline(figure, axes, message, rest)
    axes.tick_params(labelsize=8.5)
    plain_axes(axes)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    return figure
