"""Help: examples that work, completion, no far-fetched suggestions, warnings as sentences."""

import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from robandit.cli.examples import EXAMPLES, FIRST
from robandit.cli.flags import every_command
from robandit.cli.main import EVERYDAY, GROUPS, build_parser, main
from robandit.extras import EXTRA_OF
from tests.support import OWN_ADVERSARY

LINES = [line for examples in EXAMPLES.values() for line, _ in examples]
QUICK = [  # the others play for longer, write elsewhere, or need a file of yours
    "robandit play --policy samba --policy thompson",
    "robandit play --policy ucb1 --runs 20 --runs-out runs.csv --json",
    "robandit paper theory bounds --runs 0",
    "robandit policies",
    "robandit adversaries --wide",
    "robandit environments --json",
]


def test_every_command_has_examples_and_they_are_of_that_command() -> None:
    commands = set(every_command(build_parser()))
    assert set(EXAMPLES) == commands
    for name, examples in EXAMPLES.items():
        assert examples
        assert examples[-1][0].startswith(f"robandit {name}")


@pytest.mark.parametrize("line", LINES)
def test_an_example_can_be_parsed(line: str) -> None:
    words = shlex.split(line.partition(" > ")[0])[1:]
    arguments = build_parser().parse_known(words)
    name = f"{words[0]} {words[1]}" if words[0] in GROUPS else words[0]
    assert arguments.command == words[0]
    assert getattr(arguments, "subcommand", None) == (words[1] if words[0] in GROUPS else None)
    assert name in EXAMPLES


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
        build_parser().parse_known([*name.split(), "--help"])
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


def test_help_lists_every_command_under_its_purpose(capsys: Any) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    for name in every_command(build_parser()):
        assert f"\n  {name} " in out or name.split()[1] in EVERYDAY
    assert [line for line in out.splitlines() if line.endswith(":") and not line.startswith(" ")] == [
        "simulate:",
        "attack:",
        "live:",
        "the paper:",
        "lists:",
        "options:",
        "examples:",
    ]


@pytest.mark.parametrize(
    ("name", "group"),
    [
        *((name, "service") for name in ("verify", "token", "backup", "restore")),
        *((name, "paper") for name in ("theory", "certify", "optimum")),
    ],
)
def test_a_command_that_moved_names_its_new_spelling(name: str, group: str, robandit: Any) -> None:
    assert robandit(name, "--json") == (2, "", f"robandit: command {name!r} is now `robandit {group} {name}`\n")


@pytest.mark.parametrize("library", EXTRA_OF)
def test_without_a_library_one_sentence_says_what_to_install(
    library: str, robandit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: Any) -> None:
        raise ModuleNotFoundError(f"No module named '{library}.inner'", name=f"{library}.inner")

    monkeypatch.setattr("robandit.cli.lists.catalogue_from", missing)
    code, _, said = robandit("policies")
    assert (code, said.count("\n")) == (2, 1)
    assert f"this needs {library}, which is not installed: pip install 'robandit[{EXTRA_OF[library]}]'" in said


def test_a_module_nobody_ships_is_no_extra(robandit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("robandit.cli.lists.catalogue_from", lambda _: __import__("no_such_module"))
    with pytest.raises(ModuleNotFoundError):
        robandit("policies")


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this machine")
@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("robandit pri", ["price"]),
        ("robandit play --policy tsallis-inf-r", ["tsallis-inf-rv"]),
        ("robandit price --front", ["--frontier"]),
        ("robandit paper theo", ["theory"]),
        ("robandit service verify sqlite:///a.db --no-c", ["--no-compiled"]),
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


def test_an_unknown_policy_may_be_ones_own(robandit: Any, tmp_path: Path) -> None:
    hint = "; a part of your own is in a file that --load names"
    for words in (["play", "--runs", "2"], ["price", "--means", "0.9,0.5"]):
        code, _, said = robandit(*words, "--policy", "boltzmann")
        assert (code, said.endswith(f"{hint}\n")) == (2, True)
    (tmp_path / "mine.py").write_text("")
    mine = str(tmp_path / "mine.py")
    loaded = [["play", "--load", mine], ["play", f"--load={mine}"]]
    for words in (*([*one, "--policy", "boltzmann"] for one in loaded), ["policies", "boltzmann"]):
        assert hint not in robandit(*words)[2]
