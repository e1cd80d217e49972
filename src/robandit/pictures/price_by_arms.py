"""What a unit of corruption costs against the number of arms: measured, and what is proved from below and above."""

from typing import Any

from robandit.pictures.rendered import picture
from robandit.pictures.style import COLOURS, WIDTH, log_ticks, plain_axes

PROVED = "#333333"


@picture
def draw_price_by_arms(rows: list[dict[str, Any]], titles: dict[str, str], means: tuple[float, float]) -> Any:
    """One panel per family; a row has `steps`, `arms`, `measured`, `least` and `theorem_3` (None: no bound)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 7.6), layout="constrained")
    for axes, (family, title) in zip(figure.subplots(len(titles), 1), titles.items(), strict=True):
        draw_family(axes, [row for row in rows if row["steps"] == family], 1.0 / (means[0] - means[1]))
        axes.set_title(title, fontsize=10, loc="left")
    figure.suptitle(
        f"SAMBA, means {means[0]:g} and K - 1 times {means[1]:g}: regret per unit of corruption",
        fontsize=11,
        x=0.01,
        ha="left",
    )
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    return figure


def draw_family(axes: Any, rows: list[dict[str, Any]], paper: float) -> None:
    """The arms logarithmic, so that a price of order log K is a straight line.

    Where Theorem 3 bounds every row the prices are logarithmic too: there the order K is a straight line.
    """
    arms, is_bounded = [row["arms"] for row in rows], all(row["theorem_3"] is not None for row in rows)
    measured = [row["measured"]["mean"] for row in rows]
    half = [row["measured"]["half_width_95"] for row in rows]
    axes.errorbar(
        arms, measured, yerr=half, color=COLOURS[0], marker="o", markersize=4, capsize=3, label="measured, 95 %"
    )
    bounded = [(row["arms"], row["theorem_3"]) for row in rows if row["theorem_3"] is not None]
    axes.plot(*zip(*bounded, strict=True), "--", color=PROVED, linewidth=1.3, label="Theorem 3: no attack does more")
    axes.plot(arms, [row["least"] for row in rows], "-.", color=PROVED, linewidth=1.3, label="lower bound u/(2v)")
    axes.axhline(paper, color=COLOURS[1], linestyle=":", linewidth=1.3, label="1/Delta, the paper's order")
    axes.set_xscale("log", base=2)
    axes.set_xticks(arms, [str(count) for count in arms])
    axes.minorticks_off()
    if is_bounded:
        axes.set_yscale("log")
        ticks = log_ticks(0.5 * min(row["least"] for row in rows), 1.5 * bounded[-1][1], 6)
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
    else:
        axes.set_ylim(0.0, 1.25 * max(measured))
    axes.set_xlabel("arms K")
    axes.set_ylabel("regret per unit")
    plain_axes(axes)
