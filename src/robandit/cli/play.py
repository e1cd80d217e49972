"""`robandit play`: policies against one environment and one adversary."""

import argparse
from typing import TYPE_CHECKING, Any

from robandit.cli.flags import (
    adversary_from,
    attack_flags,
    catalogue_from,
    environment_from,
    game_flags,
    json_flags,
    load_flags,
    naming,
    plot_flags,
    plot_from,
    policies_from,
    print_json,
    shape_json,
    whole,
)
from robandit.cli.progress import progress
from robandit.errors import InputError

if TYPE_CHECKING:  # `robandit --help` does not wait for NumPy
    from pathlib import Path

    from robandit.lab.trace import Trace


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
    journal.add_argument("--sources", type=whole, metavar="N", help="who tells the rewards (default 1000 sources)")
    journal.add_argument("--ring", type=whole, metavar="M", help="sources that tell the forged ones (default 5)")
    parser.set_defaults(run=play, runs=None)


def play(arguments: argparse.Namespace) -> None:
    """Simulate, print, draw."""
    plot, runs_out, catalogue = plot_from(arguments), runs_from(arguments), catalogue_from(arguments)
    policies = policies_from(arguments, catalogue)
    environment, adversary = environment_from(arguments, catalogue), adversary_from(arguments, catalogue)
    check_log(arguments, policies)
    if arguments.log is None:
        traces, stopped = play_all(policies, environment, adversary, arguments)
    else:
        traces, stopped = [play_logged(policies[0], environment, adversary, arguments)], False
    from robandit.cli.played import as_json

    result = as_json(policies[: len(traces)], environment, adversary, arguments, traces)
    if runs_out is not None:
        write_runs(runs_out, labelled(result, traces))
    if arguments.json:
        print_json(result)
    else:
        print_table(result, arguments.wide)
    if plot:
        from robandit.pictures.regret import describe_play, draw_regret

        draw_regret(labelled(result, traces), describe_play(result)).save(plot)
        if not arguments.json:
            print(f"picture: {plot}")
    if runs_out is not None and not arguments.json:
        print(f"runs: {runs_out}")
    if arguments.log and not arguments.json:
        print(f"journal: {arguments.log}")
    if stopped:
        raise KeyboardInterrupt


def labelled(result: dict[str, Any], traces: "list[Trace]") -> "dict[str, Trace]":
    """Traces by the policy's text; one that was given twice is there once, it is the same play."""
    return dict(zip((row["label"] for row in result["results"]), traces, strict=True))


def runs_from(arguments: argparse.Namespace) -> "Path | None":
    """Where every run goes, checked before anything is played."""
    if arguments.runs_out is None:
        return None
    from pathlib import Path

    from robandit.pictures.style import check_file

    with naming("--runs-out"):
        check_file(Path(arguments.runs_out), "a table of runs", (".csv", ".parquet"))
    return Path(arguments.runs_out)


def write_runs(path: "Path", traces: "dict[str, Trace]") -> None:
    """One row a policy, run and checkpoint."""
    import pyarrow

    told = [
        trace.to_arrow().add_column(0, "policy", pyarrow.array([label] * trace.regret.size))
        for label, trace in traces.items()
    ]
    table = pyarrow.concat_tables(told)
    if path.suffix.lower() == ".csv":
        from pyarrow import csv

        csv.write_csv(table, path)
    else:
        from pyarrow import parquet

        parquet.write_table(table, path)


def check_log(arguments: argparse.Namespace, policies: list[Any]) -> None:
    """One run of one policy where a journal is written; flags of the journal only there."""
    if arguments.log is None:
        for name in ("sources", "ring"):
            if getattr(arguments, name) is not None:
                raise InputError(f"--{name} {getattr(arguments, name)} was given without --log: name a file too")
        arguments.runs = 100 if arguments.runs is None else arguments.runs
        return
    for name, count in shape_json(arguments).items():
        raise InputError(f"--log writes the journal of one learner, one arm at a time: leave out --{name} {count}")
    if len(policies) > 1 or arguments.runs not in (None, 1):
        raise InputError("--log writes the journal of one run of one policy: give one --policy, and leave out --runs")
    arguments.runs = 1


def play_logged(policy: Any, environment: Any, adversary: Any, arguments: argparse.Namespace) -> "Trace":
    """One run whose journal is kept; after Ctrl-C it holds the rounds that were played."""
    from robandit.online.simulated import record

    terms = {name: getattr(arguments, name) for name in ("horizon", "seed")}
    terms |= {name: getattr(arguments, name) for name in ("sources", "ring") if getattr(arguments, name) is not None}
    with progress(1) as tell, naming("--log"):
        return record(
            arguments.log, policy, environment, adversary, **terms, progress=lambda share: tell(share, str(policy))
        )


def play_all(
    policies: list[Any], environment: Any, adversary: Any, arguments: argparse.Namespace
) -> "tuple[list[Trace], bool]":
    """One trace per policy; after Ctrl-C those that were finished."""
    from robandit.lab.batch import simulate

    traces: list[Trace] = []
    terms = {name: getattr(arguments, name) for name in ("horizon", "runs", "seed", "threads", "agents", "slate")}
    with progress(len(policies)) as tell:
        try:
            for policy in policies:

                def shown(share: float, label: str = str(policy)) -> None:
                    tell(len(traces) + share, label)

                shown(0.0)
                traces.append(simulate(policy, environment, adversary, **terms, progress=shown))
        except KeyboardInterrupt:
            if not traces:
                raise
            return traces, True
    return traces, False


def print_table(result: dict[str, Any], wide: bool) -> None:
    """The table and its notes."""
    from robandit.cli.sheet import show
    from robandit.cli.tables import play_table

    notes = [f"note on {row['label']}: {note}" for row in result["results"] for note in row["notes"]]
    show(play_table(result), *notes, wide=wide)
