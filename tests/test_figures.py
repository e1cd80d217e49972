"""Figures of a study: every cell of a grid can be found in them, or a sentence says why there is none."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from robandit.estimates import half_widths
from robandit.executor import Threads
from robandit.pictures.panels import draw_lines
from robandit.store.cells import ResultStore
from robandit.study.figures import MOST, Shape, pictures_of, plot_along, plot_over_time
from robandit.study.report import grid_section
from robandit.study.results import Results
from robandit.study.run import play_cells
from robandit.study.spec import read_study

HEAD = 'name = "s"\n[[grid]]\nid = "g"\ntitle = "A grid"\npolicies = ["samba", "ucb1"]\nruns = 3\n'


@pytest.fixture
def played(tmp_path: Path) -> Any:
    """The results of a grid."""

    def run(text: str) -> Results:
        (tmp_path / "spec.toml").write_text(HEAD + text)
        study = read_study(tmp_path / "spec.toml")
        play_cells(Threads(1), study.cells(), ResultStore(tmp_path), lambda *_: None)
        return Results(study, ResultStore(tmp_path))

    return run


CUBE = "arms = [2, 3]\nattacks = ['flip', 'sink']\nhorizons = [40, 90]\n"


@pytest.mark.parametrize("budgets", ["[9]", "[0, 9]", "[0, 9, 18, 27]"])
def test_two_arms_two_attacks_and_two_horizons_are_all_found(budgets: str, played: Any) -> None:
    results = played(f"{CUBE}budgets = {budgets}\n")
    (grid,) = results.study.grids
    shape = Shape(grid)
    drawing = plot_along(results, shape, {})
    points = Counter[tuple[str, str, float]]()
    for panel in drawing.panels:
        for line in panel.lines:
            assert list(line.x) == sorted(set(line.x))  # no vertical strokes
            points.update((panel.title, line.label, x) for x in line.x)
    assert max(points.values()) == 1
    names = [panel.title for panel in drawing.panels]
    assert len(set(names)) == len(names) <= MOST
    for cell in grid.cells:
        where = {"arms": f"K = {len(cell.means)}", "horizon": f"T = {cell.horizon}", "attack": f"attack {cell.attack}"}
        told = [words for name, words in where.items() if name != shape.along]
        told = [words for words in told if cell.budget > 0 or "attack" not in words]
        x, mean = shape.at(cell, str(shape.along)), results.finals(cell).mean()
        found = [
            line.y[list(line.x).index(x)]
            for panel in drawing.panels
            for line in panel.lines
            if line.label == cell.policy and all(words in panel.title.split(", ") for words in told) and x in line.x
        ]
        assert any(value == pytest.approx(mean) for value in found), (cell, names)
    assert all(line.half is not None for panel in drawing.panels for line in panel.lines)


def test_over_time_nothing_is_dropped_and_intervals_are_drawn(played: Any) -> None:
    results = played("arms = [2, 3]\nattacks = ['flip', 'sink']\nhorizons = 100\nbudgets = [0, 9]\ncheckpoints = 50\n")
    (grid,) = results.study.grids
    drawing = plot_over_time(results, Shape(grid))
    assert sum(len(panel.lines) for panel in drawing.panels) == len(grid.cells)
    assert [panel.title for panel in drawing.panels].count("K = 3, C = 0") == 1
    trace = results.trace(grid.cells[0])
    halves = half_widths(trace.regret)
    assert halves is not None
    assert halves[-1] == pytest.approx(trace.summary()["half_width_95"])
    assert all(line.band and line.half is not None for panel in drawing.panels for line in panel.lines)
    assert draw_lines(drawing).narrow is not None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("horizons = 40\n", "No figure: a line needs two or more values of C, K or T"),
        (
            f"{CUBE}schedules = ['start', 'middle', 'random']\nbudgets = [9, 12]\n",
            "No figure: arms x attack x schedule x horizon would make 24 panels, and 12 is the most; split the grid",
        ),
    ],
)
def test_what_cannot_be_drawn_is_told_in_a_sentence(text: str, words: str, played: Any) -> None:
    results = played(text)
    (grid,) = results.study.grids
    assert pictures_of(results, grid) == []
    assert grid_section(results, grid).text[-1].startswith(words)


def test_several_games_of_one_size_have_panels_of_their_own(played: Any) -> None:
    results = played("means = [[0.1, 0.9], [0.4, 0.5]]\nhorizons = [40, 90]\n")
    drawing = plot_along(results, Shape(results.study.grids[0]), {})
    assert [panel.title for panel in drawing.panels] == ["means 0.1, 0.9", "means 0.4, 0.5"]


def test_published_values_are_drawn_beside_ours(played: Any) -> None:
    results = played("arms = [2, 3, 4]\nhorizons = 40\n")
    published = {"samba": {3: 50.0, 2: 40.0}}
    (picture,) = pictures_of(results, results.study.grids[0], published)
    samba, ucb1 = plot_along(results, Shape(results.study.grids[0]), published).panels[0].lines
    assert np.array_equal(samba.published, [[2.0, 40.0], [3.0, 50.0]])
    assert len(ucb1.published) == 0
    assert "Hollow: the paper's values." in picture.caption
    drawn = picture.drawing.to_bytes("svg").decode()
    bare = pictures_of(results, results.study.grids[0])[0].drawing.to_bytes("svg").decode()
    assert drawn.count("<use") == bare.count("<use") + 2
