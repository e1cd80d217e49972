"""What a policy must show before it is measured: the laws, and one file."""

from typing import Any

from robandit.conformance import POLICY_LAWS
from robandit.conformance.law import BrokenLaw, check
from robandit.errors import InputError
from robandit.game import Policy

GAMES = ("arms", "features")  # the laws are of policies that show one arm at a time


def admit(policy: Policy[Any]) -> None:
    """Hold a policy to the laws that can be checked; raises InputError with the law it breaks.

    What cannot be checked is in the rules: that the file does not know the seeds, and that its fidelity is true.
    """
    if not hasattr(type(policy), "about"):
        raise InputError(f"{type(policy).__name__} has no `about`: its name, summary and fidelity are part of a result")
    if policy.plays not in GAMES:
        return
    try:
        check(policy, POLICY_LAWS)
    except BrokenLaw as broken:
        raise InputError(f"not admitted: {broken}") from broken
