"""The notebooks of the docs: their code runs, and prints what they show."""

import subprocess
import sys
from pathlib import Path


def test_notebooks_print_what_they_show() -> None:
    home = Path(__file__).parents[1]
    words = [sys.executable, str(home / "docs" / "run_notebooks.py"), "--check"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "none differed"), done.stdout + done.stderr
