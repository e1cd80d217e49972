"""Where a unit of corruption buys most, over the states of two and of three arms.

A small corruption moves every mean to the side that pays, so a unit of it buys sum_a p_a |V(after a success of a) - V|,
with V the value of the exact optimum at a price. An attack strikes where that is above the price.
"""

from pathlib import Path
from typing import Any

import numpy as np

from robandit.theory.games import two_arms
from robandit.theory.optimal_attack import OptimalAttack, optimal_attack
from robandit.theory.three_arms import ThreeArms, three_arms


def map_prices(
    means: tuple[float, ...], learning_rate: float, horizon: int | None = None, picture: Path | None = None
) -> dict[str, Any]:
    """Returns where a unit buys most with the first two arms, and with three (the second rival twice if there is none).

    The price is 94 % of the least possible one. With a `picture` both maps are drawn into that file.
    """
    pair: tuple[float, float] = (means[0], means[1])
    triple = means[:3] if len(means) > 2 else (*pair, pair[1])
    price = round(0.94 * float(two_arms(pair, learning_rate).least_price), 2)
    long, short = horizon or 10_000, min(horizon or 2_000, 8_000)
    line = optimal_attack(pair, learning_rate=learning_rate, horizon=long, price=price)
    plane = three_arms(triple, learning_rate=learning_rate, horizon=short, price=price, step=0.1)
    if picture:
        from robandit.pictures.price_map import draw_price_maps

        titles = [
            f"SAMBA, means {', '.join(f'{mean:g}' for mean in some)}, step {learning_rate:g}, price {price:g}"
            for some in (pair, triple)
        ]
        assert line.worth is not None
        curve = (line.probabilities, line.worth, price, titles[0])
        draw_price_maps(curve, (plane.ratios, plane.worth, titles[1])).save(picture)
    return {
        "learning_rate": learning_rate,
        "price": price,
        "two_arms": {"means": list(pair), "horizon": long, **peak_of_two(line)},
        "three_arms": {
            "means": list(triple),
            "horizon": short,
            "regret": plane.regret,
            "spending": plane.spending,
            "clean_regret": plane.clean_regret,
            **peak_of_three(plane),
        },
        "picture": None if picture is None else str(picture),
    }


def peak_of_two(attack: OptimalAttack) -> dict[str, Any]:
    """Returns some points of the line, and the probability of the best arm at which a unit is worth most."""
    assert attack.worth is not None
    worth = attack.worth
    top, some = int(worth.argmax()), range(0, len(worth), max(1, len(worth) // 40))
    return {
        "dearest_at": float(attack.probabilities[top]),
        "worth_there": float(worth[top]),
        "line": [[float(attack.probabilities[k]), float(worth[k])] for k in some],
    }


def peak_of_three(attack: ThreeArms) -> dict[str, Any]:
    """Returns the state of three arms in which a unit is worth most, and its worth where only two arms contend."""
    top = np.unravel_index(int(attack.worth.argmax()), attack.worth.shape)
    forgotten = int(np.abs(attack.ratios + 3.0).argmin())  # e^-3 of the best arm's probability
    return {
        "dearest_at": [float(probability) for probability in attack.probabilities[top]],
        "worth_there": float(attack.worth[top]),
        "worth_with_one_rival_forgotten": float(attack.worth[:, forgotten].max()),
        "best_arm_leads_there": bool(attack.probabilities[top].argmax() == 0),
    }
