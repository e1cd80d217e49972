"""Examples of the docs run as they stand, in an empty folder; links of the sources lead somewhere."""

import re
import sys
import types
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1]
PAGES = sorted((HOME / "docs" / "tutorials").glob("*.md"))
BLOCK = re.compile(r"^```python\n(.*?)^```", re.S | re.M)
SOURCES = [HOME / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md")]
SOURCES += sorted((HOME / "docs").rglob("*.md"))
MADE = {"contributing.md", "architecture.md", "changelog.md", "reproduction.md"}  # by docs/make_site.py


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its blocks in order, as one file: a class is compiled from its text, so there must be one."""
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(page.read_text())
    assert blocks
    file = tmp_path / f"tutorial_{page.stem.replace('-', '_')}.py"
    file.write_text("\n".join(blocks))
    module = types.ModuleType(file.stem)
    module.__file__ = str(file)
    monkeypatch.setitem(sys.modules, file.stem, module)
    exec(compile(file.read_text(), str(file), "exec"), module.__dict__)


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
