"""Thompson sampling whose draw for an arm is lifted by linear/(n + 1): random as Thompson, optimistic as an index."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import no_longer_awaited
from robandit.parts import About, parameter
from robandit.variates import beta_draw


@dataclass
class State:
    """The posterior's two counts per arm, and the rewards awaited; p(t) has no closed form."""

    chances: Floats
    wins: Floats
    losses: Floats
    waiting: Floats


@dataclass(frozen=True)
class BonusThompson(Policy[State]):
    """An arm whose successes are erased is dropped only after about linear/r_2 pulls; the attacker pays for each."""

    about = About(
        name="bonus-thompson",
        summary="a posterior draw plus linear/n: the knob is about the number of forged rewards it withstands",
        reference="ours; the bonus C/n for a known corruption C is Lykouris, Mirrokni & Paes Leme 2018",
        fidelity="exact",
        bound="none proved; measured: about (K - 1) linear in peace, a price of about linear r*/r_2",
        cost="O(K) beta draws",
        late="exact",
    )
    explicit = False
    linear: float = parameter(50.0, "how many forged rewards to withstand, about; 0 is thompson", least=0)

    def start(self, setting: Setting) -> State:
        ones = np.ones(setting.arms)
        return State(np.full(setting.arms, 1.0 / setting.arms), ones, ones.copy(), np.zeros(setting.arms))

    def choose(self, state: State, random: Random) -> Choice:
        best, best_value = 0, -1.0
        for arm in range(len(state.wins)):
            chosen = state.wins[arm] + state.losses[arm] - 2.0 + state.waiting[arm]
            value = beta_draw(state.wins[arm], state.losses[arm], random) + self.linear / (chosen + 1.0)
            if value > best_value:
                best, best_value = arm, value
        return Choice(best, math.nan, 0)

    def learn(self, state: State, choice: Choice, reward: float, random: Random) -> None:
        no_longer_awaited(state.waiting, choice.arm)
        if 0.0 < reward < 1.0:  # a bounded reward first becomes a coin with that mean
            reward = 1.0 if random.uniform() < reward else 0.0
        state.wins[choice.arm] += reward
        state.losses[choice.arm] += 1.0 - reward

    def defer(self, state: State, choice: Choice) -> None:
        state.waiting[choice.arm] += 1.0
