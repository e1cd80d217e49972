"""Where a unit of corruption buys most, over the states of two or of three arms.

A small corruption moves every mean to the side that pays, so a unit of it buys sum_a p_a |V(after a success of a) - V|,
with V the value of the exact optimum at a price. An attack strikes where that is above the price.
"""

from typing import Any

import numpy as np

from robandit.theory.optimal_attack import OptimalAttack
from robandit.theory.three_arms import ThreeArms


def dearest_of_two(found: OptimalAttack) -> dict[str, Any]:
    """Some points of the line, and the probability of the best arm at which a unit is worth most."""
    assert found.worth is not None
    top, worth = int(found.worth.argmax()), found.worth
    some = range(0, len(worth), max(1, len(worth) // 40))
    return {
        "dearest_at": float(found.probabilities[top]),
        "worth_there": float(worth[top]),
        "line": [[float(found.probabilities[k]), float(worth[k])] for k in some],
    }


def dearest_of_three(found: ThreeArms) -> dict[str, Any]:
    """The state of three arms in which a unit is worth most, and what it is worth where only two arms contend."""
    top = np.unravel_index(int(found.worth.argmax()), found.worth.shape)
    forgotten = int(np.abs(found.ratios + 3.0).argmin())  # e^-3 of the best arm's probability
    return {
        "dearest_at": [float(probability) for probability in found.probabilities[top]],
        "worth_there": float(found.worth[top]),
        "worth_with_one_rival_forgotten": float(found.worth[:, forgotten].max()),
        "best_arm_leads_there": bool(found.probabilities[top].argmax() == 0),
    }
