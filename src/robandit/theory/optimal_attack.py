"""The exact worst attack on SAMBA with two arms: its state is one number, so the optimum is a dynamic programme.

The state is the log-odds x of the best arm; both ways it can move depend on x alone, so a grid with
cubic interpolation serves every round. Threat model A moves the two means before the draw and pays
the larger move; model B sees the arm and the reward and pays 1 for each reward it turns. `price`
asks for the most of regret - price * spending, which is exact for a budget held in expectation;
`budget` holds it in every run.
"""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.errors import InputError
from robandit.game import Adversary, Floats
from robandit.theory.programme import solve_budgeted, solve_priced
from robandit.theory.replay import OptimalAfter, OptimalBefore

MOST_KEPT = 10**9  # numbers in one table


@dataclass(frozen=True)
class OptimalAttack:
    """The optimum from p = 1/2: its regret and spending, and what it does at each p over time."""

    regret: float
    spending: float | None  # in expectation, for a price; with a hard budget not worked out
    clean_regret: float
    threat: str
    steps: tuple[float, float]  # A: what decision 1 and 2 cost a round; B: 1 for each reward turned
    probabilities: Floats  # p of the best arm on the grid
    rounds: NDArray[np.int64]  # rounds at which the attack is shown
    decisions: NDArray[np.uint8]  # (rounds, grid), with the whole budget left; see programme.py
    adversary: Adversary[Any] | None  # the optimum as a player, if it was asked for
    worth: Floats | None = None  # for a price: what a small unit of corruption adds at each p, in the first round


@dataclass(frozen=True)
class Moves:
    """Where the log-odds go after a success of the best arm and of the rival, as cubic interpolation."""

    probabilities: Floats
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
    playable: bool = False,
) -> OptimalAttack:
    """The worst attack on SAMBA, given a price per unit of corruption or a hard budget (one of the two).

    `step` is the grid's width in log-odds: 0.05, or 0.1 for a hard budget in model A, which has many rows.
    `playable` keeps every decision, so that the lab can play the optimum and confirm it.
    """
    best, rival = check_terms(means, learning_rate, horizon, threat, price, budget, step)
    width = step or (0.1 if budget is not None and threat == "A" else 0.05)
    moves = moves_on_grid(learning_rate, width, math.log(1.0 + learning_rate * horizon) + 3.0)
    size = len(moves.probabilities)
    shown = np.unique(np.linspace(0, horizon - 1, 200).round().astype(np.int64))
    tables = (moves.probabilities, moves.up, moves.up_weights, moves.down, moves.down_weights)
    game = (best, rival, horizon, threat == "B")
    steps = (1.0, 1.0) if threat == "B" else (min(1.0 - rival, best), max(1.0 - rival, best))
    levels = 0 if budget is None else whole_levels(budget, steps, horizon)
    for what, kept in (("budgets", size * (levels + 1)), ("decisions", playable * horizon * size * (levels + 1))):
        if kept > MOST_KEPT:
            raise InputError(
                f"{kept:,} {what} do not fit into memory, at most {MOST_KEPT:,}: a smaller budget or horizon"
            )
    decisions = np.zeros((horizon, size, levels + 1) if playable else (0, 0, 0), np.uint8)
    shape = np.zeros((len(shown), size), np.uint8)
    spending: float | None = None
    worth: Floats | None = None
    if price is not None:
        rows = np.zeros((3, size))  # value, spending, clean regret
        solve(solve_priced, tables, game, price, shape, shown, decisions, rows, tuple(np.zeros((2, 3, size))))
        spending, clean = float(rows[1, moves.start]), float(rows[2, moves.start])
        regret = float(rows[0, moves.start]) + price * spending
        worth = worth_of_a_unit(moves, rows[0])
    else:
        values, now, after = np.zeros((3, size, levels + 1))
        work = (now, after, *np.zeros((2, levels + 1)), np.zeros(levels + 1, np.uint8))
        solve(solve_budgeted, tables, game, steps[0], shape, shown, decisions, values, work)
        regret, clean = float(values[moves.start, levels]), float(values[moves.start, 0])
    adversary: Adversary[Any] | None = None
    most = math.inf if budget is None else budget
    if playable and threat == "A":
        adversary = OptimalBefore(budget=most, decisions=decisions, width=width, small=steps[0], large=steps[1])
    elif playable:
        adversary = OptimalAfter(budget=most, decisions=decisions, width=width, learning_rate=learning_rate)
    return OptimalAttack(regret, spending, clean, threat, steps, moves.probabilities, shown, shape, adversary, worth)


def solve(programme: Callable[..., None], *terms: Any) -> None:
    """Run a dynamic programme compiled, in a thread of its own, so that Ctrl-C is heard and ends it."""
    from robandit.lab.compile.kernel import kernel_for

    stop = np.zeros(1, np.int64)
    given = (*terms, stop)
    with ThreadPoolExecutor(1) as pool:
        try:
            pool.submit(kernel_for(programme, (), given), (), *given).result()
        except BaseException:
            stop[0] = 1
            raise


def check_terms(
    means: tuple[float, float],
    learning_rate: float,
    horizon: int,
    threat: str,
    price: float | None,
    budget: float | None,
    step: float | None,
) -> tuple[float, float]:
    """The two means, after refusing what cannot be solved."""
    if len(means) != 2 or not 0.0 < means[1] < means[0] <= 1.0:
        raise InputError(f"means must be two numbers from 0 to 1, the better arm first, not {means!r}")
    if not 0.0 < learning_rate < 1.0:
        raise InputError(f"learning_rate must be above 0 and below 1, not {learning_rate:g}")
    if not 1 <= horizon <= 10**7:
        raise InputError(f"horizon must be between 1 and 10,000,000, not {horizon:,}")
    if threat not in ("A", "B"):
        raise InputError(f"threat must be A or B, not {threat!r}")
    if (price is None) == (budget is None):
        raise InputError("give either a price or a budget")
    for name, value in (("price", price), ("budget", budget)):
        if value is not None and not 0.0 <= value < math.inf:
            raise InputError(f"{name} must be a number of at least 0, not {value:g}")
    if step is not None and not 0.001 <= step <= 0.5:
        raise InputError(f"step must be between 0.001 and 0.5, not {step:g}")
    return means


def whole_levels(budget: float, steps: tuple[float, float], horizon: int) -> int:
    """The budget in units of the smaller useful step, up to what all rounds together could spend."""
    unit = steps[0]
    if budget > horizon * steps[1]:
        return math.ceil(horizon * steps[1] / unit)
    levels = round(budget / unit)
    if abs(levels * unit - budget) > 1e-9 * max(budget, 1.0):
        near = unit * max(levels, 1)
        raise InputError(f"budget must be a multiple of {unit:g} here (such as {near:g}), not {budget:g}")
    return levels


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


def worth_of_a_unit(moves: Moves, value: Floats) -> Floats:
    """Sum over both arms of their probability times what their success changes: the regret a small corruption buys."""
    after = [
        (weights * value[first[:, None] + np.arange(4)]).sum(axis=1)
        for first, weights in ((moves.up, moves.up_weights), (moves.down, moves.down_weights))
    ]
    bought = moves.probabilities * np.abs(after[0] - value) + (1.0 - moves.probabilities) * np.abs(after[1] - value)
    return np.asarray(bought)


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
