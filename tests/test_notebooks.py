"""The notebooks of the docs: their code runs, and prints what they show."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).parents[1]


def test_notebooks_print_what_they_show() -> None:
    words = [sys.executable, str(HOME / "docs" / "run_notebooks.py"), "--check"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "none differed"), done.stdout + done.stderr


def test_a_notebook_is_a_page_with_its_words_code_and_what_that_printed() -> None:
    spec = importlib.util.spec_from_file_location("make_site", HOME / "docs" / "make_site.py")
    assert spec is not None
    assert spec.loader is not None
    site = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(site)
    notebook = json.loads((HOME / "docs" / "notebooks" / "deploy.ipynb").read_text())
    page = site.as_page(notebook)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert page.startswith("# A policy in your own code\n")
    assert page.count("```python\n") == len(code) > 4
    assert page.count("```text\n") == sum(bool(cell["outputs"]) for cell in code) > 4
    assert site.relinked("[a](docs/notebooks/deploy.ipynb) [b](src/x.py)") == "[a](notebooks/deploy.md) `b`"
