"""The topics of `robandit paper theory` besides the statements: what is worked out for each."""

import argparse
from pathlib import Path
from typing import Any

from robandit.errors import InputError

LONG, USUAL = 100_000, 300.0  # rounds and budget, where none are given
EVERY = 15  # rounds from strike to strike, where recoveries are shown
DOUBLINGS = 23  # of the horizon in the law of large steps: to 8.4 million rounds
STEPS = {
    "samba": (0.05, 0.15, 0.2, 0.24),
    "exponential-samba": (0.2, 0.3, 0.45, 0.6),
    "balanced-samba": (0.3, 0.6, 0.68),
    "harmonic": (0.15, 0.3, 0.45),
}


def bounds(arguments: argparse.Namespace, plot: Path | None) -> dict[str, Any]:
    """Each policy's bound and growth, played beside it."""
    from robandit.theory.policy_bounds import curves, known

    means, horizon, budget = arguments.means, arguments.horizon or LONG, arguments.budget or 0.0
    if plot:
        from robandit.pictures.bounds import draw_bounds

        if arguments.runs < 2:
            raise InputError(
                f"--plot draws measured curves with intervals: --runs must be at least 2, not {arguments.runs}"
            )
        rounds, panels = curves(means, horizon, budget, arguments.runs, arguments.seed)
        words = (
            f"Regret and what is known of it: means {', '.join(f'{mean:g}' for mean in means)}, {arguments.runs} runs"
        )
        draw_bounds(panels, rounds, words + (f"; bounds for C = {budget:g}" if budget else "")).save(plot)
    told = known(means, horizon, budget, arguments.runs, arguments.seed)
    return {**told, "picture": None if plot is None else str(plot)}


def steps(arguments: argparse.Namespace, plot: Path | None) -> dict[str, Any]:
    """Prices by step, and the best step."""
    from robandit.theory.steps import advice

    return advice(arguments.means, arguments.horizon or LONG, USUAL if arguments.budget is None else arguments.budget)


def growth(arguments: argparse.Namespace, plot: Path | None) -> dict[str, Any]:
    """Each rule's limit, and at several steps the power of T it predicts beside the exact local one."""
    from robandit.theory.step_law import RULES, exact_regret, growth_exponent

    best, rival = arguments.means
    limits, rows = {}, []
    for rule in RULES:
        limits[rule.name] = rule.limit(best, rival)
        for step in STEPS[rule.name]:
            regrets = exact_regret(rule, step, (best, rival), DOUBLINGS)
            rows.append(
                {
                    "rule": rule.name,
                    "step": step,
                    "kappa": rule.kappa(step, best, rival),
                    "phi": rule.phi(step, best, rival),
                    "predicted_exponent": rule.exponent(step, best, rival),
                    "exact_exponent": growth_exponent(regrets, 2 ** (DOUBLINGS - 1)),
                    "rounds": 2**DOUBLINGS,
                    "regret": regrets[2**DOUBLINGS],
                }
            )
    return {"means": [best, rival], "limits": limits, "rows": rows}


def prices(arguments: argparse.Namespace, plot: Path | None) -> dict[str, Any]:
    """Where a unit buys most: two arms, and three of which the last two are alike."""
    from robandit.theory.games import two_arms
    from robandit.theory.optimal_attack import optimal_attack
    from robandit.theory.price_map import dearest_of_three, dearest_of_two
    from robandit.theory.three_arms import three_arms

    rate = arguments.learning_rate
    pair = arguments.means[:2]
    triple = arguments.means[:3] if len(arguments.means) > 2 else (*pair, pair[1])
    price = round(0.94 * float(two_arms(pair, rate).least_price), 2)
    line = optimal_attack(pair, learning_rate=rate, horizon=arguments.horizon or 10_000, price=price)
    short = min(arguments.horizon or 2_000, 8_000)
    plane = three_arms(triple, learning_rate=rate, horizon=short, price=price, step=0.1)
    if plot:
        from robandit.pictures.price_map import draw_price_maps

        words = f"step {rate:g}, price {price:g}"
        titles = [f"SAMBA, means {', '.join(f'{mean:g}' for mean in means)}, {words}" for means in (pair, triple)]
        assert line.worth is not None
        curve = (line.probabilities, line.worth, price, titles[0])
        draw_price_maps(curve, (plane.ratios, plane.worth, titles[1])).save(plot)
    return {
        "learning_rate": rate,
        "price": price,
        "two_arms": {"means": list(pair), "horizon": arguments.horizon or 10_000, **dearest_of_two(line)},
        "three_arms": {
            "means": list(triple),
            "horizon": short,
            "regret": plane.regret,
            "spending": plane.spending,
            "clean_regret": plane.clean_regret,
            **dearest_of_three(plane),
        },
        "picture": None if plot is None else str(plot),
    }


def recoveries(arguments: argparse.Namespace, plot: Path | None) -> dict[str, Any]:
    """One run under a strike of the efficient size every fifteen rounds."""
    from robandit.theory.games import two_arms
    from robandit.theory.paths import recoveries, traced

    rate, rounds = arguments.learning_rate, min(arguments.horizon or 1_000, 100_000)
    game = two_arms(arguments.means, rate)
    size = float(game.sizes[1])
    struck_means = (max(arguments.means[0] - size, 0.0), min(arguments.means[1] + size, 1.0))
    history, struck = traced(arguments.means, struck_means, rate, 0.0, rounds, arguments.seed, every=EVERY)
    found = recoveries(history, struck)
    ended = [(begin, end) for begin, end in found if end is not None]
    inside = sum(any(a < begin < b for a, b in ended) for begin, _ in ended)
    if plot:
        from robandit.pictures.recoveries import draw_recoveries

        means = " and ".join(f"{mean:g}" for mean in arguments.means)
        message = f"{len(ended)} of {len(found)} strikes are made good, {inside} inside another's recovery"
        rest = f"SAMBA, one run, step {rate:g}, means {means}, both moved by {size:g} every {EVERY} rounds"
        draw_recoveries(history, found, (message, rest)).save(plot)
    return {
        "means": list(arguments.means),
        "learning_rate": rate,
        "rounds": rounds,
        "size": size,
        "strikes": len(found),
        "ended": len(ended),
        "inside_another": inside,
        "mean_rounds": sum(end - begin for begin, end in ended) / len(ended) if ended else None,
        "bound_of_the_paper": 4.0 * size / float(game.gap),
        "intervals": [list(pair) for pair in found],
        "picture": None if plot is None else str(plot),
    }


def shown(arguments: argparse.Namespace, plot: Path | None) -> dict[str, Any]:
    """The cost of hiding successes, by law and played."""
    from robandit.theory.shown import laws

    horizon = arguments.horizon or LONG
    rows = laws(arguments.means, horizon, arguments.runs, arguments.seed)
    return {"means": list(arguments.means), "horizon": horizon, "runs": arguments.runs, "policies": rows}
