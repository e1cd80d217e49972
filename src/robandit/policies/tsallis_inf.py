"""Tsallis-INF: follow the leader regularised by 1/2-Tsallis entropy (Zimmert & Seldin 2021), two loss estimators."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import FAR, fade_losses, level_with_least
from robandit.parts import About

BOUND = "sum over arms of log(T)/Delta_a + C (regret on true means)"
REFERENCE = "Zimmert & Seldin 2021"


@dataclass
class TsallisInfState:
    """Estimated cumulative losses, p(t), the round t counted from 1, and the root that normalised p."""

    probabilities: Floats
    losses: Floats
    round: int = 1
    root: float = 1.0


class TsallisInf(Policy[TsallisInfState]):
    """What both estimators share: p(t) from the losses."""

    def start(self, setting: Setting) -> TsallisInfState:
        arms = setting.arms
        return TsallisInfState(np.full(arms, 1.0 / arms), np.zeros(arms), root=math.sqrt(arms))

    def next_round(self, state: TsallisInfState, rate: float) -> None:
        """Solve for p of the coming round at learning rate `rate`."""
        state.root, _ = tsallis_probabilities(state.losses, rate, state.root, state.probabilities)

    def rate(self, state: TsallisInfState) -> float:
        """The learning rate of the coming round."""
        return 0.0

    def restart(self, state: TsallisInfState) -> None:
        self.fade(state, 0.0)
        self.next_round(state, self.rate(state))

    def fade(self, state: TsallisInfState, share: float) -> None:
        state.round = fade_losses(state.losses, state.round, share)

    def admit(self, state: TsallisInfState, arm: int, present: list[int]) -> None:
        level_with_least(state.losses, arm, present)
        self.next_round(state, self.rate(state))

    def withdraw(self, state: TsallisInfState, arm: int, present: list[int]) -> None:
        state.losses[arm] = FAR
        self.next_round(state, self.rate(state))


@dataclass(frozen=True)
class TsallisInfIw(TsallisInf):
    """The importance-weighted estimator."""

    about = About(
        name="tsallis-inf-iw",
        family="FTRL",
        summary="regularised leader with 1/2-Tsallis entropy, importance-weighted losses; anytime, no parameters",
        reference=REFERENCE,
        basis="a formalisation of arXiv 1807.07623v6, read, and public JAX code, run beside it",
        bound=BOUND,
        cost="O(K), about 2.5 Newton steps",
        late="weighted",
    )

    def learn(self, state: TsallisInfState, choice: Choice, reward: float, random: Random) -> None:
        state.losses[choice.arm] += (1.0 - reward) / choice.probability
        state.round += 1
        self.next_round(state, self.rate(state))

    def rate(self, state: TsallisInfState) -> float:
        return 2.0 / math.sqrt(state.round)


@dataclass(frozen=True)
class TsallisInfRv(TsallisInf):
    """The reduced-variance estimator."""

    about = About(
        name="tsallis-inf-rv",
        family="FTRL",
        summary="the same with the reduced-variance estimator and twice the learning rate; anytime, no parameters",
        reference=REFERENCE,
        basis="a formalisation of arXiv 1807.07623v6, read, and public JAX code, run beside it",
        bound=BOUND,
        cost="O(K), about 2.5 Newton steps",
        late="weighted",
    )

    def learn(self, state: TsallisInfState, choice: Choice, reward: float, random: Random) -> None:
        rate = self.rate(state)
        for arm in range(len(state.losses)):
            baseline = 0.5 if state.probabilities[arm] >= rate * rate else 0.0
            state.losses[arm] += baseline  # for every arm, pulled or not
            if arm == choice.arm:
                state.losses[arm] += (1.0 - reward - baseline) / choice.probability
        state.round += 1
        self.next_round(state, self.rate(state))

    def rate(self, state: TsallisInfState) -> float:
        return 4.0 / math.sqrt(state.round)


def tsallis_probabilities(losses: Floats, rate: float, root: float, probabilities: Floats) -> tuple[float, int]:
    """p_i = (a_i + z)^-2 with a_i = rate/2 (L_i - min L) and the z that makes them sum to 1; returns z and the steps.

    The sum is convex and decreasing in z and the root lies in [1, sqrt K], so Newton's method from
    the last root steps at most once too far and then climbs to it from the left.
    """
    arms = len(losses)
    least = losses[0]
    for arm in range(1, arms):
        least = min(least, losses[arm])
    if least > 1e6:  # only differences matter: keep them exact
        for arm in range(arms):
            losses[arm] -= least
        least = 0.0
    half = 0.5 * rate
    steps, moved = 0, 1.0
    while abs(moved) > 1e-12 and steps < 100:
        value, slope = -1.0, 0.0
        for arm in range(arms):
            inverse = 1.0 / (half * (losses[arm] - least) + root)
            square = inverse * inverse
            value += square
            slope += square * inverse
        after = min(max(root + 0.5 * value / slope, 1.0), math.sqrt(arms))
        moved = after - root
        root = after
        steps += 1
    total = 0.0
    for arm in range(arms):
        inverse = 1.0 / (half * (losses[arm] - least) + root)
        probabilities[arm] = inverse * inverse
        total += probabilities[arm]
    for arm in range(arms):
        probabilities[arm] /= total
    return root, steps
