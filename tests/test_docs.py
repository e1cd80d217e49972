"""Examples of the docs run as they stand, in an empty folder; links of the sources lead somewhere."""

import importlib.util
import io
import json
import re
import runpy
import shlex
import sys
import types
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from robandit import PLACES
from robandit.catalogue import parameters_of, shipped
from robandit.cli.flags import every_command
from robandit.cli.main import build_parser

HOME = Path(__file__).parents[1]
RUN = (
    "changing-worlds",
    "deploy",
    "journal",
    "python-examples",
    "router",
    "why-samba-loses",
    "wider",
)  # whose Python is run here
PAGES = [HOME / "README.md", *(HOME / "docs" / f"{name}.md" for name in RUN)]
TUTORIALS = HOME / "docs" / "tutorials"
STORY, SHOP = TUTORIALS / "were-we-manipulated.md", TUTORIALS / "shop.md"  # commands; needs a server
PAGES += sorted({*TUTORIALS.glob("*.md")} - {STORY, SHOP})
BLOCK = re.compile(r"^```python\n(.*?)^```(?:\n\n```text\n(.*?)^```)?", re.S | re.M)
SOURCES = [HOME / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "SECURITY.md")]
SOURCES += sorted((HOME / "docs").rglob("*.md"))
MADE = {"contributing.md", "architecture.md", "changelog.md", "reproduction.md", "security.md"}  # by docs/make_site.py


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its blocks in order, as one file: a class is compiled from its text, so there must be one.

    A block of kind `text` after a block of Python is what that prints. What the page saves as a file is also saved.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    blocks = BLOCK.findall(page.read_text())
    assert blocks
    for name, code in re.findall(r"Save this as\s+`(\w+\.py)`:\n\n```python\n(.*?)^```", page.read_text(), re.S | re.M):
        (tmp_path / name).write_text(code)
    printed = [io.StringIO()]
    file = tmp_path / f"tutorial_{page.stem.replace('-', '_')}.py"
    file.write_text("\nnext_block()\n".join(code for code, _ in blocks))
    module = types.ModuleType(file.stem)
    module.__file__ = str(file)
    monkeypatch.setitem(sys.modules, file.stem, module)

    def next_block() -> None:
        printed.append(io.StringIO())
        sys.stdout = printed[-1]

    with redirect_stdout(printed[0]):
        exec(compile(file.read_text(), str(file), "exec"), module.__dict__ | {"next_block": next_block})
    for (code, output), said in zip(blocks, printed, strict=True):
        assert output in ("", said.getvalue()), code


def test_the_story_of_an_audit(robandit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line that the page shows is printed by the command above it."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```\n(robandit [^\n]*)\n```\n(?:\n```text\n(.*?)^```)?", STORY.read_text(), re.M | re.S)
    assert len(blocks) == 3
    for command, output in blocks:
        code, said, _ = robandit(*shlex.split(command)[1:])
        assert code == 0
        for line in output.splitlines():
            assert line in said, line


def test_every_public_name_has_an_example() -> None:
    page = (HOME / "docs" / "python-examples.md").read_text()
    parts = {type_.__name__ for kind in ("policy", "environment") for type_ in shipped(kind).values()}
    assert set(re.findall(r"^## (\w+)$", page, re.M)) == set(PLACES) - parts


def test_the_readme_shows_what_the_demo_prints(robandit: Any) -> None:
    code, said, _ = robandit("demo")
    assert code == 0
    assert f"```\n$ robandit demo\n{said}```\n" in (HOME / "README.md").read_text()


LONG = {"theory-statements.md": "generated: what was found about each of the paper's statements"}


@pytest.mark.parametrize("page", [page for page in SOURCES if page.name not in LONG], ids=lambda page: page.name)
def test_a_page_has_at_most_two_thousand_words_of_prose(page: Path) -> None:
    """Tables, code and comments are not counted."""
    text = re.sub(r"```.*?```|<!--.*?-->|^\|.*?$", "", page.read_text(), flags=re.S | re.M)
    assert len(text.split()) <= 2000


def test_the_readme_is_short() -> None:
    assert len((HOME / "README.md").read_text().splitlines()) <= 150


def test_the_readme_shows_the_evidence_of_a_claim(robandit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "117")
    quotes = re.findall(
        r"^```\nrobandit (paper .*)\n```\n\n```text\n(.*?)^```", (HOME / "README.md").read_text(), re.M | re.S
    )
    assert quotes
    for command, quote in quotes:
        assert quote in robandit(*shlex.split(command))[1]


def test_links_between_pages_lead_somewhere() -> None:
    broken = []
    for page in SOURCES:
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            target = link.partition("#")[0]
            inside = page.is_relative_to(HOME / "docs" / "site")
            base = HOME / "docs" if inside else page.parent
            if target and "://" not in target and Path(target).name not in MADE and not (base / target).exists():
                broken.append((page.name, link))
    assert broken == []


def test_the_reference_has_every_public_name_command_and_part(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("make_reference", HOME / "docs" / "make_reference.py")
    assert spec is not None
    assert spec.loader is not None
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    maker.main(tmp_path)
    told = {page.stem: page.read_text() for page in tmp_path.rglob("*.md")}
    for name in PLACES:
        assert re.search(rf"^## {name}$|`rb\.{name}`", told["python"], re.M), name
    assert " at 0x" not in told["python"]  # the same page from every build
    for name, parser in every_command(build_parser()).items():
        assert f"## robandit {name}\n" in told["commands"]
        flags = [flag for action in parser._actions for flag in action.option_strings if flag.startswith("--")]
        assert all(flag in told["commands"] for flag in flags if flag != "--help")
    for name, cls in shipped("policy").items():
        assert f"## {name}\n" in told["policies"]
        assert all(f"| `{field}` |" in told["policies"] for field in parameters_of(cls))
    assert told["reproduction"].count("\n## ") == len(stored_reproduction()["claims"]) + 2  # and two tables


def stored_reproduction() -> Any:
    """What the whole reproduction said."""
    return json.loads((HOME / "src" / "robandit" / "paper" / "reproduction.json").read_text())


def test_the_verdicts_of_the_readme_are_those_of_the_stored_reproduction() -> None:
    readme = " ".join((HOME / "README.md").read_text().split())
    told = stored_reproduction()
    claims, tables = {claim["id"]: claim for claim in told["claims"]}, told["tables"]
    off = max(abs(row["mean"] / row["paper"] - 1) for row in tables["k_sweep"]["samba"].values())
    assert f"within {100 * off:.0f} % for every K" in readme
    assert "Headline reading" in claims["lowest-every-k"]["evidence"]
    assert "significantly lowest in 6 of 6" in claims["lowest-every-k"]["evidence"]
    lowest = claims["lowest-regret"]["evidence"]
    settings = re.search(r"Headline reading: significantly lowest in (\d+ of \d+)", lowest)
    assert settings
    assert f"in {settings[1]} settings" in readme
    higher = [re.search(rf"{name}, not among .* higher in (\d+)", lowest) for name in ("-inf-rv", "-inf-iw")]
    assert "in {} (RV) and {} (IW) of thirteen".format(*(found and found[1] for found in higher)) in readme
    omd = tables["time"]["ftrl-hybrid"]
    repeats = f"(single repeats: {min(omd['ratios']):.1f} to {max(omd['ratios']):.1f})"
    assert f"a factor of about {omd['ratio']:.0f} with Newton's method {repeats}" in readme
    for claim in claims.values():
        assert claim["verdict"] != "not-tested"


def test_the_diagrams_are_what_their_program_draws() -> None:
    drawn = runpy.run_path(str(Path(__file__).parents[1] / "docs" / "make_diagrams.py"))
    for name, draw in (("decision-life", "life_of_a_decision"), ("threat-models", "threat_models")):
        assert (Path(__file__).parents[1] / "docs" / "pictures" / f"{name}.svg").read_text() == drawn[draw]()


def test_no_private_word_comes_back() -> None:
    private_words = runpy.run_path(str(HOME / "docs" / "plain_words.py"))["private_words"]
    texts = [*(HOME / "docs").rglob("*.ipynb"), *(HOME / "src").rglob("*.py")]
    assert private_words([*SOURCES, *texts]) == []


def test_a_private_word_would_be_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("One line.\n\n```\nhe tells\n```\n\nThe attacker shows his dice, in peace; `he` is code.\n")
    lines = runpy.run_path(str(HOME / "docs" / "plain_words.py"))["private_words"]([page])
    assert sorted(line.partition(";")[0] for line in lines) == [
        f"page.md, line 7: {word!r}" for word in ("dice", "his", "in peace")
    ]


def test_a_private_word_would_be_seen_in_a_sentence_of_the_package_and_in_a_notebook(tmp_path: Path) -> None:
    """Not in a name, nor in what documents the code."""
    module, notebook = tmp_path / "module.py", tmp_path / "book.ipynb"
    module.write_text("""def f(x):\n    'A fold.'\n    raise ValueError(f"{x} is\\n folded: {x} tells", 'fold')\n""")
    cells = [("markdown", "the chance of an arm"), ("code", "told = 1  # whom you fear")]
    notebook.write_text(json.dumps({"cells": [{"cell_type": kind, "source": [text]} for kind, text in cells]}))
    lines = runpy.run_path(str(HOME / "docs" / "plain_words.py"))["private_words"]([module, notebook])
    assert sorted(line.partition(";")[0] for line in lines) == [
        "book.ipynb, line 1: 'chance of'",
        "book.ipynb, line 2: 'fear'",
        "module.py, line 3: 'folded'",
        "module.py, line 3: 'tells'",
    ]
