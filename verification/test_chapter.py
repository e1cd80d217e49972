"""docs/theory*.md say what their commands say."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_number_of_the_chapter_is_output_of_a_command_in_it() -> None:
    process = subprocess.run(
        [sys.executable, "docs/make_theory.py", "--check"], cwd=ROOT, capture_output=True, text=True, timeout=1800
    )
    assert process.returncode == 0, process.stderr
