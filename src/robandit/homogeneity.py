"""Whether an arm's rewards keep one mean: an e-value against "they do", which may be looked at after every reward.

For each power of two, a bettor stakes on one rate up to so many rewards of the arm and on another after them; the one
who stakes on a change after 2^k begins with 1/((k + 1)(k + 2)). Each rate is drawn from Beta(1/2, 1/2), and both are
held against the best single rate. Whatever the policy did, the ratio is below a fair game if the mean never changes,
and for rewards between 0 and 1 no distribution of that mean earns more than a coin (forensics/evidence.py). So the mean
over arms ever reaches 1/a with probability at most a. Wang, Wang & Wang (2024, arXiv 2402.13487) ask the same question.
"""

import math
from typing import Any

CHANGES = 40  # powers of two after which a change is looked for: beyond 10^12 rewards there are none
MOST = 690.0  # e to this power still is a number
LEVEL = 0.05  # how likely the alarm is where nobody forges


def log_mixture(ones: float, zeros: float) -> float:
    """The log-probability of ones and zeros under a rate drawn from Beta(1/2, 1/2)."""
    return math.lgamma(ones + 0.5) + math.lgamma(zeros + 0.5) - math.lgamma(ones + zeros + 1.0) - math.log(math.pi)


def log_single(ones: float, zeros: float) -> float:
    """The log of the largest probability that one rate gives them."""
    total, log = ones + zeros, 0.0
    if ones > 0.0:
        log += ones * math.log(ones / total)
    if zeros > 0.0:
        log += zeros * math.log(zeros / total)
    return log


def change_evidence(pulls: float, earned: float, earlier: Any) -> float:
    """The e-value against "one mean" after so many rewards of an arm with this sum.

    `earlier[k]` is the sum of its first 2^k rewards; entries that lie ahead are not read.
    """
    single = log_single(earned, pulls - earned)
    evidence, size, change = 0.0, 1.0, 0
    while change < CHANGES and size < pulls:
        first = earlier[change]
        two = log_mixture(first, size - first) + log_mixture(earned - first, pulls - size - earned + first)
        evidence += math.exp(min(two - single, MOST)) / ((change + 1.0) * (change + 2.0))
        size, change = 2.0 * size, change + 1
    return evidence + math.exp(log_mixture(earned, pulls - earned) - single) / (change + 1.0)  # changes that lie ahead
