"""A look at what SAMBA's bound asks for: a step below the lift r*/r_2 - 1 of the best arm over the second."""

import math
import warnings
from typing import Any

from robandit.game import Policy

SURE = 3.0  # standard errors on either side of the observed lift
FIRST = 256  # rewards before the first look; then whenever their number has doubled, so that looks are few


class Lift:
    """Counts and sums of an arm's rewards; warns once, when the lift is known well and not surely above the step.

    Well means: to within half the step. A lift of twice the step (`min_lift` makes the step half of it) then lies three
    more standard errors away, so a needless warning is rare; but a second arm that SAMBA has left before its mean was
    known is passed over in silence, which a floor prevents. The interval is the normal one for a ratio of two means
    (delta method).
    """

    __slots__ = ("counts", "look", "names", "step", "sums", "total", "warned")

    def __init__(self, step: float, names: list[str]) -> None:
        self.step, self.names, self.warned = step, names, False
        self.counts, self.sums = [0] * len(names), [0.0] * len(names)
        self.total, self.look = 0, FIRST

    def take(self, arm: int, reward: float) -> None:
        """Count one more reward."""
        while arm >= len(self.counts):
            self.counts.append(0)
            self.sums.append(0.0)
        self.counts[arm] += 1
        self.sums[arm] += reward
        self.total += 1
        if self.total == self.look:
            self.look *= 2
            self.judge()

    def judge(self) -> None:
        """Compare the two best means."""
        means = sorted((s / n, n, arm) for arm, (s, n) in enumerate(zip(self.sums, self.counts, strict=True)) if n)[-2:]
        if self.warned or len(means) < 2 or means[0][0] <= 0.0:
            return
        (second, few, runner), (best, many, leader) = means
        ratio = best / second
        sure = SURE * ratio * math.sqrt(spread(second, few) + spread(best, many))
        if sure <= 0.5 * self.step and ratio - 1.0 - sure < self.step:
            self.warned = True
            lead = f"{self.names[leader]!r} is {ratio - 1.0:.3f} ± {sure:.3f} better than {self.names[runner]!r}"
            bound = f"its step {self.step:g} should be below that: it may settle on a worse arm"
            least = ratio - 1.0 - sure
            advice = f"min_lift={least:.2g} would be" if least > 0.0 else "no step is surely below it so far"
            warnings.warn(f"after {self.total:,} rewards {lead}, relatively; {bound}; {advice}", stacklevel=5)


def spread(mean: float, count: int) -> float:
    """Return the variance of a mean's logarithm, at most, for rewards in [0, 1]; two made-up rewards keep it off 0."""
    mean = (mean * count + 1.0) / (count + 2.0)
    return (1.0 - mean) / (mean * count)


def lift_of(policy: Policy[Any], names: list[str]) -> Lift | None:
    """Return a check of the lift for a policy that needs one; None for other policies."""
    return None if policy.smallest_lift is None else Lift(policy.smallest_lift, names)
