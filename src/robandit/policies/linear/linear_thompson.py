"""Linear Thompson sampling (Agrawal & Goyal 2013): the arm that is best for one draw of theta."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import share_evenly
from robandit.parts import About, parameter
from robandit.policies.linear.ridge import Ridge, add_reward, features_of, new_ridge, see, value, whiten, whiten_after
from robandit.variates import normal_draw


@dataclass
class LinearThompsonState:
    """The regression; p(t) has no closed form, so `probabilities` stays at its first value."""

    probabilities: Floats
    ridge: Ridge


@dataclass(frozen=True)
class LinearThompson(Policy[LinearThompsonState]):
    """theta is drawn from N(A^-1 b, spread^2 A^-1)."""

    plays = "features"
    explicit = False
    about = About(
        name="linear-thompson",
        family="Thompson",
        summary="the best arm for a draw of theta; strongest without corruption, cheap to fool",
        reference="Agrawal & Goyal 2013",
        fidelity="recalled",
        needs=("features",),
        bound="d^(3/2) sqrt(T) log T without corruption; none with it",
        cost="O(K d) normal draws, O(K d^2)",
        late="exact",
    )
    spread: float = parameter(0.5, "standard deviation of the draw; the theory asks for one that grows with T", above=0)

    def start(self, setting: Setting) -> LinearThompsonState:
        even = np.full(setting.arms, 1.0 / setting.arms)
        return LinearThompsonState(even, new_ridge(features_of(setting, self.name), setting.arms))

    def look(self, state: LinearThompsonState, features: Floats) -> None:
        see(state.ridge, features)

    def choose(self, state: LinearThompsonState, random: Random) -> Choice:
        best, best_value = 0, -math.inf
        words = (random.s0, random.s1, random.s2, random.s3)
        for arm in range(len(state.probabilities)):
            if len(state.ridge.theta) == 1:  # the same theta for every arm, without storing it
                random.s0, random.s1, random.s2, random.s3 = words
            drawn, whitened = 0.0, state.ridge.whitened[arm]
            for i in range(len(whitened)):
                drawn += whitened[i] * normal_draw(random)
            index = value(state.ridge, arm) + self.spread * drawn
            if index > best_value:
                best, best_value = arm, index
        return Choice(best, math.nan, 0)

    def learn(self, state: LinearThompsonState, choice: Choice, reward: float, random: Random) -> None:
        add_reward(state.ridge, choice.arm, 1.0, reward)
        whiten_after(state.ridge, choice.arm)

    def choose_among(self, state: LinearThompsonState, eligible: list[int], random: Random) -> Choice:
        best, best_value = eligible[0], -math.inf
        words = (random.s0, random.s1, random.s2, random.s3)
        for arm in eligible:
            if len(state.ridge.theta) == 1:
                random.s0, random.s1, random.s2, random.s3 = words
            drawn = sum(x * normal_draw(random) for x in state.ridge.whitened[arm])
            index = value(state.ridge, arm) + self.spread * drawn
            if index > best_value:
                best, best_value = arm, index
        return Choice(best, math.nan, 0)

    def admit(self, state: LinearThompsonState, arm: int, present: list[int]) -> None:
        """A new arm begins with its prior; one that comes back has its rows."""
        whiten(state.ridge)
        share_evenly(state.probabilities)
