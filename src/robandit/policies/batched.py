"""Updates in batches around any policy: p(t) stays as it is until so many rewards have come, then all are learnt."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.dice import Random
from robandit.errors import InputError
from robandit.game import Choice, Floats, Policy, Setting
from robandit.parts import About, parameter
from robandit.policies.wrapped import INSIDE, THOMPSON, WrappedState, Wrapper

UNKNOWN = -1.0  # in place of NaN, which a saved state cannot hold


@dataclass
class BatchedState(WrappedState):
    """The rewards that wait for the next update, with their choices, and how many there are."""

    arms: NDArray[np.int64]
    drawn_with: Floats
    notes: NDArray[np.int64]
    rewards: Floats
    rows: int = 0


@dataclass(frozen=True)
class Batched(Wrapper[BatchedState]):
    """The policy inside learns `update_every` rewards at once; a choice that waits for its reward moves nothing."""

    about = About(
        name="batched",
        summary="wraps a policy so that it is updated after every so many rewards, as most services run",
        reference="batched bandits: Perchet, Rigollet, Chassang & Snowberg 2016; around any policy: folklore",
        fidelity="exact",
        bound="none proved around any policy; each change of mind comes up to update_every rounds later",
        cost="the inner policy's; a row of memory for each reward of a batch",
        late="as the inner policy",
    )
    update_every: int = parameter(100, "how many rewards are learnt at once", least=1, most=10_000_000)
    inner: Policy[Any] = parameter(THOMPSON, INSIDE)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.inner.asks:
            raise InputError(f"batched: inner must not ask for verified rewards, not {self.inner.name}")

    def start(self, setting: Setting) -> BatchedState:
        inner, size = self.inner.start(setting), self.update_every
        arms, notes = np.zeros(size, np.int64), np.zeros(size, np.int64)
        return BatchedState(inner.probabilities.copy(), inner, arms, np.zeros(size), notes, np.zeros(size))

    def defer(self, state: BatchedState, choice: Choice) -> None:
        """Nothing moves between two updates."""

    def learn(self, state: BatchedState, choice: Choice, reward: float, random: Random) -> None:
        if choice.note < 0:  # nothing is learnt from this
            return
        row = state.rows
        state.arms[row], state.notes[row] = choice.arm, choice.note
        state.drawn_with[row] = UNKNOWN if math.isnan(choice.probability) else choice.probability
        state.rewards[row] = self.inner.outcome(reward, random)
        state.rows = row + 1
        if state.rows == self.update_every:
            self.update(state, random)

    def update(self, state: BatchedState, random: Random) -> None:
        """Learn the whole batch."""
        for row in range(state.rows):
            probability = state.drawn_with[row]
            if probability == UNKNOWN:
                probability = math.nan
            choice = Choice(state.arms[row], probability, state.notes[row])
            self.inner.learn(state.inner, choice, state.rewards[row], random)
        state.rows = 0
        self.show(state)
