"""What a package index is told: one version everywhere, and metadata that says what this is."""

import re
import tomllib
from pathlib import Path

from robandit.version import __version__

HOME = Path(__file__).parents[1]


def test_version_changelog_and_citation_agree() -> None:
    assert re.search(rf"^## {re.escape(__version__)}\b", (HOME / "CHANGELOG.md").read_text(), re.M)
    assert f"\nversion: {__version__}\n" in (HOME / "CITATION.cff").read_text()


def test_metadata_names_the_pythons_the_makefile_takes() -> None:
    told = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]
    assert told["requires-python"] == ">=3.11,<3.14"
    versions = [line.rpartition(" ")[2] for line in told["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert versions == ["3.11", "3.12", "3.13"]
    assert "(3, 11) <= sys.version_info[:2] < (3, 14)" in (HOME / "Makefile").read_text()
    assert told["urls"]["Paper"] in (HOME / "CITATION.cff").read_text()
