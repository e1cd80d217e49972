"""Laws of environments."""

from typing import Any

import numpy as np

from robandit.catalogue import attack
from robandit.conformance.law import Law, check, require, require_same_play
from robandit.dice import Random, seed_words
from robandit.game import Environment, Policy
from robandit.lab.runner import prepare
from robandit.lab.scenario import Scenario
from robandit.policies.samba import Samba
from robandit.policies.slates.counting import CombUcb1

AnyEnvironment = Environment[Any]
DRAWS = 2000
SLACK = (
    np.log(2e9) / (2 * DRAWS)
) ** 0.5  # Hoeffding: a mean of 2,000 rewards in [0, 1] strays further with probability < 1e-9


def rewards(environment: AnyEnvironment, arm: int, mean: float, seed: int) -> Any:
    """Rewards of one arm whose mean was moved."""
    random, tables = Random(*map(int, seed_words(seed, range(1))[0, 0])), environment.start()
    return np.array([environment.reward(tables, arm, mean, random.uniform()) for _ in range(DRAWS)])


def in_range_and_on_the_mean(environment: AnyEnvironment) -> None:
    """Rewards lie in [0, 1] and their mean is the arm's, where it stands and where an adversary moves it."""
    for arm, true_mean in enumerate(environment.means):
        for mean in (true_mean, 0.5 * true_mean, 0.5 + 0.5 * true_mean, 0.0, 1.0):
            seen = rewards(environment, arm, mean, 40 + arm)
            require(seen.min() >= 0.0 and seen.max() <= 1.0, f"arm {arm} paid {seen.min()} to {seen.max()}")
            off = abs(seen.mean() - mean)
            require(off <= SLACK, f"arm {arm} with mean {mean:g} paid {seen.mean():.4f} on average")


def rises_with_the_uniform(environment: AnyEnvironment) -> None:
    """The reward is monotone in its uniform (inverse CDF): that is what makes runs comparable in pairs."""
    tables, grid = environment.start(), np.linspace(0.0005, 0.9995, 999)
    for arm, mean in enumerate(environment.means):
        steps = np.diff([environment.reward(tables, arm, mean, float(uniform)) for uniform in grid])
        require((steps >= 0.0).all() or (steps <= 0.0).all(), f"the reward of arm {arm} is not monotone")


def compiled_equals_interpreted(environment: AnyEnvironment) -> None:
    """Bit for bit, corrupted too."""
    adversary = attack("flip", schedule="even", budget=20.5, size=0.7)
    if environment.is_contextual:
        adversary = attack("sink-best", budget=20.5)
    policy: Policy[Any] = Samba() if environment.family is None else CombUcb1()
    scenario = Scenario(policy, environment, adversary, horizon=300, runs=2, seed=9)
    require_same_play(lambda: prepare(scenario, 10), f"with {environment.name}")


def world_in(environment: AnyEnvironment, means: Any, seed: int) -> Any:
    """The means of 500 rounds, one row per round, in an array that a run before this one left."""
    random, tables = Random(*map(int, seed_words(seed, range(1))[0, 0])), environment.start()
    rows = []
    for t in range(500):
        environment.change(tables, t, means, random)
        rows.append(means.copy())
    return np.array(rows)


def changes_by_itself(environment: AnyEnvironment) -> None:
    """A world that changes begins with its means, whatever was before, stays in [0, 1], and does change."""
    if not environment.changes:
        return
    first = world_in(environment, np.array(environment.means), 50)
    again = world_in(environment, np.zeros(len(environment.means)), 50)
    require(np.array_equal(first, again), "a second run with the same random numbers met another world")
    require(np.allclose(first[0], environment.means, atol=1e-12), f"round 0 has the means {first[0]}")
    require(bool(((first >= 0.0) & (first <= 1.0)).all()), "a mean left [0, 1]")
    require(bool((first != first[0]).any()), "no mean moved in 500 rounds")


ENVIRONMENT_LAWS: dict[str, Law] = {
    law.__name__: law
    for law in (in_range_and_on_the_mean, rises_with_the_uniform, compiled_equals_interpreted, changes_by_itself)
}


def check_environment(environment: AnyEnvironment) -> None:
    """Hold an environment to every law."""
    check(environment, ENVIRONMENT_LAWS)
