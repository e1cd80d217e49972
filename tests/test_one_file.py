"""A new policy is one file: the one CONTRIBUTING shows, put into a copy of the package, is found and keeps the laws."""

import os
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


OFFERED = """
from dataclasses import dataclass
from robandit.adversaries.attacks import Attack
from robandit.parts import About
from robandit.policies.uniform import Uniform

@dataclass(frozen=True)
class Lazy(Uniform):
    about = About(name="lazy", summary="uniform play from elsewhere", waived=Uniform.about.waived)

@dataclass(frozen=True)
class Stay(Attack):
    about = About("stay", "all means keep their values")

    def target(self, means):
        return means.copy()

@dataclass(frozen=True)
class Second(Uniform):
    about = About(name="uniform", summary="a name that is taken")
"""


def test_parts_of_other_packages_are_found_by_their_entry_points(tmp_path: Path) -> None:
    for package, modules in {
        "elsewhere": {"all": "elsewhere", "again": "elsewhere:Lazy.about"},
        "broken": {"it": "no_such_module"},
        "also-elsewhere": {"one": "also_elsewhere:Idle"},
    }.items():
        folder = tmp_path / f"{package.replace('-', '_')}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = "".join(f"{name} = {value}\n" for name, value in modules.items())
        (folder / "entry_points.txt").write_text(f"[robandit.parts]\n{lines}")
    (tmp_path / "elsewhere.py").write_text(OFFERED)
    (tmp_path / "also_elsewhere.py").write_text(OFFERED.replace("lazy", "idle").replace("Lazy", "Idle"))
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path(str(rb.__file__)).parents[1]}"}

    def run(*words: str) -> tuple[str, str]:
        words = (sys.executable, "-m", "robandit", *words)
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
        return done.stdout, done.stderr

    out, notes = run("policies")
    assert {"lazy", "idle", "samba"} <= set(out.split())
    assert "note: the parts of package 'broken' cannot be loaded: ModuleNotFoundError" in notes
    assert "note: package 'elsewhere' offers the policy 'uniform', a name that is taken" in notes
    assert notes.count("note: the parts of package 'elsewhere' cannot be loaded") == 1  # what it names is no class
    assert "stay" in run("adversaries")[0].split()
    few = ("--horizon", "50", "--runs", "2")
    out, notes = run("play", "--policy", "idle", "--attack", "stay", "--budget", "3", *few)
    assert "idle" in out
    assert run("play", "--policy", "samba", *few)[1].count("package") == 0  # nobody else was asked
