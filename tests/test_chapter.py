"""docs/theory.md: its quick blocks say what the commands say today; verification/test_chapter.py runs all of them."""

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
spec = importlib.util.spec_from_file_location("make_theory", ROOT / "docs" / "make_theory.py")
assert spec is not None
assert spec.loader is not None
PAGE = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")


@pytest.fixture
def maker(monkeypatch: Any) -> Any:
    monkeypatch.setenv("COLUMNS", "110")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_quick_block_is_what_its_commands_print(maker: Any) -> None:
    (block,) = [text for text in maker.BLOCK.findall(PAGE) if "--runs 0" in text]
    assert maker.block(block) == f"```\n{block}```\n"
    changed = block.replace("2.712879 C", "2.7 C")
    assert maker.block(changed) != f"```\n{changed}```\n"


def test_numbers_of_the_prose_stand_in_a_block(maker: Any) -> None:
    assert maker.loose_numbers(PAGE) == []
    assert maker.loose_numbers(PAGE + "\nIt costs 12.345 a unit.\n") == ["12.345"]


def test_the_page_has_a_row_for_every_statement() -> None:
    from robandit.theory.statements import STATEMENTS

    rows = re.findall(r"^\| .* \| (.*) \| (holds|fails|open|holds under a stronger condition) \| \w+ \|$", PAGE, re.M)
    assert [text for text, _ in rows] == [statement.text for statement in STATEMENTS]
