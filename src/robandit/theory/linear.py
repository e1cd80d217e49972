"""Linear programmes with few unknowns and many rows: an interior-point method in a page."""

import numpy as np

from robandit.errors import InputError
from robandit.game import Floats

ROUNDS = 120  # a solvable programme takes some twenty
HOPELESS = 1e15  # the dual of a programme without a solution grows without end


def minimise(cost: Floats, rows: Floats, limits: Floats, tolerance: float = 1e-9) -> Floats:
    """Returns the x with the smallest cost @ x such that rows @ x <= limits; Mehrotra's predictor and corrector.

    Every row is scaled to length one first. x lies strictly inside all rows, by about the tolerance. Raises InputError
    where there is none.
    """
    length = np.linalg.norm(rows, axis=1)
    g, h = rows / length[:, None], limits / length
    x = np.linalg.lstsq(g, h - 1.0, rcond=None)[0]
    slack = np.maximum(h - g @ x, 1.0)
    dual = np.ones(len(h))
    for _ in range(ROUNDS):
        primal_gap, dual_gap = g @ x + slack - h, g.T @ dual + cost
        mean = float(slack @ dual) / len(h)
        scale = 1.0 + abs(float(cost @ x))
        if mean * len(h) < tolerance * scale and np.abs(primal_gap).max() < tolerance * scale:
            return np.asarray(x)
        if dual.max() > HOPELESS:
            break
        weight = dual / slack
        normal = g.T @ (weight[:, None] * g)
        normal[np.diag_indices(len(x))] += 1e-13 * normal.diagonal().max()
        product, target = slack * dual, 0.0
        for _ in ("predict", "correct"):
            missing = product - target
            right = -dual_gap - g.T @ ((dual * primal_gap - missing) / slack)
            dx = np.linalg.solve(normal, right)
            d_slack = -primal_gap - g @ dx
            d_dual = (-missing - dual * d_slack) / slack
            reach = [stride(slack, d_slack), stride(dual, d_dual)]
            after = float((slack + reach[0] * d_slack) @ (dual + reach[1] * d_dual)) / len(h)
            product, target = slack * dual + d_slack * d_dual, mean * (after / mean) ** 3
        x, slack, dual = x + reach[0] * dx, slack + reach[0] * d_slack, dual + reach[1] * d_dual
    raise InputError("this linear programme has no solution that could be found")


def stride(now: Floats, change: Floats) -> float:
    """Returns a bit less than the step at which an entry that must stay positive reaches zero; at most 1."""
    falling = change < 0.0
    return float(min(1.0, 0.995 * np.min(-now[falling] / change[falling], initial=np.inf)))
