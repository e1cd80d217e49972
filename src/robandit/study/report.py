"""A report: one self-contained page, figures and tables beside it; a pure function of what is stored."""

import base64
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from robandit.store.cells import Store
from robandit.store.files import sweep, write_atomically
from robandit.study.figures import Picture, Published, Shape, in_words, pictures_of
from robandit.study.results import Results
from robandit.study.spec import Grid, Study
from robandit.study.tables import Sheet, is_number, paired_table, shown, summary_table
from robandit.study.weigh import weighed
from robandit.version import __version__


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    id: str
    title: str
    text: list[str] = field(default_factory=list)
    claims: list[dict[str, Any]] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    tables: list[Sheet] = field(default_factory=list)


def write_report(study: Study, store: Store, folder: Path) -> Path:
    """Anyone's study: a section for each grid."""
    results = Results(study, store)
    sections = [grid_section(results, grid) for grid in study.grids]
    cells = [cell for grid in study.grids for cell in grid.cells]
    there = sum(results.trace(cell) is not None for cell in cells)
    lead = [study.question] if study.question else []
    lead.append(f"{there} of {len(cells)} cells are stored. {READING}")
    claims = [weighed(results, claim) for claim in study.claims]
    sections[:0] = [Section("verdicts", "Verdicts", [WEIGHED], claims=claims)] if claims else []
    return write_page(study.name, lead, sections, folder)


READING = (
    "Regret always counts the true means. ± is half of a 95 % interval of the mean. Threat model A moves the means "
    "before the draw; attacks of threat model B, which see the draw, are named as such."
)


WEIGHED = (
    "A run is turned if it plays the best arm (or slate) in fewer than half of its rounds, and a policy if most of its "
    "runs are. Each cell is tested at the 5 % level after Holm's correction within a claim; a claim holds if all its "
    "cells say so, fails if one says the contrary, and stays open otherwise."
)
FILES = ("pdf", "png", "svg")  # what every figure is written as; the page shows the last


def grid_section(results: Results, grid: Grid, published: Published | None = None) -> Section:
    """Figures and tables of one grid; published values stand beside ours."""
    tables = [summary_table(results, grid)]
    compared = paired_table(results, grid)
    if compared:
        tables.append(compared)
    waiting = Counter(results.trace(cell) is None for cell in grid.cells)[True]
    text = [f"{waiting} of {len(grid.cells)} cells are not there yet."] if waiting else []
    text += [refusal, *in_words(grid)] if (refusal := Shape(grid).refusal()) else []
    pictures = pictures_of(results, grid, published) if len(tables[0].rows) > 0 else []
    return Section(grid.id, grid.title or grid.id, text, pictures=pictures, tables=tables)


def write_page(title: str, lead: list[str], sections: list[Section], folder: Path) -> Path:
    """Render the page and write it, with figures (pdf, png, svg) and tables (csv, tex) beside it."""
    drawings, narrow = dict[str, bytes](), dict[str, bytes]()
    for name in ("figures", "tables"):
        sweep(folder / name)  # what a killed run was in the middle of writing
    for section in sections:
        for picture in section.pictures:
            slim = picture.drawing.narrow()
            narrow[picture.id] = slim.rendered("svg") if slim is not None else b""
            for kind in FILES:
                drawings[picture.id] = picture.drawing.rendered(kind)
                write_atomically(folder / "figures" / f"{picture.id}.{kind}", drawings[picture.id])
        for table in section.tables:
            write_atomically(folder / "tables" / f"{table.id}.csv", table.csv().encode())
            write_atomically(folder / "tables" / f"{table.id}.tex", table.latex().encode())
    footer = (
        f"Made by robandit {__version__}. The page needs no network; figures and tables lie beside it as files too."
    )
    page = template().render(
        title=title, lead=lead, sections=[prepared(section, drawings, narrow) for section in sections], footer=footer
    )
    write_atomically(folder / "report.html", page.encode())
    return folder / "report.html"


@cache
def template() -> Any:
    """The page's template."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(Path(__file__).parent)
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined).get_template("report.html.j2")


def prepared(section: Section, drawings: dict[str, bytes], narrow: dict[str, bytes]) -> dict[str, Any]:
    """A section as the template wants it; `drawings` holds its figures as SVG, `narrow` those for a phone."""
    tables = [prepared_table(table, number == 0) for number, table in enumerate(section.tables)]
    pictures = [
        {
            "id": picture.id,
            "caption": picture.caption,
            "svg": inline(drawings[picture.id].decode()),
            "narrow": inline(narrow[picture.id].decode()) if narrow[picture.id] else "",
            "csv_name": f"{section.tables[0].id}.csv" if section.tables else "",
            "csv": tables[0]["csv"] if tables else "",
        }
        for picture in section.pictures
    ]
    return {
        "id": section.id,
        "title": section.title,
        "text": section.text,
        "claims": section.claims,
        "pictures": pictures,
        "tables": tables,
    }


def prepared_table(table: Sheet, is_open: bool) -> dict[str, Any]:
    """A table as the template wants it."""
    numbers = [is_number(cell) for cell in table.rows[0]] if table.rows else [False] * len(table.headings)
    return {
        "id": table.id,
        "title": table.title,
        "note": table.note,
        "open": is_open,
        "headings": list(zip(table.headings, numbers, strict=True)),
        "rows": [
            [{"text": shown(cell), "value": cell, "number": is_number(cell)} for cell in row] for row in table.rows
        ],
        "csv": as_link("text/csv", table.csv()),
        "tex": as_link("text/plain", table.latex()),
    }


def as_link(kind: str, content: str) -> str:
    """Content as a link that needs no file and no network."""
    return f"data:{kind};base64,{base64.b64encode(content.encode()).decode()}"


def inline(svg: str) -> str:
    """An SVG without the head that only a file of its own needs."""
    return svg[svg.index("<svg") :]
