"""What every picture is: plain data until a file is wanted.

A picture is a function that takes plain data, lays out a figure and returns it. The decorator `picture` puts drawing
off until a file is wanted.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, ParamSpec

from robandit.extras import require
from robandit.pictures.style import check_plot

Data = ParamSpec("Data")
DPI = 200


@dataclass(frozen=True)
class Rendered:
    """A picture: a notebook shows it, `.save("name.png")` writes it."""

    lay_out: Callable[[], Any]
    narrow: "Rendered | None" = None  # the same for a phone, where that is another drawing

    @cached_property
    def figure(self) -> Any:
        """The figure, laid out once, because that takes as long as drawing it."""
        figure = self.lay_out()
        figure.get_layout_engine().execute(figure)
        figure.set_layout_engine(None)  # "none" would leave one in place for which every file is drawn twice
        return figure

    def save(self, path: str | Path) -> Path:
        """Write it to a file; raises InputError unless the name ends in .png, .svg or .pdf."""
        check_plot(Path(path))
        Path(path).write_bytes(self.to_bytes(Path(path).suffix[1:].lower()))
        return Path(path)

    def _repr_svg_(self) -> str:
        """How a notebook shows it."""
        return self.to_bytes("svg").decode()

    def to_bytes(self, kind: str) -> bytes:
        """The content of a file (svg, pdf or png); the same bytes for the same data."""
        matplotlib = require("matplotlib", "a picture")
        out = io.BytesIO()
        dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
        with matplotlib.rc_context({"svg.hashsalt": "robandit", "svg.fonttype": "none"}):
            self.figure.savefig(out, format=kind, dpi=DPI, metadata=dates[kind])
        return out.getvalue()


def picture(lay_out: Callable[Data, Any]) -> Callable[Data, Rendered]:
    """Decorate a function that lays out a figure: it returns a Rendered, which calls it when a file is wanted."""

    @wraps(lay_out)
    def render(*data: Data.args, **terms: Data.kwargs) -> Rendered:
        return Rendered(lambda: lay_out(*data, **terms))

    return render
