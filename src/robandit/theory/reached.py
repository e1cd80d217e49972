"""The states the exact worst attack reaches, and what it does there: their probabilities, forward over rounds.

At a price the state is p alone. Within a hard budget it is p and what is left; of these the most probable decision at p
counts.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.game import Floats
from robandit.theory.optimal_attack import Moves, OptimalAttack, moves_on_grid, solve

HARDLY = 1e-6  # a state with less than this probability counts as not reached


def reached_states(attack: OptimalAttack) -> tuple[Any, Any]:
    """Returns by round of the attack and grid point what is done there, and whether a run in a million reaches it.

    With a hard budget `attack` must be playable: then it holds every decision.
    """
    terms, size, hard = attack.terms, len(attack.probabilities), attack.terms.budget is not None
    x: Floats = np.log(attack.probabilities) - np.log1p(-attack.probabilities)
    moves = moves_on_grid(terms.learning_rate, float(x[1] - x[0]), float(x[-1]) - 0.5 * float(x[1] - x[0]))
    targets = [linear(place, x) for place in landings(moves, x)]
    tables = (attack.probabilities, *targets[0], *targets[1])
    every = getattr(attack.adversary, "decisions", None) if hard else attack.decisions[:, :, None]
    assert every is not None
    game = (*terms.means, terms.horizon, terms.threat == "B", hard, *attack.steps)
    most, shares = np.zeros((len(attack.rounds), size), np.uint8), np.zeros((len(attack.rounds), size))
    work = np.zeros((2, size, every.shape[2]))
    work[0, size // 2, -1] = 1.0
    solve(spread, tables, game, every, attack.rounds, most, shares, work)
    return most, shares > HARDLY


def landings(moves: Moves, x: Floats) -> tuple[Floats, Floats]:
    """Returns where the log-odds go from each grid point; cubic weights are exact for a straight line."""
    near = np.arange(4)
    up: Floats = (moves.up_weights * x[moves.up[:, None] + near]).sum(axis=1)
    down: Floats = (moves.down_weights * x[moves.down[:, None] + near]).sum(axis=1)
    return up, down


def linear(wanted: Floats, x: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Returns the grid point below each place, and the share that goes to the one above it."""
    place = np.clip((wanted - x[0]) / (x[1] - x[0]), 0.0, len(x) - 1.000001)
    first = np.floor(place).astype(np.int64)
    return first, place - first


def spread(tables: Any, game: Any, decisions: Any, rounds: Any, most: Any, shares: Any, work: Any, stop: Any) -> None:
    """Into `shares` the probability of each grid point in each of the rounds, into `most` what is mostly done there.

    Plain loops: it is compiled. At a price there is one level, and the decisions of a round last until the next one.
    """
    probabilities, up, up_part, down, down_part = tables
    best, rival, horizon, sees_draw, hard, low, high = game
    mass, after = work
    size, levels, record = len(probabilities), mass.shape[1], 0
    for t in range(horizon):
        if stop[0] != 0:
            break
        if record + 1 < len(rounds) and rounds[record + 1] <= t:
            record += 1
        row = t if hard else record
        for j in range(size):
            heaviest = 0.0
            for left in range(levels):
                after[j, left] = 0.0
                if rounds[record] == t:
                    shares[record, j] += mass[j, left]
                    if mass[j, left] > heaviest:
                        heaviest, most[record, j] = mass[j, left], decisions[row, j, left]
        for j in range(size):
            p, q = probabilities[j], 1.0 - probabilities[j]
            for left in range(levels):
                there, decision = mass[j, left], decisions[row, j, left]
                if there < 1e-12:
                    continue
                rise, fall, sunk, lifted = p * best, q * rival, 0.0, 0.0  # the last two are flipped, at a unit each
                price, part = 0, 0.0  # of a strike of model A
                if sees_draw:
                    if decision == 1 or decision == 3:
                        rise, sunk = 0.0, rise
                    if decision >= 2:
                        lifted = q - fall
                elif decision > 0:
                    step = low if decision == 1 else high
                    rise, fall = p * max(best - step, 0.0), q * min(rival + step, 1.0)
                    price, part = int(step / low + 1e-9), step / low - int(step / low + 1e-9)
                for paid, share in ((price, 1.0 - part), (price + 1, part)):
                    then = max(left - paid, 0) if hard else 0
                    gone = there * share
                    after[j, then] += gone * (1.0 - rise - fall - sunk - lifted)
                    after[up[j], then] += gone * rise * (1.0 - up_part[j])
                    after[up[j] + 1, then] += gone * rise * up_part[j]
                    after[down[j], then] += gone * fall * (1.0 - down_part[j])
                    after[down[j] + 1, then] += gone * fall * down_part[j]
                    lower = max(left - 1, 0) if hard else 0
                    after[j, lower] += gone * sunk
                    after[down[j], lower] += gone * lifted * (1.0 - down_part[j])
                    after[down[j] + 1, lower] += gone * lifted * down_part[j]
        for j in range(size):
            for left in range(levels):
                mass[j, left] = after[j, left]
