"""Finds words of the pages that are in no dictionary and not in docs/words.txt: the site is spelled right.

Code, formulas, links and names (words with a capital or a digit) are not looked at. A right word goes into the list.
"""

import re
from pathlib import Path

from spellchecker import SpellChecker

RIGHT_WORDS = Path(__file__).parent / "words.txt"
CODE = r"```.*?```|`[^`]*`|\$[^$]*\$|\]\([^)]*\)|<!--.*?-->|<style>.*?</style>|</?\w[^<>]*>"
NOT_WORDS = re.compile(rf"{CODE}|&\w+;|\S*[A-Z0-9_@/\\=]\S*", re.DOTALL)


def find_misspellings(pages: list[Path]) -> list[str]:
    """Returns a line for each word of a page that is in neither list."""
    dictionary, right_words = SpellChecker(), set(RIGHT_WORDS.read_text().split())
    lines = []
    for page in pages:
        words = set(re.findall(r"[^\W\d_]{3,}", NOT_WORDS.sub(" ", page.read_text())))
        lines += [
            f"{page.name}: {word} is in no dictionary" for word in sorted(dictionary.unknown(words) - right_words)
        ]
    return lines
