"""A new policy is one file: the one CONTRIBUTING shows, put into a copy of the package, is found and keeps the laws."""

import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import robandit as rb
from robandit.catalogue import POLICIES, shipped

ROOT = Path(__file__).parents[1]
CHECK = """
import pytest

import robandit as rb
from robandit.catalogue import POLICIES, shipped
from robandit.conformance import check_policy
assert rb.__file__.startswith({folder!r})
check_policy(rb.policy("follow-the-leader:memory=0.8"))
print("kept")
"""


def test_a_policy_is_one_file(tmp_path: Path, pieces: Path) -> None:
    shutil.copytree(Path(str(rb.__file__)).parent, tmp_path / "robandit", ignore=shutil.ignore_patterns("__pycache__"))
    before = {path.name for path in (tmp_path / "robandit" / "policies").glob("*.py")}
    shown = re.search(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)
    assert shown
    (tmp_path / "robandit" / "policies" / "follow_the_leader.py").write_text(textwrap.dedent(shown[1]))
    environment = {"PYTHONPATH": str(tmp_path), "ROBANDIT_CACHE": str(pieces), "PATH": ""}

    def run(*words: str) -> str:
        done = subprocess.run([sys.executable, *words], env=environment, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "follow-the-leader" in run("-m", "robandit", "policies")
    assert "follow-the-leader" in run("-m", "robandit", "play", "--policy", "follow-the-leader", "--horizon", "100")
    assert run("-c", CHECK.format(folder=str(tmp_path))) == "kept\n"
    after = {path.name for path in (tmp_path / "robandit" / "policies").glob("*.py")}
    assert after - before == {"follow_the_leader.py"}


def test_parts_stand_in_their_namespaces() -> None:
    for package, kinds in {
        rb.policies: POLICIES,
        rb.environments: ("environment",),
        rb.adversaries: ("attack", "schedule", "adversary"),
    }.items():
        classes = {cls.__name__: cls for kind in kinds for cls in shipped(kind).values()}
        assert {name: getattr(package, name) for name in dir(package)} == classes
    with pytest.raises(AttributeError, match="has no attribute 'Nobody'"):
        rb.policies.Nobody  # noqa: B018


def test_class_names_are_unique() -> None:
    homes: dict[str, list[str]] = {}
    for folder in ("policies", "adversaries", "environments"):
        for path in (ROOT / "src" / "robandit" / folder).rglob("*.py"):
            for name in re.findall(r"^class (\w+)", path.read_text(), re.MULTILINE):
                homes.setdefault(name, []).append(path.name)
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}
