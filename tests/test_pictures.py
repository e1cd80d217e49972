"""Pictures are drawn, with what they must say in them."""

from pathlib import Path

import numpy as np

from robandit.lab.trace import summarised
from robandit.pictures.panels import Drawing, Line, Panel
from robandit.pictures.regret import regret_comparison


def test_the_comparison_names_every_policy_and_both_conditions(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    rows = {
        name: (summarised(random.random(9) + 1), summarised(random.random(9) + 5)) for name in ("samba", "ucb1:scale=2")
    }
    regret_comparison(rows, ("quiet", "loud"), "a caption", tmp_path / "picture.svg")
    drawn = (tmp_path / "picture.svg").read_text()
    assert drawn.startswith("<?xml")
    assert drawn.count("<!-- samba -->") == drawn.count("<!-- ucb1:scale=2 -->") == 1
    assert all(f"<!-- {words} -->" in drawn for words in ("quiet", "loud", "a caption"))


def test_panels_are_the_same_bytes_for_the_same_data_and_name_their_lines() -> None:
    x = np.array([10.0, 100.0, 1000.0])
    lines = [Line("samba", 0, x, x, 0.1 * x), Line("ucb1", 9, x, 2 * x)]
    panels = [Panel("schedule start", lines), Panel("schedule middle", lines[:1], (20.0, 30.0)), Panel("third", lines)]
    for log in (False, True):
        one, two = (Drawing(panels, "rounds played", "regret made", log, log) for _ in range(2))
        assert {kind: one.rendered(kind) for kind in ("pdf", "png", "svg")} == {
            kind: two.rendered(kind) for kind in ("pdf", "png", "svg")
        }
        drawn = one.rendered("svg").decode()
        words = ("samba", "ucb1", "rounds played", "regret made", "schedule start", "schedule middle", "third")
        assert all(f">{word}<" in drawn for word in words)
