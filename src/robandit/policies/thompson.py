"""Thompson sampling with Beta(1, 1) priors (Thompson 1933; Agrawal & Goyal 2017)."""

import math
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Self, TypeVar

import numpy as np

from robandit.best_arm import NoWorkspace, Workspace, new_workspace
from robandit.dice import Random, draw
from robandit.game import Choice, Floats, Policy, Setting, drawn_among
from robandit.layout import SCRATCH
from robandit.numerics import narrowed, share_evenly
from robandit.parts import About, Word, parameter
from robandit.variates import bernoulli_draw, beta_draw


class Probabilities(Word):
    """How an arm comes to be chosen: both ways have the same law."""

    USUAL = 0  # drawn in the lab, where it is faster; a new learner computes them
    DRAWN = 1  # the best of one draw from every posterior: nobody knows its probability
    COMPUTED = 2  # one draw from the probabilities to be the best, which a log can then hold


@dataclass
class ThompsonState:
    """The posterior's two counts per arm; `probabilities` stays uniform unless it is computed."""

    probabilities: Floats
    wins: Floats
    losses: Floats
    workspace: NoWorkspace | Workspace = field(kw_only=True, metadata=SCRATCH)


Memory = TypeVar("Memory", bound=ThompsonState)
HOW = "of each arm to be the best: computed, drawn (nobody knows them), or usual (drawn in the lab, computed live)"


@dataclass(frozen=True)
class PosteriorSampling(Policy[Memory]):
    """A policy that plays an arm with the probability that it is the best, by its posteriors and a bonus."""

    _: KW_ONLY
    probabilities: Probabilities = parameter(Probabilities.USUAL, HOW)

    @property
    def explicit(self) -> bool:  # type: ignore[override]  # a constant elsewhere, here a matter of a parameter
        """Whether p(t) is known."""
        return self.probabilities == Probabilities.COMPUTED

    def as_deployed(self) -> Self:
        is_usual = self.probabilities == Probabilities.USUAL
        return replace(self, probabilities=Probabilities.COMPUTED) if is_usual else self

    def workspace(self, arms: int) -> NoWorkspace | Workspace:
        """Room for the quadrature, where there will be one."""
        return new_workspace(arms) if self.explicit else NoWorkspace()

    def bonus(self, state: Memory, arm: int) -> float:
        """What is added to an arm's draw."""
        return 0.0

    def refresh(self, state: Memory) -> None:
        if state.workspace.is_due:
            for arm in range(len(state.wins)):
                state.workspace.lift(arm, self.bonus(state, arm))
            state.workspace.solve(state.wins, state.losses, state.probabilities)

    def choose(self, state: Memory, random: Random) -> Choice:
        if self.explicit:
            self.refresh(state)
            arm = draw(state.probabilities, random)
            return Choice(arm, state.probabilities[arm], 0)
        best, best_value = 0, -1.0
        for arm in range(len(state.wins)):
            value = beta_draw(state.wins[arm], state.losses[arm], random) + self.bonus(state, arm)
            if value > best_value:
                best, best_value = arm, value
        return Choice(best, math.nan, 0)

    def learn(self, state: Memory, choice: Choice, reward: float, random: Random) -> None:
        self.count(state, choice.arm, self.outcome(reward, random))  # a bounded reward is a success at random

    def count(self, state: Memory, arm: int, success: float) -> None:
        """Add a success, a failure or a share of both to an arm's counts."""
        state.wins[arm] += success
        state.losses[arm] += 1.0 - success
        state.workspace.postpone()

    def choose_among(self, state: Memory, eligible: list[int], random: Random) -> Choice:
        if self.explicit:
            return drawn_among(eligible, self.probabilities_among(state, eligible), random)
        return Choice(eligible[self.choose(narrowed(state, eligible), random).arm], math.nan, 0)

    def probabilities_among(self, state: Memory, eligible: list[int]) -> Any:
        """The probability of each to be the best of them, which is not p(t) restricted to them."""
        some = narrowed(state, eligible)
        if self.explicit:
            some.workspace = new_workspace(len(eligible), lambda size: [0.0] * size)
            self.refresh(some)
        return some.probabilities

    def admit(self, state: Memory, arm: int, present: list[int]) -> None:
        """A new arm begins with its prior; one that comes back has its counts."""
        share_evenly(state.probabilities)
        state.workspace.postpone()

    def outcome(self, reward: float, random: Random) -> float:
        return bernoulli_draw(reward, random)

    def prior_wins(self) -> float:
        """The successes an arm begins with."""
        return 1.0

    def weight(self) -> float:
        """How much one reward adds to the counts."""
        return 1.0

    def restart(self, state: Memory) -> None:
        self.fade(state, 0.0)

    def fade(self, state: Memory, share: float) -> None:
        prior = self.prior_wins()
        for arm in range(len(state.wins)):
            state.wins[arm] = prior + share * (state.wins[arm] - prior)
            state.losses[arm] = 1.0 + share * (state.losses[arm] - 1.0)
        state.workspace.postpone()

    def unlearn(self, state: Memory, arm: int, outcome: float) -> None:
        weight, prior = self.weight(), self.prior_wins()  # rounding must not take a count below its prior
        state.wins[arm] = max(state.wins[arm] - weight * outcome, prior)
        state.losses[arm] = max(state.losses[arm] - weight * (1.0 - outcome), 1.0)
        state.workspace.postpone()


@dataclass(frozen=True)
class Thompson(PosteriorSampling[ThompsonState]):
    """Pulls each arm with the probability that it is the best."""

    about = About(
        name="thompson",
        family="Thompson",
        summary="the arm that is best in a posterior draw; strongest without corruption, cheap to fool",
        reference="Agrawal & Goyal 2017",
        fidelity="exact",
        basis="SMPyBandits' Thompson, run beside it",
        bound="(1 + eps) sum over arms of Delta_a ln(T)/kl(r_a, r*) without corruption; none with it",
        cost="O(K) beta draws",
        late="exact",
    )

    def start(self, setting: Setting) -> ThompsonState:
        ones = np.ones(setting.arms)
        return ThompsonState(ones / setting.arms, ones, ones.copy(), workspace=self.workspace(setting.arms))


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

    def outcome(self, reward: float, random: Random) -> float:
        return reward

    def weight(self) -> float:
        return 1.0 / self.temper

    def learn(self, state: ThompsonState, choice: Choice, reward: float, random: Random) -> None:
        state.wins[choice.arm] += reward / self.temper
        state.losses[choice.arm] += (1.0 - reward) / self.temper
        state.workspace.postpone()
