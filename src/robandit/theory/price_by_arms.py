"""What a unit of corruption costs as the number of arms grows: measured under an attack, proved from below and above.

The game has equal rivals, the attack is that of `many_rivals`: the means exchanged while the best arm leads. Its price
is the regret over the corruption paid in the second half of the rounds, when the play has settled. Two ways to choose
the step: small, rho = 1/(4 K^2), where the proved order K shows; and fixed, rho = 0.1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from robandit.catalogue import SHIPPED
from robandit.environments.bernoulli import Bernoulli
from robandit.errors import InputError
from robandit.estimates import estimate_ratio
from robandit.lab.batch import simulate
from robandit.policies.samba import Samba
from robandit.progress import Progress, report_to
from robandit.theory.games import SambaGame, exact
from robandit.theory.many_rivals import bound_drifts
from robandit.theory.theorems import THEOREMS

SCHEDULE = "contested:rivalry=0.01"  # rivals that have less together are not worth a strike
LEAST_ROUNDS, SETTLED = 200_000, 6  # T, and T in units of K/(alpha Delta), the time in which all arms move


@dataclass(frozen=True)
class StepFamily:
    """A way to choose the step: a share of its limit by number of arms, and the numbers of arms to play."""

    name: str
    words: str
    share: Callable[[int], Fraction]
    arms: tuple[int, ...]


FAMILIES = (
    StepFamily("small", "rho = 1/(4 K^2)", lambda arms: Fraction(1, 4 * arms * arms), (3, 6, 12, 24, 48)),
    StepFamily("fixed", "rho = 0.1", lambda arms: Fraction(1, 10), (3, 6, 12, 24, 48, 96, 192, 384, 768)),
)


def price_of(game: SambaGame, horizon: int, runs: int, seed: int) -> dict[str, Any]:
    """Plays the attack; returns the regret a unit of corruption buys in the second half, with its interval."""
    attack = SHIPPED.attack("invert", schedule=SCHEDULE, size=float(game.gap), budget=1e9)
    means = tuple(float(mean) for mean in game.means)
    trace = simulate(
        Samba(float(game.rate)),
        Bernoulli(means),
        attack,
        horizon=horizon,
        runs=runs,
        seed=seed,
        checkpoints=[horizon // 2, horizon],
    )
    regret, paid = (values[:, 1] - values[:, 0] for values in (trace.regret, trace.corruption_paid))
    price = estimate_ratio(regret, paid)
    return {"mean": price.mean, "half_width_95": price.half_width, "runs": runs}


def work_out_row(family: StepFamily, arms: int, means: tuple[float, float], runs: int, seed: int) -> dict[str, Any]:
    """Returns one number of arms: measured, the lower bound, and the prices Theorems 3 and 4 prove."""
    best, rival = (exact(mean) for mean in means)
    rate = family.share(arms) * (best - rival) / rival
    game = SambaGame((best, *(rival for _ in range(arms - 1))), rate)
    third, fourth = THEOREMS[3:]
    horizon = max(LEAST_ROUNDS, int(SETTLED * arms / (rate * game.gap)))
    return {
        "steps": family.name,
        "arms": arms,
        "rho": float(game.rho),
        "learning_rate": float(rate),
        "horizon": horizon,
        "measured": price_of(game, horizon, runs, seed) if runs else None,
        "least": float(bound_drifts(game).least_price),
        "theorem_3": float(third.potential(game).prices[1]) if third.applies(game) else None,
        "theorem_4": float(fourth.potential(game).prices[1]) if fourth.applies(game) else None,
    }


def tabulate_prices(
    means: tuple[float, float],
    runs: int,
    seed: int,
    most: int = 768,
    picture: Path | None = None,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """Returns the price of a unit for each family of steps and number of arms up to `most`, and draws it.

    With `runs` = 0 nothing is played, and only what is proved is returned. Raises InputError for a picture of that.
    """
    if picture and runs < 2:
        raise InputError(f"the picture has measured prices with intervals: runs must be at least 2, not {runs}")
    plan = [(family, arms) for family in FAMILIES for arms in family.arms if arms <= most]
    work, rows = sum(arms * arms for _, arms in plan), []
    with report_to(progress) as report:
        for done, (family, arms) in enumerate(plan):
            report(sum(before * before for _, before in plan[:done]) / work)
            rows.append(work_out_row(family, arms, means, runs, seed))
    if picture:
        from robandit.pictures.price_by_arms import draw_price_by_arms

        titles = {family.name: f"{family.name.capitalize()} steps, {family.words}" for family in FAMILIES}
        draw_price_by_arms(rows, titles, means).save(picture)
    return {
        "means": list(means),
        "attack": f"invert by {means[0] - means[1]:g} on {SCHEDULE}",
        "families": {family.name: family.words for family in FAMILIES},
        "rows": rows,
        "picture": None if picture is None else str(picture),
    }
