"""An exploration floor around any policy: every arm keeps a minimum probability."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from robandit.dice import Random, draw
from robandit.game import Choice, Policy, Setting, drawn_among
from robandit.parts import About, parameter
from robandit.policies.samba import Samba
from robandit.policies.wrapped import WrappedState, Wrapper

SAMBA = Samba()


@dataclass(frozen=True)
class Floor(Wrapper[WrappedState]):
    """Draws from (1 - share) p + share/K; the inner policy weights its update by the mixed probability.

    A policy that chooses in a way of its own or has no explicit p(t) is left to choose by itself and learns
    only from its own choices, weighted by the probability it gave them; the floor's pulls pass it by.
    """

    about = About(
        name="floor",
        summary="wraps a policy so that every arm keeps probability share/K",
        reference="folklore; compare Auer et al. 2002",
        fidelity="exact",
        bound="the inner policy's, plus share * T times the mean gap",
        cost="the inner policy's + O(K)",
        late="as the inner policy",
    )
    share: float = parameter(0.05, "total probability spread evenly over the arms", least=0, most=0.5)
    inner: Policy[Any] = parameter(SAMBA, "the policy inside, in parentheses: inner=(samba:learning_rate=0.1)")

    @property
    def asks(self) -> bool:  # type: ignore[override]  # a constant elsewhere, here and below the inner policy's
        """Whether the inner policy asks for rewards to be verified."""
        return self.inner.asks

    def start(self, setting: Setting) -> WrappedState:
        state = WrappedState(np.empty(setting.arms), self.inner.start(setting))
        self.show(state)
        return state

    def show(self, state: WrappedState) -> None:
        """p(t) is the inner policy's, mixed with the floor."""
        arms = len(state.probabilities)
        for arm in range(arms):
            state.probabilities[arm] = (1.0 - self.share) * state.inner.probabilities[arm] + self.share / arms

    def choose(self, state: WrappedState, random: Random) -> Choice:
        self.refresh(state)
        if not self.inner.has_own_choose:
            arm = draw(state.probabilities, random)
            return Choice(arm, state.probabilities[arm], 0)
        if random.uniform() < self.share:
            arm = int(random.uniform() * len(state.probabilities))
            return Choice(arm, state.probabilities[arm] if self.explicit else math.nan, -1)
        own = self.inner.choose(state.inner, random)
        return Choice(own.arm, state.probabilities[own.arm] if self.explicit else math.nan, own.note)

    def choose_among(self, state: WrappedState, eligible: list[int], random: Random) -> Choice:
        if not self.inner.has_own_choose:
            return drawn_among(eligible, self.probabilities_among(state, eligible), random)
        if random.uniform() < self.share:
            chosen = Choice(eligible[int(random.uniform() * len(eligible))], math.nan, -1)
        else:
            chosen = self.inner.choose_among(state.inner, eligible, random)
        if not self.explicit:
            return chosen
        return chosen._replace(probability=self.probabilities_among(state, eligible)[eligible.index(chosen.arm)])

    def probabilities_among(self, state: WrappedState, eligible: list[int]) -> list[float]:
        own = self.inner.probabilities_among(state.inner, eligible)
        return [(1.0 - self.share) * probability + self.share / len(eligible) for probability in own]

    def learn(self, state: WrappedState, choice: Choice, reward: float, random: Random) -> None:
        if choice.note >= 0:
            self.inner.learn(state.inner, self.own(choice, len(state.probabilities)), reward, random)
            self.show(state)

    def wants_check(self, state: WrappedState, choice: Choice) -> bool:
        return choice.note >= 0 and self.inner.wants_check(state.inner, self.own(choice, len(state.probabilities)))

    def learn_verified(self, state: WrappedState, choice: Choice, reward: float, random: Random) -> None:
        if choice.note >= 0:
            self.inner.learn_verified(state.inner, self.own(choice, len(state.probabilities)), reward, random)
            self.show(state)

    def defer(self, state: WrappedState, choice: Choice) -> None:
        if choice.note >= 0:
            self.inner.defer(state.inner, self.own(choice, len(state.probabilities)))
            self.show(state)

    def own(self, choice: Choice, arms: int) -> Choice:
        """The choice as the inner policy's own, or as it was drawn for it from the mixture."""
        if not self.inner.has_own_choose:
            return choice
        return Choice(choice.arm, (choice.probability - self.share / arms) / (1.0 - self.share), choice.note)

    @property
    def can_restart(self) -> bool:  # type: ignore[override]
        """Whether the inner policy can begin again."""
        return self.inner.can_restart

    @property
    def can_fade(self) -> bool:  # type: ignore[override]
        """Whether the inner policy lets rewards fade."""
        return self.inner.can_fade

    @property
    def can_unlearn(self) -> bool:  # type: ignore[override]
        """Whether the inner policy can take a reward back."""
        return self.inner.can_unlearn

    @property
    def cannot_forget(self) -> str:  # type: ignore[override]
        """Why the inner policy cannot."""
        return self.inner.cannot_forget

    def restart(self, state: WrappedState) -> None:
        self.inner.restart(state.inner)
        self.show(state)

    def fade(self, state: WrappedState, share: float) -> None:
        self.inner.fade(state.inner, share)

    def outcome(self, reward: float, random: Random) -> float:
        return self.inner.outcome(reward, random)

    def unlearn(self, state: WrappedState, arm: int, outcome: float) -> None:
        self.inner.unlearn(state.inner, arm, outcome)
