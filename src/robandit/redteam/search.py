"""The worst attack within a budget: a race through the catalogue, then CMA-ES in the adaptive family.

All attacks meet the same luck (common seeds), weak ones are dropped after few runs, and the winner is
reported on seeds that had no part in choosing it: the best of many is flattered by its own seeds.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from robandit.adversaries.attacks import runner_up
from robandit.errors import InputError
from robandit.game import Floats
from robandit.lab.trace import summarised
from robandit.policies.phased import Phased
from robandit.redteam.candidate import Candidate, catalogue_attacks, check_threat, shortlist
from robandit.redteam.evaluate import Evaluator, Play, block_seed
from robandit.redteam.family import Family

BLOCK = 4  # runs in a block of seeds
RACE = ((1, 0.25), (3, 0.25), (8, 1.0))  # blocks played by then, and the share that goes on
GLANCE, LOOK = 2, 8  # blocks in a generation of CMA-ES: for all, for the better half
FINALISTS = 12
EVALUATIONS = 160  # attacks of the family tried by default
FINAL = ((16, 0.34), (64, 1.0))
COLD, WARM = 0.35, 0.12  # first step of CMA-ES, in units of the cube


@dataclass(frozen=True)
class Finding:
    """The worst attack found, and what it does on the seeds that chose it and on fresh ones."""

    candidate: Candidate
    budget: float
    regret: dict[str, Any]  # on fresh seeds
    paid: float
    in_sample: dict[str, Any]
    clean: dict[str, Any]
    plain: Candidate  # the best attack of the catalogue as it stands
    plain_regret: dict[str, Any]
    evaluations: int


def worst_attack(
    evaluator: Evaluator,
    threat: str,
    budget: float,
    *,
    runs: int = 100,
    evaluations: int = EVALUATIONS,
    quick: bool = False,
) -> Finding:
    """Search, choose, and report on the game's own seed, which no choice has seen; `quick` tries a short list only."""
    check_search(evaluator, threat, budget, runs, evaluations)
    means = np.array(evaluator.game.environment.means)
    evaluator.tried.clear()
    phased = isinstance(evaluator.game.policy, Phased)
    allowed = (evaluator.catalogue, evaluator.capability)
    if quick:
        values = race(evaluator, budget, shortlist(threat, len(means), phased, *allowed), RACE)
        plain = winner = best_of(values)
    else:
        values = race(evaluator, budget, catalogue_attacks(threat, phased, *allowed), RACE)
        plain = best_of(values)
        if evaluations:
            values |= searched(evaluator, threat, budget, evaluations)
        finalists = sorted(values, key=lambda one: values[one], reverse=True)[:FINALISTS]
        winner = best_of(race(evaluator, budget, finalists, FINAL))
    judged = (RACE if quick else FINAL)[-1][0]
    seed = evaluator.game.seed
    fresh, quiet, usual = (
        evaluator.outcome(Play(one, budget if one else 0.0, seed, runs)) for one in (winner, None, plain)
    )
    chosen_on = [
        regret
        for block in range(judged)
        for regret in evaluator.outcome(Play(winner, budget, block_seed(seed, block), BLOCK))["regret"]
    ]
    return Finding(
        winner,
        budget,
        summarised(np.array(fresh["regret"])),
        float(np.mean(fresh["paid"])),
        summarised(np.array(chosen_on)),
        summarised(np.array(quiet["regret"])),
        plain,
        summarised(np.array(usual["regret"])),
        len(evaluator.tried),
    )


def check_search(evaluator: Evaluator, threat: str, budget: float, runs: int, evaluations: int) -> None:
    """Refuse what cannot be searched, before anything is played."""
    check_threat(threat)
    evaluator.check(runs)
    if evaluator.capability.limited and threat == "A":
        raise InputError("what an attacker can do to rewards is said of threat model B, which sees the draw, not of A")
    if not 0.0 < budget < np.inf and not (budget == np.inf and evaluator.capability.limited):
        raise InputError(f"budget must be a number above 0, not {budget:g}")
    evaluator.adversary(Candidate("flip" if threat == "A" else "sink-shown"), budget)  # refuses a wrong charge
    if evaluations < 0:
        raise InputError(f"evaluations must be at least 0, not {evaluations}")
    if len(evaluator.game.environment.means) < 2:
        raise InputError("a search needs at least 2 arms; 1 was given")


def searched(evaluator: Evaluator, threat: str, budget: float, evaluations: int) -> dict[Candidate, float]:
    """Mean regret of the better attacks of the adaptive family: half of the search starts warm, half cold."""
    means = np.array(evaluator.game.environment.means)
    family = Family(threat, len(means), evaluator.game.horizon, evaluator.capability.can)
    efficient = min(1.0 - float(means[runner_up(means)]), float(means.max()))
    points = {family.candidate(point): point for point in family.warm(efficient)}
    warm = race(evaluator, budget, list(points), RACE)
    start, half = points[best_of(warm)], evaluations // 2
    close = evolve(evaluator, budget, family, start, WARM, half, 1)
    far = evolve(evaluator, budget, family, np.full(len(start), 0.5), COLD, evaluations - half, 2)
    return warm | close | far


def planned_runs(evaluator: Evaluator, threat: str, runs: int, evaluations: int, quick: bool = False) -> int:
    """About how many runs a search plays, for a progress bar."""
    arms, phased = len(evaluator.game.environment.means), isinstance(evaluator.game.policy, Phased)
    allowed = (evaluator.catalogue, evaluator.capability)
    if quick:
        return 9 * BLOCK * len(shortlist(threat, arms, phased, *allowed)) // 3 + 3 * runs
    entered = len(catalogue_attacks(threat, phased, *allowed)) + (48 if threat == "A" else 8)
    blocks = entered * (1 + 0.25 * 3 + 0.07 * 8) + evaluations * (GLANCE + LOOK / 2) + FINALISTS * (16 + 0.42 * 64)
    return int(BLOCK * blocks) + 3 * runs


def best_of(values: dict[Candidate, float]) -> Candidate:
    """The attack with the highest value."""
    return max(values, key=lambda one: values[one])


def race(
    evaluator: Evaluator, budget: float, attacks: list[Candidate], stages: tuple[tuple[int, float], ...]
) -> dict[Candidate, float]:
    """Mean regret of the attacks that came through; the others are dropped as soon as they fall behind."""
    running, values = attacks, dict.fromkeys(attacks, 0.0)
    for blocks, share in stages:
        values = evaluator.mean_regrets(running, budget, blocks, BLOCK)
        running = sorted(running, key=lambda one: values[one], reverse=True)[: max(math.ceil(share * len(running)), 3)]
    return values


def evolve(
    evaluator: Evaluator, budget: float, family: Family, start: Floats, step: float, evaluations: int, seed: int
) -> dict[Candidate, float]:
    """CMA-ES from one start; in each generation only the better half plays the later blocks."""
    from cmaes import CMA

    limits = np.tile([0.0, 1.0], (len(start), 1))
    search = CMA(mean=np.clip(start, 0.02, 0.98), sigma=step, bounds=limits, seed=seed)
    values: dict[Candidate, float] = {}
    for _ in range(math.ceil(evaluations / search.population_size)):
        asked = [search.ask() for _ in range(search.population_size)]
        attacks = [family.candidate(point) for point in asked]
        early = evaluator.mean_regrets(list(dict.fromkeys(attacks)), budget, GLANCE, BLOCK)
        order = sorted(range(len(asked)), key=lambda place: early[attacks[place]], reverse=True)
        ahead, behind = order[: len(order) // 2], order[len(order) // 2 :]
        late = evaluator.mean_regrets(list(dict.fromkeys(attacks[place] for place in ahead)), budget, LOOK, BLOCK)
        values |= late
        ahead.sort(key=lambda place: late[attacks[place]], reverse=True)
        ranks = {place: rank for rank, place in enumerate([*ahead, *behind])}
        search.tell([(point, float(ranks[place])) for place, point in enumerate(asked)])
    return values
