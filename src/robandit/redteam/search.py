"""The worst attack within a budget: a race through the catalogue, then CMA-ES in the adaptive family.

All attacks meet the same random streams (common seeds), weak ones are dropped after few runs, and the winner is
reported on seeds that had no part in choosing it: the best of many is flattered by its own seeds.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from robandit.adversaries.attacks import runner_up
from robandit.errors import InputError
from robandit.estimates import summarise
from robandit.extras import require
from robandit.game import Adversary, Floats
from robandit.lab.comparison import adversary_record, finite_or_none, shape_record
from robandit.lab.scenario import Scenario
from robandit.policies.phased import Phased
from robandit.redteam import EVALUATIONS
from robandit.redteam.candidate import Candidate, catalogue_attacks, check_threat, shortlist
from robandit.redteam.evaluate import Evaluator, Play, block_seed, is_quiet, undetected_regret
from robandit.redteam.family import Family
from robandit.version import __version__

BLOCK = 4  # runs in a block of seeds
RACE = ((1, 0.25), (3, 0.25), (8, 1.0))  # blocks played by then, and the share that goes on
EARLY, LATE = 2, 8  # blocks in a generation of CMA-ES: for all, for the better half
FINALISTS = 12
FINAL = ((16, 0.34), (64, 1.0))
COLD, WARM = 0.35, 0.12  # first step of CMA-ES, in units of the cube


@dataclass(frozen=True)
class SearchOptions:
    """How the worst attack is searched for."""

    threat: str = "A"
    evaluations: int = EVALUATIONS  # attacks of the adaptive family tried, about
    quick: bool = False  # only a short list: enough to compare many policies, too few for a verdict on one


USUAL = SearchOptions()


@dataclass(frozen=True)
class AttackFinding:
    """The worst attack of a search, and what it does on the seeds that chose it and on fresh ones."""

    scenario: Scenario
    options: SearchOptions
    candidate: Candidate
    budget: float
    regret: dict[str, Any]  # on fresh seeds
    paid: float
    in_sample: dict[str, Any]
    clean: dict[str, Any]
    plain: Candidate  # the best attack of the catalogue as it stands
    plain_regret: dict[str, Any]
    evaluations: int
    undetected: float | None = None  # the level of the homogeneity test; None where nobody tests
    detected: float | None = None  # the share of fresh runs in which it rang

    def __repr__(self) -> str:
        """The attack and its harm in a line; the rest are attributes."""
        regret, clean = self.regret, self.clean["mean"]
        words = f"regret {regret['mean']:,.1f} ± {regret['half_width_95']:,.1f} on fresh seeds, {clean:,.1f} without it"
        return f"<AttackFinding: {self.candidate.attack} within {self.budget:,.6g}: {words}>"

    def adversary(self, candidate: Candidate) -> Adversary[Any]:
        """An attack of this search, ready to be played."""
        scenario = self.scenario
        return candidate.adversary(self.budget, scenario.charge, scenario.catalogue, scenario.capability)

    def to_json(self, replay: str | None = None) -> dict[str, Any]:
        """The finding under the names of the contract; `replay` is the command that plays the attack again."""
        policy, environment = self.scenario.policy, self.scenario.environment
        plain = {"attack": adversary_record(self.adversary(self.plain)), "regret": self.plain_regret}
        return {
            "version": __version__,
            "policy": policy.name,
            "label": str(policy),
            "parameters": policy.parameters(),
            "environment": {"name": environment.name, "means": list(environment.means)},
            "horizon": self.scenario.horizon,
            **shape_record(self.scenario),
            "runs": self.scenario.runs,
            "seed": self.scenario.seed,
            "quick": self.options.quick,
            "threat": self.options.threat,
            "budget": finite_or_none(self.budget),
            "attack": adversary_record(self.adversary(self.candidate)),
            "replay": replay,
            "regret": self.regret,
            "paid_mean": self.paid,
            "in_sample": self.in_sample,
            "baseline": self.clean,
            "catalogue": None if self.options.quick else plain,
            "told": getattr(policy, "corruption", 0) is None,
            "evaluations": self.evaluations,
            "undetected": self.undetected,
            "detected": self.detected,
        }


def worst_attack(evaluator: Evaluator, budget: float, options: SearchOptions = USUAL) -> AttackFinding:
    """Search, choose, and report on the scenario's own seed, which no choice has seen.

    Raises InputError, before anything is played, for what cannot be searched.
    """
    check_search(evaluator, budget, options)
    scenario = evaluator.scenario
    evaluator.planned = evaluator.planned or planned_runs(scenario, options)
    evaluator.tried.clear()
    if options.quick:
        values = race(evaluator, budget, first_attacks(scenario, options), RACE)
        plain = winner = best_of(values)
    else:
        values = race(evaluator, budget, first_attacks(scenario, options), RACE)
        plain = best_of(values)
        if options.evaluations:
            values |= search_family(evaluator, budget, options)
        finalists = sorted(values, key=lambda one: values[one], reverse=True)[:FINALISTS]
        winner = best_of(race(evaluator, budget, finalists, FINAL))
    blocks = (RACE if options.quick else FINAL)[-1][0]
    seed = scenario.seed
    last = [Play(one, budget if one else 0.0, seed, scenario.runs) for one in (winner, None, plain)]
    evaluator.remember(last)
    fresh, quiet, usual = map(evaluator.outcome, last)
    choosing = [Play(winner, budget, block_seed(seed, block), BLOCK) for block in range(blocks)]
    in_sample = [regret for play in choosing for regret in undetected_regret(evaluator.outcome(play)).tolist()]
    return AttackFinding(
        scenario,
        options,
        winner,
        budget,
        summarise(undetected_regret(fresh)),
        float(np.mean(fresh["paid"])),
        summarise(in_sample),
        summarise(quiet["regret"]),
        plain,
        summarise(undetected_regret(usual)),
        len(evaluator.tried),
        evaluator.undetected,
        None if evaluator.undetected is None else float(1.0 - np.mean(is_quiet(fresh))),
    )


def check_search(evaluator: Evaluator, budget: float, options: SearchOptions) -> None:
    """Raise InputError for what cannot be searched."""
    can = evaluator.scenario.capability
    check_threat(options.threat)
    evaluator.check()
    if can.limited and options.threat == "A":
        raise InputError("what an attacker can do to rewards is said of threat model B, which sees the draw, not of A")
    if not 0.0 < budget < np.inf and not (budget == np.inf and can.limited):
        raise InputError(f"budget must be a number above 0, not {budget:g}")
    if options.evaluations < 0:
        raise InputError(f"evaluations must be at least 0, not {options.evaluations}")
    if evaluator.scenario.arms < 2:
        raise InputError("a search needs at least 2 arms; 1 was given")


def first_attacks(scenario: Scenario, options: SearchOptions) -> list[Candidate]:
    """The attacks that are raced first: the short list, or all of the catalogue."""
    phased, allowed = isinstance(scenario.policy, Phased), (scenario.catalogue, scenario.capability)
    if options.quick:
        return shortlist(options.threat, scenario.arms, phased, *allowed)
    return catalogue_attacks(options.threat, phased, *allowed)


def search_family(evaluator: Evaluator, budget: float, options: SearchOptions) -> dict[Candidate, float]:
    """Mean regret of the better attacks of the adaptive family: half of the search starts warm, half cold."""
    scenario = evaluator.scenario
    means, evaluations = scenario.means, options.evaluations
    family = Family(options.threat, scenario.arms, scenario.horizon, scenario.capability.can)
    efficient = min(1.0 - float(means[runner_up(means)]), float(means.max()))
    points = {family.candidate(point): point for point in family.warm(efficient)}
    warm = race(evaluator, budget, list(points), RACE)
    start, half = points[best_of(warm)], evaluations // 2
    close = evolve(evaluator, budget, family, start, WARM, half, 1)
    far = evolve(evaluator, budget, family, np.full(len(start), 0.5), COLD, evaluations - half, 2)
    return warm | close | far


def planned_runs(scenario: Scenario, options: SearchOptions) -> int:
    """About how many runs a search plays."""
    attacks = len(first_attacks(scenario, options))
    if options.quick:
        return 9 * BLOCK * attacks // 3 + 3 * scenario.runs
    attacks += 48 if options.threat == "A" else 8
    family = options.evaluations * (EARLY + LATE / 2)
    blocks = attacks * (1 + 0.25 * 3 + 0.07 * 8) + family + FINALISTS * (16 + 0.42 * 64)
    return int(BLOCK * blocks) + 3 * scenario.runs


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
    limits = np.tile([0.0, 1.0], (len(start), 1))
    search = require("cmaes", "the search").CMA(mean=np.clip(start, 0.02, 0.98), sigma=step, bounds=limits, seed=seed)
    values: dict[Candidate, float] = {}
    for _ in range(math.ceil(evaluations / search.population_size)):
        points = [search.ask() for _ in range(search.population_size)]
        attacks = [family.candidate(point) for point in points]
        early = evaluator.mean_regrets(list(dict.fromkeys(attacks)), budget, EARLY, BLOCK)
        order = sorted(range(len(points)), key=lambda place: early[attacks[place]], reverse=True)
        ahead, behind = order[: len(order) // 2], order[len(order) // 2 :]
        late = evaluator.mean_regrets(list(dict.fromkeys(attacks[place] for place in ahead)), budget, LATE, BLOCK)
        values |= late
        ahead.sort(key=lambda place: late[attacks[place]], reverse=True)
        ranks = {place: rank for rank, place in enumerate([*ahead, *behind])}
        search.tell([(point, float(ranks[place])) for place, point in enumerate(points)])
    return values
