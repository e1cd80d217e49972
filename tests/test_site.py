"""The documentation site: its diagrams follow the reader's choice of light or dark."""

import runpy
from pathlib import Path

import pytest

from tests.chrome import CHROMIUM, Chrome

DOCS = Path(__file__).parents[1] / "docs"
INK = "getComputedStyle(document.querySelector('.diagram text')).fill"


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
@pytest.mark.parametrize("name", sorted(path.name for path in (DOCS / "pictures").glob("*.svg")))
def test_a_diagram_follows_the_switch(chrome: Chrome, name: str, tmp_path: Path) -> None:
    """Furo writes the choice on the body; without one the system's holds."""
    with_diagrams = runpy.run_path(str(DOCS / "make_site.py"))["with_diagrams"]
    page = tmp_path / "page.html"
    page.write_text(f"<body>{with_diagrams(f'![A diagram](../pictures/{name})', DOCS / 'pictures')}</body>")
    inks = {}
    for dark in (False, True):
        chrome.screen(390, dark=dark)
        chrome.open(page.as_uri())
        for theme in ("auto", "light", "dark"):
            chrome.run(f"document.body.dataset.theme = '{theme}'")
            inks[theme, dark] = chrome.run(INK)
    light, dark_ink = inks["auto", False], inks["auto", True]
    assert light != dark_ink
    assert (inks["light", True], inks["dark", False]) == (light, dark_ink)
