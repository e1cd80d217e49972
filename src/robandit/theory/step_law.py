"""How large a step may be: one law for SAMBA and its relatives, and the exact growth it predicts.

In every rule of the family a success multiplies a challenger by `lift`, and a success of the leader takes the share
`loss(s)` of it, s its probability over the leader's; loss(s) is about d s. Two conditions matter, with L = r*/r_2:

- recovery: while a wrong arm leads, 1/p* falls in mean iff d < L (1 - 1/lift). If not, p* comes back after a time
  without a mean; P(longer than t) falls as t^-kappa, kappa the root of r* (1 - lift^-kappa) = r_2 d kappa.
- forgetting: while the best arm leads, ln p_a falls iff ln(lift) < L d. If not, a worse arm returns again and again,
  about T^phi times, phi the root of r_2 (1 - lift^-phi) = r* d phi.

So regret grows as T^(phi + max(0, 1 - kappa)), which is log T where both conditions hold; where no kappa is left
(L ln(lift) <= d) a wrong leader stays for good and regret is linear.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from robandit.game import Floats
from robandit.theory.optimal_attack import interpolation

DOUBLINGS = 23  # of the horizon in `growth_table`: to 8.4 million rounds


@dataclass(frozen=True)
class Rule:
    """A rule of the family, by its step."""

    name: str
    gain: Callable[[float], float]  # what a success adds to a challenger, as a share of it
    loss: Callable[[float, Floats], Floats]  # what a success of the leader takes from a challenger, by s
    slope: Callable[[float], float]  # d: the loss is about d s

    def lift(self, step: float) -> float:
        """What a success multiplies a challenger by."""
        return 1.0 + self.gain(step)

    def kappa(self, step: float, best: float, rival: float) -> float:
        """The exponent of recovery: above 1 it has a mean; 0 where it never comes."""
        return root(self.lift(step), best, rival * self.slope(step))

    def phi(self, step: float, best: float, rival: float) -> float:
        """The exponent of forgetting: 0 where worse arms are driven out."""
        return root(self.lift(step), rival, best * self.slope(step))

    def exponent(self, step: float, best: float, rival: float) -> float:
        """Regret grows as this power of T; 0 is log T."""
        kappa = self.kappa(step, best, rival)
        return 1.0 if kappa == 0.0 else min(1.0, self.phi(step, best, rival) + max(0.0, 1.0 - kappa))

    def growth(self, step: float, best: float, rival: float) -> float:
        """By how much clean regret grows for each unit of ln T, with two arms and below the limit."""
        return (best - rival) / (best * self.slope(step) - rival * math.log(self.lift(step)))

    def step_growing(self, growth: float, best: float, rival: float) -> float | None:
        """The smallest step whose clean regret grows by no more than this, below the limit; None if there is none."""
        steps = self.limit(best, rival) * np.linspace(0.005, 0.995, 199)
        enough = [float(step) for step in steps if self.growth(float(step), best, rival) <= growth]
        if not enough:
            return None
        return bisect(lambda step: self.growth(step, best, rival) > growth, 0.0, enough[0], 50)[1]

    def least_price(self, step: float, best: float, rival: float) -> float:
        """What a unit of corruption buys an attacker who holds p* near 0: for SAMBA (2 + alpha)/(1 - rho)."""
        up, down = 1.0 - 1.0 / self.lift(step), self.slope(step)
        return (best - rival) * (up + down) / (best * up - rival * down)

    def limit(self, best: float, rival: float) -> float:
        """The largest step with growth like log T."""
        return bisect(lambda step: self.exponent(step, best, rival) == 0.0, 1e-6, 1.0 - 1e-6, 60)[0]


def bisect(is_low: Callable[[float], bool], low: float, high: float, halvings: int) -> tuple[float, float]:
    """Returns an interval around the point up to which `is_low` is true."""
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if is_low(middle) else (low, middle)
    return low, high


def root(lift: float, up: float, down: float) -> float:
    """Returns the x > 0 with up (1 - lift^-x) = down x; 0 where there is none."""

    def is_low(x: float) -> bool:
        return up * -math.expm1(-x * math.log(lift)) > down * x

    if up * math.log(lift) <= down:
        return 0.0
    low, high = 0.0, 1.0
    while is_low(high):
        low, high = high, 2.0 * high
    return bisect(is_low, low, high, 80)[1]


def balance(step: float) -> float:
    """The fall that makes recovery and forgetting end at the same step."""
    return math.sqrt(step * -math.expm1(-step))


SAMBA = Rule("samba", lambda a: a, lambda a, s: a * s, lambda a: a)
RULES = (
    SAMBA,
    Rule("exponential-samba", math.expm1, lambda a, s: -np.expm1(-a * s), lambda a: a),
    Rule("balanced-samba", math.expm1, lambda a, s: -np.expm1(-balance(a) * s), balance),
    Rule("harmonic", lambda a: a / (1.0 - a), lambda a, s: a * s / (1.0 + a * s), lambda a: a),  # not in the catalogue
)


def exact_regret(
    rule: Rule, step: float, means: tuple[float, float], doublings: int, width: float = 0.05
) -> dict[int, float]:
    """Returns the expected regret with two arms and no corruption after 1, 2, 4, ... rounds.

    The state is the log-odds of the best arm on a grid with cubic interpolation; a round is a matrix P, and the regret
    of 2T rounds is that of T, plus P^T times that of T.
    """
    reach = math.log1p(step * 2.0**doublings) + 4.0
    half = math.ceil(reach / width)
    x: Floats = (width * np.arange(-half, half + 1)).astype(np.float64)
    p, q, s = 1.0 / (1.0 + np.exp(-x)), 1.0 / (1.0 + np.exp(x)), np.exp(-np.abs(x))
    trailing = np.minimum(p, q)
    grown, fallen = trailing * rule.lift(step), trailing * (1.0 - rule.loss(step, s))
    leads = x >= 0.0
    odds = [np.log(small) - np.log1p(-small) for small in (grown, fallen)]  # of the arm that trails
    up, down = np.where(leads, -odds[1], odds[0]), np.where(leads, -odds[0], odds[1])
    success, failure = p * means[0], q * means[1]
    rounds = np.diag(1.0 - success - failure)
    for after, probability in ((up, success), (down, failure)):
        first, weights = interpolation(after, x, width)
        for k in range(4):
            np.add.at(rounds, (np.arange(len(x)), first + k), probability * weights[:, k])
    regret, by_rounds = (means[0] - means[1]) * q, {}
    for power in range(doublings + 1):
        by_rounds[2**power] = float(regret[half])
        regret = regret + rounds @ regret
        rounds = rounds @ rounds
    return by_rounds


def growth_exponent(regrets: dict[int, float], rounds: int) -> float:
    """Returns the local power of T at this many rounds (a power of two): log2 of the ratio of successive increments."""
    first, second = regrets[rounds] - regrets[rounds // 2], regrets[2 * rounds] - regrets[rounds]
    return math.log2(second / first)


STEPS = {
    "samba": (0.05, 0.15, 0.2, 0.24),
    "exponential-samba": (0.2, 0.3, 0.45, 0.6),
    "balanced-samba": (0.3, 0.6, 0.68),
    "harmonic": (0.15, 0.3, 0.45),
}


def growth_table(means: tuple[float, float]) -> dict[str, Any]:
    """Returns each rule's limit, and at several steps the power of T it predicts beside the exact local one."""
    rows = []
    for rule in RULES:
        for step in STEPS[rule.name]:
            regrets = exact_regret(rule, step, means, DOUBLINGS)
            rows.append(
                {
                    "rule": rule.name,
                    "step": step,
                    "kappa": rule.kappa(step, *means),
                    "phi": rule.phi(step, *means),
                    "predicted_exponent": rule.exponent(step, *means),
                    "exact_exponent": growth_exponent(regrets, 2 ** (DOUBLINGS - 1)),
                    "rounds": 2**DOUBLINGS,
                    "regret": regrets[2**DOUBLINGS],
                }
            )
    return {"means": list(means), "limits": {rule.name: rule.limit(*means) for rule in RULES}, "rows": rows}
