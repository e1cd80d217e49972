"""Tables fit the width there is: the first column is always there, and no name and no number is cut."""

from pathlib import Path
from typing import Any

import pytest

from robandit.catalogue import shipped
from robandit.redteam.tables import advice_table
from robandit.report import terminal
from robandit.report.numbers import short, tenths, with_half
from robandit.report.table import Column, DataTable
from robandit.report.terminal import BETWEEN, ENDLESS, TerminalTable, broken_lines, in_pieces, styled, wrapped

LONG = "floor:share=0.05,inner=(samba:learning_rate=0.1)"
GAME = "--horizon 300 --runs 3"
TABLES = {
    "play": f"play --policy samba --policy {LONG} --policy ucb1:scale=2 {GAME}",
    "attacked": f"play --policy samba --policy {LONG} --attack flip --schedule middle --budget 30 {GAME}",
    "one": f"play {GAME}",
    "policies": "policies",
    "adversaries": "adversaries",
    "environments": "environments",
    "price": "price --policy ucb1 --policy thompson --means 0.9,0.1 --horizon 300 --runs 4 --out {out}",
    "redteam": f"redteam --policy {LONG} --budget 9 --quick --means 0.9,0.1 --evaluations 0 {GAME} --out {{out}}",
    "steps": "paper theory steps",
    "bounds": "paper theory bounds --horizon 500 --runs 2",
    "status": "study status {study}",
    "audit": "audit {log} --policy ucb1 --no-price --shadow thompson",
}


@pytest.fixture
def places(tmp_path: Path, robandit: Any) -> dict[str, str]:
    """A study's folder and a log, to be shown."""
    (tmp_path / "spec.toml").write_text('name = "s"\n[[grid]]\nid = "g"\npolicies = ["samba"]\nhorizons = [50]\n')
    log = tmp_path / "log.csv"
    rows = (
        f"arm-{row % 2},{int(row % 3 == 0)},0.5,a source with a name of many words {row % 5}\n" for row in range(40)
    )
    log.write_text("arm,reward,probability,source\n" + "".join(rows))
    return {"study": str(tmp_path), "log": str(log), "out": str(tmp_path / "out")}


@pytest.fixture
def sheets(places: dict[str, str], robandit: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The tables a command prints."""

    def of(name: str) -> list[TerminalTable]:
        found: list[TerminalTable] = []
        real = terminal.show

        def show(*shown: Any, wide: bool = False) -> None:
            found.extend(TerminalTable.of(thing) for thing in shown if isinstance(thing, DataTable))
            real(*shown, wide=wide)

        monkeypatch.setattr(terminal, "show", show)
        assert robandit(*(word.format(**places) for word in TABLES[name].split()))[0] == 0
        return found

    return of


@pytest.mark.parametrize("name", TABLES)
def test_every_table_has_its_first_column_and_cuts_neither_name_nor_number(name: str, sheets: Any) -> None:
    shown = sheets(name)
    assert shown
    nothing_is_cut(shown)


@pytest.mark.parametrize("ring", [False, True])
def test_the_table_of_an_advice_cuts_nothing(ring: bool) -> None:
    """Its command plays for half a minute: numbers of every length in its place."""
    summary = {"mean": 123_456.7, "half_width_95": 8.9}
    price = {"estimate": 0.00123, "low": 0.001, "high": None, "unit": "share"}
    row = {"label": LONG, "clean_regret": summary, "attacked_regret": summary if ring else None, "best_share": 0.5}
    row |= {"price": None if ring else price, "learns": True}
    nothing_is_cut(
        [
            TerminalTable.of(
                advice_table({"means": [0.1] * 20, "horizon": 1e5, "results": [row, {**row, "label": "samba"}]})
            )
        ]
    )


def nothing_is_cut(shown: list[TerminalTable]) -> None:
    for one in shown:
        for width in (60, 80, 100, 120):
            places, _ = one.fitted(width)
            assert places[0] == 0
            columns = read_back(one, width)
            assert width < 80 or columns.pop("width") <= width
            for place in places:
                cells = [cell for cell in one.cells(place) if cell.strip()]
                if one.columns[place].kind == "number":
                    assert [line for line in columns[place] if line] == cells
                else:
                    assert "".join("".join(columns[place]).split()) == "".join("".join(cells).split())
                    breaks = [line for line in columns[place] if line.strip()]
                    whole = {piece for cell in cells for piece in in_pieces(cell, one.columns[place].kind)}
                    assert all(in_pieces(line, one.columns[place].kind)[0] in whole for line in breaks)
        assert one.fitted(ENDLESS)[0] == list(range(len(one.columns)))  # in a pipe nothing is left out


def read_back(one: TerminalTable, width: int) -> dict[Any, Any]:
    """The text below the heading, column by column, from what is printed; and how wide that is."""
    places, widths = one.fitted(width)
    lines = one.lines(width)
    first = next(number for number, line in enumerate(lines) if "───" in line) + 1
    stop = next((number for number in range(first, len(lines)) if not lines[number].strip()), len(lines))
    body = [line for line in lines[first:stop] if "───" not in line]
    found: dict[Any, Any] = {"width": max(len(line.rstrip()) for line in body)}
    at = 1
    for place, wide in zip(places, widths, strict=True):
        found[place] = [line[at : at + wide].strip() for line in body]
        at += wide + BETWEEN
    return found


@pytest.mark.parametrize("wide", [False, True])
def test_a_pipe_and_wide_have_every_column_and_a_row_a_line(
    wide: bool, robandit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if wide:
        monkeypatch.setenv("COLUMNS", "40")
    out = robandit("policies", *(["--wide"] if wide else []))[1]
    rows = out.partition("Policies for arms with features")[0].splitlines()[4:]
    assert [row.split()[0] for row in rows if row] == sorted(shipped("policy"))
    assert all(about.reference in out for about in (cls.about for cls in shipped("policy").values()))
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, robandit("policies")[1].splitlines())) <= 80


def test_columns_are_spared_in_order_and_named() -> None:
    columns = [Column("policy", "name"), Column("mean"), Column("median", spare=1), Column("time", spare=2)]
    one = TerminalTable("t", columns, [["samba", "1,234,567.8", "99,999.9", "12"]])
    assert [one.fitted(width)[0] for width in (80, 38, 30, 5)] == [[0, 1, 2, 3], [0, 1, 2], [0, 1], [0, 1]]
    assert "Left out here: median, time (--wide)." in " ".join(one.lines(30))
    assert one.lines(80)[-2].split()[0] == "samba"  # no caption


def test_names_are_broken_after_commas_and_colons_only() -> None:
    assert broken_lines("floor:share=0.05,inner=samba", 17) == "floor:share=0.05,\ninner=samba"
    assert broken_lines("a,b", 80) == "a,b"
    one = TerminalTable("t", [Column("policy", "name"), Column("mean")], [[LONG, "1"]])
    assert sum(one.fitted(30)[1]) <= 30
    assert "".join(wrapped(LONG, one.fitted(30)[1][0], "name")) == LONG


def test_text_in_brackets_is_text() -> None:
    assert TerminalTable("t", [Column("source", "name")], [["[red]x[/red]"]]).lines(80)[-2] == " [red]x[/red]"


def test_styles_are_for_terminals_that_show_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    for variables, text in (
        ({"TERM": "xterm"}, "take \x1b[1mx\x1b[0m"),
        ({"TERM": "dumb"}, "take x"),
        ({"NO_COLOR": "1"}, "take x"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr("os.environ", variables)
            assert styled("take ", ("x", "bold")) == text


def test_wide_letters_take_two_columns() -> None:
    one = TerminalTable("t", [Column("arm", "name"), Column("n")], [["日本", "1"], ["e\u0301", "2"]])
    assert one.fitted(80)[1] == [4, 1]
    assert [line.index(number) for line, number in zip(one.lines(80)[-3:-1], "12", strict=True)] == [6, 9]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (4360.0, "4,360"),
        (0.00641, "0.00641"),
        (99.96, "100"),
        (12.3, "12.3"),
        (0.0, "0"),
        (2.5e12, "2.5e12"),
        (None, "-"),
    ],
)
def test_numbers_are_written_alike(value: float | None, shown: str) -> None:
    assert short(value) == shown


def test_an_interval_has_the_digits_of_its_mean() -> None:
    assert with_half({"mean": 4.89, "half_width_95": 0.0797}) == "4.89 ± 0.08"
    assert with_half({"mean": 1834.2, "half_width_95": 8.4}) == "1,834 ± 8"
    assert tenths(1234567.84) == "1,234,567.8"


def test_one_run_is_not_given_a_spread(robandit: Any) -> None:
    code, said, _ = robandit("play", "--policy", "uniform", "--means", "0.2,0.8", "--horizon", "50", "--runs", "1")
    assert code == 0
    assert ", 1 run\n" in said
    assert "one run has no interval" in " ".join(said.split())
    assert not any(word in said for word in ("± 95 %", "median", "mean regret"))
