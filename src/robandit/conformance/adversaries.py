"""Laws of adversaries."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from robandit.conformance.law import Law, check, require, require_same_play
from robandit.environments.bernoulli import Bernoulli
from robandit.game import Adversary
from robandit.lab.runner import Runner, prepare
from robandit.lab.scenario import Scenario
from robandit.policies.samba import Samba
from robandit.policies.thompson import Thompson
from robandit.policies.ucb1 import Ucb1
from robandit.policies.uniform import Uniform

AnyAdversary = Adversary[Any]
MEANS = (0.3, 0.45, 0.8)
VICTIMS = (Samba(), Ucb1(), Thompson())


def small_game(adversary: AnyAdversary, policy: Any, horizon: int, runs: int) -> Runner:
    """A small game on three Bernoulli arms."""
    return prepare(Scenario(policy, Bernoulli(MEANS), adversary, horizon=horizon, runs=runs, seed=5), 20)


def budget_is_kept(adversary: AnyAdversary) -> None:
    """Never a cent more than the budget, whatever the way of charging, in any round of any run."""
    for budget, charge in ((0.0, "cost"), (0.3, "cost"), (7.7, "cost"), (7.0, "rounds"), (1e9, "cost")):
        variant = replace(adversary, budget=budget, charge=charge)
        for policy in VICTIMS:
            play = small_game(variant, policy, 2000, 5)
            sums = play.play_compiled(slice(0, 5)).record.sums  # the loop's own: what is recorded ends at the budget
            spent = sums[:, 1] if charge == "cost" else play.buffers.changed
            require((spent <= budget * (1 + 1e-12)).all(), f"it spent {spent.max()!r} of {budget} charged by {charge}")
            require((np.diff(play.buffers.paid, axis=1) >= 0.0).all(), "its bill went down")


def budget_is_spent(adversary: AnyAdversary) -> None:
    """What the schedule leaves room for is spent to the last fraction: 2.3 is no multiple of any step here.

    Room is left by SAMBA, which learns, or by uniform play, whose p(t) never changes.
    """
    spent = []
    for policy in (Samba(), Uniform()):
        play = small_game(replace(adversary, budget=2.3, charge="cost"), policy, 20_000, 5)
        play.play_compiled(slice(0, 5))
        spent.append(play.buffers.paid[:, -1])
    require(any(np.allclose(paid, 2.3, rtol=1e-12, atol=0) for paid in spent), f"it spent {spent} of 2.3")


def compiled_equals_interpreted(adversary: AnyAdversary) -> None:
    """Bit for bit against three kinds of policy, with and without the compiler's whole effort."""
    for policy, effort in zip(VICTIMS, ("full", "brief", "brief"), strict=True):
        require_same_play(partial(small_game, adversary, policy, 400, 2), f"against {policy}", effort)


def same_seed(adversary: AnyAdversary) -> None:
    """The same seed gives the same corruption, however the runs are cut."""
    plays = [small_game(adversary, Samba(), 1000, 6) for _ in range(2)]
    plays[0].play_compiled(slice(0, 6))
    for run in (4, 0, 5, 2, 1, 3):
        plays[1].play_compiled(slice(run, run + 1))
    same = all(
        np.array_equal(getattr(plays[0].buffers, name), getattr(plays[1].buffers, name)) for name in ("paid", "regret")
    )
    require(same, "two plays with the same seed differ")


def watching_is_free(adversary: AnyAdversary) -> None:
    """An adversary with next to nothing to spend leaves the policy's choices as they were.

    One that sees the draw does not watch p(t), and even a trace of a reward is a reward: it is left out.
    """
    for policy in VICTIMS if not adversary.sees_draw else ():
        plays = [
            small_game(replace(adversary, budget=budget, charge="cost"), policy, 1000, 3) for budget in (0.0, 1e-300)
        ]
        for play in plays:
            play.play_compiled(slice(0, 3))
        require(np.array_equal(plays[0].buffers.pulls, plays[1].buffers.pulls), f"watching changed what {policy} chose")


ADVERSARY_LAWS: dict[str, Law] = {
    law.__name__: law
    for law in (budget_is_kept, budget_is_spent, compiled_equals_interpreted, same_seed, watching_is_free)
}


def check_adversary(adversary: AnyAdversary) -> None:
    """Hold an adversary to every law."""
    check(adversary, ADVERSARY_LAWS)
