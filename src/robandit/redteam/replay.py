"""An attack played again to be looked at: regret, pulls of the best arm and spending over time."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.game import Floats
from robandit.lab.batch import simulate
from robandit.lab.scenario import Scenario
from robandit.redteam.evaluate import Game

CHECKPOINTS = 200


@dataclass(frozen=True)
class Story:
    """What happened over time: one row a run, one column a checkpoint."""

    rounds: NDArray[np.int64]
    regret: Floats
    best_share: Floats  # of the pulls since the checkpoint before
    paid: Floats


def told_over_time(game: Game, adversary: Any, runs: int, threads: int | None = None) -> Story:
    """Play with checkpoints: regret, pulls of the best arm and spending at each."""
    parts = game.policy, game.environment, adversary
    scenario = Scenario(*parts, horizon=game.horizon, runs=runs, seed=game.seed, **game.shape)
    trace = simulate(scenario, threads=threads, checkpoints=CHECKPOINTS, engine="rounds")
    assert trace.best_pulls is not None
    widths = np.diff(trace.rounds, prepend=0) * scenario.turns
    wrong = (widths - np.diff(trace.best_pulls, axis=1, prepend=0)) / widths
    return Story(trace.rounds, trace.regret, 1.0 - wrong, trace.corruption_paid)
