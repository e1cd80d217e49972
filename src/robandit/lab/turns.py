"""Games whose rounds come in turns, of agents or of the slots of a slate: an environment that counts pulls by turn."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.environments.bernoulli import Bernoulli
from robandit.game import Environment, Floats

DUST = 1e-9  # regret that only rounding left
ANY = Bernoulli((0.5,))


@dataclass
class TurnCounts:
    """The tables of the environment inside; arrays, because a loop keeps no numbers of an environment."""

    inner: Any
    gaps: Floats
    pulls: NDArray[np.int64]  # (turns, arms)
    counts: NDArray[np.int64]  # rounds, and turns that lost nothing
    lost: Floats  # in this turn


@dataclass(frozen=True)
class CountingEnvironment(Environment[TurnCounts]):
    """Pays what the environment inside pays."""

    inner: Environment[Any] = ANY
    turns: int = 1
    gaps: tuple[float, ...] = (0.0,)

    @property
    def means(self) -> tuple[float, ...]:  # type: ignore[override]
        """Those of the environment inside."""
        return self.inner.means

    def start(self) -> TurnCounts:
        shape = (self.turns, len(self.inner.means))
        counts = np.zeros(2, np.int64)
        return TurnCounts(self.inner.start(), np.array(self.gaps), np.zeros(shape, np.int64), counts, np.zeros(1))

    def reward(self, tables: TurnCounts, arm: int, mean: float, uniform: float) -> float:
        tables.pulls[tables.counts[0] % self.turns, arm] += 1
        tables.counts[0] += 1
        tables.lost[0] += tables.gaps[arm]
        if tables.counts[0] % self.turns == 0:
            tables.counts[1] += 1 if tables.lost[0] <= DUST else 0
            tables.lost[0] = 0.0
        paid: float = self.inner.reward(tables.inner, arm, mean, uniform)
        return paid
