"""SquareCB (Foster & Rakhlin 2020): the better a regression thinks of an arm, the likelier it is drawn.

Every arm keeps a probability that is known and never 0, so that what another policy would have earned can be worked out
from the log. `cw-squarecb` weighs surprising rows down, as cw-oful does (He, Zhou, Zhang & Gu 2022).
"""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.parts import About, parameter
from robandit.policies.linear.ridge import (
    Ridge,
    add_reward,
    copy_features,
    features_of,
    new_ridge,
    squared_width,
    unknowns,
    value,
    whiten_arm,
)


@dataclass
class SquareCbState:
    """p(t), the regression, what it expects of each arm, and the number of rewards seen."""

    probabilities: Floats
    ridge: Ridge
    values: Floats
    most_surprise: float  # rows whose width is above this count less; 0: none does
    rows: int = 0


@dataclass(frozen=True)
class SquareCb(Policy[SquareCbState]):
    """p_a = 1/(K + gamma (v_best - v_a)), the rest on the best; gamma = scale sqrt(K n/(D ln(1 + n)))."""

    plays = "features"
    about = About(
        name="squarecb",
        family="SquareCB",
        summary="probabilities by the gap to the best prediction of a ridge regression; the usual choice with contexts",
        reference="Foster & Rakhlin 2020",
        fidelity="recalled",
        needs=("features",),
        bound="sqrt(K T Reg(T)), Reg the squared error of the regression, about D ln(T); none with corruption",
        cost="O(K d + d^2)",
        late="exact",
    )
    scale: float = parameter(16.0, "factor on gamma: higher explores less", above=0, published=1.0)

    def start(self, setting: Setting) -> SquareCbState:
        ridge = new_ridge(features_of(setting, self.name), setting.arms)
        even = np.full(setting.arms, 1.0 / setting.arms)
        return SquareCbState(even, ridge, np.zeros(setting.arms), self.surprise(setting, unknowns(ridge)))

    def surprise(self, setting: Setting, dimension: int) -> float:
        """The width above which a row counts less: here none does."""
        return 0.0

    def look(self, state: SquareCbState, features: Floats) -> None:
        copy_features(features, state.ridge.features)
        self.show(state)

    def learn(self, state: SquareCbState, choice: Choice, reward: float, random: Random) -> None:
        weight = 1.0
        if state.most_surprise > 0.0:
            whiten_arm(state.ridge, choice.arm)
            width = math.sqrt(squared_width(state.ridge, choice.arm))
            weight = state.most_surprise / width if width > state.most_surprise else 1.0
        add_reward(state.ridge, choice.arm, weight, reward)
        state.rows += 1
        self.show(state)

    def gamma(self, state: SquareCbState) -> float:
        """How fast p falls with the gap: by the rewards seen, their regression's error about D ln(1 + n)."""
        if state.rows == 0:
            return 0.0
        error = unknowns(state.ridge) * math.log(1.0 + state.rows)
        return self.scale * math.sqrt(len(state.values) * state.rows / error)

    def show(self, state: SquareCbState) -> None:
        """p(t) by the gaps between what is expected of the arms."""
        p, values, best = state.probabilities, state.values, 0
        for arm in range(len(values)):
            values[arm] = value(state.ridge, arm)
            if values[arm] > values[best]:
                best = arm
        gamma, rest = self.gamma(state), 1.0
        for arm in range(len(values)):
            if arm != best:
                p[arm] = 1.0 / (len(values) + gamma * (values[best] - values[arm]))
                rest -= p[arm]
        p[best] = rest

    def probabilities_among(self, state: SquareCbState, eligible: list[int]) -> list[float]:
        """The same rule for some arms."""
        values = [float(state.values[arm]) for arm in eligible]
        best, gamma = values.index(max(values)), self.gamma(state)
        shares = [1.0 / (len(values) + gamma * (values[best] - one)) for one in values]
        shares[best] = 0.0
        shares[best] = 1.0 - sum(shares)
        return shares

    def admit(self, state: SquareCbState, arm: int, present: list[int]) -> None:
        """A new arm is expected to pay 0 until it has rows; one that comes back has its own."""
        self.show(state)


@dataclass(frozen=True)
class CwSquareCb(SquareCb):
    """A row counts min(1, k/|f|), k = (sqrt(D)/2 + 1)/C, |f| in the norm of A^-1: none moves theta far."""

    about = About(
        name="cw-squarecb",
        family="SquareCB",
        summary="squarecb whose surprising rows count less, built to bear a corruption level that it is set to",
        reference="a variant of Foster & Rakhlin 2020 with the weights of He, Zhou, Zhang & Gu 2022, ours",
        needs=("features", "horizon"),
        bound="none proved",
        cost="O(K d + d^2)",
        late="exact",
    )
    bears: float | None = parameter(None, "the corruption it is built for; sqrt(T) by default", above=0)

    def surprise(self, setting: Setting, dimension: int) -> float:
        return (0.5 * math.sqrt(dimension) + 1.0) / (math.sqrt(setting.horizon) if self.bears is None else self.bears)
