"""What every drawing of a report can do: plain data until it is asked for as a file."""

import io
from functools import cached_property
from typing import Any


class Rendered:
    """A drawing; a subclass lays it out."""

    def laid_out(self) -> Any:
        """The figure."""
        raise NotImplementedError(f"{type(self).__name__} has no figure")

    @cached_property
    def figure(self) -> Any:
        """Laid out once, which takes as long as drawing it."""
        figure = self.laid_out()
        figure.get_layout_engine().execute(figure)
        figure.set_layout_engine(None)  # "none" would leave one in place for which every file is drawn twice
        return figure

    def rendered(self, kind: str) -> bytes:
        """The file: svg, pdf or png; the same bytes for the same data."""
        import matplotlib

        out = io.BytesIO()
        dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
        with matplotlib.rc_context({"svg.hashsalt": "robandit", "svg.fonttype": "none"}):
            self.figure.savefig(out, format=kind, dpi=150, metadata=dates[kind])
        return out.getvalue()
