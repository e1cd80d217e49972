"""The exact worst attack with its confirmation and its picture: what `robandit paper optimum` prints."""

from pathlib import Path
from typing import Any

from robandit.environments.bernoulli import Bernoulli
from robandit.errors import InputError
from robandit.lab.batch import simulate
from robandit.policies.samba import Samba
from robandit.theory.optimal_attack import OptimalAttack, OptimumTerms, solve_terms
from robandit.theory.three_arms import ThreeArms, three_arms


def find_optimum(terms: OptimumTerms, runs: int = 0, seed: int = 1, picture: Path | None = None) -> dict[str, Any]:
    """Returns the terms, and regret and spending of the worst attack within them.

    Args:
        runs: How often the attack is played to confirm the result.
        picture: A file for the picture of where it strikes.

    Raises InputError for terms that cannot be solved: with three arms only a price in threat model A is.
    """
    simulated = None
    if len(terms.means) == 3:
        optimum: OptimalAttack | ThreeArms = solve_three(terms, runs, picture)
    else:
        optimum = attack = solve_terms(terms, playable=runs > 0 or (picture is not None and terms.budget is not None))
        if runs:
            simulated = confirm(attack, runs, seed)
        if picture:
            draw(attack, picture)
    return {
        "policy": "samba",
        "learning_rate": terms.learning_rate,
        "means": list(terms.means),
        "horizon": terms.horizon,
        "price": terms.price,
        "budget": terms.budget,
        "threat": terms.threat,
        "regret": optimum.regret,
        "spending": optimum.spending,
        "clean_regret": optimum.clean_regret,
        "simulated": simulated,
    }


def solve_three(terms: OptimumTerms, runs: int, picture: Path | None) -> ThreeArms:
    """Returns the optimum with three arms. Raises InputError for all but a price in threat model A."""
    if terms.price is None or terms.budget is not None or terms.threat != "A":
        raise InputError("with three arms only a price in threat model A is solved: leave out budget and threat")
    if runs or picture:
        raise InputError("with three arms nothing is played or drawn; `robandit paper theory prices` draws")
    rate, horizon, step = terms.learning_rate, terms.horizon, terms.step or 0.1
    return three_arms(terms.means, learning_rate=rate, horizon=horizon, price=terms.price, step=step)


def confirm(attack: OptimalAttack, runs: int, seed: int) -> dict[str, Any]:
    """Returns regret and corruption of the attack as the lab plays it."""
    policy, game, horizon = Samba(attack.terms.learning_rate), Bernoulli(attack.terms.means), attack.terms.horizon
    trace = simulate(policy, game, attack.adversary, horizon=horizon, runs=runs, seed=seed, checkpoints=1)
    return {"runs": runs, **trace.summary(), "paid_mean": float(trace.corruption_paid[:, -1].mean())}


def draw(attack: OptimalAttack, picture: Path) -> None:
    """Draws at which p(t) the attack strikes, over time."""
    from robandit.pictures.optimum import draw_attack_shape
    from robandit.theory.reached import reached_states

    terms, (low, high) = attack.terms, attack.steps
    actions = {
        "A": (f"move both means by {low:g}", f"strike with {high:g}, one mean as far as it goes"),
        "B": ("flip the best arm's successes", "flip the rival's failures", "flip both"),
    }
    title = f"The worst attack makes SAMBA lose {attack.regret:,.0f} in place of {attack.clean_regret:,.0f}"
    subtitle = (
        f"exact; step {terms.learning_rate:g}, means {'/'.join(f'{mean:g}' for mean in terms.means)}, threat model "
        f"{terms.threat}, {terms}{'' if terms.budget is None else '; what most runs at that p do'}"
    )
    decisions = ("leave alone", *actions[terms.threat])
    shape = (attack.rounds, attack.probabilities, *reached_states(attack))
    draw_attack_shape(*shape, decisions, (title, subtitle)).save(picture)
