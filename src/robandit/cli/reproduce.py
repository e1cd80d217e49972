"""`robandit reproduce`: the whole paper, from cells to verdicts."""

import argparse
from pathlib import Path

from robandit.cli.study import run_study, say
from robandit.cli.tables import claims_table
from robandit.errors import InputError
from robandit.paper.page import spec_path, write_paper
from robandit.study.spec import read_study


def reproduce(arguments: argparse.Namespace) -> None:
    """Play what is missing, weigh the claims, write results.json and report.html."""
    spec = spec_path(arguments.quick)
    folder = Path(arguments.out or Path("out") / ("paper-quick" if arguments.quick else "paper"))
    study = read_study(spec)
    failed = run_study(study, spec, folder, arguments.threads, arguments.scheduler)
    if failed:
        raise InputError(f"{len(failed)} cells failed; `robandit study status {folder}` says why")
    say("weighing the claims, drawing the report")
    told = write_paper(study, folder, arguments.quick, not arguments.no_timings)
    from rich.console import Console

    Console().print(claims_table(told["claims"]))
    print(f"report: {folder / 'report.html'}")
