"""`robandit reproduce`: the whole paper, from cells to verdicts."""

import argparse
from typing import Any

from robandit.cli.flags import study_flags
from robandit.cli.progress import say
from robandit.cli.study import check_failed, check_threads, run_watched


def add(commands: Any) -> None:
    """The command and its flags."""
    parser = commands.add_parser(
        "reproduce",
        parents=[study_flags()],
        help="the whole paper: figures, tables, a verdict on each claim",
        description="Play the paper's simulation again and weigh each of its claims.",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="the headline reading with few runs, in a minute or two; some claims need the rest",
    )
    parser.add_argument("--no-timings", action="store_true", help="leave out the time table, all that varies")
    parser.set_defaults(run=reproduce)


def reproduce(arguments: argparse.Namespace) -> None:
    """Play what is missing, weigh the claims, write results.json and report.html."""
    from robandit.paper.page import spec_path, write_paper
    from robandit.study.ask import open_study

    check_threads(arguments)
    folder = arguments.out or ("out/paper-quick" if arguments.quick else "out/paper")
    results = open_study(spec_path(arguments.quick), folder)
    check_failed(run_watched(results, arguments), results)
    say("weighing the claims, drawing the report")
    summary = write_paper(results, arguments.quick, not arguments.no_timings)
    from robandit.paper.tables import claims_table
    from robandit.report.terminal import show

    show(claims_table(summary["claims"]))
    print(f"report: {results.store.folder / 'report.html'}")
