"""A campaign of small faults: each is put into a copy of the project, and the tests must notice it.

    python verification/mutants.py [NAME ...] [--list] [--jobs N]

A fault is one exact replacement in one file. First the tests beside it are run; if they pass, every test of the
suite. A fault that no test notices survives, and the campaign says so and fails below 95 %.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FAULTS = ROOT / "verification" / "mutants.toml"
ENOUGH = 0.95


class Fault(NamedTuple):
    """What is replaced where, and which tests are asked first."""

    name: str
    file: str
    old: str
    new: str
    tests: str
    why: str = ""  # a survivor's explanation


def read_faults() -> list[Fault]:
    """The faults, each checked to apply exactly once."""
    faults = [Fault(**told) for told in tomllib.loads(FAULTS.read_text())["fault"]]
    for fault in faults:
        found = (ROOT / "src/robandit" / fault.file).read_text().count(fault.old)
        if found != 1:
            sys.exit(f"{fault.name}: {fault.old!r} stands {found} times in {fault.file}, it must stand once")
    return faults


def copy_of_the_project(folder: Path) -> Path:
    """Sources and tests, and an interpreter whose robandit is that copy."""
    for name in ("src", "tests", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, folder)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / ".venv")], check=True)
    site = next((folder / ".venv/lib").glob("python*/site-packages"))
    installed = next(path for path in map(Path, sys.path) if path.name == "site-packages")
    (site / "copy.pth").write_text(f"{folder / 'src'}\nimport site; site.addsitedir({str(installed)!r})\n")
    return folder


def noticed(fault: Fault, folder: Path) -> str:
    """`first` or `suite` if some test failed, `survived` if none did."""
    path = folder / "src/robandit" / fault.file
    original = path.read_text()
    path.write_text(original.replace(fault.old, fault.new))
    try:
        for stage, tests in (("first", fault.tests), ("suite", "tests -n 2")):
            words = [
                str(folder / ".venv/bin/python"),
                "-m",
                "pytest",
                "-q",
                "-x",
                "-p",
                "no:cacheprovider",
                *tests.split(),
            ]
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode == 1:
                return stage
            if done.returncode != 0:
                return "broken: " + (done.stdout + done.stderr)[-300:]
        return "survived"
    finally:
        path.write_text(original)


def main() -> int:
    """Run the campaign; 0 if enough faults were noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    faults = [fault for fault in read_faults() if not arguments.names or fault.name in arguments.names]
    if arguments.list:
        for fault in faults:
            print(f"{fault.file:34} {fault.name}")
        return 0
    outcomes: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(arguments.jobs) as pool:
        copies: Queue[Path] = Queue()
        for job in range(arguments.jobs):
            copies.put(copy_of_the_project(Path(folder) / str(job)))

        def one(fault: Fault) -> None:
            begun, copy = time.monotonic(), copies.get()
            outcomes[fault.name] = noticed(fault, copy)
            copies.put(copy)
            print(f"{outcomes[fault.name]:9} {time.monotonic() - begun:5.0f} s  {fault.file}: {fault.name}", flush=True)

        list(pool.map(one, faults))
    caught = sum(outcome in ("first", "suite") for outcome in outcomes.values())
    print(f"{caught} of {len(faults)} faults were noticed")
    for fault in faults:
        if outcomes[fault.name] not in ("first", "suite"):
            print(f"{outcomes[fault.name]}: {fault.name}. {fault.why or 'Not explained.'}")
    return 0 if caught >= ENOUGH * len(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
