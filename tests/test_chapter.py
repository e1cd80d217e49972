"""docs/theory*.md: quick blocks say what the commands say today; verification/test_chapter.py runs all of them."""

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
spec = importlib.util.spec_from_file_location("make_theory", ROOT / "docs" / "make_theory.py")
assert spec is not None
assert spec.loader is not None
PAGES = {page.name: page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("theory*.md")}
CERTIFICATES, STATED = PAGES["theory-certificates.md"], PAGES["theory-statements.md"]


@pytest.fixture
def maker(monkeypatch: Any) -> Any:
    monkeypatch.setenv("COLUMNS", "110")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_quick_block_is_what_its_commands_print(maker: Any) -> None:
    (block,) = [text for text in maker.BLOCK.findall(CERTIFICATES) if "--learning-rate 0.03125" in text]
    assert maker.block(block) == f"```\n{block}```\n"
    changed = block.replace("2.712879 C", "2.7 C")
    assert maker.block(changed) != f"```\n{changed}```\n"


def test_numbers_of_the_prose_stand_in_a_block(maker: Any) -> None:
    assert len(PAGES) >= 4
    for name, page in PAGES.items():
        assert maker.loose_numbers(page) == [], name
        assert maker.loose_numbers(page + "\nIt costs 12.345 a unit.\n") == ["12.345"]


def test_the_page_has_a_row_for_every_statement() -> None:
    from robandit.theory.statements import STATEMENTS

    row = r"^\| .* \| (.*) \| (holds|fails|open|holds under a stronger condition|depends on the reading)"
    rows = re.findall(rf"{row} \| \w+ \|$", STATED, re.M)
    assert [text for text, _ in rows] == [statement.text for statement in STATEMENTS]
    for statement in STATEMENTS:
        assert f"- `{statement.id}` ({statement.where}): " in STATED
    for state in (
        "p = (7/10, 3/10)",
        "p = (3/5, 39/100, 1/100)",
        "p = (11/20, 9/20)",
        "p* = 1/1000",
        "p = (1/10, 9/10)",
    ):
        assert state in STATED


def test_the_constants_of_the_page_are_those_of_the_theorems(maker: Any) -> None:
    """Theorem 3 in words: b(S) = a (1+alpha)(2-alpha)/(1-alpha) S + 2."""
    from robandit.theory.games import SambaGame
    from robandit.theory.rounds import fractions
    from robandit.theory.theorems import third

    nine = SambaGame(fractions(*(f"{mean}/10" for mean in range(9, 0, -1))), fractions("1/73")[0])
    assert third(nine).prices == fractions("11752/511", "86862/511")  # those of proofs/Examples.v
