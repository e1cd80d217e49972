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


def run_notebook(notebook: dict[str, Any]) -> dict[str, Any]:
    """Returns the notebook with the outputs its cells have now, run one after another in an empty folder."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells, before = [], Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for cell in notebook["cells"]:
                cells.append(cell if cell["cell_type"] != "code" else run_cell(cell, names, len(cells)))
        finally:
            os.chdir(before)
    return {**notebook, "cells": cells}


def run_cell(cell: dict[str, Any], names: dict[str, Any], number: int) -> dict[str, Any]:
    """Run one cell; returns it with its output."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    text = output.getvalue().splitlines(keepends=True)
    outputs = [{"name": "stdout", "output_type": "stream", "text": text}] if text else []
    return {**cell, "outputs": outputs}


def main(check: bool) -> int:
    """Returns 0 if every notebook shows what it prints; without `check`, write them again."""
    stale = []
    for path in sorted(HERE.glob("*.ipynb")):
        text = path.read_text()
        new = json.dumps(run_notebook(json.loads(text)), indent=1, ensure_ascii=False) + "\n"
        if new != text:
            stale.append(path.name)
            if not check:
                path.write_text(new)
    print(f"{', '.join(stale) or 'none'} differed")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv))
