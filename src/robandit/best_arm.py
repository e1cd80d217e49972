"""The probability that each arm is the best one, when what is known of its mean is a Beta posterior, perhaps lifted.

P(arm a is best) is the integral of f_a(x) prod_{b != a} F_b(x). Gauss-Legendre panels are walked from the top of the
supports downwards; each spans a few deviations of the narrowest posterior that lies there, and of every arm only the
mass above the panel is remembered. Arms that end below where another surely begins are left out. Scalar loops, exp and
log only: the same text is interpreted and compiled, to the same bits.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NODES = 8  # points of a panel
SPAN = 4.0  # deviations of the narrowest posterior in a panel
REACH = 14.0  # a tail that is left out has a mass below exp(-REACH)
LEAST = 1e-7  # what every arm gets at least, so that an importance weight exists


def gauss_legendre(nodes: int) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """Points and weights on [-1, 1], and row by row for each point the weights that integrate from there up to 1."""
    legendre = np.polynomial.legendre
    points, weights = legendre.leggauss(nodes)
    terms = [legendre.legint(one) for one in np.linalg.inv(legendre.legvander(points, nodes - 1)).T]
    above = [legendre.legval(1.0, term) - legendre.legval(point, term) for point in points for term in terms]
    return tuple(points.tolist()), tuple(weights.tolist()), tuple(map(float, above))


POINTS, WEIGHTS, ABOVE = gauss_legendre(NODES)


@dataclass
class NoWorkspace:
    """Of a policy that draws from its posteriors: there is nothing to work out."""

    is_due: ClassVar[bool] = False

    def postpone(self) -> None:
        """Nothing is put off."""

    def lift(self, arm: int, bonus: float) -> None:
        """No bonus is needed."""

    def solve(self, wins: Floats, losses: Floats, probabilities: Floats) -> None:
        """The probabilities stay as they are."""


@dataclass
class Workspace:
    """What the quadrature writes into, and whether the counts have changed since it ran."""

    bonuses: Floats
    tops: Floats  # where each posterior surely ends, its bonus included
    widths: Floats  # standard deviations
    scales: Floats  # logarithms of the constants of the densities
    rests: Floats  # P(arm < x)
    nodes: Floats  # of a panel: weights times product of all P(arm < x), and two logarithms
    ratios: Floats  # density over P(arm < x), by arm and node
    is_due: bool = True

    def postpone(self) -> None:
        """Take note that the counts changed."""
        self.is_due = True

    def lift(self, arm: int, bonus: float) -> None:
        """Set what is added to an arm's mean."""
        self.bonuses[arm] = bonus

    def solve(self, wins: Floats, losses: Floats, probabilities: Floats) -> None:
        """Write the probability of each arm to be the best."""
        self.is_due = False
        low = find_supports(self, wins, losses)
        alive, x = 0, low
        for arm in range(len(wins)):
            probabilities[arm], self.rests[arm] = 0.0, 1.0
            if self.tops[arm] > low:  # an arm that ends below where another begins is surely not the best
                alive, x = alive + 1, max(x, self.tops[arm])
                self.scales[arm] = log_gamma(wins[arm] + losses[arm]) - log_gamma(wins[arm]) - log_gamma(losses[arm])
        mass = 1.0
        while x > low and mass > LEAST:  # mass: P(all arms < x), which is all that is left to share out
            left = panel_end(self, losses, alive, low, x)
            mass = integrate_panel(self, wins, losses, probabilities, (low, left, x))
            x = left
        total = 0.0
        for arm in range(len(wins)):
            probabilities[arm] = max(probabilities[arm], LEAST)
            total += probabilities[arm]
        for arm in range(len(wins)):
            probabilities[arm] /= total


def new_workspace(arms: int, zeros: Callable[[int], Any] = np.zeros) -> Workspace:
    """A workspace for so many arms, of arrays, or of lists where it is interpreted."""
    sizes = {"nodes": 3 * NODES, "ratios": NODES * arms}
    arrays = [item.name for item in fields(Workspace) if item.name != "is_due"]
    return Workspace(**{name: zeros(sizes.get(name, arms)) for name in arrays})


def log_gamma(x: float) -> float:
    """The logarithm of the gamma function of a positive number: Stirling's series from 8 on."""
    product = 1.0
    while x < 8.0:
        product *= x
        x += 1.0
    i = 1.0 / x
    series = i * (1.0 / 12.0 - i * i * (1.0 / 360.0 - i * i * (1.0 / 1260.0 - i * i / 1680.0)))
    return (x - 0.5) * math.log(x) - x + 0.9189385332046727 + series - math.log(product)


def find_supports(work: Workspace, wins: Floats, losses: Floats) -> float:
    """Write where each posterior surely ends (sub-gamma tails, Skorski 2023); returns where the highest one begins."""
    low = -math.inf
    for arm in range(len(wins)):
        count = wins[arm] + losses[arm]
        mean, bonus = wins[arm] / count, work.bonuses[arm]
        variance = mean * (1.0 - mean) / (count + 1.0)
        skew = REACH * (2.0 / 3.0) * (losses[arm] - wins[arm]) / (count * (count + 2.0))
        up, down = max(skew, 0.0), max(-skew, 0.0)
        spread = 2.0 * variance * REACH
        work.widths[arm] = math.sqrt(variance)
        work.tops[arm] = min(mean + up + math.sqrt(up * up + spread), 1.0) + bonus
        low = max(low, max(mean - down - math.sqrt(down * down + spread), 0.0) + bonus)
    return low


def panel_end(work: Workspace, losses: Floats, alive: int, low: float, x: float) -> float:
    """Where the panel ends that begins at x and goes down."""
    span, left = SPAN / math.sqrt(1.0 + 0.25 * math.log(alive)), low
    for arm in range(len(losses)):
        top = work.tops[arm]
        if top > low:
            width, is_hard = span * work.widths[arm], losses[arm] < 8.0
            if is_hard and x <= top:  # a posterior that ends abruptly: panels grow away from its end
                near = width / alive * (0.25 if 1.0 < losses[arm] < 2.0 else 1.0)
                width = min(width, max(2.0 * (top - x), near))
            end = x - width
            if top < end or (is_hard and top < x):
                end = top
            left = max(left, end)
    return left


def integrate_panel(
    work: Workspace, wins: Floats, losses: Floats, probabilities: Floats, limits: tuple[float, float, float]
) -> float:
    """Add what a panel holds to each arm's probability; returns P(all arms < its lower end)."""
    low, left, x = limits
    half, middle, mass, bonus = 0.5 * (x - left), 0.5 * (x + left), 1.0, -math.inf
    nodes, ratios = work.nodes, work.ratios
    for i in range(NODES):
        nodes[i] = half * WEIGHTS[i]
    for arm in range(len(wins)):
        if work.tops[arm] > low and work.tops[arm] > left:
            if work.bonuses[arm] != bonus:  # arms of equal bonus share the logarithms
                bonus = work.bonuses[arm]
                write_logarithms(nodes, middle - bonus, half)
            above = mass_below(work, wins[arm], losses[arm], arm, half)
            work.rests[arm] = above
            mass *= max(above, 0.0)
    for arm in range(len(wins)):
        if work.tops[arm] > low and work.tops[arm] > left:
            total, at = probabilities[arm], NODES * arm
            for i in range(NODES):
                total += nodes[i] * ratios[at + i]
            probabilities[arm] = total
    return mass


def write_logarithms(nodes: Floats, middle: float, half: float) -> None:
    """Write ln y and ln(1 - y) at the points of a panel; from 1 on there is no density."""
    for i in range(NODES):
        y = middle + half * POINTS[i]
        nodes[NODES + i] = math.log(y)
        nodes[2 * NODES + i] = math.log(1.0 - y) if y < 1.0 else -math.inf


def mass_below(work: Workspace, wins: float, losses: float, arm: int, half: float) -> float:
    """Write an arm's density over P(arm < x) at the points of a panel; returns P(arm < x) at its lower end."""
    nodes, ratios, at = work.nodes, work.ratios, NODES * arm
    rest, scale = float(work.rests[arm]), work.scales[arm]
    total, more_wins, more_losses = 0.0, wins - 1.0, losses - 1.0
    for i in range(NODES):
        density = 0.0
        if nodes[2 * NODES + i] > -math.inf:
            density = math.exp(more_wins * nodes[NODES + i] + more_losses * nodes[2 * NODES + i] + scale)
        ratios[at + i] = density
        total += WEIGHTS[i] * density
    # written out for the eight nodes, in the order of a loop, to the same bits: interpreted, it saves a quarter of all
    r0, r1, r2, r3 = ratios[at], ratios[at + 1], ratios[at + 2], ratios[at + 3]
    r4, r5, r6, r7 = ratios[at + 4], ratios[at + 5], ratios[at + 6], ratios[at + 7]
    k = 0
    for i in range(NODES):
        above = ABOVE[k] * r0 + ABOVE[k + 1] * r1 + ABOVE[k + 2] * r2 + ABOVE[k + 3] * r3
        above = above + ABOVE[k + 4] * r4 + ABOVE[k + 5] * r5 + ABOVE[k + 6] * r6 + ABOVE[k + 7] * r7
        below = max(rest - half * above, 1e-9)
        ratios[at + i] /= below
        nodes[i] *= below
        k += NODES
    return rest - half * total
