"""Measuring rows: one policy in one environment against one attacker, at every level of what the attacker has.

The attack is chosen on seeds of its own and reported on the suite's, which no choice has seen.
"""

import hashlib
import json
import math
import time
from dataclasses import asdict, dataclass, replace
from typing import Any

from robandit.catalogue import SHIPPED, Catalogue, read_capability
from robandit.errors import InputError
from robandit.estimates import estimate, summarise
from robandit.executor import check_same_code
from robandit.game import Adversary
from robandit.lab.scenario import Scenario
from robandit.redteam.candidate import Candidate
from robandit.redteam.evaluate import Evaluator, Play, block_seed
from robandit.redteam.injection import PATTERNS, Injection
from robandit.redteam.price import CHOOSING, HALF
from robandit.redteam.search import best_of, race
from robandit.store.code import code_hash, texts_hash

CHOOSING_RUNS = 16  # of each way to poison a history
CODE = ("suite.measure", "redteam.evaluate", "redteam.search", "redteam.injection")  # what turns plays into a row


@dataclass(frozen=True)
class RowTask:
    """The rows of one policy, environment and attacker; plain values only, so that any machine can measure them."""

    policy: str
    environment: str
    means: tuple[float, ...]
    slate: int
    horizon: int
    threat: str
    can: str
    has: str  # budgets, shares or rows; nothing for nobody
    levels: tuple[float, ...]
    attacks: tuple[tuple[str, str, str], ...]
    race: tuple[tuple[int, float], ...]
    history: int
    runs: int
    seed: int

    def scenario(self, level: float, catalogue: Catalogue = SHIPPED) -> Scenario:
        """What is attacked at a level."""
        can = read_capability(self.can)
        return Scenario(
            catalogue.policy(self.policy),
            catalogue.environment(self.environment, self.means or None),
            horizon=self.horizon,
            runs=self.runs,
            seed=self.seed,
            slate=self.slate,
            capability=replace(can, share=level) if self.has == "shares" else can,
            catalogue=catalogue,
        )

    def check(self, catalogue: Catalogue = SHIPPED) -> None:
        """Raise InputError if the policy cannot play here, or no attack can be carried out."""
        scenario = self.scenario(self.levels[0], catalogue)
        scenario.policy.start(scenario.setting())  # raises where it needs features and there are none
        if self.has == "rows":
            Injection(scenario, self.history).check()
        elif self.has and not self.candidates(scenario):
            raise InputError("no attack of the suite can be carried out here")

    def candidates(self, scenario: Scenario) -> list[Candidate]:
        """The attacks that can be carried out here, and those of the user's own files."""
        own = [
            Candidate(cls.about.name)
            for name, cls in scenario.catalogue.parts("adversary").items()
            if name not in SHIPPED.parts("adversary") and cls.sees_draw == (self.threat == "B")
        ]
        attacks = [*(Candidate(*words) for words in self.attacks), *own]
        return [attack for attack in attacks if fits(attack, scenario)]

    def key(self, catalogue: Catalogue = SHIPPED) -> str:
        """A digest of the task and of the code that measures it."""
        scenario = self.scenario(self.levels[0], catalogue)
        attacks = [] if self.has in ("", "rows") else self.candidates(scenario)
        adversaries = [one.adversary(1.0, catalogue=catalogue, capability=scenario.capability) for one in attacks]
        code = code_hash(scenario.policy, scenario.environment, *adversaries)
        names = [attack.flags() for attack in attacks]
        content = json.dumps([asdict(self), names, repr(scenario.environment), code, texts_hash(CODE)], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:32]


def fits(attack: Candidate, scenario: Scenario) -> bool:
    """Whether an attack can be carried out: within the attacker's capability, on this many arms."""
    adversary: Adversary[Any] = attack.adversary(1.0, catalogue=scenario.catalogue)
    try:
        adversary.start(scenario.means, scenario.horizon)
    except InputError:
        return False
    return scenario.capability.allows(adversary.direction) if adversary.sees_draw else True


def measure_rows(values: dict[str, Any], load: list[str], key: str) -> dict[str, Any]:
    """Measure a task; returns its rows, which the task determines, and the seconds it took, which it does not.

    Raises InputError on a machine whose code files the task under another key.
    """
    catalogue, begun = SHIPPED.with_files(load), time.perf_counter()
    task = RowTask(**{name: as_tuple(value) for name, value in values.items()})
    check_same_code(task.key(catalogue), key)
    measure = {"": measure_clean, "rows": measure_injection}.get(task.has, measure_attack)
    rows = [measure(task, level, catalogue) for level in task.levels]
    return {"rows": rows, "seconds": time.perf_counter() - begun}


def as_tuple(value: Any) -> Any:
    """Lists as tuples, anything else as it is."""
    return tuple(map(as_tuple, value)) if isinstance(value, list | tuple) else value


def measure_clean(task: RowTask, level: float, catalogue: Catalogue) -> dict[str, Any]:
    """The row without an attack."""
    scenario = task.scenario(level, catalogue)
    return row_of(scenario, level, Evaluator(scenario, threads=1).outcome(Play(None, 0.0, task.seed, task.runs)))


def measure_attack(task: RowTask, level: float, catalogue: Catalogue) -> dict[str, Any]:
    """The row under the worst attack of the race."""
    scenario = task.scenario(level, catalogue)
    budget = level if task.has == "budgets" else math.inf
    evaluator, attacks = Evaluator(scenario, threads=1), task.candidates(scenario)
    worst = best_of(race(evaluator, budget, attacks, task.race))
    outcome = evaluator.outcome(Play(worst, budget, task.seed, task.runs))
    return row_of(scenario, level, outcome, worst.flags(scenario.capability), len(attacks))


def measure_injection(task: RowTask, level: float, catalogue: Catalogue) -> dict[str, Any]:
    """The row after a poisoned history: the worst way to poison it, chosen on other seeds."""
    scenario, rows = task.scenario(level, catalogue), int(level)
    choosing = Injection(replace(scenario, runs=CHOOSING_RUNS), task.history)
    seed = block_seed(task.seed, CHOOSING)
    harm = {pattern: sum(choosing.play(rows, pattern, seed)[1]) for pattern in PATTERNS}
    worst = max(PATTERNS, key=lambda pattern: harm[pattern])
    shares, regrets = Injection(scenario, task.history).play(rows, worst, task.seed)
    outcome = {"regret": regrets, "best_share": shares, "paid": [float(rows)] * len(regrets)}
    return row_of(scenario, level, outcome, worst, len(PATTERNS))


def row_of(
    scenario: Scenario, level: float, outcome: dict[str, Any], attack: str | None = None, tried: int = 0
) -> dict[str, Any]:
    """A row: its score with the 95 % interval, and what it rests on."""
    even = scenario.rounds * float(scenario.gaps.mean())  # the regret of drawing arms evenly
    score, regret = estimate([1.0 - value / even for value in outcome["regret"]]), summarise(outcome["regret"])
    checks = outcome.get("checks")
    return {
        "level": level or None,
        "score": score.mean,
        "half_width_95": score.half_width,
        "regret": regret["mean"],
        "best_share": sum(outcome["best_share"]) / len(outcome["best_share"]),
        "fooled": sum(share < HALF for share in outcome["best_share"]) / len(outcome["best_share"]),
        "paid": sum(outcome["paid"]) / len(outcome["paid"]),
        "checks": None if checks is None else sum(checks) / len(checks),
        "attack": attack,
        "tried": tried,
    }
