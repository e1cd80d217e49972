"""Recoveries of one run, as the paper draws them: q over time, and for each strike how long the recovery took."""

from typing import Any

from robandit.game import Floats
from robandit.pictures.rendered import picture
from robandit.pictures.style import COLOURS, WIDTH, headline, plain_axes, thousands


@picture
def draw_recoveries(history: Floats, recoveries: list[tuple[int, int | None]], titles: tuple[str, str]) -> Any:
    """q(t) as a line; each recovery as a bar at the height it began, ended ones in another colour than open ones."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 4.0), layout="constrained")
    axes: Any = figure.add_subplot()
    last = len(history) - 1
    first = {end is not None: begin for begin, end in reversed(recoveries)}  # one entry of the legend for each kind
    for begin, end in recoveries:
        ended = end is not None
        axes.plot(
            (begin, last if end is None else end),
            (history[begin],) * 2,
            color=COLOURS[1] if ended else "#757575",
            linewidth=1.6,
            linestyle="-" if ended else ":",
            label={False: "not recovered", True: "recovery"}[ended] if begin == first[ended] else None,
        )
    strikes = [begin for begin, _ in recoveries]
    axes.plot(history, color=COLOURS[0], linewidth=1.2, label="q(t), the probability of a wrong arm")
    axes.plot(strikes, history[strikes], "o", color=COLOURS[1], markersize=3.5, label="strike")
    axes.axhline(0.5, color="#333333", linewidth=0.8, linestyle=":")
    axes.set_xlabel("round")
    axes.set_ylabel("q(t)")
    axes.set_ylim(0.0, 1.05 * float(history.max()))
    axes.xaxis.set_major_formatter(thousands)
    headline(figure, axes, *titles)
    axes.tick_params(labelsize=8.5)
    plain_axes(axes)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8.5)
    return figure
