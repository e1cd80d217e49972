"""Thompson sampling with Beta(1, 1) priors (Thompson 1933; Agrawal & Goyal 2017)."""

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import narrowed, share_evenly
from robandit.parts import About, parameter
from robandit.variates import bernoulli_draw, beta_draw


@dataclass
class ThompsonState:
    """The posterior's two counts per arm; p(t) has no closed form, so `probabilities` stays uniform."""

    probabilities: Floats
    wins: Floats
    losses: Floats


Memory = TypeVar("Memory", bound=ThompsonState)


class PosteriorSampling(Policy[Memory]):
    """A policy that draws from every arm's posterior, so that p(t) has no closed form."""

    explicit = False

    def choose_among(self, state: Memory, eligible: list[int], random: Random) -> Choice:
        return Choice(eligible[self.choose(narrowed(state, eligible), random).arm], math.nan, 0)

    def admit(self, state: Memory, arm: int, present: list[int]) -> None:
        """A new arm begins with its prior; one that comes back has its counts."""
        share_evenly(state.probabilities)


@dataclass(frozen=True)
class Thompson(PosteriorSampling[ThompsonState]):
    """Pulls the arm that is best in one draw from the posterior."""

    about = About(
        name="thompson",
        family="Thompson",
        summary="the arm that is best in a posterior draw; strongest without corruption, cheap to fool",
        reference="Agrawal & Goyal 2017",
        fidelity="recalled",
        bound="(1 + eps) sum over arms of Delta_a ln(T)/kl(r_a, r*) without corruption; none with it",
        cost="O(K) beta draws",
        late="exact",
    )

    def start(self, setting: Setting) -> ThompsonState:
        return ThompsonState(np.full(setting.arms, 1.0 / setting.arms), np.ones(setting.arms), np.ones(setting.arms))

    def choose(self, state: ThompsonState, random: Random) -> Choice:
        best, best_value = 0, -1.0
        for arm in range(len(state.wins)):
            value = beta_draw(state.wins[arm], state.losses[arm], random)
            if value > best_value:
                best, best_value = arm, value
        return Choice(best, math.nan, 0)

    def learn(self, state: ThompsonState, choice: Choice, reward: float, random: Random) -> None:
        success = bernoulli_draw(reward, random)  # a bounded reward counts as a success or a failure, at random
        state.wins[choice.arm] += success
        state.losses[choice.arm] += 1.0 - success


@dataclass(frozen=True)
class TemperedThompson(Thompson):
    """Thompson sampling that believes each reward only in part: counts grow by R/temper and (1 - R)/temper."""

    about = About(
        name="tempered-thompson",
        family="Thompson",
        summary="Thompson sampling with slowed counts: no guarantee, yet it costs more to fool",
        reference="a variant of Agrawal & Goyal 2017",
        fidelity="exact",
        bound="none under corruption",
        cost="O(K) beta draws",
        late="exact",
    )
    temper: float = parameter(10.0, "by how much the counts are slowed; 1 learns like thompson", least=1)

    def learn(self, state: ThompsonState, choice: Choice, reward: float, random: Random) -> None:
        state.wins[choice.arm] += reward / self.temper
        state.losses[choice.arm] += (1.0 - reward) / self.temper
