"""What every drawing of a report can do: plain data until it is asked for as a file."""

import io
from functools import cached_property
from pathlib import Path
from typing import Any

from robandit.pictures.style import check_plot

DPI = 200


class Rendered:
    """A drawing; a subclass lays it out."""

    def laid_out(self) -> Any:
        """The figure."""
        raise NotImplementedError(f"{type(self).__name__} has no figure")

    def narrow(self) -> "Rendered | None":
        """The same for a phone, if it is another drawing."""
        return None

    @cached_property
    def figure(self) -> Any:
        """Laid out once, which takes as long as drawing it."""
        figure = self.laid_out()
        figure.get_layout_engine().execute(figure)
        figure.set_layout_engine(None)  # "none" would leave one in place for which every file is drawn twice
        return figure

    def save(self, path: str | Path) -> Path:
        """Write it to a file that ends in .png, .svg or .pdf."""
        check_plot(Path(path))
        Path(path).write_bytes(self.rendered(Path(path).suffix[1:].lower()))
        return Path(path)

    def _repr_svg_(self) -> str:
        """How a notebook shows it."""
        return self.rendered("svg").decode()

    def rendered(self, kind: str) -> bytes:
        """The file: svg, pdf or png; the same bytes for the same data."""
        import matplotlib

        out = io.BytesIO()
        dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
        with matplotlib.rc_context({"svg.hashsalt": "robandit", "svg.fonttype": "none"}):
            self.figure.savefig(out, format=kind, dpi=DPI, metadata=dates[kind])
        return out.getvalue()
