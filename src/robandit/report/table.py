"""The one table: plain rows under columns, for pages, CSV, LaTeX and the terminal."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from robandit.errors import is_number


@dataclass(frozen=True)
class Column:
    """A heading, what stands below it, and how soon it can be spared where room is short."""

    heading: str
    kind: str = "number"  # or name (broken after , : and spaces only, if it must be) or words (wrapped)
    spare: int = 0  # the largest goes first, 0 never


@dataclass(frozen=True)
class DataTable:
    """Rows under columns; numbers stay numbers, so that they sort and export exactly.

    Args:
        title: what the table is about.
        columns: a Column each, or a heading where a page alone shows the table.
        rows: a value for each column; None is shown as "-".
        caption: what a reader must know.
        id: the name of its files and of its place on a page.
        ruled: whether a terminal draws a line between rows.
        styles: on a terminal, the style of a word that fills a cell.
    """

    title: str
    columns: Sequence[Column | str]
    rows: list[list[Any]]
    caption: str = ""
    id: str = ""
    ruled: bool = False
    styles: tuple[tuple[str, str], ...] = ()

    @property
    def headings(self) -> list[str]:
        """The heading of each column."""
        return [column if isinstance(column, str) else column.heading for column in self.columns]

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers, by the first row."""
        return [is_number(value) for value in self.rows[0]] if self.rows else [False] * len(self.columns)

    def csv(self) -> str:
        """Comma-separated values, exact."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.headings)
        writer.writerows(self.rows)
        return out.getvalue()

    def latex(self) -> str:
        """A tabular in the style of booktabs."""
        lines = [
            r"\begin{tabular}{" + "".join("r" if number else "l" for number in self.numeric if self.rows) + "}",
            r"\toprule",
            " & ".join(map(escape_latex, self.headings)) + r" \\",
            r"\midrule",
        ]
        lines += [" & ".join(escape_latex(format_value(value)) for value in row) + r" \\" for row in self.rows]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def format_value(value: Any) -> str:
    """A value of a table for reading."""
    if value is None:
        return "-"
    if isinstance(value, float):
        if math.isinf(value):
            return "no limit"
        if abs(value) >= 1e9:
            return f"{value:.2e}"
        return f"{value:,.3g}" if abs(value) < 10 else f"{value:,.1f}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if is_number(value) else str(value)


def escape_latex(text: str) -> str:
    """Text that LaTeX takes literally."""
    for letter in "&%$#_{}":
        text = text.replace(letter, "\\" + letter)
    return text
