"""Specs: what they expand to, and errors that point at the line and the field."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.paper.page import spec_path
from robandit.study.spec import means_by_rule, read_study

GOOD = """name = "small"
question = "does it work?"

[[grid]]
id = "levels"
policies = ["samba", "ucb1:scale=2"]
schedules = [
  "start",
  "middle",
]
budgets = [0, 10, 20]
arms = [2, 3]
horizons = 500
runs = { samba = 7, "*" = 4 }

[[grid]]
id = "means"
policies = "samba"
means = [[0.1, 0.9], [0.2, 0.3, 0.4]]
"""


def written(folder: Path, text: str) -> Path:
    (folder / "study.toml").write_text(text)
    return folder / "study.toml"


def test_a_spec_expands_to_distinct_cells(tmp_path: Path) -> None:
    study = read_study(written(tmp_path, GOOD))
    levels, means = study.grids
    assert len(levels.cells) == 2 * 2 * (1 + 2 * 2)  # policies x arms x (clean, or schedules x budgets)
    assert {cell.runs for cell in levels.cells if cell.policy == "samba"} == {7}
    assert {cell.runs for cell in levels.cells if cell.policy != "samba"} == {4}
    assert {cell.means for cell in means.cells} == {(0.1, 0.9), (0.2, 0.3, 0.4)}
    assert len(study.cells()) == len(levels.cells) + len(means.cells)


def test_spelling_does_not_change_the_key(tmp_path: Path) -> None:
    one, two = (
        next(iter(read_study(written(tmp_path, f'name="a"\n[[grid]]\nid="x"\npolicies="{policy}"\n')).cells()))
        for policy in ("samba", "samba:learning_rate=0.05")
    )
    assert one == two


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"samba", "ucb1:scale=2"',
            '"sambo", "ucb1"',
            "line 6: grid 1: policies: policy 'sambo' is unknown; did you mean 'samba'?",
        ),
        (
            '"ucb1:scale=2"',
            '"ucb1:scale=-2"',
            "line 6: grid 1: policies: ucb1: scale must be a number above 0, not -2.0",
        ),
        ('  "middle",', '  "midle",', "line 9: grid 1: schedules: schedule 'midle' is unknown; did you mean 'middle'?"),
        ("[0, 10, 20]", "[0, -10]", "line 11: grid 1: budgets: must be a number of at least 0, not -10"),
        ("[0, 10, 20]", "[0, inf]", "line 11: grid 1: budgets: must be a number of at least 0, not inf"),
        ("[0, 10, 20]", "[0, nan]", "line 11: grid 1: budgets: must be a number of at least 0, not nan"),
        ("arms = [2, 3]", "arms = [0]", "line 12: grid 1: arms: must be a whole number of at least 1, not 0"),
        ("arms = [2, 3]", "arms = []", "line 12: grid 1: arms: must name at least one value"),
        ("horizons = 500", 'horizons = "long"', "line 13: grid 1: horizons: must be a whole number"),
        (
            "horizons = 500",
            "horizonts = 500",
            "line 13: grid 1: horizonts: field 'horizonts' is unknown; did you mean 'horizons'?",
        ),
        ('"*" = 4', '"*" = 0', "line 14: grid 1: runs: must be a whole number of at least 1, not 0"),
        (', "*" = 4', "", 'line 14: grid 1: runs: needs an entry "*"'),
        ('id = "means"', 'id = "levels"', "line 17: grid 2: id: 'levels' is given twice"),
        ('policies = "samba"', "runs = 3", "line 16: grid 2: policies is missing"),
        ("[0.1, 0.9]", "[0.1, 1.9]", "line 19: grid 2: means: means must be numbers from 0 to 1; arm 2 was given 1.9"),
        ("[[0.1, 0.9], [0.2, 0.3, 0.4]]", '"triangle"', "line 19: grid 2: means: must be grid, linspace"),
        ('question = "does it work?"', "question = 3", "line 2: question: must be text, not 3"),
        (
            'question = "does it work?"',
            'questoin = "x"',
            "line 2: questoin: field 'questoin' is unknown; did you mean 'question'?",
        ),
        ('name = "small"', "name = small", "at line 1"),
        (
            'id = "means"',
            'id = "means"\nattacks = "decoy:arm=2"\nbudgets = 5',
            "grid 2: attacks: decoy: arm must be one of 1",
        ),
        (
            'id = "means"',
            'id = "means"\nattacks = "sink-shown"\nschedules = "middle"\nbudgets = 5',
            "takes no schedule",
        ),
        ('id = "means"', 'id = "means"\ncharges = "gold"', "charges: value 'gold' is unknown (allowed: cost, rounds)"),
        ('id = "means"', 'id = "means"\nsizes = 3', "sizes: size must be full, efficient"),
        ('id = "means"', 'id = "means"\ncheckpoints = 0', "checkpoints: must be a whole number of at least 1"),
        ('name = "small"', 'name = "small"\nload = ["missing.py"]', "line 2: load: must name a Python file"),
    ],
)
def test_mistakes_are_found_where_they_stand(tmp_path: Path, robandit: Any, old: str, new: str, message: str) -> None:
    assert old in GOOD
    spec = written(tmp_path, GOOD.replace(old, new, 1))
    code, out, err = robandit("study", "run", str(spec), "--out", str(tmp_path / "out"))
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_missing_and_empty_specs(tmp_path: Path) -> None:
    with pytest.raises(rb.InputError, match="cannot be read"):
        read_study(tmp_path / "none.toml")
    with pytest.raises(rb.InputError, match="needs a name and at least one"):
        read_study(written(tmp_path, 'name = "x"\n'))


def test_rules_for_means() -> None:
    assert means_by_rule("grid", 3) == (0.25, 0.5, 0.75)
    assert means_by_rule("linspace", 3) == (0.0, 0.5, 1.0)
    drawn = means_by_rule("uniform:1", 5)
    assert drawn == means_by_rule("uniform:1", 5) != means_by_rule("uniform:2", 5)
    assert all(0 < mean < 1 for mean in drawn)
    assert len(np.unique(drawn)) == 5


@pytest.mark.parametrize("quick", [True, False])
def test_the_shipped_specs_are_valid(quick: bool) -> None:
    study = read_study(spec_path(quick))
    assert {"levels", "over-time", "k-sweep"} <= {grid.id for grid in study.grids}
