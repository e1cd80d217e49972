"""SAMBA, a Markov policy gradient (Denisov & Walton 2020; Algorithm 1 of the corrupted-bandits paper)."""

from dataclasses import InitVar, dataclass

import numpy as np

from robandit.dice import Random
from robandit.errors import InputError
from robandit.game import About, Choice, Floats, Policy, Setting, parameter
from robandit.numerics import argmax


@dataclass
class State:
    """p(t), and nothing else: the policy is Markov."""

    chances: Floats


@dataclass(frozen=True)
class Samba(Policy[State]):
    """Moves probability from the others to the leader when it pays, and to a challenger when that pays."""

    about = About(
        name="samba",
        summary="Markov policy gradient on the probabilities themselves; needs only a step size",
        reference="Denisov & Walton 2020; Liu, Wang & Fang, Algorithm 1",
        bound="K log(T)/Delta + C/Delta, if learning_rate < r*/r_2 - 1",
    )
    learning_rate: float = parameter(
        0.05, "step alpha; the theory asks alpha < r*/r_2 - 1", above=0, below=1, published=0.05
    )
    min_lift: InitVar[float | None] = parameter(
        None, "in place of learning_rate, which is half of it: the smallest relative lift worth finding"
    )

    def __post_init__(self, min_lift: float | None = None) -> None:
        if min_lift is not None:
            if self.learning_rate != 0.05:
                raise InputError("samba: give learning_rate or min_lift, not both")
            object.__setattr__(self, "learning_rate", min_lift / 2)
        super().__post_init__()

    def start(self, setting: Setting) -> State:
        return State(np.full(setting.arms, 1.0 / setting.arms))

    def learn(self, state: State, choice: Choice, reward: float, random: Random) -> None:
        if reward == 0.0:
            return
        p = state.chances
        leader = argmax(p)
        rate = self.learning_rate * reward / choice.chance
        cap = 2.0 * choice.chance  # binds only when feedback comes late: it keeps p on the simplex
        others = 0.0
        for a in range(len(p)):
            if a == leader:
                continue
            if choice.arm == leader:
                p[a] -= rate * p[a] * min(p[a], cap)
            elif choice.arm == a:
                p[a] += rate * p[a] * min(p[a], cap)
            others += p[a]
        p[leader] = 1.0 - others
