"""Advice for a world that changes by itself: which policy to take, and how much it should remember.

Prices say little where the best arm changes anyway. What counts is the regret in such a world while the attacker spends
all they have; it is measured for policies that forget in different ways, and for some that do not.
"""

import math

from robandit.errors import InputError
from robandit.lab.scenario import Scenario
from robandit.redteam.candidate import Candidate, within
from robandit.redteam.measured import MeasuredPolicy, highest, with_interval

MEMORIES = (0.01, 0.03, 0.1)  # of the horizon: windows that are tried
WORDS = {"slow": 4, "fast": 20}  # how many stretches the horizon has


def changing_policies(horizon: int, budget: float) -> tuple[str, ...]:
    """Policies that forget, with several memories, beside two that do not; SAMBA cannot track, and is left out."""
    sizes = [max(int(share * horizon), 10) for share in MEMORIES]
    firm = f"bonus-thompson:linear={math.ceil(budget)}" if math.isfinite(budget) else "bonus-thompson"
    texts = ["thompson", "ucb1", *(f"window:size={size}" for size in sizes)]
    texts += [f"discount:rate={1.0 - 1.0 / sizes[1]:.6f}", f"discount:rate={1.0 - 1.0 / sizes[2]:.6f},inner=({firm})"]
    texts += ["restart", "restart:inner=kl-ucb", "restart:inner=tsallis-inf-rv"]
    if math.isfinite(budget):
        texts.append(f"restart:withstand={math.ceil(budget)},inner=({firm})")
    return tuple(texts)


def changing_attacks(scenario: Scenario) -> list[Candidate]:
    """The attacks tried: on the best arm of each round, on the one that is best first, for another, and once, late."""
    late = f"depose:first={scenario.horizon // 2}"
    texts = ("sink-best", "sink-shown", "promote", late)
    return within([Candidate(text) for text in texts], scenario.capability, scenario.catalogue)


def choose_where_it_changes(tried: list[MeasuredPolicy], budget: float) -> tuple[MeasuredPolicy, str]:
    """The least regret while the attacker spends all they have; of those within its interval, the least without any."""
    least, calm = min(tried, key=under_attack), min(tried, key=lambda one: one.clean["mean"])
    assert least.attacked is not None
    level = [one for one in tried if under_attack(one) <= highest(least.attacked)]
    chosen = min(level, key=lambda one: one.clean["mean"])
    steady = min((one for one in tried if not hasattr(one.policy, "inner")), key=under_attack)
    assert chosen.attacked is not None
    assert steady.attacked is not None
    spent = f"{budget:,.3g} forged rewards" if math.isfinite(budget) else "all that this attacker can do"
    other = "" if calm is chosen else f" ({calm.policy} has less then, {with_interval(calm.clean)})"
    forgetless = with_interval(steady.attacked)
    beside = "" if steady is chosen else f"; of those that forget nothing {steady.policy} has the least, {forgetless}"
    return chosen, (
        f"in this world, which changes, no policy of the list has clearly less regret under {spent} than its "
        f"{with_interval(chosen.attacked)}; without an attack it has {with_interval(chosen.clean)}{other}{beside}. "
        "SAMBA is not on the list: it cannot track a world that changes"
    )


def under_attack(one: MeasuredPolicy) -> float:
    """The mean regret while the attacker spends all they have."""
    return math.inf if one.attacked is None else float(one.attacked["mean"])


def change_every(text: str, horizon: int) -> int | None:
    """The rounds from one change to the next, from a word or a number; None for a world that stands still."""
    if text == "never":
        return None
    if text in WORDS:
        return max(horizon // WORDS[text], 1)
    try:
        rounds = float(text)
    except ValueError:
        rounds = math.nan
    if not 1 <= rounds <= 1e15 or rounds != int(rounds):
        words = ", ".join(("never", *WORDS))
        raise InputError(f"changes must be {words} or a number of rounds from one to the next, not {text!r}")
    return int(rounds)
