"""The exact worst attack on SAMBA with three arms at a price for corruption, and where a unit of it buys most.

The state is a plane: the log-ratios of two arms to the best one, on a grid with cubic interpolation. Threat model A,
the budget in expectation. It is an oracle for searches at K = 3.
"""

import math
from dataclasses import dataclass

import numpy as np

from robandit.errors import InputError
from robandit.game import Floats
from robandit.theory.optimal_attack import interpolation, solve
from robandit.theory.three_programme import solve_three

MOST = 2_000_000_000  # grid points times rounds, half an hour


@dataclass(frozen=True)
class ThreeArms:
    """The optimum from equal probabilities, and by grid point what a unit of corruption is worth there."""

    regret: float
    spending: float
    clean_regret: float
    ratios: Floats  # ln(p_a/p*) on either axis
    worth: Floats  # regret-to-go minus price * spending that a small unit of corruption adds, at the first round
    probabilities: Floats  # (grid, grid, 3)


def three_arms(
    means: tuple[float, ...], *, learning_rate: float = 0.05, horizon: int = 2_000, price: float, step: float = 0.15
) -> ThreeArms:
    """Returns the worst attack; `step` is the grid's width in log-ratios. Raises InputError for impossible terms."""
    if len(means) != 3 or not (min(means) > 0.0 and max(means[1:]) < means[0] <= 1.0):
        raise InputError(f"means must be three numbers from 0 to 1, the best arm first, not {means!r}")
    if not 0.0 < learning_rate < 1.0:
        raise InputError(f"learning_rate must be above 0 and below 1, not {learning_rate:g}")
    if not 0.0 <= price < math.inf:
        raise InputError(f"price must be a number of at least 0, not {price:g}")
    if not 0.02 <= step <= 0.5:
        raise InputError(f"step must be between 0.02 and 0.5 with three arms, not {step:g}")
    half = math.ceil((math.log1p(learning_rate * max(horizon, 1)) + 2.0) / step)
    if horizon < 1 or horizon * (2 * half + 1) ** 2 > MOST:
        raise InputError(
            f"horizon must be between 1 and about {MOST // (2 * half + 1) ** 2:,} with three arms, not {horizon:,}"
        )
    ratios: Floats = (step * np.arange(-half, half + 1)).astype(np.float64)
    probabilities, first, weights = moves(ratios, learning_rate, step)
    sizes = np.unique(np.round([size for mean in means for size in (mean, 1.0 - mean) if size > 0.0], 12))
    rows, work = np.zeros((3, len(ratios), len(ratios))), np.zeros((2, 3, len(ratios), len(ratios)))
    solve(solve_three, (probabilities, first, weights), np.array(means), sizes, horizon, price, rows, work)
    value, spending, clean = (float(row[half, half]) for row in rows)
    return ThreeArms(
        value + price * spending, spending, clean, ratios, worth(rows[0], probabilities, first, weights), probabilities
    )


def moves(ratios: Floats, rate: float, step: float) -> tuple[Floats, Floats, Floats]:
    """Probabilities on the grid, and for a success of each arm the square it leads into and the weights there."""
    y = np.stack(np.broadcast_arrays(np.zeros(1), ratios[:, None], ratios[None, :]), axis=-1)  # ln(p/p*)
    probabilities = np.exp(y - y.max(axis=-1, keepdims=True))
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    lead = (probabilities > probabilities.max(axis=-1, keepdims=True) - 1e-15).argmax(axis=-1)[..., None]
    top = np.take_along_axis(probabilities, lead, axis=-1)
    arms = np.arange(3)
    first = np.zeros((*probabilities.shape, 2), np.int64)
    weights = np.zeros((*probabilities.shape, 2, 4))
    for arm in arms:
        others = np.where(arms == lead, 0.0, -rate * probabilities / top)  # relative changes if the leader was paid
        grown = -(others * probabilities).sum(axis=-1, keepdims=True) / top
        by_leader = np.where(arms == lead, grown, others)
        by_other = np.where(arms == arm, rate, np.where(arms == lead, -rate * probabilities[..., [arm]] / top, 0.0))
        logs = np.log1p(np.where(lead == arm, by_leader, by_other))
        for axis in (0, 1):
            after = y[..., axis + 1] + logs[..., axis + 1] - logs[..., 0]
            place, weight = interpolation(after.ravel(), ratios, step)
            first[:, :, arm, axis] = place.reshape(after.shape)
            weights[:, :, arm, axis] = weight.reshape(*after.shape, 4)
    return probabilities, first, weights


def worth(value: Floats, probabilities: Floats, first: Floats, weights: Floats) -> Floats:
    """sum over arms of p |V(after a success) - V|: what a small unit of corruption adds."""
    total = np.zeros_like(value)
    for arm in range(3):
        after = np.zeros_like(value)
        for a in range(4):
            for b in range(4):
                place = value[first[:, :, arm, 0] + a, first[:, :, arm, 1] + b]
                after += weights[:, :, arm, 0, a] * weights[:, :, arm, 1, b] * place
        total += probabilities[..., arm] * np.abs(after - value)
    return total
