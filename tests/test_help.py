"""Help: examples that work, completion, no far-fetched suggestions, warnings as sentences."""

import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from robandit.cli.examples import EXAMPLES, FIRST
from robandit.cli.flags import commands_of
from robandit.cli.main import build_parser
from tests.support import OWN_ADVERSARY

LINES = [line for examples in EXAMPLES.values() for line, _ in examples]
QUICK = [  # the others play for longer, write elsewhere, or need a file of yours
    "robandit play --policy samba --policy thompson",
    "robandit play --policy ucb1 --runs 20 --runs-out runs.csv --json",
    "robandit theory bounds --runs 0",
    "robandit policies",
    "robandit adversaries --wide",
    "robandit environments --json",
]


def test_every_command_has_examples_and_they_are_of_that_command() -> None:
    commands = set(commands_of(build_parser()).choices)
    assert set(EXAMPLES) == commands
    for name, examples in EXAMPLES.items():
        assert examples
        assert examples[-1][0].startswith(f"robandit {name}")


@pytest.mark.parametrize("line", LINES)
def test_an_example_can_be_parsed(line: str) -> None:
    words = shlex.split(line.partition(" > ")[0])[1:]
    assert build_parser().parse_known(words).command == words[0]


@pytest.mark.parametrize("line", QUICK)
def test_a_quick_example_works(line: str, robandit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert line in LINES
    monkeypatch.chdir(tmp_path)
    assert robandit(*shlex.split(line)[1:])[0] == 0


def test_no_word_at_all_shows_help_with_examples_that_fit(robandit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        robandit()
    assert ended.value.code == 0


@pytest.mark.parametrize("name", ["", *EXAMPLES])
def test_help_fits_and_ends_with_examples(name: str, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        build_parser().parse_known([name, "--help"] if name else ["--help"])
    out = capsys.readouterr().out
    examples = EXAMPLES[name] if name else FIRST
    assert all(line in out for line, _ in examples)
    assert max(len(line) for line in out.partition("examples:")[0].splitlines()) <= 80


@pytest.mark.parametrize(("word", "near"), [("frobnicate", None), ("pla", "play"), ("polices", "policies")])
def test_only_what_is_near_is_suggested(word: str, near: str | None, robandit: Any) -> None:
    code, _, said = robandit(word)
    assert code == 2
    assert ("did you mean" in said) == (near is not None)
    assert near is None or f"did you mean {near!r}?" in said


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this machine")
@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("robandit pri", ["price"]),
        ("robandit play --policy tsallis-inf-r", ["tsallis-inf-rv"]),
        ("robandit price --front", ["--frontier"]),
        ("robandit play --schedule mid", ["middle"]),
    ],
)
def test_completion_in_bash(typed: str, found: list[str], robandit: Any) -> None:
    script = robandit("completion", "bash")[1]
    words = typed.split()
    ask = f"COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _robandit; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "-c", f"{script}\n{ask}"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == found


def test_other_shells(robandit: Any) -> None:
    assert "bashcompinit" in robandit("completion", "zsh")[1]
    assert "-n '__fish_seen_subcommand_from price' -l frontier" in robandit("completion", "fish")[1]
    assert robandit("completion", "tcsh")[0] == 2


@pytest.mark.filterwarnings("default")
def test_a_warning_is_a_sentence_without_the_line_of_code(robandit: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import warnings\nwarnings.warn('mine is slow')\n" + OWN_ADVERSARY)
    code, _, said = robandit("adversaries", "--load", str(tmp_path / "mine.py"))
    assert (code, said) == (0, "note: mine is slow\n")
