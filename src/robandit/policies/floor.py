"""An exploration floor around any policy: every arm keeps a minimum probability."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robandit.dice import Random, draw
from robandit.game import Choice, Floats, Policy, Setting, drawn_among
from robandit.parts import About, parameter
from robandit.policies.samba import Samba

SAMBA = Samba()


@dataclass
class FloorState:
    """The inner policy's state, and its p(t) mixed with the floor."""

    probabilities: Floats
    inner: Any


@dataclass(frozen=True)
class Floor(Policy[FloorState]):
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
    def explicit(self) -> bool:  # type: ignore[override]  # a constant elsewhere, here the inner policy's
        """Whether p(t) has a closed form: if the inner policy's has."""
        return self.inner.explicit

    @property
    def late(self) -> str:
        """As the inner policy takes late rewards."""
        return self.inner.late

    @property
    def reads_note(self) -> bool:  # type: ignore[override]
        """Whether the inner policy needs the notes of its own choices."""
        return self.inner.reads_note

    @property
    def arms_fixed(self) -> str:  # type: ignore[override]
        """Why the inner policy needs all its arms."""
        return self.inner.arms_fixed

    @property
    def rewards_fixed(self) -> str:  # type: ignore[override]
        """Why no reward can be taken back from the inner policy."""
        return self.inner.rewards_fixed

    def start(self, setting: Setting) -> FloorState:
        inner = self.inner.start(setting)
        state = FloorState(np.empty(setting.arms), inner)
        self.mix(state)
        return state

    def begin(self, state: FloorState, random: Random) -> None:
        self.inner.begin(state.inner, random)
        self.mix(state)

    def mix(self, state: FloorState) -> None:
        """Keep the outer p(t) true."""
        arms = len(state.probabilities)
        for arm in range(arms):
            state.probabilities[arm] = (1.0 - self.share) * state.inner.probabilities[arm] + self.share / arms

    def choose(self, state: FloorState, random: Random) -> Choice:
        if not self.inner.has_own_choose:
            arm = draw(state.probabilities, random)
            return Choice(arm, state.probabilities[arm], 0)
        if random.uniform() < self.share:
            arm = int(random.uniform() * len(state.probabilities))
            return Choice(arm, state.probabilities[arm] if self.explicit else math.nan, -1)
        own = self.inner.choose(state.inner, random)
        return Choice(own.arm, state.probabilities[own.arm] if self.explicit else math.nan, own.note)

    def choose_among(self, state: FloorState, eligible: list[int], random: Random) -> Choice:
        if not self.inner.has_own_choose:
            return drawn_among(eligible, self.probabilities_among(state, eligible), random)
        if random.uniform() < self.share:
            return Choice(eligible[int(random.uniform() * len(eligible))], math.nan, -1)
        return self.inner.choose_among(state.inner, eligible, random)

    def probabilities_among(self, state: FloorState, eligible: list[int]) -> list[float]:
        own = self.inner.probabilities_among(state.inner, eligible)
        return [(1.0 - self.share) * probability + self.share / len(eligible) for probability in own]

    def admit(self, state: FloorState, arm: int, present: list[int]) -> None:
        self.inner.admit(state.inner, arm, present)
        self.mix(state)

    def withdraw(self, state: FloorState, arm: int, present: list[int]) -> None:
        self.inner.withdraw(state.inner, arm, present)
        self.mix(state)

    def learn(self, state: FloorState, choice: Choice, reward: float, random: Random) -> None:
        if choice.note >= 0:
            self.inner.learn(state.inner, self.own(choice, len(state.probabilities)), reward, random)
            self.mix(state)

    def defer(self, state: FloorState, choice: Choice) -> None:
        if choice.note >= 0:
            self.inner.defer(state.inner, self.own(choice, len(state.probabilities)))
            self.mix(state)

    def own(self, choice: Choice, arms: int) -> Choice:
        """The choice as the inner policy's own, or as it was drawn for it from the mixture."""
        if not self.inner.has_own_choose:
            return choice
        return Choice(choice.arm, (choice.probability - self.share / arms) / (1.0 - self.share), choice.note)

    def notes(self, setting: Setting) -> list[str]:
        return self.inner.notes(setting)

    def notes_on_means(self, means: Sequence[float]) -> list[str]:
        return self.inner.notes_on_means(means)

    @property
    def smallest_lift(self) -> float | None:
        """As the inner policy's."""
        return self.inner.smallest_lift
