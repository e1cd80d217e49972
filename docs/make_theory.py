"""Fill docs/theory*.md: run the commands of their blocks, write the output and the verdicts; `--check` only compares.

Names of pages, such as `theory.md`, restrict it to those.
"""

import io
import json
import os
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ["COLUMNS"] = "110"

PAGES = sorted(Path(__file__).parent.glob("theory*.md"))
BLOCK = re.compile(r"```\n(\$ robandit .*?)```\n", re.S)
TABLE = re.compile(r"<!-- verdicts -->\n.*?<!-- end -->\n", re.S)
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*\.\d+(?![\w.])")  # numbers with a point, which prose may only repeat


def output_of(command: str) -> str:
    """Returns what a command prints."""
    from robandit.cli.main import main

    out = io.StringIO()
    with redirect_stdout(out):
        if main(command.split()[1:]) != 0:
            raise SystemExit(f"{command!r} failed")
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).strip("\n")


def block(text: str) -> str:
    """Returns a block anew: each command with its output."""
    commands = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
    return "```\n" + "\n".join(f"$ {command}\n{output_of(command)}" for command in commands) + "\n```\n"


def verdicts() -> str:
    """Returns the table of statements, the evidence for each, and the theorems with theirs."""
    result = json.loads(output_of("robandit paper theory --json"))
    rows = [
        f"| {item['where']} | {item['text']} | {item['verdict']} | {item['label']} |" for item in result["statements"]
    ]
    evidence = [f"- `{item['id']}` ({item['where']}): {item['evidence']}" for item in result["statements"]]
    theorems = [
        f"- `{item['id']}` ({item['label']}; {item['condition']}). {item['evidence']}" for item in result["theorems"]
    ]
    parts = [
        "| where | statement | verdict | known |\n|---|---|---|---|\n" + "\n".join(rows),
        "## The evidence for each\n\n" + "\n".join(evidence),
        "## What holds\n\n" + "\n".join(theorems),
    ]
    return "<!-- verdicts -->\n" + "\n\n".join(parts) + "\n<!-- end -->\n"


def fill(text: str) -> str:
    """Returns the page with every output as it is today."""
    text = BLOCK.sub(lambda match: block(match[1]), text)
    return TABLE.sub(lambda _: verdicts(), text)


def loose_numbers(text: str) -> list[str]:
    """Returns the numbers with a point in the prose that stand in no block and no table."""
    blocks = " ".join([*BLOCK.findall(text), *TABLE.findall(text)])
    prose = re.sub(r"`[^`\n]*`", "", TABLE.sub("", BLOCK.sub("", text)))
    return [number for number in NUMBER.findall(prose) if number not in blocks]


def main(words: list[str]) -> None:
    Path("out").mkdir(exist_ok=True)  # where a block writes its certificate
    names, stale = [word for word in words if word != "--check"], []
    for page in PAGES:
        if names and page.name not in names:
            continue
        before = page.read_text(encoding="utf-8")
        after = fill(before)
        if loose_numbers(after):
            sys.exit(f"numbers no command of {page.name} produces: {', '.join(loose_numbers(after))}")
        if before != after:
            stale.append(page.name)
        if "--check" not in words:
            page.write_text(after, encoding="utf-8")
    if "--check" in words and stale:
        sys.exit(f"{', '.join(stale)}: not what the commands say; run docs/make_theory.py")


if __name__ == "__main__":
    main(sys.argv[1:])
