"""A policy with a monitor: the rewards it learns from are tested, arm by arm, for a mean that changes.

The policy decides as it would alone, to the bit. The test (homogeneity.py) looks at every reward of an arm up to the
128th, and from then on whenever the arm has a 64th more of them; fewer looks only make an alarm rarer.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from robandit.dice import Random
from robandit.errors import InputError
from robandit.game import Choice, Floats, Policy, Setting
from robandit.homogeneity import CHANGES, LEVEL, change_evidence
from robandit.parts import About
from robandit.policies.wrapped import THOMPSON, WrappedState, Wrapper

OFTEN = 64.0  # an arm is looked at again when it has one of so many more rewards


@dataclass
class WatchedState(WrappedState):
    """The policy's own state, and per arm what the test counts."""

    pulls: Floats
    earned: Floats
    earlier: Floats  # (arms, changes): the sum of the first 1, 2, 4, ... rewards
    looks: Floats  # the pulls at which it looks again
    evidence: Floats  # e-values at the last look; those of all arms begin with 1
    total: float  # their sum
    alarm: int = 0  # the reward at which it rang, counted from 1; 0 while it has not
    rewards: int = 0


@dataclass(frozen=True)
class Watched(Wrapper[WatchedState]):
    """Chooses and learns as the policy inside; `alarm` says whether its rewards gave the attacker away."""

    inner: Policy[Any] = THOMPSON
    level: float = LEVEL
    is_watched = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.inner.plays != "arms":
            raise InputError(
                f"undetected: the rewards of each arm are tested for one mean, and {self.inner.name} plays another game"
            )
        if not 0.0 < self.level < 1.0:
            raise InputError(f"undetected must be above 0 and below 1, not {self.level:g}")

    @property
    def name(self) -> str:
        """As the policy inside."""
        return self.inner.name

    @property
    def about(self) -> About:  # type: ignore[override]  # a constant elsewhere, here and below the inner policy's
        """As the policy inside."""
        return self.inner.about

    @property
    def asks(self) -> bool:  # type: ignore[override]
        """Whether the policy inside asks for rewards to be verified."""
        return self.inner.asks

    def start(self, setting: Setting) -> WatchedState:
        arms = setting.arms
        state = WatchedState(
            np.empty(arms),
            self.inner.start(setting),
            pulls=np.zeros(arms),
            earned=np.zeros(arms),
            earlier=np.zeros((arms, CHANGES)),
            looks=np.ones(arms),
            evidence=np.ones(arms),
            total=float(arms),
        )
        self.show(state)
        return state

    def learn(self, state: WatchedState, choice: Choice, reward: float, random: Random) -> None:
        self.inner.learn(state.inner, choice, reward, random)
        self.show(state)
        self.watch(state, choice.arm, reward)

    def wants_check(self, state: WatchedState, choice: Choice) -> bool:
        return self.inner.wants_check(state.inner, choice)

    def learn_verified(self, state: WatchedState, choice: Choice, reward: float, random: Random) -> None:
        self.inner.learn_verified(state.inner, choice, reward, random)
        self.show(state)
        self.watch(state, choice.arm, reward)

    def watch(self, state: WatchedState, arm: int, reward: float) -> None:
        """Count a reward, and look if it is time to."""
        state.rewards += 1
        if state.alarm > 0:
            return
        state.pulls[arm] += 1.0
        state.earned[arm] += reward
        pulls, size, change = state.pulls[arm], 1.0, 0
        while size < pulls:
            size, change = 2.0 * size, change + 1
        if size == pulls and change < CHANGES:
            state.earlier[arm, change] = state.earned[arm]
        if pulls >= state.looks[arm]:
            state.looks[arm] = pulls + max(1.0, pulls // OFTEN)
            evidence = change_evidence(pulls, state.earned[arm], state.earlier[arm])
            state.total += evidence - state.evidence[arm]
            state.evidence[arm] = evidence
            if state.total >= len(state.pulls) / self.level:
                state.alarm = state.rewards
