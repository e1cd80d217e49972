"""`robandit paper theory`: a verdict on every statement of the paper, the theorems that hold, what they imply."""

import argparse
import os
import time
from typing import Any

from robandit.cli.flags import json_flags, number, numbers, plot_flags, plot_from, print_json, whole
from robandit.cli.progress import progress
from robandit.errors import InputError, unknown
from robandit.version import __version__

TOPICS = {
    "statements": "every statement of the paper with a verdict, and the theorems that hold (the default; a minute)",
    "bounds": "what is known of each policy, and the two lower bounds (--plot draws it beside measured curves)",
    "steps": "step sizes: what is admissible, what a unit of corruption then costs, the best step under C",
    "growth": "the law of large steps for SAMBA and its relatives, against the exact growth",
    "prices": "where a unit of corruption buys most, for two and three arms (--plot draws it)",
    "recoveries": "how long strikes take to be made good in one run, nested ones too (--plot draws it)",
    "shown": "threat model B: what it costs to hide every success of the best arm",
}


def add(commands: Any) -> None:
    """The command and its flags."""
    parser = commands.add_parser(
        "theory",
        parents=[json_flags(), plot_flags("with bounds, prices and recoveries: draw them")],
        help="a verdict on every statement of the paper; the theorems that hold",
        description="Theory that can be run. " + " ".join(f"{topic}: {words}." for topic, words in TOPICS.items()),
    )
    parser.add_argument("topic", nargs="?", default="statements", help=f"{', '.join(TOPICS)}")
    parser.add_argument("--means", type=numbers, default=(0.9, 0.8), help="the best arm first (default 0.9,0.8)")
    parser.add_argument(
        "--learning-rate", type=number, default=0.05, help="with prices and recoveries: SAMBA's step (default 0.05)"
    )
    parser.add_argument(
        "--horizon", type=whole, metavar="T", help="rounds (default 100000; prices 10000 and 2000, recoveries 1000)"
    )
    parser.add_argument("--budget", type=number, metavar="C", help="with bounds (default 0) and steps (default 300)")
    parser.add_argument("--runs", type=whole, default=20, help="with bounds and shown: plays beside it (default 20)")
    parser.add_argument("--seed", type=whole, default=1, help="of those plays (default 1)")
    parser.set_defaults(run=theory)


def theory(arguments: argparse.Namespace) -> None:
    """The topic named."""
    if arguments.topic not in TOPICS:
        raise unknown("topic", arguments.topic, TOPICS)
    if arguments.plot is not None and arguments.topic not in ("bounds", "prices", "recoveries"):
        raise InputError("--plot draws bounds, prices and recoveries: `robandit paper theory prices --plot FILE`")
    if arguments.horizon is not None and not 1 <= arguments.horizon <= 10**7:
        raise InputError(f"--horizon must be between 1 and 10,000,000, not {arguments.horizon:,}")
    if arguments.runs < 0:
        raise InputError(f"--runs must be a whole number of at least 0, not {arguments.runs}")
    if arguments.budget is not None and not 0 <= arguments.budget <= 10**9:
        raise InputError(f"--budget must be a number from 0 to 1e9, not {arguments.budget:g}")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads would only wait for each other
    if arguments.topic == "statements":
        told = statements()
    else:
        from robandit.cli import theory_topics

        check_means(arguments.means, two=arguments.topic in ("steps", "growth", "recoveries", "shown"))
        told = getattr(theory_topics, arguments.topic)(arguments, plot_from(arguments))
    if arguments.json:
        print_json({"version": __version__, **told})
        return
    from robandit.cli import theory_tables
    from robandit.cli.sheet import show

    show(*getattr(theory_tables, arguments.topic)(told), wide=arguments.wide)


def check_means(means: tuple[float, ...], two: bool) -> None:
    """Two arms where the theory has no more; the best one first."""
    words = "two numbers" if two else "two or more numbers"
    if len(means) < 2 or (two and len(means) != 2) or not min(means) > 0.0 or not max(means[1:]) < means[0] <= 1.0:
        raise InputError(f"--means must be {words} above 0 and at most 1, the best arm first, not {means!r}")


def statements() -> dict[str, Any]:
    """Weigh everything, and say how long it took."""
    from robandit.theory import statements, weigh_theorems
    from robandit.theory.theorems import THEOREMS

    begun, done = time.monotonic(), 0
    with progress(len(statements.STATEMENTS) + len(THEOREMS) + 2) as tell:

        def step(now: str) -> None:
            nonlocal done
            tell(done, now)
            done += 1

        told = {"statements": statements.weighed(step), "theorems": weigh_theorems.weighed(step)}
    return {**told, "seconds": round(time.monotonic() - begun, 1)}
