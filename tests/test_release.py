"""What a package index is told: one version everywhere, and metadata that says what this is."""

import re
import tomllib
from pathlib import Path

from robandit.extras import EXTRAS
from robandit.version import __version__

HOME = Path(__file__).parents[1]


def test_version_changelog_and_citation_agree() -> None:
    assert re.search(rf"^## {re.escape(__version__)}\b", (HOME / "CHANGELOG.md").read_text(), re.M)
    assert f"\nversion: {__version__}\n" in (HOME / "CITATION.cff").read_text()


def test_metadata_names_the_pythons_the_makefile_takes() -> None:
    told = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]
    assert told["requires-python"] == ">=3.11"
    versions = [line.rpartition(" ")[2] for line in told["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert versions == ["3.11", "3.12", "3.13", "3.14"]
    assert "sys.version_info[:2] < (3, 11)" in (HOME / "Makefile").read_text()
    assert told["urls"]["Paper"] in (HOME / "CITATION.cff").read_text()


def test_the_core_needs_numpy_alone_and_every_other_library_has_an_extra() -> None:
    """What the sentences about missing libraries say is what the metadata brings."""
    project = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]
    assert [re.split(r"[><=]", line)[0] for line in project["dependencies"]] == ["numpy"]
    for extra, libraries in EXTRAS.items():
        lines = project["optional-dependencies"][extra]
        direct = {re.split(r"[\[><=]", line)[0] for line in lines} - {"robandit"}
        assert direct == set(libraries) - {"llvmlite", "dask"}, extra  # which numba and distributed bring
