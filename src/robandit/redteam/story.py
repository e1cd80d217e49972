"""An attack over time: regret, pulls of the best arm and spending at checkpoints, for a picture."""

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robandit.game import Floats
from robandit.lab.batch import chunks, run_chunks
from robandit.lab.scenario import Scenario
from robandit.lab.table import Table, table_of

CHECKPOINTS = 200


class CountingTable(Table):
    """A table that counts pulls of wrong arms where others measure regret; the play is the same."""

    @property
    def gaps(self) -> Floats:
        """One for each arm that is not best."""
        wrong: Floats = (self.means < self.means.max() - 1e-12).astype(np.float64)
        return wrong


@dataclass(frozen=True)
class AttackStory:
    """What happened over time: one row per run, one column per checkpoint."""

    rounds: NDArray[np.int64]
    regret: Floats
    best_share: Floats  # of the pulls since the checkpoint before
    paid: Floats


def attack_story(scenario: Scenario, threads: int | None = None) -> AttackStory:
    """Play with checkpoints, once for regret and once for pulls of the best arm."""
    workers = threads or os.cpu_count() or 1
    usual = table_of(scenario, CHECKPOINTS)
    counting = CountingTable(**{**vars(usual), "regret": usual.regret.copy(), "pulls": usual.pulls.copy()})
    for table in (usual, counting):
        run_chunks(table, "rounds", list(chunks(scenario.runs, workers)), workers)
    widths = np.diff(usual.checkpoints, prepend=0)
    wrong = np.diff(counting.regret, axis=1, prepend=0.0) / widths
    return AttackStory(usual.checkpoints // usual.turns, usual.regret, 1.0 - wrong, usual.paid)
