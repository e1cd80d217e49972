"""A page of sections: one self-contained HTML file, with figures and tables as files beside it."""

import base64
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from robandit.errors import is_number
from robandit.pictures.rendered import Rendered
from robandit.report.table import DataTable, format_value
from robandit.store.files import sweep, write_atomically
from robandit.version import __version__

FILES = ("pdf", "png", "svg")  # what every figure is written as; the page shows the last


@dataclass(frozen=True)
class Picture:
    """A drawing with the caption that goes under it."""

    id: str
    caption: str
    drawing: Rendered


@dataclass(frozen=True)
class Section:
    """A part of a page: text, then claims, pictures and tables; the first table is open and is the pictures' data."""

    id: str
    title: str
    text: list[str] = field(default_factory=list)
    claims: list[dict[str, Any]] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    tables: list[DataTable] = field(default_factory=list)


def write_page(title: str, lead: list[str], sections: list[Section], folder: Path) -> Path:
    """Write report.html, its figures (pdf, png, svg) and its tables (csv, tex); returns the path of the page."""
    for name in ("figures", "tables"):
        sweep(folder / name)  # what a killed run was in the middle of writing
    footer = (
        f"Made by robandit {__version__}. The page needs no network; figures and tables lie beside it as files too."
    )
    contents = [write_section(section, folder) for section in sections]
    page = render("report.html.j2", title=title, lead=lead, sections=contents, footer=footer)
    write_atomically(folder / "report.html", page.encode())
    return folder / "report.html"


def render(template: str, **values: Any) -> str:
    """A page from one of the templates of this package."""
    text: str = templates().get_template(template).render(**values)
    return text


@cache
def templates() -> Any:
    """The templates of this package; a value that is missing is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined)


def write_section(section: Section, folder: Path) -> dict[str, Any]:
    """Write the files of a section; returns what the template shows of it."""
    tables = [write_table(table, folder / "tables") for table in section.tables]
    data = {"csv_name": f"{tables[0]['id']}.csv", "csv": tables[0]["csv"]} if tables else {"csv_name": "", "csv": ""}
    pictures = [{**write_picture(picture, folder / "figures"), **data} for picture in section.pictures]
    for number, table in enumerate(tables):
        table["open"] = number == 0
    return {**vars(section), "tables": tables, "pictures": pictures}


def write_picture(picture: Picture, folder: Path) -> dict[str, Any]:
    """Write a figure in every format; returns what the template shows of it."""
    files = {kind: picture.drawing.to_bytes(kind) for kind in FILES}
    for kind, content in files.items():
        write_atomically(folder / f"{picture.id}.{kind}", content)
    narrow = picture.drawing.narrow
    svgs = {"svg": inline(files["svg"]), "narrow": "" if narrow is None else inline(narrow.to_bytes("svg"))}
    return {"id": picture.id, "caption": picture.caption, **svgs}


def write_table(table: DataTable, folder: Path) -> dict[str, Any]:
    """Write a table as CSV and LaTeX; returns what the template shows of it."""
    files = {"csv": table.csv(), "tex": table.latex()}
    for kind, content in files.items():
        write_atomically(folder / f"{table.id}.{kind}", content.encode())
    return {
        "id": table.id,
        "title": table.title,
        "caption": table.caption,
        "headings": list(zip(table.headings, table.numeric, strict=True)),
        "rows": [
            [{"text": format_value(value), "value": value, "number": is_number(value)} for value in row]
            for row in table.rows
        ],
        "csv": as_link("text/csv", files["csv"]),
        "tex": as_link("text/plain", files["tex"]),
    }


def as_link(kind: str, content: str) -> str:
    """Content as a link that needs no file and no network."""
    return f"data:{kind};base64,{base64.b64encode(content.encode()).decode()}"


def inline(svg: bytes) -> str:
    """An SVG without the head that only a file of its own needs."""
    text = svg.decode()
    return text[text.index("<svg") :]
