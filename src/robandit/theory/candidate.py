"""A candidate for a proof that at a fixed rho a unit of corruption costs of order log K: checked on states, not proved.

The rivals are alike. Let x be the largest of them, o the mass of the others and M their l_m norm, m = ceil(log2 K); phi
is a smooth step from 0 at o = 0.05 to 1 at o = 0.45. The potential is

    V = (A/alpha) F + (W/alpha) sum of ln p_a over the rivals,  F = p* [1/p* - L phi(o)/M - 1/theta]_+^2.

If E[V(p') - V(p)] + Delta (1 - p*) <= b c held in every state, b would be a price. `weigh_state` decides that in one
state without floating-point numbers: powers and logarithms are fractions (a logarithm is replaced by something larger),
roots are enclosed between fractions. Rivals come in groups of equal ones, which makes a thousand arms as cheap as five.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from robandit.progress import Progress, report_to
from robandit.theory.games import SambaGame

F = Fraction
UNIT = 1 << 160  # roots are enclosed between neighbouring multiples of one over this
FRONT, LOGS, NORM, THETA = F(11, 5), F(200), F(3), F(1, 10)  # A, W, L and theta
LOW, HIGH = F(1, 20), F(9, 20)  # where phi leaves 0 and reaches 1
Group = tuple[Fraction, int]  # a probability, and how many rivals have it


@dataclass(frozen=True)
class CandidatePotential:
    """The constants of the potential."""

    foot: int = 1  # how flat phi leaves 0
    front: Fraction = FRONT
    logs: Fraction = LOGS
    norm: Fraction = NORM
    theta: Fraction = THETA


@dataclass(frozen=True)
class GroupedState:
    """A state: the best arm's probability, and the rivals in groups, the largest first."""

    best: Fraction
    rivals: tuple[Group, ...]

    @property
    def leads(self) -> bool:
        """Whether the best arm leads; it wins ties."""
        return self.best >= self.rivals[0][0]


def arrange(best: Fraction, groups: list[Group]) -> GroupedState:
    """Returns the state with its groups in order, without empty ones."""
    return GroupedState(best, tuple(sorted((group for group in groups if group[1]), reverse=True)))


def power_of(arms: int) -> int:
    """m = ceil(log2 K), at least 2."""
    return max(2, (arms - 1).bit_length())


def root(value: Fraction, m: int) -> tuple[Fraction, Fraction]:
    """Returns two fractions with the m-th root of a positive value between them."""
    scaled = value.numerator * UNIT**m // value.denominator
    low = 1 << (-(-scaled.bit_length() // m))  # above the root; Newton's method falls from there
    while (better := ((m - 1) * low + scaled // low ** (m - 1)) // m) < low:
        low = better
    return F(low, UNIT), F(low + 1, UNIT)


def step_up(mass: Fraction, power: int) -> Fraction:
    """phi: 0 up to LOW, 1 from HIGH on, (3 t^2 - 2 t^3)^power between."""
    t = min(max((mass - LOW) / (HIGH - LOW), F(0)), F(1))
    return (t * t * (3 - 2 * t)) ** power


def front(state: GroupedState, m: int, v: CandidatePotential) -> tuple[Fraction, Fraction]:
    """Returns F from below and from above."""
    (top, count), *rest = state.rivals
    others = [(top, count - 1), *rest]
    phi = step_up(sum((x * n for x, n in others), F(0)), v.foot)
    least, most = 1 / state.best - 1 / v.theta, 1 / state.best - 1 / v.theta
    if phi:
        low, high = root(sum((x**m * n for x, n in others), F(0)), m)
        least, most = least - v.norm * phi / low, most - v.norm * phi / high
    return state.best * max(least, F(0)) ** 2, state.best * max(most, F(0)) ** 2


def log_series(x: Fraction) -> tuple[Fraction, Fraction]:
    """Returns ln(1 + x) from below and from above, for -1/2 <= x <= 1: 2 (z + z^3/3 + ...) with z = x/(2 + x)."""
    z = x / (2 + x)
    total = 2 * sum((z ** (2 * k + 1) / (2 * k + 1) for k in range(8)), F(0))
    rest = 2 * abs(z) ** 17 / (17 * (1 - z * z))
    return total - rest, total + rest


def log_bounds(x: Fraction) -> tuple[Fraction, Fraction]:
    """The same for every x from -1/2 on, by halving 1 + x until the series is quick."""
    halvings = 0
    while x > F(1, 2):
        x, halvings = (1 + x) / 2 - 1, halvings + 1
    low, high = log_series(x)
    return low + halvings * LN_2[0], high + halvings * LN_2[1]


LN_2 = log_series(F(1))


def successes(state: GroupedState, alpha: Fraction) -> Iterator[tuple[bool, Fraction, GroupedState, list[Group]]]:
    """Yields for a success of each kind of arm: whether it is the best one, the probability of the kind, the state
    after it, and the relative moves of the rivals with how often each occurs.
    """
    best, rivals = state.best, list(state.rivals)
    top = best if state.leads else rivals[0][0]
    by_leader = [(x * (1 - alpha * x / top), n) for x, n in rivals]
    moves = [(-alpha * x / top, n) for x, n in rivals]
    if state.leads:
        after = 1 - sum((x * n for x, n in by_leader), F(0))
        yield True, best, arrange(after, by_leader), moves
        for k, (x, n) in enumerate(rivals):
            others = [*rivals[:k], (x, n - 1), *rivals[k + 1 :], (x * (1 + alpha), 1)]
            yield False, x * n, arrange(best - alpha * x, others), [(alpha, 1)]
        return
    behind = best * (1 - alpha * best / top)
    others = [(by_leader[0][0], rivals[0][1] - 1), *by_leader[1:]]
    lead = 1 - behind - sum((x * n for x, n in others), F(0))
    rest = [(-alpha, rivals[0][1] - 1), *moves[1:], (lead / top - 1, 1)]
    yield False, top, arrange(behind, [*others, (lead, 1)]), rest
    taken = [(top, rivals[0][1] - 1), *rivals[1:]]
    yield True, best, arrange(best * (1 + alpha), [*taken, (top - alpha * best, 1)]), [(-alpha * best / top, 1)]
    for k, (x, n) in enumerate(taken):
        if n:
            others = [*taken[:k], (x, n - 1), *taken[k + 1 :], (x * (1 + alpha), 1), (top - alpha * x, 1)]
            yield False, x * n, arrange(best, others), [(alpha, 1), (-alpha * x / top, 1)]


def weigh_state(game: SambaGame, state: GroupedState, v: CandidatePotential) -> tuple[Fraction, Fraction]:
    """Returns at least E[V(p') - V(p)] + Delta (1 - p*) over the regret of the round, and the price needed here.

    With corruption of cost c each shown mean moves by c to the side that pays, within 0 and 1. The excess is then a
    broken line in c, so that the price it needs is the largest excess over c at its corners.
    """
    alpha, m = game.rate, power_of(game.arms)
    low, _ = front(state, m, v)
    regret = game.gap * (1 - state.best)
    gains = []
    for is_best, probability, after, moves in successes(state, alpha):
        logs = sum((log_bounds(x)[1] * n for x, n in moves), F(0))
        most = (v.front * (front(after, m, v)[1] - low) + v.logs * logs) / alpha
        gains.append((probability * most, game.best if is_best else game.rival))

    def excess(c: Fraction) -> Fraction:
        return regret + sum((g * (min(r + c, F(1)) if g > 0 else max(r - c, F(0))) for g, r in gains), F(0))

    corners = {game.best, 1 - game.best, game.rival, 1 - game.rival, F(1)} - {F(0)}
    return excess(F(0)) / regret, max(excess(c) / c for c in corners)


def grid(arms: int) -> Iterator[GroupedState]:
    """Yields states with three kinds of rivals: one that leads them, a crowd, the rest, alike or nearly forgotten.

    The best arm goes from ahead to far behind.
    """
    ratios = [F(1), F(9, 10), F(1, 2), F(1, 10), F(1, 100), F(1, 10**4)]
    bests = [F(2), F(101, 100), F(1), F(99, 100), F(1, 2), F(1, 10), F(1, 50), F(1, 300), F(1, 3000), F(1, 10**6)]
    crowds = sorted({1, max(1, arms // 10), max(1, arms // 2), arms - 2} - {0})
    for crowd, near, far, best in product(crowds, ratios, ratios, bests):
        rest = arms - 2 - crowd
        if crowd < 1 or rest < 0 or (rest == 0 and far != 1):
            continue
        groups = [(F(1), 1), (near, crowd), (near * far, rest)]
        total = best + sum((x * n for x, n in groups), F(0))
        yield arrange(best / total, [(x / total, n) for x, n in merge(groups)])


def merge(groups: list[Group]) -> list[Group]:
    """Returns groups of one probability as one."""
    counts: dict[Fraction, int] = {}
    for x, n in groups:
        counts[x] = counts.get(x, 0) + n
    return list(counts.items())


def check_candidate(game: SambaGame, v: CandidatePotential, every: int = 1) -> dict[str, Any]:
    """Returns over the states of the grid, or every so many of them: how many, how many fail, the worst, the price."""
    weighed = [(*weigh_state(game, state, v), state) for state in list(grid(game.arms))[::every]]
    worst, _, where = max(weighed, key=lambda row: row[0])
    return {
        "means": [float(game.best), float(game.rival)],
        "arms": game.arms,
        "rho": float(game.rho),
        "learning_rate": float(game.rate),
        "foot": v.foot,
        "states": len(weighed),
        "violations": sum(excess > 0 for excess, _, _ in weighed),
        "worst": float(worst),
        "price": float(max(price for _, price, _ in weighed)),
        "worst_at": f"p* = {float(where.best):.3g}; rivals "
        + ", ".join(f"{n} x {float(x):.3g}" if n > 1 else f"{float(x):.3g}" for x, n in where.rivals),
    }


ARMS, FEET = (3, 8, 32, 128, 512, 1000), (1, 4)
GAMES = (("9/10", "1/2", "1/10"), ("6/10", "1/2", "2/5"))  # the best mean, the rivals', rho
EVERY = 3  # state of the grid


def tabulate_candidate(most: int = 1000, progress: Progress | bool | None = None) -> dict[str, Any]:
    """Returns for both forms of phi, two games and numbers of arms up to `most` how the candidate fares."""
    plan = [(foot, game, arms) for foot in FEET for game in GAMES for arms in ARMS if arms <= most]
    rows = []
    with report_to(progress) as report:
        for done, (foot, texts, arms) in enumerate(plan):
            report(done / len(plan))
            best, rival, rho = (F(text) for text in texts)
            game = SambaGame((best, *(rival for _ in range(arms - 1))), rho * (best - rival) / rival)
            rows.append(check_candidate(game, CandidatePotential(foot=foot), EVERY))
    return {"rows": rows}
