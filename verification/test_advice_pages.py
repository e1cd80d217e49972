"""What pages quote under a command is what that command prints; those that take seconds, the others are in tests."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1]
QUOTE = re.compile(
    r"^```\n(robandit (?:advise|price) (?:[^\n]*\\\n)*[^\n]*)\n```\n(?:\n[^`\n]*:\n)?\n```text\n(.*?)^```", re.M | re.S
)
QUOTES = [
    (page, command, quote)
    for page in ("README.md", "docs/service.md", "docs/compare-for-a-paper.md")
    for command, quote in QUOTE.findall((HOME / page).read_text())
]


def test_every_page_has_a_quote() -> None:
    assert [page for page, _, _ in QUOTES] == ["README.md"] * 2 + ["docs/service.md", "docs/compare-for-a-paper.md"]


@pytest.mark.parametrize(("page", "command", "quote"), QUOTES)
def test_the_quote_is_printed(page: str, command: str, quote: str, tmp_path: Path) -> None:
    own = (HOME / "docs/tutorials/own-policy.md").read_text()
    (tmp_path / "my_policy.py").write_text(re.findall(r"^```python\n(.*?)^```", own, re.M | re.S)[0])
    output = print_of(shlex.split(command.replace("\\\n", " "))[1:], tmp_path)
    assert " ".join(quote.split()) in " ".join(output.split()), page


def print_of(words: list[str], folder: Path) -> str:
    """Returns what a command prints."""
    environment = os.environ | {"PYTHONPATH": str(HOME / "src"), "COLUMNS": "117"}
    command = [sys.executable, "-m", "robandit", *words]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=1800, cwd=folder, env=environment
    )
    return done.stdout


@pytest.mark.parametrize(("budget", "policy"), [(50, "thompson"), (150, "tsallis-inf-rv")])
def test_the_budgets_between_which_the_advice_changes(budget: int, policy: str, tmp_path: Path) -> None:
    page = (HOME / "docs" / "threats.md").read_text()
    assert f"against {budget} fake clicks" in page or f"against [{budget}]" in page
    words = shlex.split(f"advise --means 0.02,0.03,0.05 --horizon 20000 --can add --budget {budget}")
    assert print_of(words, tmp_path).startswith(f"Take {policy}: ")


def test_the_study_for_a_paper_writes_the_table_of_its_page(tmp_path: Path) -> None:
    page = (HOME / "docs" / "compare-for-a-paper.md").read_text()
    own = (HOME / "docs/tutorials/own-policy.md").read_text()
    (tmp_path / "my_policy.py").write_text(re.findall(r"^```python\n(.*?)^```", own, re.M | re.S)[0])
    (tmp_path / "compare.toml").write_text(re.findall(r"^```toml\n(.*?)^```", page, re.M | re.S)[0])
    print_of(["study", "run", "compare.toml"], tmp_path)
    quote = re.findall(r"^```text\n(.*?)^```", page, re.M | re.S)[0]
    assert (tmp_path / "out" / "compare" / "tables" / "attacks-regret.tex").read_text().startswith(quote)
    for name in re.findall(r"^\| `(\S+)`", page, re.M):
        assert (tmp_path / "out" / "compare" / name).exists(), name
