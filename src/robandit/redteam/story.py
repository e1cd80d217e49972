"""An attack over time: regret, pulls of the best arm and spending at checkpoints, for a picture."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robandit.game import Floats
from robandit.lab.batch import simulate
from robandit.lab.scenario import Scenario

CHECKPOINTS = 200


@dataclass(frozen=True)
class AttackStory:
    """What happened over time: one row per run, one column per checkpoint."""

    rounds: NDArray[np.int64]
    regret: Floats
    best_share: Floats  # of the pulls since the checkpoint before
    paid: Floats


def attack_story(scenario: Scenario, threads: int | None = None) -> AttackStory:
    """Play with checkpoints: regret, pulls of the best arm and spending at each."""
    trace = simulate(scenario, threads=threads, checkpoints=CHECKPOINTS, engine="rounds")
    assert trace.best_pulls is not None
    widths = np.diff(trace.rounds, prepend=0) * scenario.turns
    wrong = (widths - np.diff(trace.best_pulls, axis=1, prepend=0)) / widths
    return AttackStory(trace.rounds, trace.regret, 1.0 - wrong, trace.corruption_paid)
