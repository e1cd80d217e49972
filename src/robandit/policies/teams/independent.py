"""Agents who never talk: each plays a Markov policy of its own. The baseline that a team must beat."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from robandit.dice import Random, draw
from robandit.errors import InputError
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import no_longer_awaited
from robandit.parts import About, parameter
from robandit.policies.samba import Samba

SAMBA = Samba()


@dataclass
class IndependentState:
    """p(t) of the agent whose turn it is, the p of all, the inner policy's state, and rewards awaited per agent."""

    probabilities: Floats
    own: Floats  # (agents, arms)
    inner: Any
    waiting: Floats
    turn: int = 0


@dataclass(frozen=True)
class Independent(Policy[IndependentState]):
    """A copy of the inner policy for each agent."""

    plays = "agents"
    reads_note = True
    about = About(
        name="independent",
        summary="each agent alone with a policy of its own, such as SAMBA: no messages, V times the regret",
        needs=("agents",),
        bound="V times that of the inner policy",
        cost="that of the inner policy",
        late="weighted",
    )
    inner: Policy[Any] = parameter(SAMBA, "the policy of each agent, in parentheses: inner=(samba:learning_rate=0.1)")

    def __post_init__(self) -> None:
        super().__post_init__()
        if [item.name for item in fields(self.inner.start(Setting(2, 1)))] != ["probabilities"]:
            raise InputError(
                f"independent: inner must be a policy whose state is its p(t), such as samba or exponential-samba, not "
                f"{self.inner.name}; play that one alone and multiply its regret by the number of agents"
            )

    def start(self, setting: Setting) -> IndependentState:
        inner = self.inner.start(setting)
        own = np.tile(inner.probabilities, (setting.agents, 1))
        return IndependentState(inner.probabilities.copy(), own, inner, np.zeros(setting.agents))

    def choose(self, state: IndependentState, random: Random) -> Choice:
        arm = draw(state.probabilities, random)
        return Choice(arm, state.probabilities[arm], state.turn % len(state.waiting))

    def defer(self, state: IndependentState, choice: Choice) -> None:
        state.waiting[choice.note] += 1.0
        self.next_turn(state, 1)

    def learn(self, state: IndependentState, choice: Choice, reward: float, random: Random) -> None:
        agent, arms = choice.note, len(state.probabilities)
        for arm in range(arms):
            state.inner.probabilities[arm] = state.own[agent, arm]
        self.inner.learn(state.inner, Choice(choice.arm, choice.probability, 0), reward, random)
        for arm in range(arms):
            state.own[agent, arm] = state.inner.probabilities[arm]
        self.next_turn(state, no_longer_awaited(state.waiting, agent))

    def next_turn(self, state: IndependentState, turns: int) -> None:
        """The p(t) of the agent who comes next."""
        state.turn += turns
        for arm in range(len(state.probabilities)):
            state.probabilities[arm] = state.own[state.turn % len(state.waiting), arm]

    def messages(self, state: IndependentState, rounds: int) -> int:
        return 0

    def notes_on_means(self, means: Sequence[float]) -> list[str]:
        return self.inner.notes_on_means(means)

    @property
    def smallest_lift(self) -> float | None:
        """As the inner policy's."""
        return self.inner.smallest_lift
