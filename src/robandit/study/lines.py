"""Where in a spec something stands, so that an error can point at it."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from robandit.errors import InputError


class Lines:
    """The text of a spec."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.lines = path, text.splitlines()

    def line(self, grid: int | None, field: str, value: Any = None, kind: str = "grid") -> int:
        """The line of a field (of the n-th grid or claim, or of the top), or of one value within it."""
        block, start = -1, 0
        for number, text in enumerate(self.lines, start=1):
            if re.match(rf"\s*\[\[\s*{kind}\s*\]\]", text):
                block += 1
                if block == grid and not field:
                    return number
            if start and re.match(r"\s*([\w\"'.-]+\s*=|\[\[)", text):
                return start
            if block == (-1 if grid is None else grid) and re.match(rf"\s*[\"']?{re.escape(field)}[\"']?\s*[=.]", text):
                start = number
            if start and value is not None and str(value) in text:
                return number
        return start or 1

    def wrong(self, grid: int | None, field: str, message: str, value: Any = None, kind: str = "grid") -> InputError:
        """An error that names file, line, grid (or claim) and field."""
        line = f" line {self.line(grid, field, value, kind)}" if self.lines else ""
        places = [f"{self.path.name}{line}"]
        places += [f"{kind} {grid + 1}"] if grid is not None else []
        places += [field] if field else []
        return InputError(": ".join([*places, message]))

    @contextmanager
    def blaming(
        self,
        grid: int | None,
        field: str = "",
        value: Any = None,
        kind: str = "grid",
        fields: Mapping[str, str] | None = None,
    ) -> Iterator[None]:
        """Errors raised within name this place; with `fields`, the field for what an error says it is about."""
        try:
            yield
        except InputError as error:
            raise self.wrong(grid, (fields or {}).get(error.about, field), str(error), value, kind) from error
