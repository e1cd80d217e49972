"""`robandit suite run | status | report`: measure policies on the frozen suite, show how far it is, report."""

import argparse
import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from robandit.cli.flags import (
    catalogue_from,
    json_flags,
    load_flags,
    naming,
    naming_scheduler,
    print_json,
    study_flags,
    whole,
)
from robandit.cli.progress import count, progress
from robandit.errors import InputError

if TYPE_CHECKING:  # `robandit --help` does not wait for NumPy
    from robandit.suite.results import SuiteResults
    from robandit.suite.run import Entrants, SuiteFolder
    from robandit.suite.spec import Suite

BESIDE = ("thompson", "bonus-thompson", "samba", "tsallis-inf-rv", "ucb1")  # whose score cards are printed too


def add(commands: Any) -> None:
    """The command and its flags."""
    parser = commands.add_parser(
        "suite",
        parents=[study_flags(), load_flags(), json_flags()],
        help="the benchmark: a score card of your policy beside all others",
        description="Measure policies on the frozen suite: nine environments, five kinds of attacker and nobody, the "
        "same standard attack for everyone. `run` measures what is missing and reports; it goes on where it was "
        "stopped. `status` shows how far it is, `report` writes page and files from what is there.",
    )
    parser.add_argument("action", choices=("run", "status", "report"), help="what to do")
    parser.add_argument(
        "--policy",
        action="append",
        metavar="NAME[:parameter=value,...]",
        help="a policy; repeat for several (default: all of the files of --load, or else all that come with robandit)",
    )
    parser.add_argument(
        "--suite", metavar="FILE.toml", help="a suite of yours with the same fields (default: suite v1)"
    )
    parser.add_argument(
        "--seed", type=whole, help="measure on other seeds than the suite's, to see whether a policy was made for them"
    )
    parser.set_defaults(run=run_suite)


def run_suite(arguments: argparse.Namespace) -> None:
    """Run, show or report."""
    from pathlib import Path

    from robandit.suite.run import open_folder

    suite = suite_from(arguments)
    path = Path(arguments.out) if arguments.out else Path("out") / suite.name
    if arguments.action != "run" and not path.is_dir():
        raise InputError(f"nothing was measured in {str(path)!r} yet: `robandit suite run` does")
    with naming("--out"):
        folder = open_folder(suite, path)
    errors: list[str] = []
    if arguments.action == "run":
        errors = measure(folder, entrants_from(arguments), arguments)
    if arguments.action == "status":
        show_status(folder, arguments.json)
        return
    report(folder, is_own_suite=bool(arguments.suite or arguments.seed is not None), arguments=arguments)
    if errors:
        raise InputError(f"{count(errors, 'task', 'tasks')} failed, the first with: {errors[0]}")


def suite_from(arguments: argparse.Namespace) -> "Suite":
    """The suite named, or the one that comes with the package; on other seeds it has another name."""
    from dataclasses import replace
    from pathlib import Path

    from robandit.suite.spec import SUITE, read_suite

    with naming("--suite") if arguments.suite else nullcontext():
        suite = read_suite(Path(arguments.suite) if arguments.suite else SUITE)
    if arguments.seed is None:
        return suite
    if arguments.seed < 0:
        raise InputError(f"--seed must be at least 0, not {arguments.seed}")
    return replace(suite, seed=arguments.seed, name=f"{suite.name}-seed-{arguments.seed}")


def entrants_from(arguments: argparse.Namespace) -> "Entrants":
    """The policies to measure; those of the user's own files are held to the laws first."""
    from robandit.catalogue import SHIPPED, scaled
    from robandit.redteam.frontier import with_assumed_corruption
    from robandit.suite.admission import admit
    from robandit.suite.run import Entrants, shipped_policies

    catalogue = catalogue_from(arguments)
    load = tuple(os.path.abspath(path) for path in arguments.load)
    own = [cls for name, cls in catalogue.policies().items() if name not in SHIPPED.policies()]
    if arguments.policy:
        policies = tuple(with_assumed_corruption(catalogue.policy(text)) for text in arguments.policy)
    elif own:
        policies = tuple(with_assumed_corruption(scaled(cls())) for cls in own)
    else:
        policies = shipped_policies()
    for policy in policies:
        if policy.name not in SHIPPED.policies():
            with naming("--load"):
                admit(policy)
    return Entrants(policies, load, catalogue)


def measure(folder: "SuiteFolder", entrants: "Entrants", arguments: argparse.Namespace) -> list[str]:
    """Measure what is missing, with progress; returns the errors of tasks that failed."""
    from robandit.executor import open_executor
    from robandit.suite.run import begin, run_tasks

    if arguments.threads is not None and arguments.threads < 1:
        raise InputError(f"--threads must be at least 1, not {arguments.threads}")
    todo = begin(folder, entrants)
    who = count(entrants.policies, "policy", "policies")
    opening = f"{folder.suite.name}: {who}, {count(todo, 'task', 'tasks')} to measure"
    workers = arguments.threads or os.cpu_count() or 1
    with (
        naming_scheduler(arguments),
        open_executor(workers, arguments.scheduler if todo else None) as executor,
        progress(len(todo), opening) as tell,
    ):
        done = 0

        def finished(label: str, _: float) -> None:
            nonlocal done
            done += 1
            tell(done, f"last {label}")

        return run_tasks(folder, todo, executor, entrants.load, finished)


def show_status(folder: "SuiteFolder", as_json: bool) -> None:
    """Print how far each policy is."""
    from robandit.report.terminal import show
    from robandit.suite.tables import status_table

    rows = [{"policy": label, **folder.progress(label)} for label in folder.policies()]
    if as_json:
        print_json({"suite": folder.suite.name, "policies": rows})
    else:
        show(status_table(folder.suite.name, rows))


def report(folder: "SuiteFolder", is_own_suite: bool, arguments: argparse.Namespace) -> None:
    """Write the files and the page, print the score cards of the folder's policies beside some that are well known."""
    from robandit.report.terminal import show
    from robandit.suite.page import write_suite_page
    from robandit.suite.results import STORED, read_folder, read_stored, write_results
    from robandit.suite.tables import card_table

    own: SuiteResults = read_folder(folder)
    if not own.rows:
        raise InputError(f"no row is measured in {str(folder.folder)!r} yet")
    results = own if is_own_suite or not STORED.exists() else own.merged_into(read_stored(folder.suite))
    files = [
        *write_results(results, folder.folder),
        write_suite_page(results, folder.folder / "suite.html", own.policies),
    ]
    if arguments.json:
        print_json({**own.to_json(), "rows": own.rows})
        return
    show(card_table(results.only([*own.policies, *BESIDE])), wide=arguments.wide)
    for file in files:
        print(f"{'page' if file.suffix == '.html' else 'results'}: {file}")
