"""A sliding window around any policy that can take a reward back: only the last rewards count."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.parts import About, parameter
from robandit.policies.wrapped import INSIDE, THOMPSON, WrappedState, Wrapper


@dataclass
class WindowState(WrappedState):
    """The rows of the window: arms and what their rewards counted as, where the next goes, and how many there are."""

    arms: NDArray[np.int64]
    outcomes: Floats
    place: int = 0
    rows: int = 0


@dataclass(frozen=True)
class SlidingWindow(Wrapper[WindowState]):
    """With every reward that comes, the one that came `size` rewards ago is taken back."""

    about = About(
        name="window",
        summary="wraps a policy so that only the last rewards count, to track a world that changes",
        reference="sliding-window UCB: Garivier & Moulines 2011; around any policy that counts: folklore",
        fidelity="exact",
        bound="the inner policy's for a horizon of `size`, about T/size times; changes cost about size rounds each",
        cost="the inner policy's, twice; a row of memory for each reward of the window",
        late="as the inner policy",
    )
    size: int = parameter(3000, "how many rewards are remembered, of all arms together", least=1, most=10_000_000)
    inner: Policy[Any] = parameter(THOMPSON, INSIDE)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("can_unlearn")

    def start(self, setting: Setting) -> WindowState:
        inner = self.inner.start(setting)
        return WindowState(inner.probabilities.copy(), inner, np.zeros(self.size, np.int64), np.zeros(self.size))

    def learn(self, state: WindowState, choice: Choice, reward: float, random: Random) -> None:
        if choice.note < 0:  # nothing is learnt from this, so there is nothing to take back
            return
        if state.rows == self.size:
            self.inner.unlearn(state.inner, state.arms[state.place], state.outcomes[state.place])
        else:
            state.rows += 1
        outcome = self.inner.outcome(reward, random)
        state.arms[state.place] = choice.arm
        state.outcomes[state.place] = outcome
        state.place = (state.place + 1) % self.size
        self.inner.learn(state.inner, choice, outcome, random)
        self.show(state)
