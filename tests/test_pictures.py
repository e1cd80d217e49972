"""Pictures are drawn, with what they must say in them."""

from pathlib import Path

import numpy as np

from robandit.lab.trace import summarised
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
