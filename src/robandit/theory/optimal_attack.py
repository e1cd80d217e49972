"""The exact worst attack on SAMBA with two arms: its state is one number, so the optimum is a dynamic programme.

The state is the log-odds x of the best arm; both ways it can move depend on x alone, so a grid with
cubic interpolation serves every round. Threat model A moves the two means before the draw and pays
the larger move; model B sees the arm and the reward and pays 1 for each reward it flips. `price`
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
from robandit.theory.games import check_two_arms
from robandit.theory.optimal_player import OptimalAfter, OptimalBefore
from robandit.theory.programme import solve_budgeted, solve_priced

LARGEST = 10**9  # numbers in one table


@dataclass(frozen=True)
class OptimumTerms:
    """SAMBA's game, the threat model, and either a price per unit of corruption or a hard budget."""

    means: tuple[float, ...] = (0.9, 0.8)  # the best arm first
    learning_rate: float = 0.05
    horizon: int = 10_000
    threat: str = "A"
    price: float | None = None
    budget: float | None = None
    step: float | None = None  # the grid's width in log-odds

    def __str__(self) -> str:
        if self.budget is not None:
            return f"hard budget C = {self.budget:,g}"
        return f"price {self.price:g} per unit of corruption"

    def check(self) -> None:
        """Raises InputError for what cannot be solved with two arms."""
        check_two_arms(self.means, self.learning_rate)
        if not 1 <= self.horizon <= 10**7:
            raise InputError(f"horizon must be between 1 and 10,000,000, not {self.horizon:,}")
        if self.threat not in ("A", "B"):
            raise InputError(f"threat must be A or B, not {self.threat!r}")
        if (self.price is None) == (self.budget is None):
            raise InputError("give either a price or a budget")
        for name, value in (("price", self.price), ("budget", self.budget)):
            if value is not None and not 0.0 <= value < math.inf:
                raise InputError(f"{name} must be a number of at least 0, not {value:g}")
        if self.step is not None and not 0.001 <= self.step <= 0.5:
            raise InputError(f"step must be between 0.001 and 0.5, not {self.step:g}")


@dataclass(frozen=True)
class OptimalAttack:
    """The optimum from p = 1/2: its regret and spending, and what it does at each p over time."""

    terms: OptimumTerms
    regret: float
    spending: float | None  # in expectation, for a price; with a hard budget not worked out
    clean_regret: float
    steps: tuple[float, float]  # A: what decision 1 and 2 cost per round; B: 1 for each reward flipped
    probabilities: Floats  # p of the best arm on the grid
    rounds: NDArray[np.int64]  # those of `decisions`
    decisions: NDArray[np.uint8]  # (rounds, grid), with the whole budget left; see programme.py
    adversary: Adversary[Any] | None  # the optimum as a player, with `playable`
    worth: Floats | None = None  # for a price: what a small unit of corruption adds at each p, in the first round

    def __repr__(self) -> str:
        """Its regret and spending in a line; the rest are attributes."""
        spent = "" if self.spending is None else f" for {self.spending:,.4g} units of corruption"
        return f"<OptimalAttack: regret {self.regret:,.4g}{spent}, {self.clean_regret:,.4g} without it>"


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
    """Returns the worst attack on SAMBA for a price per unit of corruption or a hard budget (one of the two).

    Args:
        means: of the two arms, the better one first.
        learning_rate: the step of SAMBA.
        horizon: the rounds of a run.
        threat: "A" (the attacker moves the means before the draw) or "B" (they see the draw).
        price: what a unit of corruption costs the attacker, in regret.
        budget: the corruption they may spend, in place of a price.
        step: the grid's width in log-odds: 0.05, or 0.1 for a hard budget in model A, which has many rows.
        playable: keep every decision, so that the lab can play the optimum and confirm it.

    Raises:
        InputError: where the terms make no sense or the tables do not fit into memory.
    """
    return solve_terms(OptimumTerms(means, learning_rate, horizon, threat, price, budget, step), playable)


def solve_terms(terms: OptimumTerms, playable: bool = False) -> OptimalAttack:
    """Returns what `optimal_attack` does."""
    terms.check()
    (best, rival), horizon, price, budget = terms.means, terms.horizon, terms.price, terms.budget
    sees_draw = terms.threat == "B"
    width = terms.step or (0.1 if budget is not None and not sees_draw else 0.05)
    moves = moves_on_grid(terms.learning_rate, width, math.log(1.0 + terms.learning_rate * horizon) + 3.0)
    size = len(moves.probabilities)
    rounds = np.unique(np.linspace(0, horizon - 1, 200).round().astype(np.int64))
    tables = (moves.probabilities, moves.up, moves.up_weights, moves.down, moves.down_weights)
    game = (best, rival, horizon, sees_draw)
    steps = (1.0, 1.0) if sees_draw else (min(1.0 - rival, best), max(1.0 - rival, best))
    levels = 0 if budget is None else whole_levels(budget, steps, horizon)
    for what, count in (("budgets", size * (levels + 1)), ("decisions", playable * horizon * size * (levels + 1))):
        if count > LARGEST:
            raise InputError(
                f"{count:,} {what} do not fit into memory, at most {LARGEST:,}: a smaller budget or horizon"
            )
    decisions = np.zeros((horizon, size, levels + 1) if playable else (0, 0, 0), np.uint8)
    shape = np.zeros((len(rounds), size), np.uint8)
    record = (rounds, shape, decisions)
    spending: float | None = None
    worth: Floats | None = None
    if price is not None:
        rows = np.zeros((3, size))  # value, spending, clean regret
        solve(solve_priced, tables, game, price, record, rows, tuple(np.zeros((2, 3, size))))
        spending, clean = float(rows[1, moves.start]), float(rows[2, moves.start])
        regret = float(rows[0, moves.start]) + price * spending
        worth = worth_of_a_unit(moves, rows[0])
    else:
        values, now, after = np.zeros((3, size, levels + 1))
        work = (now, after, *np.zeros((2, levels + 1)), np.zeros(levels + 1, np.uint8))
        solve(solve_budgeted, tables, game, steps[0], record, values, work)
        regret, clean = float(values[moves.start, levels]), float(values[moves.start, 0])
    adversary: Adversary[Any] | None = None
    most = math.inf if budget is None else budget
    if playable and sees_draw:
        adversary = OptimalAfter(budget=most, decisions=decisions, width=width, learning_rate=terms.learning_rate)
    elif playable:
        adversary = OptimalBefore(budget=most, decisions=decisions, width=width, small=steps[0], large=steps[1])
    return OptimalAttack(terms, regret, spending, clean, steps, moves.probabilities, rounds, shape, adversary, worth)


def solve(programme: Callable[..., None], *terms: Any) -> None:
    """Runs a dynamic programme compiled, in a thread of its own, so that Ctrl-C is heard and ends it."""
    from robandit.lab.compile.kernel import kernel_for

    stop = np.zeros(1, np.int64)
    arguments = (*terms, stop)
    with ThreadPoolExecutor(1) as pool:
        try:
            pool.submit(kernel_for(programme, (), arguments), (), *arguments).result()
        except BaseException:
            stop[0] = 1
            raise


def whole_levels(budget: float, steps: tuple[float, float], horizon: int) -> int:
    """Returns the budget in units of the smaller useful step, up to what all rounds together could spend."""
    unit = steps[0]
    if budget > horizon * steps[1]:
        return math.ceil(horizon * steps[1] / unit)
    levels = round(budget / unit)
    if abs(levels * unit - budget) > 1e-9 * max(budget, 1.0):
        near = unit * max(levels, 1)
        raise InputError(f"budget must be a multiple of {unit:g} here (such as {near:g}), not {budget:g}")
    return levels


def moves_on_grid(learning_rate: float, step: float, reach: float) -> Moves:
    """Returns the grid up to log-odds SAMBA cannot leave in time, and for each point where it goes from there."""
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
    """Returns sum_a p_a |V(after a success of a) - V|: the regret a small unit of corruption buys."""
    after = [
        (weights * value[first[:, None] + np.arange(4)]).sum(axis=1)
        for first, weights in ((moves.up, moves.up_weights), (moves.down, moves.down_weights))
    ]
    bought = moves.probabilities * np.abs(after[0] - value) + (1.0 - moves.probabilities) * np.abs(after[1] - value)
    return np.asarray(bought)


def interpolation(wanted: Floats, x: Floats, step: float) -> tuple[NDArray[np.int64], Floats]:
    """Returns for each wanted point the first of four grid neighbours, and Lagrange's cubic weights."""
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
