"""`robandit audit`: what a log says about the sources behind it."""

import argparse
from typing import TYPE_CHECKING, Any

from robandit.cli.flags import catalogue_from, json_flags, load_flags, naming, numbers, out_from, print_json, whole
from robandit.errors import InputError

if TYPE_CHECKING:  # `robandit --help` does not wait for NumPy
    from robandit.forensics.findings import Audit

ROLES = {
    "arm": "the arm that was shown",
    "reward": "what it earned",
    "probability": "the probability the arm had when it was chosen",
    "source": "who reported the reward",
    "time": "when: seconds, or dates such as 2026-01-31T12:00:00",
    "delay": "how long after the decision the reward came",
}


def add(commands: Any) -> None:
    """The command and its flags."""
    parser = commands.add_parser(
        "audit",
        parents=[json_flags(), load_flags()],
        help="were we manipulated? who moved the belief, and what if they had not",
        description="Replay a log through a policy, with and without each source: who moved the belief, a set without "
        "which another arm leads, who differs, and what another leader would cost.",
    )
    parser.add_argument("log", metavar="LOG", help="a journal, or a CSV or Parquet file with one row per reward")
    parser.add_argument("--policy", metavar="NAME[:...]", help="what decided (default: what a journal says)")
    columns = parser.add_argument_group("columns of a CSV or Parquet file")
    for role, words in ROLES.items():
        columns.add_argument(f"--{role}-column", default=role, metavar="NAME", help=f"{words} (default {role!r})")
    columns.add_argument(
        "--reward-range",
        type=numbers,
        default=(0.0, 1.0),
        metavar="LOW,HIGH",
        help="mapped to 0 and 1 (default 0,1); with a minus sign --reward-range=-1,1",
    )
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="source=NAME",
        help="take this as fake; also time=FROM..TO or rows=FROM..TO; repeat for several",
    )
    parser.add_argument("--state", metavar="FILE", help="write the state as JSON: without the fakes, if some are named")
    parser.add_argument(
        "--shadow", action="append", default=[], metavar="NAME[:...]", help="another policy on the same log; repeatable"
    )
    parser.add_argument(
        "--segment", metavar="FEATURE=VALUE", help="where contexts came: visitors of one kind; a number as FROM..TO"
    )
    parser.add_argument("--horizon", type=whole, metavar="T", help="what the policy counted with (default: the rows)")
    parser.add_argument(
        "--ahead",
        type=whole,
        metavar="T",
        help="rounds over which the price is sought (default: the rows, at most 100000)",
    )
    parser.add_argument("--no-price", action="store_true", help="leave the price out, the slowest part of a short log")
    parser.add_argument("--replays", type=whole, metavar="N", help="sources the log is replayed without, at most")
    parser.add_argument(
        "--seed", type=whole, help="of what the policy draws while it learns (default 1, or the journal's)"
    )
    parser.add_argument("--threads", type=whole, help="default: all cores; the numbers do not depend on it")
    parser.add_argument("--out", metavar="DIR", help="write a report page with its figures and tables")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Audit, print, and write the state and the report where flags name them."""
    check_numbers(arguments)
    out = out_from(arguments) if arguments.out else None
    state = state_path(arguments)
    findings = run_audit(arguments)
    if state:
        import json

        from robandit.store.files import write_atomically

        write_atomically(state, (json.dumps(findings.save_state(), allow_nan=False) + "\n").encode())
    page = None
    if out:
        from robandit.forensics.report import write_report

        page = write_report(findings, arguments.log, out)
    if arguments.json:
        print_json(findings.as_json())
        return
    from robandit.forensics.audit_tables import show_audit

    show_audit(findings, arguments.wide)
    for name, path in (("state", state), ("report", page)):
        if path:
            print(f"{name}: {path}")


def check_numbers(arguments: argparse.Namespace) -> None:
    """Refuse numbers that make no sense before the log is read."""
    for name in ("horizon", "ahead", "replays", "threads"):
        number = getattr(arguments, name)
        if number is not None and number < 1:
            raise InputError(f"--{name} must be a whole number of at least 1, not {number}")
    if arguments.seed is not None and arguments.seed < 0:
        raise InputError(f"--seed must be a whole number of at least 0, not {arguments.seed}")
    if len(arguments.reward_range) != 2:
        raise InputError(f"--reward-range must be two numbers, such as 0,1, not {len(arguments.reward_range)}")


def state_path(arguments: argparse.Namespace) -> Any:
    """Return where the state goes; raises InputError, before the work, if it cannot be written."""
    if arguments.state is None:
        return None
    from pathlib import Path

    path = Path(arguments.state)
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise InputError(f"--state: {str(path)!r} cannot be written")
    return path


def run_audit(arguments: argparse.Namespace) -> "Audit":
    """Audit the log as the flags say, with a line of progress."""
    from robandit.cli.progress import progress
    from robandit.forensics.audit import audit
    from robandit.forensics.log_files import read_log
    from robandit.forensics.reward_log import ColumnNames

    catalogue = catalogue_from(arguments)
    names = {role: getattr(arguments, f"{role}_column") for role in ROLES}
    with naming("--reward-range"):
        columns = ColumnNames(**names, range=arguments.reward_range)
    log = read_log(arguments.log, columns)
    policy = arguments.policy or (None if log.terms is None else log.terms.policy)
    if policy is None:
        raise InputError(f"{arguments.log} does not say which policy decided: give --policy")
    with progress(1.0) as report:
        return audit(
            log,
            catalogue.policy(policy),
            without=arguments.without,
            segment=arguments.segment,
            shadow=[catalogue.policy(text) for text in arguments.shadow],
            horizon=arguments.horizon,
            ahead=arguments.ahead,
            price=not arguments.no_price,
            replays=arguments.replays,
            seed=arguments.seed,
            threads=arguments.threads,
            progress=lambda share: report(share, "audit"),
        )
