"""How much stronger a full red-team search is than the suite's standard attack, row by row, on the same fresh runs.

    python -m verification.attack_strength [ROWS] [EVALUATIONS]

Prints the score that each leaves, and the mean difference with its 95 % interval.
"""

import random
import sys

import numpy as np

from robandit.catalogue import policy
from robandit.estimates import estimate
from robandit.redteam.candidate import Candidate
from robandit.redteam.evaluate import Evaluator, Play
from robandit.redteam.search import SearchOptions, best_of, race, worst_attack
from robandit.suite.run import task_of
from robandit.suite.spec import read_suite

POLICIES = ("thompson", "ucb1", "samba", "tsallis-inf-rv", "bonus-thompson", "kl-ucb")
PLACES = ("grid", "rivals", "small", "clicks", "lift")
ATTACKERS = ("erase", "add", "before")
SEED = 25  # draws the rows


def score(evaluator: Evaluator, attack: Candidate, level: float) -> float:
    """Returns the score that an attack leaves, on the runs that the suite reports."""
    scenario = evaluator.scenario
    regrets = evaluator.outcome(Play(attack, level, scenario.seed, scenario.runs))["regret"]
    return 1.0 - float(np.mean(regrets)) / (scenario.rounds * float(scenario.gaps.mean()))


def compare(rows: int, evaluations: int) -> None:
    """Draw rows, attack each in both ways, print."""
    suite, stream, gaps = read_suite(), random.Random(SEED), list[float]()
    places = {one.name: one for one in suite.environments}
    attackers = {one.name: one for one in suite.attackers}
    for _ in range(rows):
        name, place, attacker = stream.choice(POLICIES), stream.choice(PLACES), stream.choice(ATTACKERS)
        task = task_of(suite, policy(name), places[place], attackers[attacker])
        level = stream.choice(task.levels)
        scenario = task.scenario(level)
        evaluator = Evaluator(scenario)
        standard = best_of(race(evaluator, level, task.candidates(scenario), task.race))
        full = worst_attack(evaluator, level, SearchOptions(task.threat, evaluations)).candidate
        ends = [score(evaluator, attack, level) for attack in (standard, full)]
        gaps.append(ends[0] - ends[1])
        words = f"{name} {place} {attacker} {level:g}"
        print(f"{words:40} standard {ends[0]:+.3f}  full {ends[1]:+.3f}  {full.flags()}", flush=True)
    print(
        f"the full search leaves {estimate(gaps):.3f} less, at most {max(gaps):.3f}, over {rows} rows drawn at random"
    )


if __name__ == "__main__":
    compare(*(int(word) for word in (sys.argv[1:3] if len(sys.argv) == 3 else ("12", "80"))))
