"""`robandit replay`: what policies would have earned on logged contexts."""

import argparse
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:  # `robandit --help` does not wait for NumPy
    from robandit.lab.matched import ContextLog, Matched


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
    from robandit.lab.matched import read_context_log, replay_contexts

    catalogue = catalogue_from(arguments)
    arguments.policy = arguments.policy or ["linucb", "linear-thompson"]
    policies, adversary = policies_from(arguments, catalogue), adversary_from(arguments, catalogue)
    log = read_context_log(arguments.file)
    matches = [replay_contexts(policy, log, adversary, seed=arguments.seed) for policy in policies]
    result = as_json(log, policies, matches, adversary, arguments.seed)
    if arguments.json:
        print_json(result)
        return
    from robandit.report.plays import replay_table
    from robandit.report.terminal import show

    show(replay_table(result), wide=arguments.wide)


def as_json(
    log: "ContextLog", policies: list[Any], matches: "list[Matched]", adversary: Any, seed: int
) -> dict[str, Any]:
    """Return the result as JSON."""
    from robandit.lab.comparison import adversary_record
    from robandit.lab.matched import Matched

    logger = Matched(log.rewards, len(log.rewards), 0.0)
    return {
        "rows": len(log.arms),
        "arms": list(log.names),
        "features": log.users.shape[1],
        "least_probability": log.least,
        "logged": {"mean_reward": logger.mean, "half_width_95": logger.half_width_95},
        "seed": seed,
        "adversary": adversary_record(adversary),
        "results": [
            {
                "policy": policy.name,
                "label": str(policy),
                "parameters": policy.parameters(),
                "fidelity": policy.about.fidelity,
                "rounds": one.rounds,
                "mean_reward": one.mean,
                "half_width_95": one.half_width_95,
                "corruption_paid": one.paid,
            }
            for policy, one in zip(policies, matches, strict=True)
        ],
    }
