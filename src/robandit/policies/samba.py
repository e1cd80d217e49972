"""SAMBA, a Markov policy gradient (Denisov & Walton 2020; Algorithm 1 of the corrupted-bandits paper)."""

import math
from collections.abc import Sequence
from dataclasses import InitVar, dataclass

import numpy as np

from robandit.dice import Random
from robandit.errors import InputError
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import argmax, drop_share, give_share
from robandit.parts import About, parameter

USUAL = 0.05


@dataclass
class SambaState:
    """p(t), and nothing else: the policy is Markov."""

    probabilities: Floats


class MarkovPolicy(Policy[SambaState]):
    """A policy whose state is p(t), which begins uniform."""

    cannot_forget = (
        "its state is p(t) alone, which holds no reward that could be forgotten: it cannot track a world that changes"
    )

    def start(self, setting: Setting) -> SambaState:
        return SambaState(np.full(setting.arms, 1.0 / setting.arms))

    def admit(self, state: SambaState, arm: int, present: list[int]) -> None:
        give_share(state.probabilities, arm, present)

    def withdraw(self, state: SambaState, arm: int, present: list[int]) -> None:
        drop_share(state.probabilities, arm, present)  # a probability of 0 stays one

    def restart(self, state: SambaState) -> None:
        total = 0.0
        for arm in range(len(state.probabilities)):
            total += 1.0 if state.probabilities[arm] > 0.0 else 0.0  # an arm that was withdrawn stays so
        for arm in range(len(state.probabilities)):
            state.probabilities[arm] = 1.0 / total if state.probabilities[arm] > 0.0 else 0.0


@dataclass(frozen=True, init=False)
class Samba(MarkovPolicy):
    """Moves probability from the others to the leader when it pays, and to a challenger when that pays."""

    about = About(
        name="samba",
        family="SAMBA",
        summary="Markov policy gradient on the probabilities themselves; cannot track a world that changes",
        reference="Denisov & Walton 2020; Liu, Wang & Fang, Algorithm 1",
        basis="Algorithm 1 of the paper, read",
        bound="(K-1) log(T)/learning_rate + b C, if learning_rate < r*/r_2 - 1; b grows with K, at most as K^2 "
        "Delta_max/Delta",
        late="weighted",
    )
    learning_rate: float = parameter(
        USUAL, "step alpha; the theory asks alpha < r*/r_2 - 1", above=0, below=1, published=0.05
    )
    min_lift: InitVar[float | None] = parameter(
        None, "in place of learning_rate, which is half of it: the smallest relative lift worth finding"
    )

    def __init__(self, learning_rate: float | None = None, *, min_lift: float | None = None) -> None:
        if learning_rate is not None and min_lift is not None:
            raise InputError("samba: give learning_rate or min_lift, not both")
        object.__setattr__(self, "learning_rate", USUAL if learning_rate is None else learning_rate)
        self.__post_init__(min_lift)

    def __post_init__(self, min_lift: float | None = None) -> None:  # a subclass that is a dataclass comes here at once
        if min_lift is not None:
            if not isinstance(min_lift, int | float) or not 0 < min_lift < 2:
                raise InputError(f"samba: min_lift must be a number above 0 and below 2, not {min_lift!r}")
            object.__setattr__(self, "learning_rate", min_lift / 2)
        super().__post_init__()

    def learn(self, state: SambaState, choice: Choice, reward: float, random: Random) -> None:
        if reward == 0.0:
            return
        p, arm = state.probabilities, choice.arm
        leader = argmax(p)
        rate = self.learning_rate * reward / choice.probability
        cap = (
            min(2.0, 1.0 / self.learning_rate) * choice.probability
        )  # binds only for late feedback: p stays on the simplex
        others = 0.0
        if arm == leader:
            for a in range(len(p)):
                if a != leader:
                    p[a] -= rate * p[a] * min(p[a], cap)
                    others += p[a]
        else:
            p[arm] += rate * p[arm] * min(p[arm], cap)
            for a in range(len(p)):
                if a != leader:
                    others += p[a]
        p[leader] = 1.0 - others

    @property
    def smallest_lift(self) -> float:
        return self.learning_rate

    def notes_on_means(self, means: Sequence[float]) -> list[str]:
        limit = admissible_step(means)
        if self.learning_rate < limit:
            return []
        step = f"learning_rate {self.learning_rate:g} is not below r*/r_2 - 1 = {limit:.3g}, the admissible step"
        return [f"{step} for these means: the bound on regret does not hold"]

    def slope_under_attack(self, means: Sequence[float]) -> float | None:
        """(2 + alpha)/(1 - alpha/alpha_max): a heuristic for large 1/p, no bound."""
        rate, limit = self.learning_rate, admissible_step(means)
        return (2.0 + rate) / (1.0 - rate / limit) if rate < limit < math.inf else None


def admissible_step(means: Sequence[float]) -> float:
    """r*/r_2 - 1: the bound on regret holds for steps below it; 0 where two arms are best."""
    first, second = sorted((*means, 0.0), reverse=True)[:2]
    return first / second - 1.0 if second > 0.0 else math.inf
