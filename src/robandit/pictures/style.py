"""What all pictures share: one colour per family of policies, plain axes, where a file may go."""

import math
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np

from robandit.catalogue import SHIPPED
from robandit.errors import InputError

COLOURS = ("#0072b2", "#d55e00")  # of two conditions
FAMILIES = {  # each with a colour that stands out on white and on black, the same in all pictures
    "SAMBA": "#0072b2",
    "Thompson": "#d55e00",
    "UCB": "#009068",
    "gradient": "#bd5494",
    "SquareCB": "#1f8fb5",
    "FTRL": "#7e63cf",
    "elimination": "#8f6f00",
    "BARBAR": "#cf1f4f",
    "other": "#757575",  # epsilon-greedy, floors, whatever a user brings
}
NUMBERED = ("SAMBA", "Thompson", "UCB", "gradient", "elimination", "BARBAR", "FTRL", "other")
DASHES = ("-", "--", "-.", ":")
MARKERS = "osD^vPX<>*"
WIDTH = 5.6  # inches: on a phone a letter of 9 points is still 8 pixels high
KINDS = (".png", ".svg", ".pdf")


@dataclass(frozen=True)
class LineStyle:
    """How a policy is drawn."""

    colour: str
    dash: str
    marker: str


def family_of(policy: str) -> str:
    """The family that a policy of the catalogue declares, by its name or its whole text; "other" for any other."""
    cls = SHIPPED.policies().get(policy.partition(":")[0])
    return cls.about.family if cls is not None and cls.about.family in FAMILIES else "other"


def colour_of(policy: str) -> str:
    """The colour of a policy's family."""
    return FAMILIES[family_of(policy)]


def line_styles(policies: Iterable[str]) -> dict[str, LineStyle]:
    """A style for each policy of a picture: its family's colour, dashes within it, and a marker of its own."""
    styles, uses = dict[str, LineStyle](), Counter[str]()
    for policy in policies:
        if policy not in styles:
            colour = colour_of(policy)
            styles[policy] = LineStyle(colour, DASHES[uses[colour] % len(DASHES)], MARKERS[len(styles) % len(MARKERS)])
            uses[colour] += 1
    return styles


def numbered_style(place: int) -> LineStyle:
    """A style for lines that are not policies: arms, statistics. The second blue of the families is left out."""
    colours = [FAMILIES[name] for name in NUMBERED]
    return LineStyle(colours[place % len(colours)], DASHES[place % len(DASHES)], MARKERS[place % len(MARKERS)])


def log_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers on a logarithmic axis: two or more if the range is not empty, at most `most` of them."""
    if not 0.0 < low < high:
        return [low] if low > 0.0 else []
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    chosen = list[float]()
    for digits in chain(((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0)), (np.arange(1.0, 10.0, 10.0**-n) for n in range(5))):
        ticks = (digit * 10.0**power for power in powers for digit in digits)
        inside = [float(f"{tick:.6g}") for tick in ticks if low <= tick <= high]
        if len(chosen) >= 2 and len(inside) > most:
            return chosen
        chosen = inside[:: -(-(len(inside) - 1) // (most - 1)) or 1]
    return chosen if len(chosen) >= 2 else [low, high]


def thousands(value: float, _: Any = None) -> str:
    """A tick as people write it."""
    return f"{value:,.0f}" if value >= 1 or value == 0 else f"{value:g}"


def headline(figure: Any, axes: Any, message: str, rest: str, room: float = 1.0) -> None:
    """What the picture says, in bold, and below it what was measured, above axes that have `room` of the width."""
    letters = figure.get_figwidth()
    figure.suptitle(fill(message, round(10 * letters)), fontsize=10.5, fontweight="bold", x=0.01, ha="left")
    lines = "\n".join(fill(line, round(13 * room * letters)) for line in rest.splitlines())
    axes.set_title(lines, fontsize=8.5, loc="left", x=0.0)


def plain_axes(axes: Any, grid: str = "y") -> None:
    """No box, a faint grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, linewidth=0.4, alpha=0.5)


def check_plot(path: Path) -> None:
    """Raise InputError for a picture that could not be written, before anything is played."""
    check_file(path, "a picture", KINDS)


def check_file(path: Path, what: str, kinds: tuple[str, ...]) -> None:
    """Raise InputError for a file of another kind, or one that could not be written."""
    if path.suffix.lower() not in kinds:
        raise InputError(f"{what} must end in {', '.join(kinds)}, not {str(path)!r}")
    if not path.absolute().parent.is_dir():
        raise InputError(f"the folder of {str(path)!r} does not exist")
    if path.is_dir() or not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise InputError(f"{str(path)!r} cannot be written")
