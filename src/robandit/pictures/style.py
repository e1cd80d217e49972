"""What all pictures share: colours that differ for everyone, plain axes, where a file may go."""

import os
from pathlib import Path
from typing import Any

from robandit.errors import InputError

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a5c00", "#56b4e9", "#555555", "#e69f00")
DASHES = ("-", "--", "-.", ":")
MARKERS = "osD^vPX<>*"
KINDS = (".png", ".svg", ".pdf")


def thousands(value: float, _: Any = None) -> str:
    """A tick as people write it."""
    return f"{value:,.0f}" if value >= 1 or value == 0 else f"{value:g}"


def plain_axes(axes: Any, grid: str = "y") -> None:
    """No box, a faint grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, linewidth=0.4, alpha=0.5)


def check_plot(path: Path) -> None:
    """Refuse a picture that could not be written, before anything is played."""
    if path.suffix.lower() not in KINDS:
        raise InputError(f"a picture must end in {', '.join(KINDS)}, not {str(path)!r}")
    if not path.absolute().parent.is_dir():
        raise InputError(f"the folder of {str(path)!r} does not exist")
    if path.is_dir() or not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise InputError(f"{str(path)!r} cannot be written")
