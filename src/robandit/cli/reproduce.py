"""`robandit reproduce`: the whole paper, from cells to verdicts."""

import argparse
from typing import Any

from robandit.cli.flags import study_flags
from robandit.cli.progress import say
from robandit.cli.study import run_study
from robandit.errors import InputError


def add(commands: Any) -> None:
    """The command and its flags."""
    parser = commands.add_parser(
        "reproduce",
        parents=[study_flags()],
        help="the whole paper: figures, tables, a verdict on each claim",
        description="Play the paper's simulation again and weigh each of its claims.",
    )
    parser.add_argument("--quick", action="store_true", help="the headline reading with few runs, under a minute")
    parser.add_argument("--no-timings", action="store_true", help="leave out the time table, all that varies")
    parser.set_defaults(run=reproduce)


def reproduce(arguments: argparse.Namespace) -> None:
    """Play what is missing, weigh the claims, write results.json and report.html."""
    from pathlib import Path

    from robandit.paper.page import spec_path, write_paper
    from robandit.study.spec import read_study

    spec = spec_path(arguments.quick)
    folder = Path(arguments.out or Path("out") / ("paper-quick" if arguments.quick else "paper"))
    study = read_study(spec)
    failed = run_study(study, spec, folder, arguments.threads, arguments.scheduler)
    if failed:
        raise InputError(f"{len(failed)} cells failed; `robandit study status {folder}` says why")
    say("weighing the claims, drawing the report")
    told = write_paper(study, folder, arguments.quick, not arguments.no_timings)
    from robandit.paper.tables import claims_table
    from robandit.report.terminal import show

    show(claims_table(told["claims"]))
    print(f"report: {folder / 'report.html'}")
