"""Words of the pages that are in no dictionary and not in docs/words.txt: a page of the site is spelled right.

Code, formulas, links and names (words with a capital or a digit) are not looked at. A right word goes into the list.
"""

import re
from pathlib import Path

from spellchecker import SpellChecker

KNOWN = Path(__file__).parent / "words.txt"
NOT_WORDS = re.compile(r"```.*?```|`[^`]*`|\$[^$]*\$|\]\([^)]*\)|<!--.*?-->|&\w+;|\S*[A-Z0-9_@/\\=]\S*", re.DOTALL)


def misspelt(pages: list[Path]) -> list[str]:
    """A line for each word of a page that nobody knows."""
    dictionary, known = SpellChecker(), set(KNOWN.read_text().split())
    found = []
    for page in pages:
        words = set(re.findall(r"[^\W\d_]{3,}", NOT_WORDS.sub(" ", page.read_text())))
        found += [f"{page.name}: {word} is in no dictionary" for word in sorted(dictionary.unknown(words) - known)]
    return found
