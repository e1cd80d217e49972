"""The laws every part must keep: for the project's own parts, and shipped so that you can test yours.

from robandit.conformance import check_policy
check_policy(MyPolicy())            # raises BrokenLaw with the name of the law and what was seen
"""

from robandit.conformance.adversaries import ADVERSARY_LAWS, check_adversary
from robandit.conformance.environments import ENVIRONMENT_LAWS, check_environment
from robandit.conformance.law import BrokenLaw
from robandit.conformance.policies import POLICY_LAWS, check_policy

__all__ = [
    "ADVERSARY_LAWS",
    "ENVIRONMENT_LAWS",
    "POLICY_LAWS",
    "BrokenLaw",
    "check_adversary",
    "check_environment",
    "check_policy",
]
