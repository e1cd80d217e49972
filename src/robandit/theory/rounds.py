"""One round of SAMBA in exact fractions: what a reader redoes by hand.

A state is a tuple of fractions, the probabilities of the arms; arm 0 is the best one. A Bernoulli reward moves the
state only if it is 1, so a round has K ways to move and one to stay.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product

Probabilities = tuple[Fraction, ...]


def leader_of(p: Probabilities) -> int:
    """Returns the arm with the largest probability, the first of several, as in policies/samba.py."""
    return max(range(len(p)), key=lambda arm: p[arm])


def after_success(p: Probabilities, arm: int, rate: Fraction, leader: int | None = None) -> Probabilities:
    """Algorithm 1 of the paper: returns p after a reward of 1 from this arm."""
    first = leader_of(p) if leader is None else leader
    moved = list(p)
    for other in range(len(p)):
        if other != first and arm == first:
            moved[other] = p[other] - rate * p[other] ** 2 / p[first]
        elif other != first and arm == other:
            moved[other] = p[other] + rate * p[other]
    moved[first] = 1 - sum((moved[other] for other in range(len(p)) if other != first), Fraction(0))
    return tuple(moved)


def expected_change(
    function: Callable[[Probabilities], Fraction],
    p: Probabilities,
    rate: Fraction,
    means: Sequence[Fraction],
    leader: int | None = None,
) -> Fraction:
    """Returns E[f(p') - f(p)] in a round with these means, corrupted or not."""
    here = function(p)
    changes = (function(after_success(p, arm, rate, leader)) - here for arm in range(len(p)))
    return sum((p[arm] * means[arm] * change for arm, change in enumerate(changes)), Fraction(0))


def q(p: Probabilities) -> Fraction:
    """The probability of a wrong arm."""
    return 1 - p[0]


def inverse(p: Probabilities) -> Fraction:
    """x = 1/p*."""
    return 1 / p[0]


def corrupt(means: Sequence[Fraction], size: Fraction) -> tuple[Fraction, ...]:
    """Returns the means with the best arm lowered and all others raised by as much as a cost of `size` allows."""
    lowered = max(means[0] - size, Fraction(0))
    return (lowered, *(min(mean + size, Fraction(1)) for mean in means[1:]))


def states(arms: int, parts: int) -> Iterator[Probabilities]:
    """Yields every state whose probabilities are positive multiples of 1/parts."""
    for weights in product(range(1, parts), repeat=arms - 1):
        left = parts - sum(weights)
        if left >= 1:
            yield (Fraction(left, parts), *(Fraction(weight, parts) for weight in weights))


def fractions(*texts: str) -> Probabilities:
    """Returns the numbers as they are written."""
    return tuple(Fraction(text) for text in texts)
