"""Looks at every page of the built site in a headless Chromium, where there is one: nothing may be cut off."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.chrome import CHROMIUM, Chrome

DESK, PHONE, LINE = 1280, 390, 120  # LINE: characters that a line of code may have, so they must fit on a desk
CUT_FORMULAS = "[...document.querySelectorAll('.formula')].filter(box => box.scrollHeight > box.clientHeight).length"
CUT_CODE = f"""[...document.querySelectorAll('pre')].filter(box => box.scrollWidth > box.clientWidth
    && Math.max(...box.textContent.split('\\n').map(line => line.length)) <= {LINE}).length"""
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
CHECKS = {  # what is wrong: the width of the screen, what counts it
    "formulas are cut off at the top or the bottom": (DESK, CUT_FORMULAS),
    "blocks of code are cut off on a desk": (DESK, CUT_CODE),
    "formulas are cut off on a phone": (PHONE, CUT_FORMULAS),
    "pixels of the page are beside a phone's screen": (PHONE, SIDEWAYS),
}


def find_cut_boxes(pages: list[Path]) -> list[str]:
    """Returns a line for each page and kind of box whose content is cut off; none where there is no Chromium."""
    if not CHROMIUM:
        print("There is no Chromium here: nobody looks whether a page cuts something off.")
        return []
    problems = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:  # a browser that ends still writes
        chrome = Chrome(Path(profile))
        try:
            for width in (DESK, PHONE):
                chrome.screen(width)
                for page in pages:
                    chrome.open(page.as_uri())
                    for words, (at, script) in CHECKS.items():
                        if at == width and (count := chrome.run(script)) > 0:
                            problems.append(f"{page.name}: {count} {words}")
        finally:
            chrome.close()
    return problems
