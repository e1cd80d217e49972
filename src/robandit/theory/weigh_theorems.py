"""Our theorems with what was checked of each; proved, certified, numerical and conjectured are kept apart."""

from collections.abc import Callable
from typing import Any

from robandit.lab.trace import summarised
from robandit.theory.certificate import certify
from robandit.theory.games import two_arms
from robandit.theory.lower_bound import enumerated as enumerated_facts
from robandit.theory.lower_bound import played
from robandit.theory.optimal_attack import optimal_attack
from robandit.theory.rounds import fractions, states
from robandit.theory.search import search
from robandit.theory.theorems import THEOREMS, Game, Theorem, round_of

SEED = 4_711
GRID = {2: 100, 3: 16, 4: 10}  # probabilities are multiples of one over this
GAMES = (
    fractions("9/10", "8/10"),
    fractions("6/10", "5/10"),
    fractions("1/5", "1/10"),
    fractions("6/10", "5/10", "5/10"),
    fractions("9/10", "8/10", "1/10"),
    fractions("1/2", "2/5", "3/10", "1/5"),
)


def enumerated(theorem: Theorem) -> tuple[int, int]:
    """States of a grid in which the one-round inequality was worked out in fractions, and how many break it."""
    checked, broken = 0, 0
    for means in GAMES:
        second = max(means[1:])
        for share in fractions("1/8", "1/4", "2/5", "9/10"):
            game = Game(means, share * (means[0] - second) / second)
            if game.rate >= 1 or not theorem.applies(game):
                continue
            v = theorem.potential(game)
            for p in states(game.arms, GRID[game.arms]):
                drift, price, allowed = round_of(game, v, p)
                checked += 1
                broken += drift > 0 or price > allowed
    return checked, broken


def arms_of(theorem: Theorem) -> range:
    """For how many arms a theorem is searched."""
    return range(2, 21) if theorem.id in ("theorem-3", "theorem-4") else range(2, 3)


def one(theorem: Theorem, games: int, count: int) -> dict[str, Any]:
    """A theorem, enumerated and searched."""
    checked, broken = enumerated(theorem)
    found = search(theorem, arms_of(theorem), games, count, SEED)
    arms = "2" if len(arms_of(theorem)) == 1 else "2 to 20"
    return {
        "id": theorem.id,
        "text": theorem.text,
        "condition": theorem.condition,
        "label": "proved" if broken + found.violations == 0 else "broken",
        "states": checked + found.states,
        "violations": broken + found.violations,
        "evidence": f"One-round inequality in exact fractions in {checked:,} states of a grid, {broken} violations; "
        f"random search over {found.states:,} states of {found.games} games, K = {arms}, {found.violations} violations "
        f"({found.exact:,} states near equality worked out in fractions; logarithms by ln(1+x) <= x); largest price "
        f"met {found.dearest:.3f} of the one allowed.",
    }


def lower() -> dict[str, Any]:
    """b >= (2 + alpha)/(1 - rho): the proof's facts in fractions, its attack played, and the exact optimum's slope."""
    means, rate, p0 = (0.9, 0.5), 0.2, 0.03
    game = two_arms(means, rate)
    least, cost = float(game.least_price), float(game.gap / game.least_price)
    others = two_arms((0.9, 0.8), 0.05), two_arms((0.9, 0.8), 0.12), two_arms((0.6, 0.5), 0.19)
    checked, broken = enumerated_facts((game, *others))
    lost, paid = (summarised(values) for values in played(game, p0, 6_000, 600, SEED))
    rows = []
    for horizon in (8_000, 24_000):
        exact = optimal_attack(means, learning_rate=rate, horizon=horizon, price=0.97 * least)
        slope = (exact.regret - exact.clean_regret) / max(exact.spending or 0.0, 1e-9)
        rows.append(f"T = {horizon:,}: {slope:.3f} (spends {exact.spending:,.0f})")
    return {
        "id": "lower-bound",
        "text": "If E R <= f(T) + b E[C] for every adversary and T with f(T)/T -> 0, then b >= (2 + alpha)/(1 - rho).",
        "condition": "two arms, alpha < Delta/r_2",
        "label": "proved" if broken == 0 else "broken",
        "states": checked,
        "violations": broken,
        "evidence": f"The equalities of one round that the proof uses, in exact fractions in {checked} states of a "
        f"grid, {broken} violations. Its attack played, means 0.9 and 0.5, alpha = {rate}, p_0 = {p0}, 600 runs: "
        f"{paid['mean']:.4f} ± {paid['half_width_95']:.4f} of corruption a round ({cost:.4f} in the limit) for "
        f"{lost['mean']:.4f} ± {lost['half_width_95']:.4f} of regret ({float(game.gap):g}). Exact optimum, regret "
        f"bought by a unit at a price of 97 % of the bound {least:.3f}: {'; '.join(rows)}.",
    }


def certified() -> dict[str, Any]:
    """Certificates for three games, each verified over all states."""
    rows, cells, verified = [], 0, True
    for means, rate in (((0.9, 0.8), 0.05), ((0.9, 0.8), 0.03125), ((0.6, 0.5), 0.05)):
        found = certify(two_arms(means, rate))
        verified = verified and found.verified
        cells += sum(check.cells for check in found.checks)
        b, least = float(found.potential.price), float(found.game.least_price)
        rows.append(f"{means[0]:g}/{means[1]:g} at {rate:g}: b = {b:g} (least possible {least:.4g})")
    return {
        "id": "certificates",
        "text": "For these games E R <= const + log_coefficient ln(1 + alpha T/(2(1-alpha))) + b C.",
        "condition": "two Bernoulli arms, the means and step named",
        "label": "certified" if verified else "not certified",
        "states": cells,
        "violations": 0,
        "evidence": f"{'; '.join(rows)}; verified on {cells:,} cells that cover every state.",
    }


def weighed(progress: Callable[[str], None] = lambda _: None) -> list[dict[str, Any]]:
    """All of them; more than 100,000 states each for those about K arms."""
    told = []
    for theorem in THEOREMS:
        progress(theorem.id)
        many = len(arms_of(theorem)) > 1
        told.append(one(theorem, games=5 if many else 20, count=1_200 if many else 300))
    progress("lower-bound")
    told.append(lower())
    progress("certificates")
    told.append(certified())
    return told
