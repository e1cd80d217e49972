"""Who pulled what, in games whose rounds belong to several agents in turn: an environment that keeps books."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.environments.bernoulli import Bernoulli
from robandit.game import Environment

ANY = Bernoulli((0.5,))


@dataclass
class Books:
    """The tables of the environment inside, and pulls by agent and arm."""

    inner: Any
    pulls: NDArray[np.int64]  # (agents, arms)
    turn: NDArray[np.int64]  # rounds so far; an array, because a loop keeps no numbers of an environment


@dataclass(frozen=True)
class Booked(Environment[Books]):
    """Pays what the environment inside pays."""

    inner: Environment[Any] = ANY
    turns: int = 1

    @property
    def means(self) -> tuple[float, ...]:  # type: ignore[override]
        """Those of the environment inside."""
        return self.inner.means

    def start(self) -> Books:
        shape = (self.turns, len(self.inner.means))
        return Books(self.inner.start(), np.zeros(shape, np.int64), np.zeros(1, np.int64))

    def reward(self, tables: Books, arm: int, mean: float, uniform: float) -> float:
        tables.pulls[tables.turn[0] % self.turns, arm] += 1
        tables.turn[0] += 1
        paid: float = self.inner.reward(tables.inner, arm, mean, uniform)
        return paid
