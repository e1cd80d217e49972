"""A campaign of small faults: each is put into a copy of the project, and the tests must notice it.

    python verification/mutants.py [NAME ...] [--list] [--jobs N] [--whole] [--sound]

A fault is one exact replacement in one file. Only the tests named beside it are run; with `--whole` a fault that they
miss is shown to every test of the suite. What no test notices survives: the campaign says so and fails below 95 %.
With `--sound` the same tests are run without the faults, and must pass: it is the faults that they notice.
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
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FAULTS = ROOT / "verification" / "mutants.toml"
ENOUGH = 0.95
PATIENCE, MORE_PATIENCE = 180, 3600  # seconds for the tests beside a fault, which take a few, and for the whole suite
NOTICED = ("failed", "hung", "crashed")
IGNORED = shutil.ignore_patterns(".venv", ".git", "out", "__pycache__", ".*_cache", ".coverage*")


class Fault(NamedTuple):
    """What is replaced where, and which tests are run."""

    name: str
    file: str
    old: str
    new: str
    tests: str
    why: str = ""  # a survivor's explanation


class Outcome(NamedTuple):
    """`failed`, `hung` or `crashed` if the tests noticed, else `survived` or `broken`; and which test it was."""

    word: str
    detail: str = ""


def read_faults(names: list[str]) -> list[Fault]:
    """Returns the faults of these names, or all; each must apply exactly once."""
    faults = [Fault(**entry) for entry in tomllib.loads(FAULTS.read_text())["fault"]]
    unknown = set(names) - {fault.name for fault in faults}
    if unknown:
        sys.exit(f"no such fault: {', '.join(sorted(unknown))}")
    for fault in faults:
        count = (ROOT / "src/robandit" / fault.file).read_text().count(fault.old)
        if count != 1 or fault.old == fault.new:
            sys.exit(f"{fault.name}: {fault.old!r} stands {count} times in {fault.file}, it must stand once and change")
    return [fault for fault in faults if not names or fault.name in names]


def copy_project(folder: Path) -> Path:
    """Copy the project, with an interpreter whose robandit is that copy; returns the folder."""
    shutil.copytree(ROOT, folder, ignore=IGNORED)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / ".venv")], check=True)
    site = next((folder / ".venv/lib").glob("python*/site-packages"))
    packages = next(path for path in map(Path, sys.path) if path.name == "site-packages")
    (site / "copy.pth").write_text(f"{folder / 'src'}\nimport site; site.addsitedir({str(packages)!r})\n")
    return folder


def run_tests(tests: str, folder: Path, patience: float) -> Outcome:
    """Run some tests on the copy as it stands; returns their outcome."""
    words = [str(folder / ".venv/bin/python"), "-m", "pytest", "-x", "-p", "no:cacheprovider", *shlex.split(tests)]
    with subprocess.Popen(
        words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as process:
        try:
            output, _ = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # a session of its own: pytest and what it started
            return Outcome("hung")
    if process.returncode <= 0:
        return Outcome("survived" if process.returncode == 0 else "crashed")
    failures = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", output, re.MULTILINE)
    return Outcome("failed", failures[0]) if process.returncode == 1 and failures else Outcome("broken", output[-300:])


def try_fault_in(fault: Fault, folder: Path, whole: bool) -> Outcome:
    """Put the fault into the copy, run its tests, and put the text back; returns the outcome."""
    path = folder / "src/robandit" / fault.file
    original = path.read_text()
    path.write_text(original.replace(fault.old, fault.new))
    try:
        outcome = run_tests(fault.tests, folder, PATIENCE)
        return run_tests("tests -n 2", folder, MORE_PATIENCE) if whole and outcome.word == "survived" else outcome
    finally:
        path.write_text(original)


def run_campaign(faults: list[Fault], jobs: int, whole: bool) -> dict[Fault, Outcome]:
    """Try every fault, and print each outcome; returns all of them."""
    outcomes: dict[Fault, Outcome] = {}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        copies = [copy_project(Path(folder) / str(job)) for job in range(jobs)]

        def try_fault(fault: Fault) -> None:
            start, copy = time.monotonic(), copies.pop()
            word, detail = outcomes[fault] = try_fault_in(fault, copy, whole)
            copies.append(copy)
            progress = f"{len(outcomes):3}/{len(faults)} {time.monotonic() - start:4.0f} s"
            print(f"{progress} {word:8} {fault.file}: {fault.name}  {detail}", flush=True)

        try:
            list(pool.map(try_fault, faults))
        except BaseException:
            pool.shutdown(cancel_futures=True)  # Ctrl-C ends the campaign with the tests that are running
            raise
    return {fault: outcomes[fault] for fault in faults}


def main() -> int:
    """Run the campaign; returns 0 if enough faults were noticed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--jobs", type=int, default=2)
    for flag in ("--list", "--whole", "--sound"):
        parser.add_argument(flag, action="store_true")
    arguments = parser.parse_args()
    faults, start = read_faults(arguments.names), time.monotonic()
    if arguments.list:
        print("\n".join(f"{fault.file:34} {fault.name}" for fault in faults))
        return 0
    if arguments.sound:
        outcomes = run_campaign([fault._replace(new=fault.old) for fault in faults], arguments.jobs, False)
        return 0 if all(outcome.word == "survived" for outcome in outcomes.values()) else 1
    outcomes = run_campaign(faults, arguments.jobs, arguments.whole)
    survivors = {fault: outcome for fault, outcome in outcomes.items() if outcome.word not in NOTICED}
    for fault, outcome in survivors.items():
        print(f"{outcome.word}: {fault.name}. {fault.why or 'Not explained.'}")
    count = len(faults) - len(survivors)
    print(f"{count} of {len(faults)} faults were noticed, in {(time.monotonic() - start) / 60:.0f} minutes")
    return 0 if count >= ENOUGH * len(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
