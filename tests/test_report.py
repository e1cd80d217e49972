"""Reports: tables as CSV and LaTeX, pages with their files beside them."""

from pathlib import Path

import pytest
from jinja2 import UndefinedError

from robandit.pictures.bars import draw_bars
from robandit.report.page import Picture, Section, render, write_page
from robandit.report.table import Column, DataTable, format_value

TABLE = DataTable("Costs", [Column("who & what", "name"), "C"], [["a_b", 1234.5], ["c", None]], "A caption.", "costs")


def test_a_table_is_exact_as_csv_and_readable_as_latex() -> None:
    assert TABLE.csv() == "who & what,C\na_b,1234.5\nc,\n"
    lines = TABLE.latex().splitlines()
    assert lines[0] == r"\begin{tabular}{lr}"
    assert lines[2] == r"who \& what & C \\"
    assert lines[4:6] == [r"a\_b & 1,234 \\", r"c & - \\"]
    assert DataTable("Empty", ["x"], []).latex().startswith(r"\begin{tabular}{}")


def test_values_are_written_with_the_digits_they_need() -> None:
    values = (None, True, 3, 0.12345, 12.345, 4321.0, 2.5e9, float("inf"), "text")
    assert [format_value(value) for value in values] == [
        *("-", "True", "3", "0.123", "12.3", "4,321", "2.50e+09", "no limit", "text")
    ]


def test_a_page_holds_its_sections_and_writes_its_files(tmp_path: Path) -> None:
    bars = draw_bars(
        ["one", "two"], [1.0, -2.0], ([False, False], [False, True]), ("plain", "coloured", "marked"), "how far"
    )
    section = Section("s", "A < section", ["Text."], pictures=[Picture("bars", "Who?", bars)], tables=[TABLE])
    path = write_page("A title", ["A lead."], [section], tmp_path)
    page = path.read_text()
    assert all(words in page for words in ("A title", "A lead.", "A &lt; section", "Who?", "A caption.", 'id="costs"'))
    assert {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file()} == {
        *("report.html", "tables/costs.csv", "tables/costs.tex"),
        *(f"figures/bars.{kind}" for kind in ("pdf", "png", "svg")),
    }
    with pytest.raises(UndefinedError):
        render("report.html.j2", title="a value that is missing is an error")
