"""The exact worst attack on SAMBA with two arms: its state is one number, so the optimum is a dynamic programme.

The state is the log-odds x of the best arm; both ways it can move depend on x alone, so a grid with
cubic interpolation serves every round. Threat model A moves the two means before the draw and pays
the larger move; model B sees the arm and the reward and pays 1 for each reward it turns. `price`
asks for the most of regret - price * spending, which is exact for a budget held in expectation;
`budget` holds it in every run.
"""

import math
from dataclasses import dataclass
from types import FunctionType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from robandit.errors import InputError
from robandit.game import Floats


@dataclass(frozen=True)
class OptimalAttack:
    """The optimum from p = 1/2: its regret and spending, and what it does at each p over time."""

    regret: float
    spending: float
    clean_regret: float
    chances: Floats  # p of the best arm on the grid
    rounds: NDArray[np.int64]  # rounds at which the attack is shown
    strength: Floats  # (rounds, grid): corruption of a round (A), or of the best arm's successes (B)


@dataclass(frozen=True)
class Moves:
    """Where the log-odds go after a success of the best arm and of the rival, as cubic interpolation."""

    chances: Floats
    up: NDArray[np.int64]
    up_weights: Floats
    down: NDArray[np.int64]
    down_weights: Floats
    start: int


def optimal_attack(
    means: tuple[float, float] = (0.9, 0.8),
    *,
    learning_rate: float = 0.05,
    horizon: int = 10_000,
    threat: str = "A",
    price: float | None = None,
    budget: float | None = None,
    step: float | None = None,
) -> OptimalAttack:
    """The worst attack on SAMBA, given a price per unit of corruption or a hard budget (one of the two).

    `step` is the grid's width in log-odds: 0.05, or 0.1 for a hard budget in model A, which has many rows.
    """
    best, rival = means
    if not 0.0 < rival < best <= 1.0:
        raise InputError(f"means must be two numbers from 0 to 1, the better arm first, not {means!r}")
    if threat not in ("A", "B"):
        raise InputError(f"threat must be A or B, not {threat!r}")
    if (price is None) == (budget is None):
        raise InputError("give either a price or a budget")
    from robandit.lab.compile.loops import machine_code

    width = step or (0.1 if budget is not None and threat == "A" else 0.05)
    moves = moves_on_grid(learning_rate, width, math.log(1.0 + learning_rate * horizon) + 3.0)
    shown = np.unique(np.linspace(0, horizon - 1, 200).round().astype(np.int64))
    tables = (moves.chances, moves.up, moves.up_weights, moves.down, moves.down_weights)
    game = (best, rival, horizon, threat == "B")
    strength = np.zeros((len(shown), len(moves.chances)))
    if price is not None:
        rows = machine_code(cast(FunctionType, solve_priced))(tables, game, price, shown, strength)
        spending, clean = float(rows[1, moves.start]), float(rows[2, moves.start])
        regret = float(rows[0, moves.start]) + price * spending
    else:
        assert budget is not None
        unit = 1.0 if threat == "B" else min(1.0 - rival, best)
        levels = round(budget / unit)
        if abs(levels * unit - budget) > 1e-9 * max(budget, 1.0):
            raise InputError(f"budget must be a multiple of {unit:g} here, not {budget:g}")
        solve = machine_code(cast(FunctionType, solve_budgeted))
        values = solve(tables, game, levels, unit, shown, strength)
        regret, spending, clean = float(values[levels, moves.start]), budget, float(values[0, moves.start])
    return OptimalAttack(regret, spending, clean, moves.chances, shown, strength)


def moves_on_grid(learning_rate: float, step: float, reach: float) -> Moves:
    """The grid up to log-odds SAMBA cannot leave in time, and for each point where it goes from there."""
    half = math.ceil(reach / step)
    x: Floats = (step * np.arange(-half, half + 1)).astype(np.float64)
    p = 1.0 / (1.0 + np.exp(-x))
    q = 1.0 / (1.0 + np.exp(x))
    leads = x >= 0.0
    q_up = np.where(leads, q - learning_rate * q * q / p, 1.0 - p * (1.0 + learning_rate))
    p_up = np.where(leads, 1.0 - q_up, p * (1.0 + learning_rate))
    q_down = np.where(leads, q * (1.0 + learning_rate), 0.0)
    p_down = np.where(leads, 1.0 - q_down, p - learning_rate * p * p / q)
    q_down = np.where(leads, q_down, 1.0 - p_down)
    up, up_weights = interpolation(np.log(p_up) - np.log(q_up), x, step)
    down, down_weights = interpolation(np.log(p_down) - np.log(q_down), x, step)
    return Moves(p, up, up_weights, down, down_weights, half)


def interpolation(wanted: Floats, x: Floats, step: float) -> tuple[NDArray[np.int64], Floats]:
    """For each wanted point the first of four grid neighbours, and Lagrange's cubic weights."""
    place = np.clip((wanted - x[0]) / step, 1.0, len(x) - 2.000001)
    first = np.clip(np.floor(place).astype(np.int64) - 1, 0, len(x) - 4)
    s = place - first
    weights = [
        -(s - 1) * (s - 2) * (s - 3) / 6,
        s * (s - 2) * (s - 3) / 2,
        -s * (s - 1) * (s - 3) / 2,
        s * (s - 1) * (s - 2) / 6,
    ]
    return first, np.ascontiguousarray(np.stack(weights, axis=1))


def interpolate(values: Any, first: Any, weights: Any, out: Any) -> None:
    """Every wanted point of one row of values."""
    for j in range(len(out)):
        k = first[j]
        out[j] = (
            weights[j, 0] * values[k]
            + weights[j, 1] * values[k + 1]
            + weights[j, 2] * values[k + 2]
            + weights[j, 3] * values[k + 3]
        )


def solve_priced(tables: Any, game: Any, price: float, shown: Any, strength: Any) -> Any:
    """Backward over rounds: the most of regret - price * spending, the spending it takes, and the clean regret."""
    chances, up, up_weights, down, down_weights = tables
    best, rival, horizon, sees_draw = game
    size = len(chances)
    rows = np.zeros((3, size))  # value, spending, clean regret
    raised, lowered = np.zeros((3, size)), np.zeros((3, size))
    low, high = min(1.0 - rival, best), max(1.0 - rival, best)
    record = len(shown) - 1
    for back in range(horizon):
        here = record >= 0 and shown[record] == horizon - 1 - back
        for row in range(3):
            interpolate(rows[row], up, up_weights, raised[row])
            interpolate(rows[row], down, down_weights, lowered[row])
        for j in range(size):
            p, q = chances[j], 1.0 - chances[j]
            loss = (best - rival) * q
            gain_best, gain_rival = rows[0, j] - raised[0, j], lowered[0, j] - rows[0, j]
            if sees_draw:
                sink, lift = gain_best > price, gain_rival > price
                p_up = 0.0 if sink else p * best
                p_down = q if lift else q * rival
                bill = (p * best if sink else 0.0) + (q * (1.0 - rival) if lift else 0.0)
                used = 1.0 if sink else 0.0
            else:
                first, second = p * max(gain_best, 0.0), q * max(gain_rival, 0.0)
                used = low if first + second > price else 0.0
                more = first if best > 1.0 - rival else second
                if used > 0.0 and more > price:
                    used = high
                p_up = p * (best - min(used, best) if gain_best > 0.0 else best)
                p_down = q * (rival + min(used, 1.0 - rival) if gain_rival > 0.0 else rival)
                bill = used
            value, spent, clean = rows[0, j], rows[1, j], rows[2, j]
            rows[0, j] = loss - price * bill + value - p_up * gain_best + p_down * gain_rival
            rows[1, j] = bill + spent + p_up * (raised[1, j] - spent) + p_down * (lowered[1, j] - spent)
            rows[2, j] = loss + clean + p * best * (raised[2, j] - clean) + q * rival * (lowered[2, j] - clean)
            if here:
                strength[record, j] = used
        if here:
            record -= 1
    return rows


def solve_budgeted(tables: Any, game: Any, levels: int, unit: float, shown: Any, strength: Any) -> Any:
    """Backward over rounds with what is left of the budget as a second coordinate, in units; row 0 is clean."""
    chances, up, up_weights, down, down_weights = tables
    best, rival, horizon, sees_draw = game
    size = len(chances)
    value = np.zeros((levels + 1, size))
    raised, lowered = np.zeros((levels + 1, size)), np.zeros((levels + 1, size))
    larger = max(1.0 - rival, best)  # the larger useful step costs `whole` units and a part of one more
    whole = int(larger / unit)
    part = larger / unit - whole
    record = len(shown) - 1
    for back in range(horizon):
        here = record >= 0 and shown[record] == horizon - 1 - back
        for left in range(levels + 1):
            interpolate(value[left], up, up_weights, raised[left])
            interpolate(value[left], down, down_weights, lowered[left])
        for left in range(levels, -1, -1):  # a row needs only rows below it as they were
            for j in range(size):
                p, q = chances[j], 1.0 - chances[j]
                stay, above, below = value[left, j], raised[left, j], lowered[left, j]
                used = 0.0
                if sees_draw:
                    succeed, fail = above, stay
                    if left > 0:
                        if value[left - 1, j] > succeed:
                            succeed, used = value[left - 1, j], 1.0
                        fail = max(fail, lowered[left - 1, j])
                    most = p * (best * succeed + (1.0 - best) * stay) + q * (rival * below + (1.0 - rival) * fail)
                else:
                    most = expected(stay, above, below, p, best, rival)
                    if left > 0:
                        lower = left - 1
                        struck = expected(
                            value[lower, j], raised[lower, j], lowered[lower, j], p, best - unit, rival + unit
                        )
                        if struck > most:
                            most, used = struck, unit
                    if left > whole and larger > unit:
                        sunk, lifted = max(best - larger, 0.0), min(rival + larger, 1.0)
                        near, far = left - whole, left - whole - 1
                        struck = (1.0 - part) * expected(
                            value[near, j], raised[near, j], lowered[near, j], p, sunk, lifted
                        ) + part * expected(value[far, j], raised[far, j], lowered[far, j], p, sunk, lifted)
                        if struck > most:
                            most, used = struck, larger
                if here and left == levels:
                    strength[record, j] = used
                value[left, j] = (best - rival) * q + most
        if here:
            record -= 1
    return value


def expected(stay: float, above: float, below: float, p: float, best: float, rival: float) -> float:
    """What the next round is worth under these means."""
    return stay + p * best * (above - stay) + (1.0 - p) * rival * (below - stay)
