"""A campaign over time: one row per stretch, as CSV and as a picture."""

import csv
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from robandit.pictures.rendered import picture
from robandit.pictures.style import COLOURS, FAMILIES, WIDTH, headline, plain_axes


@dataclass(frozen=True)
class Stretch:
    """A few seconds of a campaign."""

    second: float  # at its end
    answers: int
    p50_ms: float
    p99_ms: float
    longest_wait_s: float  # until a request was acknowledged, all its attempts together
    memory_mb: float  # of the largest process
    database_mb: float
    starts: int  # of processes, up to here
    faults: str  # that began in it


def percentile_ms(latencies: list[float], share: float) -> float:
    """Returns a percentile of some seconds, in milliseconds; 0 of none."""
    ordered = sorted(latencies) or [0.0]
    return round(1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)], 2)


def write_csv(path: Path, rows: list[Stretch]) -> None:
    """Write one row per stretch."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Stretch)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


@picture
def draw_campaign(rows: list[Stretch], faults: list[tuple[float, str]], message: str, rest: str) -> Any:
    """Answer times, the longest wait and memory over time; each fault is a line of its kind's colour."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 5.2), layout="constrained")
    above, middle, below = figure.subplots(3, 1, sharex=True)
    scale = 60.0 if rows[-1].second > 300 else 1.0
    times = [row.second / scale for row in rows]
    colours = dict(zip(sorted({name for _, name in faults}), [*FAMILIES.values()][1:], strict=False))
    faint = min(0.6, max(30 / (len(faults) + 1), 0.15))  # of many, none hides the curves
    for axes in (above, middle, below):
        for second, name in faults:
            axes.axvline(second / scale, color=colours[name], linewidth=0.5, alpha=faint)
        plain_axes(axes)
        axes.tick_params(labelsize=8.5)
    answered = [(time, row) for time, row in zip(times, rows, strict=True) if row.answers]
    for name, dash in (("p99_ms", "-"), ("p50_ms", "--")):
        values = [getattr(row, name) for _, row in answered]
        above.plot([time for time, _ in answered], values, dash, color=COLOURS[0], linewidth=1.1)
    above.set_yscale("log")
    above.set_ylabel("answer, ms\n(p99; p50 dashed)", fontsize=9)
    middle.plot(times, [row.longest_wait_s for row in rows], color=COLOURS[0], linewidth=1.1)
    middle.set_ylabel("longest wait, s", fontsize=9)
    running = [(time, row.memory_mb) for time, row in zip(times, rows, strict=True) if row.memory_mb]
    below.plot(*zip(*running, strict=True), color=COLOURS[0], linewidth=1.1)
    below.set_ylim(bottom=0)
    below.set_ylabel("memory, MB", fontsize=9)
    below.set_xlabel("minutes" if scale > 1 else "seconds", fontsize=9)
    headline(figure, above, message, rest)
    marks = [above.plot([], [], color=colour, label=name)[0] for name, colour in colours.items()]
    figure.legend(handles=marks, loc="outside lower center", ncols=4, frameon=False, fontsize=8)
    return figure
