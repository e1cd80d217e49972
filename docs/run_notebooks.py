"""Run the code of every notebook here and write down what it prints: `make notebooks`; `--check` only compares."""

import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "notebooks"


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs its cells have now, run one after another in an empty folder."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells, before = [], Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for cell in notebook["cells"]:
                cells.append(cell if cell["cell_type"] != "code" else run(cell, names, len(cells)))
        finally:
            os.chdir(before)
    return {**notebook, "cells": cells}


def run(cell: dict[str, Any], names: dict[str, Any], number: int) -> dict[str, Any]:
    """One cell."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    text = printed.getvalue().splitlines(keepends=True)
    outputs = [{"name": "stdout", "output_type": "stream", "text": text}] if text else []
    return {**cell, "outputs": outputs}


def main(check: bool) -> int:
    """0 if all is as it is written; without `check` it is written anew."""
    differing = []
    for path in sorted(HERE.glob("*.ipynb")):
        text = path.read_text()
        new = json.dumps(executed(json.loads(text)), indent=1, ensure_ascii=False) + "\n"
        if new != text:
            differing.append(path.name)
            if not check:
                path.write_text(new)
    print(f"{', '.join(differing) or 'none'} differed")
    return 1 if check and differing else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv))
