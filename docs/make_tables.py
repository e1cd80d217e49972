"""Fills the tables of the docs with the numbers of the commands written above them: `make tables`; `--check` compares.

A table stands between `<!-- table` and `<!-- end -->`. Its head names the columns, each with a command, and policies;
a cell is what that command prints for that policy. A head that is one command of Python is filled with its output.
Finished plays are stored under out/, so a second run is quick.
"""

import io
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from robandit.cli.main import main

DOCS = Path(__file__).parent
BLOCK = re.compile(r"(<!-- table\n(?P<head>.*?)-->\n)(?P<body>.*?)(?=<!-- end -->)", re.DOTALL)


def shorten(value: float | None) -> str:
    """Returns a number as the tables of the command show it."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}" if value >= 0.01 else f"{value:.1g}"


def price_cell(row: dict[str, Any]) -> str:
    """Returns clean regret, the price with its range, and checks, if any; of a ring its share alone."""
    price = row["price"]
    if price is None:
        return "does not learn within T"
    cell = "not fooled" if price["estimate"] is None else f"{shorten(price['estimate'])}"
    cell += f" ({shorten(price['low'])}-{shorten(price['high'])})" if price["estimate"] is not None else ""
    clean = row["clean_regret"]
    cell += f", {shorten(row['checks']['mean'])} checks" if row.get("checks") else ""
    return cell if price["unit"] == "share" else f"{shorten(clean['mean'])} ± {shorten(clean['half_width_95'])}, {cell}"


def play_cell(row: dict[str, Any]) -> str:
    """Returns the share of rounds on the best arm."""
    return f"{row['best_arm_share']:.2f} ± {row['best_arm_half_width_95']:.2f}"


def redteam_cell(row: dict[str, Any]) -> str:
    """Returns regret under the worst attack of the search."""
    return f"{row['regret']['mean']:,.0f} ± {row['regret']['half_width_95']:,.0f}"


CELLS: dict[str, Callable[[dict[str, Any]], str]] = {"price": price_cell, "play": play_cell, "redteam": redteam_cell}


def run_command(command: str, policies: list[str]) -> dict[str, str]:
    """Returns what a command prints for each policy, as cells."""
    words = shlex.split(command)[1:]
    flags = [word for policy in policies for word in ("--policy", policy)]
    print(command, file=sys.stderr)
    with redirect_stdout(io.StringIO()) as output:
        if main([*words, *flags, "--json"]) != 0:
            raise SystemExit(f"this command of the docs fails: {command}")
    result = json.loads(output.getvalue())
    rows = result.get("results", [result])
    cells = {row["label"]: CELLS[words[0]](row) for row in rows}
    if set(cells) != set(policies):
        raise SystemExit(f"{command}: the table's names {policies} are not those of the command, {list(cells)}")
    return cells


def fill_table(head: str) -> str:
    """Returns the table that a head describes."""
    if head.startswith("python "):
        command = [sys.executable, *shlex.split(head)[1:]]
        return subprocess.run(command, cwd=DOCS.parent, check=True, capture_output=True, text=True).stdout
    lines = [line.strip() for line in head.strip().splitlines()]
    policies = [name.strip() for line in lines if line.startswith("policies:") for name in line[9:].split(" | ")]
    columns = dict(line.split(": robandit ", 1) for line in lines if ": robandit " in line)
    cells = {title: run_command(f"robandit {command}", policies) for title, command in columns.items()}
    rows = [["", *columns], ["---", *("---:" for _ in columns)]]
    rows += [[name, *(cells[title][name] for title in columns)] for name in policies]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def remade(text: str) -> str:
    """Returns a page with every table made anew."""
    return BLOCK.sub(lambda block: block[1] + fill_table(block["head"]), text)


if __name__ == "__main__":
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text()
        after = remade(text)
        if "--check" in sys.argv[1:] and after != text:
            sys.exit(f"{page.name} is not what its commands say: run docs/make_tables.py")
        page.write_text(after)
