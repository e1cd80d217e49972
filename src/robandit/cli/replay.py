"""`robandit replay`: what policies would have earned on logged contexts."""

import argparse
from typing import Any

from robandit.cli.flags import (
    adversary_from,
    attack_flags,
    catalogue_from,
    json_flags,
    load_flags,
    policies_from,
    print_json,
    whole,
)


def add(commands: Any) -> None:
    """The command and its flags."""
    parser = commands.add_parser(
        "replay",
        parents=[attack_flags(), load_flags(), json_flags()],
        help="what policies would have earned on logged contexts",
        description="Replay a log of contexts: each policy chooses in every row, and learns from those in which it "
        "takes the logged arm. The log must say with which probability each arm was taken.",
    )
    parser.add_argument("file", metavar="LOG.csv", help="columns arm, reward, probability; all others are features")
    parser.add_argument("--policy", action="append", metavar="NAME[:...]", help="a policy; repeat for several")
    parser.add_argument("--seed", type=whole, default=1, help="the same seed gives the same numbers (default 1)")
    parser.set_defaults(run=replay)


def replay(arguments: argparse.Namespace) -> None:
    """Read, replay, print."""
    from robandit.lab.comparison import replay_record
    from robandit.lab.matched import read_context_log, replay_contexts

    catalogue = catalogue_from(arguments)
    arguments.policy = arguments.policy or ["linucb", "linear-thompson"]
    policies, adversary = policies_from(arguments, catalogue), adversary_from(arguments, catalogue)
    log = read_context_log(arguments.file)
    replays = [(policy, replay_contexts(policy, log, adversary, seed=arguments.seed)) for policy in policies]
    result = replay_record(log, replays, adversary, arguments.seed)
    if arguments.json:
        print_json(result)
        return
    from robandit.report.plays import replay_table
    from robandit.report.terminal import show

    show(replay_table(result), wide=arguments.wide)
