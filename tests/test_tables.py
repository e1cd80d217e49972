"""docs/make_tables.py: a table is what its commands say, and no page has an empty one."""

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
spec = importlib.util.spec_from_file_location("make_tables", ROOT / "docs" / "make_tables.py")
assert spec is not None
assert spec.loader is not None
MEASURED = ("threats", "threats-measured", "attacks-measured", "wider-measured")
GAME = "--means 0.2,0.8 --horizon 500 --runs 4 --threads 1"
HEAD = f"""<!-- table
calm: robandit play {GAME}
ring: robandit play {GAME} --attack sink-shown --share 0.3
price: robandit price {GAME} --can erase --attack sink-shown --out OUT
policies: samba | uniform
-->
"""


@pytest.fixture
def maker() -> Any:
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_table_holds_what_each_command_says_of_each_policy(maker: Any, tmp_path: Path, robandit: Any) -> None:
    page = f"Before.\n{HEAD.replace('OUT', str(tmp_path))}| old |\n<!-- end -->\nAfter.\n"
    made = maker.remade(page)
    assert made.startswith("Before.\n<!-- table\n")
    assert made.endswith("<!-- end -->\nAfter.\n")
    assert "| old |" not in made
    rows = [line.split(" | ") for line in made.splitlines() if line.startswith(("| samba", "| uniform"))]
    told = robandit("play", *GAME.split(), "--policy", "samba", "--json")[1]["results"][0]
    assert rows[0][1] == f"{told['best_arm_share']:.2f} ± {told['best_arm_half_width_95']:.2f}"
    assert rows[1][3] == "does not learn within T |"
    assert re.fullmatch(r"[\d.]+ ± [\d.]+, [\d.]+ \([\d.]+-[\d.]+\) \|", rows[0][3])
    assert maker.remade(made) == made


def test_a_name_the_command_spells_otherwise_is_refused(maker: Any) -> None:
    page = f"<!-- table\ncalm: robandit play {GAME}\npolicies: samba:learning_rate=0.05\n-->\n<!-- end -->\n"
    with pytest.raises(SystemExit, match=r"not those of the command, \['samba'\]"):
        maker.remade(page)


def test_a_script_can_fill_a_table(maker: Any) -> None:
    assert maker.remade("<!-- table\npython -c 'print(6 * 7)' -->\n<!-- end -->\n").endswith("42\n<!-- end -->\n")


def test_no_table_of_the_pages_is_empty(maker: Any) -> None:
    pages = [(ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in MEASURED]
    blocks = [block for page in pages for block in maker.BLOCK.finditer(page)]
    assert len(blocks) >= 14
    for block in blocks:
        named = [line.split(": ", 1)[1].split(" | ") for line in block["head"].splitlines() if line.startswith("polic")]
        shown = [line for line in block["body"].splitlines() if line.startswith("| ")][2 if named else 1 :]
        assert shown
        assert not named or [line.split(" | ")[0].removeprefix("| ") for line in shown] == named[0]


def test_choosing_a_policy_quotes_the_whole_tables(maker: Any) -> None:
    """A short table and a sentence stand in for long tables elsewhere: the same numbers."""
    text, whole = ((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in MEASURED[:2])
    slander, rings = (
        next(cells_of(block) for block in maker.BLOCK.finditer(whole) if word in block["head"])
        for word in ("equal rivals: robandit price --can erase", "push-shown")
    )
    short = next(cells_of(block) for block in maker.BLOCK.finditer(text) if "--can erase" in block["head"])
    assert len(short) > 5
    for policy, (grid, few) in short.items():
        assert [grid, few] == [slander[policy][0], slander[policy][2]]
    prose = " ".join(text.split())
    for before, policy in (
        ("best arm in", "thompson"),
        ("`bonus-thompson` in", "bonus-thompson"),
        ("SAMBA in", "samba"),
    ):
        assert f"{before} {rings[policy][1]}" in prose
    assert f"has {len(slander)} policies" in prose
    assert len(rings) == 14
    assert "has fourteen policies" in prose


def cells_of(block: re.Match[str]) -> dict[str, list[str]]:
    """The cells of each policy."""
    rows = [line.strip("| ").split(" | ") for line in block["body"].splitlines()[2:]]
    return {policy: cells for policy, *cells in rows}


def test_the_page_of_other_packages_shows_what_was_stored(maker: Any) -> None:
    spec = importlib.util.spec_from_file_location("peers", ROOT / "benchmarks" / "peers.py")
    assert spec is not None
    assert spec.loader is not None
    peers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(peers)
    told = json.loads(peers.STORED.read_text())
    blocks = list(maker.BLOCK.finditer((ROOT / "docs" / "compared.md").read_text()))
    assert {block["head"].split()[-1] for block in blocks} == set(peers.SHOWN)
    for block in blocks:
        assert block["body"] == peers.SHOWN[block["head"].split()[-1]](told)
    assert told["rounds"] == peers.ROUNDS
    assert all(len(row["rounds_a_second"]) == told["repeats"] == peers.REPEATS for row in told["games"])
