"""FTRL with the hybrid regulariser of Jin & Luo (2020), K-armed: most likely the "OMD" of the corrupted-bandits paper.

The paper names no regulariser and no constants; the form here is recalled, and b = 64 is the value
that comes closest to its table for K <= 15.
"""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import hybrid_chances
from robandit.parts import About, parameter


@dataclass
class State:
    """Estimated cumulative losses, p(t), the round t counted from 1, the solver's scratch space and its work."""

    chances: Floats
    losses: Floats
    gradient: Floats
    curvature: Floats
    round: int = 1
    iterations: int = 0
    most_iterations: int = 0


@dataclass(frozen=True)
class FtrlHybrid(Policy[State]):
    """Minimises <p, L> - sqrt(t) sum[sqrt p_i + sqrt(1 - p_i)/sqrt K] + b sum ln(1/p_i) over the simplex."""

    about = About(
        name="ftrl-hybrid",
        summary="regularised leader with a hybrid of Tsallis entropy and log-barrier, solved by Newton's method",
        reference="Jin & Luo 2020",
        fidelity="reconstruction",
        bound="K log(T)/Delta + C",
        cost="O(K), about 2 Newton steps",
    )
    b: float = parameter(64.0, "weight of the log-barrier", least=0, published=64.0, scaled=1.0)

    def start(self, setting: Setting) -> State:
        arms = setting.arms
        return State(np.full(arms, 1.0 / arms), np.zeros(arms), np.zeros(arms), np.zeros(arms))

    def learn(self, state: State, choice: Choice, reward: float, random: Random) -> None:
        state.losses[choice.arm] += (1.0 - reward) / choice.chance
        state.round += 1
        steps = hybrid_chances(
            state.losses, math.sqrt(state.round), self.b, state.chances, state.gradient, state.curvature
        )
        state.iterations += steps
        state.most_iterations = max(state.most_iterations, steps)
