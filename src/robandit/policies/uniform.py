"""Uniform play: the policy that never learns, the measure of the worst."""

from dataclasses import dataclass

import numpy as np

from robandit.game import Floats, Policy, Setting
from robandit.numerics import share_evenly
from robandit.parts import About


@dataclass
class UniformState:
    """p(t), which never changes."""

    probabilities: Floats


@dataclass(frozen=True)
class Uniform(Policy[UniformState]):
    """Pulls every arm with the same probability, for ever."""

    about = About(
        name="uniform",
        summary="every arm with equal probability, for ever",
        bound="T times the mean gap",
        cost="O(1) and a draw",
        late="exact",
        waived={"learns": "it never learns, by definition", "moves": "its p(t) never moves, by definition"},
    )

    def start(self, setting: Setting) -> UniformState:
        return UniformState(np.full(setting.arms, 1.0 / setting.arms))

    def admit(self, state: UniformState, arm: int, present: list[int]) -> None:
        share_evenly(state.probabilities)
