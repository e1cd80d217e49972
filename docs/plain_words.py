"""Private words that must not come back: each with the word to use. `make docs` and a test read every page.

A line that needs one says why in `ALLOWED`.
"""

import re
from pathlib import Path

WORDS = {  # pattern: what to say instead
    r"\bturned (?:a|the|by|in|policy|policies)|is turned|are turned": "fooled",
    r"dear(?:er|est)?\b": "expensive, costs more to fool",
    r"in peace|peacetime": "without an attack",
    r"with(?:out)? coins": "randomised, deterministic",
    r"throws? (?:the )?dic?e|\bdice\b|\bluck\b": "draw, random stream, randomness",
    r"\bfold(?:s|ed|ing)?\b": "replay, rebuild the state",
    r"is told|are told|\btells?\b|was told": "name who sees, prints or returns it",
    r"\b(?:he|him|his)\b": "the attacker, they",
    r"\bthe house\b|\brooms\b": "the code structure, packages",
    r"\ba (?:row|run|round|decision|line|arm) a (?:row|run|round|decision|line|arm|unit)\b": "one ... per ...",
    r"made good|\bmended\b|\bspoilt\b": "fixed, repaired, tampered",
    r"in the course of time": "over time",
}
ALLOWED = {  # page: words that stay, and why
    "ARCHITECTURE.md": {"fold", "folds", "dice"},  # the names of two files
    "faq.md": {"tell"},  # "tell drift from fraud"
    "policies.md": {"he"},  # an author's name
    "service.md": {"tells"},  # a webhook does tell another program
}
CODE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)|<!--.*?-->|\$[^$]*\$", re.DOTALL)


def private_words(pages: list[Path]) -> list[str]:
    """Returns a line for each private word of some pages."""
    lines = []
    for page in pages:
        text = CODE.sub(lambda code: "\n" * code.group().count("\n"), page.read_text())  # lines keep their numbers
        for pattern, better in WORDS.items():
            for match in re.finditer(pattern, text, re.IGNORECASE):
                if match.group().lower() not in ALLOWED.get(page.name, set()):
                    line = text.count("\n", 0, match.start()) + 1
                    lines.append(f"{page.name}, line {line}: {match.group()!r}; say {better}")
    return lines
