"""Private words that must not come back: each with the word to use. `make docs` and a test read what users read.

That is the prose of pages and notebooks, the comments in a notebook's code, and the sentences of the package: its help
texts, errors and reports. A line that needs such a word says why in `ALLOWED`.
"""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

WORDS = {  # pattern: what to say instead
    r"\bturned (?:a|the|by|in|policy|policies)|is turned|are turned": "fooled",
    r"dear(?:er|est)?\b": "expensive, costs more to fool",
    r"in peace|peacetime": "without an attack",
    r"with(?:out)? coins": "randomised, deterministic",
    r"throws? (?:the )?dic?e|\bdice\b|\bluck\b": "draw, random stream, randomness",
    r"\bfold(?:s|ed|ing)?\b": "replay, rebuild the state",
    r"\btold\b|\btells?\b": "name who sees, prints or returns it",
    r"\bfear(?:s|ed)?\b": "your attacker",
    r"\bchances\b|\b(?:its|arm's) chance\b|\bchance (?:of|that|to|with)\b": "probability",
    r"\b(?:he|him|his)\b": "the attacker, they",
    r"\bthe house\b|\brooms\b": "the code structure, packages",
    r"\ba (?:row|run|round|decision|line|arm) a (?:row|run|round|decision|line|arm|unit)\b": "one ... per ...",
    r"made good|\bmended\b|\bspoilt\b": "fixed, repaired, tampered",
    r"in the course of time": "over time",
}
ALLOWED = {  # file: words that stay, and why
    "ARCHITECTURE.md": {"fold", "folds", "dice"},  # the names of two files
    "faq.md": {"tell"},  # "tell drift from fraud"
    "linucb.py": {"he"},  # an author's name
    "policies.md": {"he"},  # an author's name
    "postgres_schema.py": {"told"},  # a name in SQL
    "service.md": {"tells"},  # a webhook does tell another program
    "squarecb.py": {"he"},  # an author's name
}
CODE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)|<!--.*?-->|\$[^$]*\$|<style>.*?</style>", re.DOTALL)


def read_sentences(module: Path) -> Iterator[tuple[int, str]]:
    """Yield the strings of a module that are more than one word, each with its line; not what documents the code."""
    tree = ast.parse(module.read_text())
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    documented = [node for node in ast.walk(tree) if isinstance(node, kinds)]
    docstrings = {id(node.body[0].value) for node in documented if node.body and isinstance(node.body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            sentence = node.value
            if " " in sentence:  # one word alone is a name in code
                yield node.lineno, sentence


def read_notebook(notebook: Path) -> Iterator[tuple[int, str]]:
    """Yield the words of a notebook's cells, and the comments of its code, each with the number of the cell."""
    for number, cell in enumerate(json.loads(notebook.read_text())["cells"], 1):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            yield number, CODE.sub(" ", source)
        else:
            yield number, "\n".join(re.findall(r"#.*", source))


def read_page(page: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a page without what is code."""
    text = CODE.sub(lambda code: "\n" * code.group().count("\n"), page.read_text())  # lines keep their numbers
    yield from enumerate(text.split("\n"), 1)


READERS = {".md": read_page, ".py": read_sentences, ".ipynb": read_notebook}


def private_words(files: list[Path]) -> list[str]:
    """Returns a line for each private word of some pages, notebooks and modules."""
    lines = []
    for file in files:
        for line, text in READERS[file.suffix](file):
            for pattern, better in WORDS.items():
                for match in re.finditer(pattern, text, re.IGNORECASE):
                    if match.group().lower() not in ALLOWED.get(file.name, set()):
                        lines.append(f"{file.name}, line {line}: {match.group()!r}; say {better}")
    return lines
