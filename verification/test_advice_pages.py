"""The advice that two pages quote is what the command above it prints."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1]


@pytest.mark.parametrize("page", ["README.md", "docs/service.md"])
def test_the_advice_is_printed(page: str) -> None:
    text = (HOME / page).read_text()
    command = re.search(r"^robandit (advise .*)$", text, re.MULTILINE)
    quote = re.search(r"^```text\n(Take .*?)^```", text, re.DOTALL | re.MULTILINE)
    assert command is not None
    assert quote is not None
    words = [sys.executable, "-m", "robandit", *shlex.split(command[1])]
    output = subprocess.run(words, capture_output=True, text=True, check=True, timeout=1800).stdout
    assert " ".join(quote[1].split()) in " ".join(output.split())


@pytest.mark.parametrize(("budget", "policy"), [(50, "thompson"), (150, "tsallis-inf-rv")])
def test_the_budgets_between_which_the_advice_changes(budget: int, policy: str) -> None:
    assert f"against {budget} fake clicks" in (page := (HOME / "docs/threats.md").read_text()) or f"[{budget}]" in page
    words = ["advise", *"--means 0.02,0.03,0.05 --horizon 20000 --can add --budget".split(), str(budget)]
    output = subprocess.run([sys.executable, "-m", "robandit", *words], capture_output=True, text=True, check=True)
    assert output.stdout.startswith(f"Take {policy}: ")
