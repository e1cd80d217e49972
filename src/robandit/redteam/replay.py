"""An attack played again to be looked at: regret, pulls of the best arm and spending over time."""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.game import Floats
from robandit.lab.batch import chunks, run_chunks
from robandit.lab.table import Table, set_table
from robandit.redteam.evaluate import Game

CHECKPOINTS = 200


class CountingTable(Table):
    """A table that counts pulls of wrong arms where others measure regret; the play is the same."""

    @property
    def gaps(self) -> Floats:
        """One for each arm that is not best."""
        wrong: Floats = (self.means < self.means.max() - 1e-12).astype(np.float64)
        return wrong


@dataclass(frozen=True)
class Story:
    """What happened over time: one row a run, one column a checkpoint."""

    rounds: NDArray[np.int64]
    regret: Floats
    best_share: Floats  # of the pulls since the checkpoint before
    paid: Floats


def told_over_time(game: Game, adversary: Any, runs: int, threads: int | None = None) -> Story:
    """Play with checkpoints, once for regret and once for pulls of the best arm."""
    workers = threads or os.cpu_count() or 1
    terms = game.policy, game.environment, adversary, game.horizon, runs, game.seed, CHECKPOINTS
    usual = set_table(*terms, **game.shape)
    counting = CountingTable(**{**vars(usual), "regret": usual.regret.copy(), "pulls": usual.pulls.copy()})
    for table in (usual, counting):
        run_chunks(table, "rounds", list(chunks(runs, workers)), workers)
    widths = np.diff(usual.checkpoints, prepend=0)
    wrong = np.diff(counting.regret, axis=1, prepend=0.0) / widths
    return Story(usual.checkpoints // usual.turns, usual.regret, 1.0 - wrong, usual.paid)
