"""Results that were made up: a law says what each cell measured, and nothing is played."""

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from robandit.lab.trace import Trace, checkpoint_grid
from robandit.store.cells import ResultStore
from robandit.study.cell import Cell
from robandit.study.results import Results
from robandit.study.spec import Study

Law = Callable[[Cell, float], Any]  # the regret after a round, one number or one a run


class MadeUp(Results):
    """Every cell of a study holds what the law says, each run off by a factor of its own; means are kept."""

    def __init__(self, study: Study, law: Law, spread: float) -> None:
        super().__init__(study, ResultStore(Path("nowhere")))
        self.law, self.spread = law, spread

    def trace(self, cell: Cell) -> Trace:
        rounds = checkpoint_grid(cell.checkpoints, cell.horizon)
        luck = np.random.default_rng(zlib.crc32(repr(cell).encode())).normal(0.0, self.spread, cell.runs)
        curves = np.stack([np.broadcast_to(self.law(cell, float(t)), cell.runs) for t in rounds], axis=1)
        return Trace(
            rounds=rounds,
            regret=curves * (1.0 + luck - luck.mean())[:, None],
            corruption_paid=np.full(curves.shape, cell.budget),
            pulls=np.zeros((cell.runs, len(cell.means)), np.int64),
            rounds_changed=np.zeros(cell.runs, np.int64),
            gaps=max(cell.means) - np.array(cell.means),
            engine="none",
            nanoseconds=0.0,
        )
