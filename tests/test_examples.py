"""Every block of code in the README and the docs: run as it stands, run shorter, parsed, or a reason why not."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from robandit.cli.flags import every_command
from robandit.cli.main import build_parser
from robandit.study.spec import read_study
from tests.serving import running

HOME = Path(__file__).parents[1]
PAGES = [HOME / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md")]
PAGES += sorted((HOME / "docs").rglob("*.md"))
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
BLOCKS = [(page, kind, text) for page in PAGES for kind, text in FENCE.findall(page.read_text())]
ELSEWHERE = {  # who runs a page's Python; its other blocks are looked at here
    "README.md": "test_docs",
    "deploy.md": "test_docs",
    "journal.md": "test_docs",
    "first-attack.md": "test_docs",
    "own-attacker.md": "test_docs",
    "own-policy.md": "test_docs",
    "tables-from-python.md": "test_docs",
    "wider.md": "test_docs",
    "changing-worlds.md": "test_docs",
    "router.md": "test_docs",
    "why-samba-loses.md": "test_docs",
    "service-http.md": "test_openfeature",  # the same calls against a service
    "service.md": "here",
    "python-examples.md": "test_docs",
    "shop.md": "test_shop_tutorial",
    "suite.md": "test_suite",  # a part of recipes/commit.py
}
NOT_RUN = {  # the first word of a line, and why nobody here runs it
    "git": "as for make",
    "docker": "there is none where tests run; test_deploy parses what its files start",
    "ROBANDIT_NAME=bandits.example.org": "as above, and Caddy",
    "export": "sets what the lines after it need",
    **dict.fromkeys(("useradd", "install", "runuser", "cp", "systemctl"), "they change the machine"),
    "/opt/robandit/bin/pip": "as above",
    "/usr/bin/python3": "as above",
    "openssl": "makes a certificate",
    "make": "the Makefile's own commands: see its help",
    "python3": "installing is tried by `make wheel` and `make release`",
    "pip": "as above",
    ".venv/bin/pip": "as above",
    ".venv/bin/python": "as above",
    "python": "recipes/real_data.py needs data of others, recipes/router.py minutes; test_recipes, test_router",
    "pg_dump": "PostgreSQL's own; test_postgres_backup",
    "createdb": "PostgreSQL's own; test_postgres_backup",
    "curl": "those of docs/service.md run below, the README's are the same",
    **dict.fromkeys(("for", "done", '"line":'), "test_how_to_calls runs them"),
    "url=http://127.0.0.1:8470/v1/experiments": "",
    "json='content-type: application/json'": "",
}
UNKNOWN = re.compile(r"samples:|follow-the-leader")  # data of others; the policy that CONTRIBUTING.md lets you write
PARSER = build_parser()
COMMANDS = ("robandit", ".venv/bin/robandit")


def lines_of(text: str) -> list[str]:
    """The commands of a block, without comments; a line that goes on is one."""
    joined = text.replace("\\\n", " ")
    lines = [re.sub(r"(^|\s)# .*|(^|\s)#  .*", "", line).strip() for line in joined.splitlines()]
    return [line for line in lines if line]


def commands() -> list[tuple[str, str]]:
    """Every command of this package that a page shows in a block, or in a line with at least one flag."""
    found = list[tuple[str, str]]()
    for page, kind, text in BLOCKS:
        if kind == "" and not page.name.startswith(("theory", "ARCHITECTURE")):  # test_chapter; a drawing
            found += [(page.name, line) for line in lines_of(text) if line.split()[0] in COMMANDS]
    for page in PAGES:
        prose = FENCE.sub("", page.read_text())
        found += [(page.name, line) for line in re.findall(r"`(robandit [a-z]+ [^`]*--[^`]*)`", prose)]
    return list(dict.fromkeys(found))


def test_every_block_is_somebodys() -> None:
    for page, kind, text in BLOCKS:
        if kind == "python":
            assert page.name in ELSEWHERE, f"nobody runs the Python of {page.name}"
        elif page.name == "README.md" and text.startswith("$ "):
            continue  # with what it prints: test_docs
        elif kind == "" and not page.name.startswith(("theory", "ARCHITECTURE")):
            strange = [line for line in lines_of(text) if line.split()[0] not in (*NOT_RUN, *COMMANDS)]
            assert not [line for line in strange if line not in NOT_RUN], page.name
        else:
            assert kind in ("", "math", "toml", "text", "yaml", "bibtex") or kind.startswith("{"), (page.name, kind)


@pytest.mark.parametrize(("page", "line"), commands(), ids=lambda text: text[:60])
def test_a_command_of_the_docs_can_be_parsed(page: str, line: str) -> None:
    line = re.sub(r"\[--[^\]]*\]", "", line)  # what may be left out
    first, *others = [shlex.split(part) for part in line.split(" | ")]
    if first[1:3] == ["audit", "--shadow"]:
        first = [*first, "samba", "a.journal"]  # the page only names the flag
    group = first[1] in ("paper", "service")
    stem = first[1:3] if first[1:3] == ["paper", "theory"] else first[1:2] if group or first[1] == "study" else []
    for words in [first[1:], *([*stem, *other] for other in others)]:
        if len(words) == 1 + group:
            assert " ".join(words) in every_command(PARSER)  # a name alone, its flags are in its help
        else:
            assert PARSER.parse_known(words).command == words[0]


@pytest.mark.parametrize(
    ("page", "line"),
    [(page, line) for page, line in commands() if re.search(r"robandit play\b", line) and not UNKNOWN.search(line)],
    ids=lambda text: text[:60],
)
def test_a_play_of_the_docs_works_with_few_rounds(
    page: str, line: str, robandit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "my_policy.py").write_text(next(text for page, _, text in BLOCKS if page.name == "own-policy.md"))
    monkeypatch.setattr("robandit.lab.batch.chosen_engine", lambda *_: "plain")  # compiling is tested elsewhere
    short = [] if "--log" in line else ["--runs", "2"]
    code, said, wrong = robandit(*shlex.split(line)[1:], "--horizon", "60", *short)
    assert (code, wrong) == (0, "")
    assert "regret" in str(said).lower() or "--log" in line


RING = """[[grid]]
id = "ring"
policies = ["thompson", "samba"]
attacks = "sink-shown"
budgets = 1000
shares = [0.03, 0.1]
"""


def test_the_study_and_the_claim_of_the_docs_are_read(tmp_path: Path) -> None:
    grid, *claims = [text for page, kind, text in BLOCKS if kind == "toml" and page.name == "studies.md"]
    (tmp_path / "headlines.toml").write_text("\n".join([grid, RING, *claims]))
    study = read_study(tmp_path / "headlines.toml")
    assert (study.name, len(study.cells())) == ("headlines", 4 + 4 * 2 * 2 + 2 * 2)  # budget 0 is played once
    assert len(study.claims) == len(claims) > 0


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on this machine")
def test_the_calls_of_the_service_page_are_answered(tmp_path: Path) -> None:
    page = HOME / "docs" / "service.md"
    curls = next(text for where, _, text in BLOCKS if where == page and "curl" in text)
    python = next(text for where, kind, text in BLOCKS if where == page and kind == "python")
    with running() as service:
        calls = curls.replace("http://127.0.0.1:8470", service.url).replace("curl ", "curl -sS --fail-with-body ")
        begin, decide, _, reward, look = [line for line in calls.splitlines() if "curl" in line or line.startswith("#")]
        kept = [line for line in calls.splitlines() if line.startswith(("url=", "json="))]

        def sh(line: str) -> str:
            done = subprocess.run(["bash", "-c", "\n".join([*kept, line])], capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr
            return done.stdout

        sh(begin)
        said = sh(decide)
        found = re.fullmatch(
            r'\{"id":"([^"]+)","arm":"\w+","probability":0\.333\d+,"holdout":false,"check":false\}', said.strip()
        )
        assert found, said
        sh(reward.replace("AQAAAAAAAAABAAAA...", found[1]))
        exec(compile(python.replace("http://127.0.0.1:8470", service.url), "service.md", "exec"), {})
        assert re.search(r'"rewards":\s*2\b', sh(look)), sh(look)
