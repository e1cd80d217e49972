"""`robandit play`: policies against one environment and one adversary."""

import argparse
from typing import TYPE_CHECKING, Any

from robandit.cli.flags import (
    SHAPE,
    adversary_from,
    attack_flags,
    file_from,
    game_flags,
    json_flags,
    load_flags,
    naming,
    plot_flags,
    plot_from,
    print_json,
    scenarios_from,
    whole,
)
from robandit.cli.progress import Task, run_tasks
from robandit.errors import InputError

if TYPE_CHECKING:  # `robandit --help` does not wait for NumPy
    from robandit.lab.scenario import Scenario
    from robandit.lab.trace import Trace
    from robandit.progress import Progress


def add(commands: Any) -> None:
    """The command and its flags."""
    plot = plot_flags("draw regret over time into a file")
    parser = commands.add_parser(
        "play",
        parents=[game_flags(), attack_flags(), load_flags(), json_flags(), plot],
        help="policies against one environment and one adversary: a table, a picture",
        description="Play policies against one environment and one adversary.",
    )
    parser.add_argument("--runs-out", metavar="FILE", help="every run's regret over time, to .csv or .parquet")
    journal = parser.add_argument_group("a journal in place of the table's many runs")
    journal.add_argument(
        "--log", metavar="FILE", help="play one run and write its journal: decisions, rewards, sources"
    )
    journal.add_argument("--sources", type=whole, metavar="N", help="sources that report rewards (default 1000)")
    journal.add_argument("--ring", type=whole, metavar="M", help="sources that report the forged ones (default 5)")
    parser.set_defaults(run=play)


def play(arguments: argparse.Namespace) -> None:
    """Simulate, print, draw."""
    plot, runs_out = plot_from(arguments), file_from(arguments, "runs-out", "a table of runs", (".csv", ".parquet"))
    check_log(arguments)
    scenarios = scenarios_from(arguments, adversary_from)
    traces, stopped = run_tasks([task_of(scenario, arguments) for scenario in scenarios], keep_finished=True)
    from robandit.lab.comparison import Comparison

    comparison = Comparison(scenarios[: len(traces)], traces)
    result = comparison.to_json()
    if runs_out is not None:
        comparison.write_runs(runs_out)
    if arguments.json:
        print_json(result)
    else:
        print_table(result, arguments.wide)
    if plot:
        from robandit.pictures.regret import describe_play, draw_regret

        draw_regret(comparison.labelled(), describe_play(result)).save(plot)
    for kind, file in (("picture", plot), ("runs", runs_out), ("journal", arguments.log)):
        if file and not arguments.json:
            print(f"{kind}: {file}")
    if stopped:
        raise KeyboardInterrupt


def check_log(arguments: argparse.Namespace) -> None:
    """One run of one policy where a journal is written; flags of the journal only there."""
    if arguments.log is None:
        for name in ("sources", "ring"):
            if getattr(arguments, name) is not None:
                raise InputError(f"--{name} {getattr(arguments, name)} was given without --log: name a file too")
        return
    for name in SHAPE:
        if getattr(arguments, name) != 1:
            value = getattr(arguments, name)
            raise InputError(f"--log writes the journal of one learner, one arm at a time: leave out --{name} {value}")
    if len(arguments.policy or []) > 1 or arguments.runs not in (None, 1):
        raise InputError("--log writes the journal of one run of one policy: give one --policy, and leave out --runs")
    arguments.runs = 1


def task_of(scenario: "Scenario", arguments: argparse.Namespace) -> "Task[Trace]":
    """One play, or one run whose journal is kept; after Ctrl-C the journal holds the rounds that were played."""

    def run(progress: "Progress") -> "Trace":
        if arguments.log is None:
            from robandit.lab.batch import simulate

            return simulate(scenario, threads=arguments.threads, progress=progress)
        from robandit.online.simulated import record

        sources = {
            name: getattr(arguments, name) for name in ("sources", "ring") if getattr(arguments, name) is not None
        }
        with naming("--log"):
            return record(arguments.log, scenario, **sources, progress=progress)

    return Task(str(scenario.policy), 1.0, run)


def print_table(result: dict[str, Any], wide: bool) -> None:
    """The table and its notes."""
    from robandit.report.plays import play_table
    from robandit.report.terminal import show

    notes = [f"note on {row['label']}: {note}" for row in result["results"] for note in row["notes"]]
    show(play_table(result), *notes, wide=wide)
