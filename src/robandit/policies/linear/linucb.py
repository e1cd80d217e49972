"""LinUCB (Abbasi-Yadkori, Pal & Szepesvari 2011), and CW-OFUL (He, Zhou, Zhang & Gu 2022), which weighs surprises down.

Both believe that a reward's mean is <theta, f>; what an attacker moves in one arm moves theta, and so all arms like it.
"""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import FAR, no_longer_awaited, one_hot, point_at
from robandit.parts import About, parameter
from robandit.policies.linear.ridge import (
    Ridge,
    add_reward,
    features_of,
    new_ridge,
    see,
    squared_width,
    unknowns,
    value,
    whiten,
    whiten_after,
)


@dataclass
class LinUcbState:
    """The regression, rewards awaited per arm, the horizon, the number of choices, and the next arm, one-hot."""

    probabilities: Floats
    ridge: Ridge
    waiting: Floats
    horizon: float
    most_surprise: float  # rows whose width is above this count less
    rounds: int = 0
    next_arm: int = 0


@dataclass(frozen=True)
class LinUcb(Policy[LinUcbState]):
    """The largest <theta, f> + beta |f|, |f| in the norm of A^-1, beta = scale (sqrt(d ln((1 + t) T))/2 + 1)."""

    plays = "features"
    about = About(
        name="linucb",
        family="UCB",
        summary="ridge regression on features and a bonus; deterministic, cheap to fool where its bonus is small",
        reference="Abbasi-Yadkori, Pal & Szepesvari 2011",
        fidelity="recalled",
        needs=("features", "horizon"),
        bound="d sqrt(T) log T without corruption; none with it",
        cost="O(K d^2)",
        late="exact",
    )
    scale: float = parameter(1.0, "factor on the bonus", above=0, published=1.0)

    def start(self, setting: Setting) -> LinUcbState:
        ridge = new_ridge(features_of(setting, self.name), setting.arms)
        limit = self.surprise(setting, unknowns(ridge))
        state = LinUcbState(np.zeros(setting.arms), ridge, np.zeros(setting.arms), float(setting.horizon), limit)
        self.show(state)
        return state

    def surprise(self, setting: Setting, dimension: int) -> float:
        """The width above which a row counts less: here none does."""
        return FAR

    def bonus(self, state: LinUcbState) -> float:
        """beta."""
        dimension = unknowns(state.ridge)
        return self.scale * (0.5 * math.sqrt(dimension * math.log((1.0 + state.rounds) * state.horizon)) + 1.0)

    def index(self, state: LinUcbState, beta: float, arm: int) -> float:
        """<theta, f> + beta |f|; rewards that are awaited narrow their own arm as if they had come."""
        width = squared_width(state.ridge, arm)
        return value(state.ridge, arm) + beta * math.sqrt(width / (1.0 + state.waiting[arm] * width))

    def best(self, state: LinUcbState) -> int:
        """The arm with the largest index."""
        beta, best, best_index = self.bonus(state), 0, -math.inf
        for arm in range(len(state.probabilities)):
            index = self.index(state, beta, arm)
            if index > best_index:
                best, best_index = arm, index
        return best

    def look(self, state: LinUcbState, features: Floats) -> None:
        see(state.ridge, features)
        self.show(state)

    def learn(self, state: LinUcbState, choice: Choice, reward: float, random: Random) -> None:
        state.rounds += no_longer_awaited(state.waiting, choice.arm)
        width = math.sqrt(squared_width(state.ridge, choice.arm))
        weight = state.most_surprise / width if width > state.most_surprise else 1.0
        add_reward(state.ridge, choice.arm, weight, reward)
        whiten_after(state.ridge, choice.arm)
        self.show(state)

    def defer(self, state: LinUcbState, choice: Choice) -> None:
        state.rounds += 1
        state.waiting[choice.arm] += 1.0
        self.show(state)

    def probabilities_among(self, state: LinUcbState, eligible: list[int]) -> list[float]:
        beta = self.bonus(state)
        indices = [self.index(state, beta, arm) for arm in eligible]
        return one_hot(indices.index(max(indices)), len(eligible))

    def admit(self, state: LinUcbState, arm: int, present: list[int]) -> None:
        """A new arm has the bonus of one that was never tried; one that comes back has its rows."""
        whiten(state.ridge)
        self.show(state)

    def show(self, state: LinUcbState) -> None:
        """The next arm, one-hot."""
        point_at(state, self.best(state))


@dataclass(frozen=True)
class CwOful(LinUcb):
    """A row counts min(1, k/|f|), k = (sqrt(d)/2 + 1)/C: no single reward moves theta far; beta grows by k C."""

    about = About(
        name="cw-oful",
        family="UCB",
        summary="LinUCB whose surprising rows count less, built to bear a corruption level that it is set to",
        reference="He, Zhou, Zhang & Gu 2022",
        fidelity="recalled",
        basis="its weight min(1, alpha/norm), read; the rest from memory",
        needs=("features", "horizon"),
        bound="d sqrt(T) log T + d C log T, if C is at most what it bears",
        cost="O(K d^2)",
        late="exact",
    )
    scale: float = parameter(
        1.0, "factor on the bonus; the published one rarely learns in time", above=0, published=1.0
    )
    bears: float | None = parameter(None, "the corruption it is built for; sqrt(T) by default", above=0)

    def surprise(self, setting: Setting, dimension: int) -> float:
        return (0.5 * math.sqrt(dimension) + 1.0) / (math.sqrt(setting.horizon) if self.bears is None else self.bears)

    def bonus(self, state: LinUcbState) -> float:
        dimension = unknowns(state.ridge)
        spread = math.sqrt(dimension * math.log((1.0 + state.rounds) * state.horizon))
        return self.scale * (0.5 * spread + 1.0 + 0.5 * math.sqrt(dimension) + 1.0)
