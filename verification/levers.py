"""Levers against fraud put together, to be scored by score.py: which of them add up?

One policy with five: a bonus linear/n, an optimistic prior, slowed counts, a second look at leaders that fell, and
trimming, which for rewards of 0 or 1 takes a share off every mean but not below 0. All at their neutral values it is
Thompson sampling. Caps on sources are the attacker's side: see score.py.
"""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.parts import About, parameter
from robandit.variates import beta_draw


@dataclass
class State:
    """The posterior's counts, and the choices of each arm."""

    probabilities: Floats
    wins: Floats
    losses: Floats
    choices: Floats
    rounds: int = 0


@dataclass(frozen=True)
class Levers(Policy[State]):
    """Pulls the arm that is best in a draw from the slowed posterior, lifted by linear/(n + 1)."""

    about = About("levers", "bonus, optimism, tempering and second looks at once", fidelity="exact")
    explicit = False
    linear: float = parameter(0.0, "of the bonus linear/(n + 1)", least=0)
    optimism: float = parameter(0.0, "successes every arm is credited with", least=0)
    temper: float = parameter(1.0, "by how much the counts are slowed", least=1)
    second: float = parameter(
        0.0, "c/t is the probability of a look at the arm shown most of those not in front", least=0
    )
    trim: float = parameter(0.0, "what is taken off every draw, down to 0", least=0, below=1)

    def start(self, setting: Setting) -> State:
        ones = np.ones(setting.arms)
        wins = np.full(setting.arms, 1.0 + self.optimism)
        return State(np.full(setting.arms, 1.0 / setting.arms), wins, ones, np.zeros(setting.arms))

    def choose(self, state: State, random: Random) -> Choice:
        if random.uniform() * (state.rounds + 1.0) < self.second:
            return Choice(self.most_chosen_rival(state), math.nan, 0)
        best, best_value = 0, -1.0
        for arm in range(len(state.wins)):
            draw = beta_draw(state.wins[arm], state.losses[arm], random)
            value = max(draw - self.trim, 0.0) + self.linear / (state.choices[arm] + 1.0)
            if value > best_value:
                best, best_value = arm, value
        return Choice(best, math.nan, 0)

    def most_chosen_rival(self, state: State) -> int:
        """Returns the arm chosen most often that is not the one with the best mean now."""
        leader, leader_mean, rival, rival_choices = 0, -1.0, 0, -1.0
        for arm in range(len(state.wins)):
            mean = state.wins[arm] / (state.wins[arm] + state.losses[arm])
            if mean > leader_mean:
                leader, leader_mean = arm, mean
        for arm in range(len(state.wins)):
            if arm != leader and state.choices[arm] > rival_choices:
                rival, rival_choices = arm, state.choices[arm]
        return rival

    def learn(self, state: State, choice: Choice, reward: float, random: Random) -> None:
        state.rounds += 1
        state.choices[choice.arm] += 1.0
        state.wins[choice.arm] += reward / self.temper
        state.losses[choice.arm] += (1.0 - reward) / self.temper
