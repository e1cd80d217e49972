"""What a package index is told: one version everywhere, and metadata that says what this is."""

import json
import re
import tomllib
from pathlib import Path

from robandit.extras import EXTRAS
from robandit.version import __version__

HOME = Path(__file__).parents[1]


def test_version_changelog_and_citation_agree() -> None:
    assert re.search(rf"^## {re.escape(__version__)}\b", (HOME / "CHANGELOG.md").read_text(), re.M)
    citation, questions = (HOME / "CITATION.cff").read_text(), (HOME / "docs" / "faq.md").read_text()
    assert f"\nversion: {__version__}\n" in citation
    assert f"version = {{{__version__}}}," in questions
    for title in re.findall(r"title = \{(.*)\}", questions):
        assert re.search(rf"title: \"?{re.escape(title)}\"?\n", citation), title
    theirs = next(entry for entry in (HOME / "paper.bib").read_text().split("@misc") if entry.startswith("{liu2025,"))
    assert theirs.partition("\n}\n")[0] in questions


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


def test_the_article_cites_what_its_bibliography_has_and_shows_what_the_demo_prints() -> None:
    article = (HOME / "paper.md").read_text()
    cited = set(re.findall(r"@(\w+\d{4})", article))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", (HOME / "paper.bib").read_text(), re.M))
    for heading in ("Summary", "Statement of need", "State of the field", "Software design", "References"):
        assert f"\n# {heading}\n" in article
    assert 250 <= len(article.split("---", 2)[2].split()) <= 1750
    readme = (HOME / "README.md").read_text()
    figures = re.findall(r"(\d+\.\d) %", article)
    assert len(figures) == 4
    assert all(re.search(rf"\b{figure} ± ", readme) for figure in figures)


def test_the_archive_and_the_data_package_say_what_the_citation_says() -> None:
    citation = (HOME / "CITATION.cff").read_text()
    archive = json.loads((HOME / ".zenodo.json").read_text())
    assert f'title: "{archive["title"]}"' in citation
    assert f"license: {archive['license']}\n" in citation
    assert f"- name: {archive['creators'][0]['name']}\n" in citation
    assert "\ndoi:" not in citation  # a person fills it in, in all three
    folder = HOME / "src" / "robandit" / "paper"
    package = json.loads((folder / "datapackage.json").read_text())
    assert {archive["version"], package["version"]} == {__version__}
    resource = package["resources"][0]
    stored = json.loads((folder / resource["path"]).read_text())
    assert list(resource["keys"]) == list(stored)
    assert list(resource["tables"]) == list(stored["tables"])
    assert all(list(resource["claims"]) == list(claim) for claim in stored["claims"])
