"""SAMBA for a team: all agents draw from one p, and only sums of rewards are sent, at longer and longer intervals."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random, draw
from robandit.errors import InputError
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import barrier_step, no_longer_awaited
from robandit.parts import About, parameter


@dataclass
class TeamSambaState:
    """The common p, each agent's sums since the last message, rewards awaited per agent, and room for one step."""

    probabilities: Floats
    sums: Floats  # (agents, arms)
    waiting: Floats
    steps: Floats
    ranked: Floats
    due: int  # the round of each agent after which the next message is sent
    turn: int = 0  # choices of all agents so far; the next is that of agent turn mod V
    sent: int = 0


@dataclass(frozen=True)
class TeamSamba(Policy[TeamSambaState]):
    """After each batch 1/p_i falls by alpha S_i/p_i, S summed over the agents, and by a level that all arms share.

    With `trim` the largest and smallest sums of each arm are left out, so that so many agents cannot move it far.
    """

    plays = "agents"
    reads_note = True
    about = About(
        name="team-samba",
        family="SAMBA",
        summary="agents share p and send sums of rewards at growing intervals; trimming leaves out what a few forge",
        reference="a variant of Denisov & Walton 2020, ours",
        needs=("agents",),
        bound="none proved",
        cost="O(1), a draw; O(V K) a message",
        late="weighted",
    )
    learning_rate: float = parameter(0.05, "step alpha", above=0)
    batch: int = parameter(10, "rounds of each agent before the first message, and at least between two", least=1)
    growth: float = parameter(0.1, "the next message waits for this share of the rounds so far", least=0)
    trim: int = parameter(0, "agents left out at either end of each arm's sums", least=0)

    def start(self, setting: Setting) -> TeamSambaState:
        arms, agents = setting.arms, setting.agents
        check_trim(self.name, self.trim, agents)
        even = np.full(arms, 1.0 / arms)
        return TeamSambaState(
            even, np.zeros((agents, arms)), np.zeros(agents), np.zeros(arms), np.zeros(agents), self.batch
        )

    def choose(self, state: TeamSambaState, random: Random) -> Choice:
        arm = draw(state.probabilities, random)
        return Choice(arm, state.probabilities[arm], state.turn % len(state.waiting))

    def defer(self, state: TeamSambaState, choice: Choice) -> None:
        state.turn += 1
        state.waiting[choice.note] += 1.0

    def learn(self, state: TeamSambaState, choice: Choice, reward: float, random: Random) -> None:
        arm, agents = choice.arm, len(state.waiting)
        state.turn += no_longer_awaited(state.waiting, choice.note)
        state.sums[choice.note, arm] += reward * (
            state.probabilities[arm] / choice.probability
        )  # p fell or rose since, if late
        if state.turn < agents * state.due:
            return
        for arm in range(len(state.probabilities)):
            state.steps[arm] = self.learning_rate * trimmed_sum(state.sums, arm, self.trim, state.ranked)
            state.steps[arm] /= state.probabilities[arm]
            for agent in range(agents):
                state.sums[agent, arm] = 0.0
        barrier_step(state.probabilities, state.steps)
        state.sent += agents
        done = state.turn // agents
        state.due = done + max(self.batch, math.floor(self.growth * done))

    def messages(self, state: TeamSambaState, rounds: int) -> int:
        return state.sent

    def message_size(self, arms: int) -> int:
        return arms


def check_trim(name: str, trim: int, agents: int) -> None:
    """Somebody must be left."""
    if 2 * trim >= agents:
        raise InputError(f"{name}: trim must be below half of the {agents} agents, not {trim}")


def trimmed_sum(sums: Floats, arm: int, trim: int, ranked: Floats) -> float:
    """An arm's sum over the agents; with `trim`, of those in the middle, scaled up to all."""
    agents = len(ranked)
    for agent in range(agents):  # insertion sort: agents are few
        place = agent
        while trim > 0 and place > 0 and ranked[place - 1] > sums[agent, arm]:
            ranked[place] = ranked[place - 1]
            place -= 1
        ranked[place] = sums[agent, arm]
    total = 0.0
    for place in range(trim, agents - trim):
        total += ranked[place]
    return total * (agents / (agents - 2.0 * trim))
