"""The dynamic programmes behind the exact worst attack: backward over rounds, on a grid of log-odds.

Both write down what the attack does at each grid point, as a number. Threat model A: 0 nothing, 1 the
smaller useful step of both means, 2 the larger one. Model B: 1 flips the best arm's successes, 2 the
rival's failures, 3 both. They are compiled, so what belongs together comes as a plain tuple:

- tables: the probabilities on the grid, and where a success of the best arm and of the rival leads, with weights;
- game: the two means, the horizon, and whether the attacker sees the draw;
- record: some rounds, the decisions in those rounds, and, unless it is empty, a table for the decisions of all rounds.
"""

from typing import Any


def solve_priced(tables: Any, game: Any, price: float, record: Any, rows: Any, work: Any, stop: Any) -> None:
    """Into `rows`, by grid point: the most of regret - price * spending, the spending it takes, the clean regret."""
    probabilities, up, up_weights, down, down_weights = tables
    best, rival, horizon, sees_draw = game
    rounds, shape, decisions = record
    size = len(probabilities)
    raised, lowered = work
    low, high = min(1.0 - rival, best), max(1.0 - rival, best)
    place = len(rounds) - 1  # of the next round to write down
    for t in range(horizon - 1, -1, -1):
        if stop[0] != 0:
            break
        for row in range(3):
            for j in range(size):
                raised[row, j] = between(rows[row], up[j], up_weights[j])
                lowered[row, j] = between(rows[row], down[j], down_weights[j])
        for j in range(size):
            p, q = probabilities[j], 1.0 - probabilities[j]
            value, above, below = rows[0, j], raised[0, j], lowered[0, j]
            sunk, lifted, bill, decision = best, rival, 0.0, 0
            if sees_draw:
                if value - above > price:
                    sunk, bill, decision = 0.0, p * best, 1
                if below - value > price:
                    lifted, bill, decision = 1.0, bill + q * (1.0 - rival), decision + 2
            else:
                most = expected(value, above, below, p, best, rival)
                for choice, step in ((1, low), (2, high)):
                    worse, better = max(best - step, 0.0), min(rival + step, 1.0)
                    struck = expected(value, above, below, p, worse, better) - price * step
                    if struck > most:
                        most, sunk, lifted, bill, decision = struck, worse, better, step, choice
            loss = (best - rival) * q
            rows[0, j] = loss - price * bill + expected(value, above, below, p, sunk, lifted)
            rows[1, j] = bill + expected(rows[1, j], raised[1, j], lowered[1, j], p, sunk, lifted)
            rows[2, j] = loss + expected(rows[2, j], raised[2, j], lowered[2, j], p, best, rival)
            if len(decisions) > 0:
                decisions[t, j, 0] = decision
            if place >= 0 and rounds[place] == t:
                shape[place, j] = decision
        if place >= 0 and rounds[place] == t:
            place -= 1


def solve_budgeted(tables: Any, game: Any, unit: float, record: Any, values: Any, work: Any, stop: Any) -> None:
    """Into `values`: the most regret at each grid point for each budget left, in units; with no unit left it is clean.

    What is left of the budget runs along the rows of memory, so that every step below is one pass over them.
    The decisions in some rounds are those with the whole budget left.
    """
    probabilities, up, up_weights, down, down_weights = tables
    best, rival, horizon, sees_draw = game
    rounds, shape, decisions = record
    size, levels = values.shape[0], values.shape[1] - 1
    value, after, raised, lowered, choices = work
    larger = max(1.0 - rival, best)  # the larger useful step costs `whole` units and a part of one more
    whole = int(larger / unit + 1e-9)
    part = max(larger / unit - whole, 0.0)
    place = len(rounds) - 1  # of the next round to write down
    for t in range(horizon - 1, -1, -1):
        if stop[0] != 0:
            break
        value, after = after, value
        for j in range(size):
            p, q = probabilities[j], 1.0 - probabilities[j]
            combine(after, up[j], up_weights[j], raised)
            combine(after, down[j], down_weights[j], lowered)
            here, out = after[j], value[j]
            if sees_draw:
                flip_rewards(here, raised, lowered, p, best, rival, out, choices)
            else:
                for left in range(levels + 1):
                    out[left] = expected(here[left], raised[left], lowered[left], p, best, rival)
                    choices[left] = 0
                after_round = (here, raised, lowered)
                strike(after_round, (p, best - unit, rival + unit), (1, 0.0), 1, out, choices)
                if larger > unit:
                    struck = (p, max(best - larger, 0.0), min(rival + larger, 1.0))
                    strike(after_round, struck, (whole, part), 2, out, choices)
            for left in range(levels + 1):
                out[left] += (best - rival) * q
            if len(decisions) > 0:
                for left in range(levels + 1):
                    decisions[t, j, left] = choices[left]
            if place >= 0 and rounds[place] == t:
                shape[place, j] = choices[levels]
        if place >= 0 and rounds[place] == t:
            place -= 1
    for j in range(size):
        for left in range(levels + 1):
            values[j, left] = value[j, left]


def strike(after_round: Any, odds: Any, cost: Any, choice: int, out: Any, choices: Any) -> None:
    """Strike wherever that is worth more.

    Args:
        after_round: What the rounds after are worth where the state stays, after a success of the best arm, and after
            one of the rival.
        odds: The best arm's probability and the two corrupted means.
        cost: Whole units, and the part of another.
        choice: What is written into `choices` where it is worth more.
    """
    here, raised, lowered = after_round
    p, best, rival = odds
    whole, part = cost
    enough, decision = out[whole:], choices[whole:]  # where that much is left
    last = 0.0
    for left in range(len(out) - whole):
        here_worth = expected(here[left], raised[left], lowered[left], p, best, rival)
        struck = (1.0 - part) * here_worth + part * last
        last = here_worth
        better = struck > enough[left] and (left > 0 or part == 0.0)
        enough[left] = struck if better else enough[left]
        decision[left] = choice if better else decision[left]


def flip_rewards(
    here: Any, raised: Any, lowered: Any, p: float, best: float, rival: float, out: Any, choices: Any
) -> None:
    """Flip a success of the best arm, a failure of the rival, or both, wherever that is worth its unit."""
    for left in range(len(out)):
        succeed, fail, choice = raised[left], here[left], 0
        if left > 0 and here[left - 1] > succeed:
            succeed, choice = here[left - 1], 1
        if left > 0 and lowered[left - 1] > fail:
            fail, choice = lowered[left - 1], choice + 2
        after_best = best * succeed + (1.0 - best) * here[left]
        out[left] = p * after_best + (1.0 - p) * (rival * lowered[left] + (1.0 - rival) * fail)
        choices[left] = choice


def between(values: Any, first: int, weights: Any) -> float:
    """Cubic interpolation from four neighbours."""
    return float(
        weights[0] * values[first]
        + weights[1] * values[first + 1]
        + weights[2] * values[first + 2]
        + weights[3] * values[first + 3]
    )


def combine(values: Any, first: int, weights: Any, out: Any) -> None:
    """The same for every budget left at once."""
    a, b, c, d = weights[0], weights[1], weights[2], weights[3]
    one, two, three, four = values[first], values[first + 1], values[first + 2], values[first + 3]
    for left in range(len(out)):
        out[left] = a * one[left] + b * two[left] + c * three[left] + d * four[left]


def expected(stay: float, above: float, below: float, p: float, best: float, rival: float) -> float:
    """What the next round is worth under these means."""
    return stay + p * best * (above - stay) + (1.0 - p) * rival * (below - stay)
