"""Tables in a terminal: columns are chosen by the width there is; no name and no number is ever cut.

On a terminal a column that can be spared goes before anything is broken, and a line says which were left out. In a
pipe, and with `wide`, every column is there and a row is a line.
"""

import os
import shutil
import sys
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from textwrap import wrap
from unicodedata import combining, east_asian_width

from robandit.report.table import Column, DataTable, format_value

WORDS = 18  # columns that words are given before something else is spared
BETWEEN, EDGES = 3, 2  # blanks between columns, and around them
ENDLESS = 10**6
CODES = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33}


@dataclass(frozen=True)
class TerminalTable:
    """A table as text, laid out for a width."""

    title: str
    columns: list[Column]
    rows: list[list[str]]
    caption: str = ""
    ruled: bool = False  # a line between rows
    styles: tuple[tuple[str, str], ...] = ()  # the style of a word that fills a cell

    @classmethod
    def of(cls, table: DataTable) -> "TerminalTable":
        """A table's values as text; a column that is only a heading holds words."""
        columns = [column if isinstance(column, Column) else Column(column, "words") for column in table.columns]
        rows = [[format_value(value) for value in row] for row in table.rows]
        return cls(table.title, columns, rows, table.caption, table.ruled, table.styles)

    def cells(self, place: int) -> list[str]:
        """What stands in a column."""
        return [row[place] for row in self.rows]

    def natural(self, place: int) -> int:
        """The width at which nothing in a column is broken."""
        cells = [columns_of(line) for cell in self.cells(place) for line in cell.split("\n")]
        return max([columns_of(self.columns[place].heading), *cells])

    def least(self, place: int, broken: bool) -> int:
        """The width below which a column is no use; with `broken`, names may go on in the next line."""
        kind, heading = self.columns[place].kind, self.columns[place].heading
        words = [heading] if "%" in heading else heading.split()
        whole = kind == "number" or (kind == "name" and not broken)
        pieces = (
            self.cells(place) if whole else [piece for cell in self.cells(place) for piece in in_pieces(cell, kind)]
        )
        longest = max(map(columns_of, [*words, *pieces]))
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

    def lines(self, width: int) -> list[str]:
        """The table that fits, line by line."""
        places, widths = self.fitted(width)
        left_out = [column.heading for place, column in enumerate(self.columns) if place not in places]
        more = f"Left out here: {', '.join(left_out)} (--wide)." if left_out else ""
        caption = " ".join(words for words in (self.caption, more) if words)
        full = sum(widths) + BETWEEN * (len(widths) - 1) + EDGES
        titles = [
            wrapped(self.columns[place].heading, wide, "words") for place, wide in zip(places, widths, strict=True)
        ]
        lines = [styled((line, "bold")) for line in wrapped(self.title, full, "words")]
        lines += ["", *self.row_lines(titles, places, widths, "bold"), " " + "─" * (full - EDGES)]
        for number, row in enumerate(self.rows):
            cells = [
                wrapped(row[place], wide, self.columns[place].kind) for place, wide in zip(places, widths, strict=True)
            ]
            lines += [""] * (self.ruled and number > 0) + self.row_lines(cells, places, widths)
        return [*lines, "", *(styled((line, "dim")) for line in wrapped(caption, full, "words") if line)]

    def row_lines(self, cells: list[list[str]], places: list[int], widths: list[int], style: str = "") -> list[str]:
        """One row, as many lines as its tallest cell has; the first column is bold, some words have their own style."""
        own = dict(self.styles)
        lines = []
        for pieces in zip_longest(*cells, fillvalue=""):
            line = ""
            for piece, place, wide in zip(pieces, places, widths, strict=True):
                blanks = " " * (wide - columns_of(piece))
                text = styled((piece, own.get(piece, style or ("bold" if place == 0 else ""))))
                line += (" " if place == places[0] else " " * BETWEEN) + (
                    blanks + text if self.columns[place].kind == "number" else text + blanks
                )
            lines.append(line.rstrip())
        return lines


def columns_of(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(0 if combining(letter) else 1 + (east_asian_width(letter) in "WF") for letter in text)


def shared_out(least: list[int], wanted: list[int], free: int) -> list[int]:
    """Every column its least, and of what is free as much as it wants, or a share of it."""
    widths, free = list(least), max(free, 0)
    total = sum(wanted)
    if total <= free:
        return [low + more for low, more in zip(least, wanted, strict=True)]
    ends = [round(free * sum(wanted[:count]) / total) for count in range(len(wanted) + 1)]
    return [low + end - begin for low, (begin, end) in zip(widths, pairwise(ends), strict=True)]


def split_name(text: str) -> list[str]:
    """A name in pieces that end after a comma, a colon or a blank."""
    return text.replace(",", ",\0").replace(":", ":\0").replace(" ", " \0").split("\0")


def in_pieces(text: str, kind: str) -> list[str]:
    """What may not be broken: a word; of a name what stands between , and : too."""
    return text.split() if kind == "words" else [piece.rstrip() for piece in split_name(text) if piece.strip()]


def wrapped(text: str, width: int, kind: str) -> list[str]:
    """A text in lines of a width, broken where its kind allows it."""
    if kind == "name":
        return broken_lines(text, width).split("\n")
    return [
        line
        for part in text.split("\n")
        for line in wrap(part, width, break_long_words=False, break_on_hyphens=False) or [""]
    ]


def broken_lines(text: str, width: int) -> str:
    """A name on as few lines as it needs."""
    lines = [""]
    for piece in split_name(text):
        if lines[-1] and columns_of((lines[-1] + piece).rstrip()) > width:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


def styled(*pieces: str | tuple[str, str]) -> str:
    """Text with a style for some of its pieces, where a terminal shows styles."""
    plain = not sys.stdout.isatty() or os.name == "nt" or os.environ.get("TERM") == "dumb" or "NO_COLOR" in os.environ
    texts = [(piece, "") if isinstance(piece, str) else piece for piece in pieces]
    return "".join(
        f"\x1b[{CODES[style]}m{text}\x1b[0m" if style and text and not plain else text for text, style in texts
    )


def show(*things: DataTable | str, wide: bool = False) -> None:
    """Print tables and lines, in the width there is."""
    for thing in things:
        if isinstance(thing, DataTable):
            lines = TerminalTable.of(thing).lines(room(wide))
        else:
            lines = wrapped(thing, room(wide=False), "words")
        print("\n".join(lines))


def room(wide: bool) -> int:
    """The columns a table may fill."""
    fixed = sys.stdout.isatty() or "COLUMNS" in os.environ
    return shutil.get_terminal_size().columns if fixed and not wide else ENDLESS
