"""Tables that fit: columns are chosen by the width there is; no name and no number is ever cut.

On a terminal a column that can be spared goes before anything is broken, and a line says which were left out. In a
pipe, and with --wide, every column is there and a row is a line.
"""

import os
import sys
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from robandit.report.table import Column

WORDS = 18  # columns that words are given before something else is spared
BETWEEN, EDGES = 3, 2  # what the house's style puts between columns, and around them
ENDLESS = 10**6


@dataclass(frozen=True)
class Sheet:
    """Columns and rows of text under a title, with what a reader must know below them."""

    title: str
    columns: list[Column]
    rows: list[list[str]]
    caption: str = ""
    ruled: bool = False  # a line between rows
    styles: tuple[tuple[str, str], ...] = ()  # the style of a word that fills a cell

    def cells(self, place: int) -> list[str]:
        """What stands in a column."""
        return [row[place] for row in self.rows]

    def natural(self, place: int) -> int:
        """The width at which nothing in a column is broken."""
        cells = [cell_len(line) for cell in self.cells(place) for line in cell.split("\n")]
        return max([cell_len(self.columns[place].heading), *cells])

    def least(self, place: int, broken: bool) -> int:
        """The width below which a column is no use; with `broken`, names may go on in the next line."""
        kind, heading = self.columns[place].kind, self.columns[place].heading
        words = [heading] if "%" in heading else heading.split()
        whole = kind == "number" or (kind == "name" and not broken)
        pieces = (
            self.cells(place) if whole else [piece for cell in self.cells(place) for piece in in_pieces(cell, kind)]
        )
        longest = max(map(cell_len, [*words, *pieces]))
        return max(longest, min(self.natural(place), WORDS)) if kind == "words" else longest

    def fitted(self, width: int) -> tuple[list[int], list[int]]:
        """The columns that are shown, and how wide each is."""
        places, broken = list(range(len(self.columns))), False
        while sum(self.least(place, broken) + BETWEEN for place in places) - BETWEEN + EDGES > width:
            spare = max(places, key=lambda place: self.columns[place].spare)
            if self.columns[spare].spare:
                places.remove(spare)
            elif not broken:
                broken = True
            else:
                break  # a terminal this narrow wraps by itself
        least = [self.least(place, broken) for place in places]
        wanted = [self.natural(place) - low for place, low in zip(places, least, strict=True)]
        free = width - (sum(least) + BETWEEN * (len(places) - 1) + EDGES)
        return places, shared_out(least, wanted, free)

    def table(self, width: int) -> Table:
        """The table that fits."""
        places, widths = self.fitted(width)
        left_out = [column.heading for place, column in enumerate(self.columns) if place not in places]
        more = f"Left out here: {', '.join(left_out)} (--wide)." if left_out else ""
        style: dict[str, Any] = {"box": SIMPLE_HEAD, "pad_edge": False, "show_lines": self.ruled}
        style |= {"title_justify": "left", "caption_justify": "left", "title_style": "bold"}
        caption = " ".join(words for words in (self.caption, more) if words)
        table = Table(title=Text(self.title), caption=Text(caption) if caption else None, **style)
        for place, wide in zip(places, widths, strict=True):
            column = self.columns[place]
            justify: Any = "right" if column.kind == "number" else "left"
            table.add_column(column.heading, justify=justify, width=wide, style="bold" if place == 0 else None)
        for row in self.rows:
            table.add_row(*(self.cell(row[place], place, wide) for place, wide in zip(places, widths, strict=True)))
        return table

    def cell(self, text: str, place: int, width: int) -> Text:
        """The text of a cell, taken literally, broken where it may be."""
        lines = broken_lines(text, width) if self.columns[place].kind == "name" else text
        return Text(lines, style=dict(self.styles).get(text, ""))


def shared_out(least: list[int], wanted: list[int], free: int) -> list[int]:
    """Every column its least, and of what is free as much as it wants, or a share of it."""
    widths, free = list(least), max(free, 0)
    total = sum(wanted)
    if total <= free:
        return [low + more for low, more in zip(least, wanted, strict=True)]
    ends = [round(free * sum(wanted[:count]) / total) for count in range(len(wanted) + 1)]
    return [low + end - begin for low, (begin, end) in zip(widths, pairwise(ends), strict=True)]


def in_pieces(text: str, kind: str) -> list[str]:
    """What may not be broken: a word; of a name what stands between , and : too."""
    if kind == "words":
        return text.split()
    marked = text.replace(",", ",\0").replace(":", ":\0").replace(" ", " \0").split("\0")
    return [piece.rstrip() for piece in marked if piece.strip()]


def broken_lines(text: str, width: int) -> str:
    """A name on as few lines as it needs."""
    lines = [""]
    for piece in text.replace(",", ",\0").replace(":", ":\0").replace(" ", " \0").split("\0"):
        if lines[-1] and cell_len((lines[-1] + piece).rstrip()) > width:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


def show(*shown: "Sheet | Text | str", wide: bool = False) -> None:
    """Print tables and lines, in the width there is."""
    for thing in shown:
        console = Console()
        if not isinstance(thing, Sheet):
            paragraph(thing, console)
            continue
        table = thing.table(room(wide))
        console.width = console.measure(table, options=console.options.update(width=ENDLESS)).maximum
        with console.capture() as captured:
            console.print(table)
        print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def room(wide: bool) -> int:
    """The columns a table may fill."""
    fixed = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console().width if fixed and not wide else ENDLESS


def paragraph(text: "Text | str", console: Any) -> None:
    """Words, wrapped where there is a width."""
    console.print(Text(text) if isinstance(text, str) else text, soft_wrap=room(wide=False) == ENDLESS)
