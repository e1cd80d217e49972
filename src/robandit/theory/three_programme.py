"""The dynamic programme behind the exact worst attack with three arms: backward over rounds, on a plane."""

from typing import Any


def solve_three(
    tables: Any, means: Any, sizes: Any, horizon: int, price: float, rows: Any, work: Any, stop: Any
) -> None:
    """Into `rows`, by grid point: the most of regret - price * spending, the spending, the clean regret.

    A success of arm k leads from grid point (i, j) into the square of sixteen that begins at `first`, with `weights`
    in each direction. What the attacker does with one arm is linear in its mean, so for each size it moves every
    mean as far as that goes, to the side that pays.
    """
    probabilities, first, weights = tables
    size = rows.shape[1]
    change, shift = work[1, 0, 0], work[1, 1, 0]  # three numbers each
    for _ in range(horizon):
        if stop[0] != 0:
            break
        for i in range(size):
            for j in range(size):
                loss, most, bill = 0.0, 0.0, 0.0
                for arm in range(3):
                    p = probabilities[i, j, arm]
                    square = first[i, j, arm]
                    after = between(rows[0], square, weights[i, j, arm])
                    change[arm] = p * (after - rows[0, i, j])
                    shift[arm] = means[arm]
                    loss += p * (means[0] - means[arm])
                    most += means[arm] * change[arm]
                for c in sizes:
                    worth = -price * c
                    for arm in range(3):
                        worth += move(means[arm], c, change[arm]) * change[arm]
                    if worth > most:
                        most, bill = worth, c
                if bill > 0.0:
                    for arm in range(3):
                        shift[arm] = move(means[arm], bill, change[arm])
                spent, clean = bill, loss
                for arm in range(3):
                    p = probabilities[i, j, arm]
                    square = first[i, j, arm]
                    spent += p * shift[arm] * (between(rows[1], square, weights[i, j, arm]) - rows[1, i, j])
                    clean += p * means[arm] * (between(rows[2], square, weights[i, j, arm]) - rows[2, i, j])
                work[0, 0, i, j] = rows[0, i, j] + loss + most
                work[0, 1, i, j] = rows[1, i, j] + spent
                work[0, 2, i, j] = rows[2, i, j] + clean
        for row in range(3):
            for i in range(size):
                for j in range(size):
                    rows[row, i, j] = work[0, row, i, j]


def move(mean: float, size: float, gain: float) -> float:
    """Returns a mean moved by this much to the side that pays."""
    return min(mean + size, 1.0) if gain > 0.0 else max(mean - size, 0.0)


def between(values: Any, square: Any, weights: Any) -> float:
    """Cubic interpolation in both directions."""
    total = 0.0
    for a in range(4):
        part = 0.0
        for b in range(4):
            part += weights[1, b] * values[square[0] + a, square[1] + b]
        total += weights[0, a] * part
    return float(total)
