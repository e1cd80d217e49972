"""A campaign of small faults: each is put into a copy of the project, and the tests must notice it.

    python verification/mutants.py [NAME ...] [--list] [--jobs N] [--whole] [--sound]

A fault is one exact replacement in one file. Only the tests named beside it are run; with `--whole` those it passes are
also shown to every test of the suite. A fault that no test notices survives, and the campaign says so and fails below
95 %. With `--sound` the same tests are run without the faults, and all of them must pass.
"""

import argparse
import os
import re
import shlex
import shutil
import signal
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
PATIENCE = 180.0  # seconds for the tests beside a fault, which take a tenth of that; longer counts as noticed
WHOLE, WHOLE_PATIENCE = "tests -n 2", 3600.0
NOTICED = ("failed", "hung", "crashed")
LEFT_OUT = (".venv", ".git", "out", "__pycache__", ".*_cache", ".coverage*")


class Fault(NamedTuple):
    """What is replaced where, and which tests are asked."""

    name: str
    file: str
    old: str
    new: str
    tests: str
    why: str = ""  # a survivor's explanation


class Outcome(NamedTuple):
    """`failed`, `hung` or `crashed` if the tests noticed, `survived` or `broken` if not; and what pytest said."""

    word: str
    said: str = ""


def read_faults() -> list[Fault]:
    """The faults, each checked to apply exactly once."""
    faults = [Fault(**told) for told in tomllib.loads(FAULTS.read_text())["fault"]]
    for fault in faults:
        found = (ROOT / "src/robandit" / fault.file).read_text().count(fault.old)
        if found != 1:
            sys.exit(f"{fault.name}: {fault.old!r} stands {found} times in {fault.file}, it must stand once")
    return faults


def copy_of_the_project(folder: Path) -> Path:
    """The project, and an interpreter whose robandit is that copy."""
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / ".venv")], check=True)
    site = next((folder / ".venv/lib").glob("python*/site-packages"))
    installed = next(path for path in map(Path, sys.path) if path.name == "site-packages")
    (site / "copy.pth").write_text(f"{folder / 'src'}\nimport site; site.addsitedir({str(installed)!r})\n")
    return folder


def asked(tests: str, folder: Path, patience: float) -> Outcome:
    """What some tests say about the copy as it stands."""
    words = [str(folder / ".venv/bin/python"), "-m", "pytest", "-x", "-p", "no:cacheprovider", *shlex.split(tests)]
    with subprocess.Popen(
        words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as process:
        try:
            said, _ = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # a session of its own: pytest and what it started
            return Outcome("hung")
    if process.returncode == 0:
        return Outcome("survived")
    if process.returncode < 0:
        return Outcome("crashed")
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE)
    return Outcome("failed", failed[0]) if process.returncode == 1 and failed else Outcome("broken", said[-300:])


def outcome_of(fault: Fault, folder: Path, whole: bool) -> Outcome:
    """Put the fault into the copy, ask, and put the text back."""
    path = folder / "src/robandit" / fault.file
    original = path.read_text()
    path.write_text(original.replace(fault.old, fault.new))
    try:
        outcome = asked(fault.tests, folder, PATIENCE)
        return asked(WHOLE, folder, WHOLE_PATIENCE) if whole and outcome.word == "survived" else outcome
    finally:
        path.write_text(original)


def main() -> int:
    """Run the campaign; 0 if enough faults were noticed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--sound", action="store_true")
    arguments = parser.parse_args()
    faults = [fault for fault in read_faults() if not arguments.names or fault.name in arguments.names]
    if arguments.list:
        for fault in faults:
            print(f"{fault.file:34} {fault.name}")
        return 0
    if arguments.sound:
        faults = [fault._replace(new=fault.old) for fault in faults]
    outcomes: dict[str, Outcome] = {}
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(arguments.jobs) as pool:
        copies: Queue[Path] = Queue()
        for job in range(arguments.jobs):
            copies.put(copy_of_the_project(Path(folder) / str(job)))

        def one(fault: Fault) -> None:
            since, copy = time.monotonic(), copies.get()
            outcome = outcomes[fault.name] = outcome_of(fault, copy, arguments.whole)
            copies.put(copy)
            place = f"{len(outcomes):3}/{len(faults)} {time.monotonic() - since:4.0f} s"
            print(f"{place} {outcome.word:8} {fault.file}: {fault.name}  {outcome.said}", flush=True)

        list(pool.map(one, faults))
    caught = sum(outcome.word in NOTICED for outcome in outcomes.values())
    print(f"{caught} of {len(faults)} faults were noticed, in {(time.monotonic() - begun) / 60:.0f} minutes")
    if arguments.sound:
        return 0 if all(outcome.word == "survived" for outcome in outcomes.values()) else 1
    for fault in faults:
        if outcomes[fault.name].word not in NOTICED:
            print(f"{outcomes[fault.name].word}: {fault.name}. {fault.why or 'Not explained.'}")
    return 0 if caught >= ENOUGH * len(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
