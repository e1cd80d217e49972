"""Our theorems with what was checked of each; the labels proved, certified, numerical and conjectured stay apart."""

from collections.abc import Callable
from functools import partial
from typing import Any

from robandit.estimates import estimate
from robandit.progress import Progress, report_to
from robandit.theory.certificate import certify
from robandit.theory.games import SambaGame, two_arms
from robandit.theory.lower_bound import count_violations, play_attack
from robandit.theory.optimal_attack import optimal_attack
from robandit.theory.rounds import fractions, states
from robandit.theory.search import search
from robandit.theory.theorems import THEOREMS, Theorem, round_of
from robandit.theory.weigh_rounds import GAMES

SEED = 4_711
GRID = {2: 100, 3: 16, 4: 10}  # probabilities are multiples of one over this


def enumerate_states(theorem: Theorem) -> tuple[int, int]:
    """Returns in how many states of a grid the one-round inequality was worked out in fractions, and broken."""
    checked, broken = 0, 0
    for means in (*GAMES, fractions("6/10", "5/10"), fractions("1/5", "1/10")):
        second = max(means[1:])
        for share in fractions("1/8", "1/4", "2/5", "9/10"):
            game = SambaGame(means, share * (means[0] - second) / second)
            if game.rate >= 1 or not theorem.applies(game):
                continue
            v = theorem.potential(game)
            for p in states(game.arms, GRID[game.arms]):
                drift, price, allowed = round_of(game, v, p)
                checked += 1
                broken += drift > 0 or price > allowed
    return checked, broken


def weigh_theorem(theorem: Theorem) -> dict[str, Any]:
    """Returns a theorem, enumerated and searched; more than 100,000 states for those about K arms."""
    checked, broken = enumerate_states(theorem)
    is_general = theorem.id in ("theorem-3", "theorem-4")
    arms, games, count = (range(2, 21), 5, 1_200) if is_general else (range(2, 3), 20, 300)
    searched = search(theorem, arms, games, count, SEED)
    return {
        "id": theorem.id,
        "text": theorem.text,
        "condition": theorem.condition,
        "label": "proved" if broken + searched.violations == 0 else "broken",
        "states": checked + searched.states,
        "violations": broken + searched.violations,
        "evidence": f"One-round inequality in exact fractions in {checked:,} states of a grid, {broken} violations; "
        f"random search over {searched.states:,} states of {searched.games} games, K = "
        f"{'2 to 20' if is_general else '2'}, {searched.violations} violations ({searched.exact:,} states near "
        "equality worked out in fractions; logarithms by ln(1+x) <= x); largest price met "
        f"{searched.largest_price:.3f} of the one allowed.",
    }


def weigh_lower_bound() -> dict[str, Any]:
    """b >= (2 + alpha)/(1 - rho): the proof's equalities, its attack played, and the exact optimum's slope."""
    means, rate, p0 = (0.9, 0.5), 0.2, 0.03
    game = two_arms(means, rate)
    least, cost = float(game.least_price), float(game.gap / game.least_price)
    others = two_arms((0.9, 0.8), 0.05), two_arms((0.9, 0.8), 0.12), two_arms((0.6, 0.5), 0.19)
    checked, broken = count_violations((game, *others))
    regret, corruption = (estimate(values) for values in play_attack(game, p0, 6_000, 600, SEED))
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
        f"{corruption:.4f} of corruption a round ({cost:.4f} in the limit) "
        f"for {regret:.4f} of regret ({float(game.gap):g}). Exact optimum, "
        f"regret bought by a unit at a price of 97 % of the bound {least:.3f}: {'; '.join(rows)}.",
    }


def weigh_certificates() -> dict[str, Any]:
    """Certificates for three games, each verified over all states."""
    rows, cells, verified = [], 0, True
    for means, rate in (((0.9, 0.8), 0.05), ((0.9, 0.8), 0.03125), ((0.6, 0.5), 0.05)):
        certificate = certify(two_arms(means, rate))
        verified = verified and certificate.verified
        cells += sum(check.cells for check in certificate.checks)
        b, least = float(certificate.potential.price), float(certificate.game.least_price)
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


def weigh_theorems(progress: Progress | bool | None = None) -> list[dict[str, Any]]:
    """Returns every theorem, the lower bound and the certificates with what was checked of each."""
    weighings: list[Callable[[], dict[str, Any]]] = [partial(weigh_theorem, theorem) for theorem in THEOREMS]
    weighings += [weigh_lower_bound, weigh_certificates]
    rows = []
    with report_to(progress) as report:
        for done, weigh in enumerate(weighings):
            report(done / len(weighings))
            rows.append(weigh())
    return rows
