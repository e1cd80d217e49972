"""FTRL with the hybrid regulariser of Jin & Luo (2020), K-armed: most likely the "OMD" of the corrupted-bandits paper.

The paper names no regulariser and no constants; the form here is recalled, and b = 64 is the value
that comes closest to its table for K <= 15.
"""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import FAR, level_with_least
from robandit.parts import About, parameter

LEAST = 2.0**-53  # of 1 - p, where p is below 1; p rounds to 1 where all other arms are out of reach


@dataclass
class FtrlHybridState:
    """Estimated cumulative losses, p(t), the round t counted from 1, and the solver's scratch space."""

    probabilities: Floats
    losses: Floats
    gradient: Floats
    width: Floats
    round: int = 1


@dataclass(frozen=True)
class FtrlHybrid(Policy[FtrlHybridState]):
    """Minimises <p, L> - sqrt(t) sum[sqrt p_i + sqrt(1 - p_i)/sqrt K] + b sum ln(1/p_i) over the simplex."""

    about = About(
        name="ftrl-hybrid",
        family="FTRL",
        summary="regularised leader with a hybrid of Tsallis entropy and log-barrier, solved by Newton's method",
        reference="Jin & Luo 2020",
        fidelity="reconstruction",
        bound="K log(T)/Delta + C",
        cost="O(K), about 2 Newton steps",
        late="weighted",
    )
    b: float = parameter(64.0, "weight of the log-barrier", least=0, published=64.0, scaled=1.0)

    def start(self, setting: Setting) -> FtrlHybridState:
        arms = setting.arms
        return FtrlHybridState(np.full(arms, 1.0 / arms), np.zeros(arms), np.zeros(arms), np.zeros(arms))

    def learn(self, state: FtrlHybridState, choice: Choice, reward: float, random: Random) -> None:
        state.losses[choice.arm] += (1.0 - reward) / choice.probability
        state.round += 1
        self.show(state)

    def show(self, state: FtrlHybridState) -> None:
        """p(t) from the losses."""
        hybrid_probabilities(
            state.losses, math.sqrt(state.round), self.b, state.probabilities, state.gradient, state.width
        )

    def admit(self, state: FtrlHybridState, arm: int, present: list[int]) -> None:
        level_with_least(state.losses, arm, present)
        for one in range(len(state.probabilities)):  # Newton's method starts inside (0, 1)
            if state.probabilities[one] >= 1.0:  # it was alone
                state.probabilities[one] = 1.0 - 1e-6
        state.probabilities[arm] = max(state.probabilities[arm], 1e-6)
        self.show(state)

    def withdraw(self, state: FtrlHybridState, arm: int, present: list[int]) -> None:
        state.losses[arm] = FAR
        self.show(state)


def hybrid_probabilities(
    losses: Floats, strength: float, b: float, probabilities: Floats, gradient: Floats, width: Floats
) -> int:
    """Minimise <p, L> - strength sum[sqrt p_i + sqrt(1 - p_i)/sqrt K] + b sum ln(1/p_i) on the simplex.

    Newton's method from the last p on all of it at once, with the multiplier of sum p = 1; the
    Hessian is diagonal, `width` its inverse. A step is shortened to stay inside (0, 1). Returns the number of steps.
    """
    arms = len(losses)
    if arms == 1:
        return 0
    mirror = 1.0 / math.sqrt(arms)
    steps, far = 0, True
    while far and steps < 100:
        for arm in range(arms):  # a loop of its own, without sums: it runs four arms at a time
            inverse_p, inverse_q = 1.0 / probabilities[arm], 1.0 / max(1.0 - probabilities[arm], LEAST)
            low, high = math.sqrt(inverse_p), mirror * math.sqrt(inverse_q)
            gradient[arm] = losses[arm] - 0.5 * strength * (low - high) - b * inverse_p
            width[arm] = 1.0 / (0.25 * strength * (low * inverse_p + high * inverse_q) + b * inverse_p * inverse_p)
        total, weight, weighted = 0.0, 0.0, 0.0
        for arm in range(arms):
            total += probabilities[arm]
            weight += width[arm]
            weighted += gradient[arm] * width[arm]
        multiplier = (1.0 - total + weighted) / weight
        length, far = 1.0, False
        for arm in range(arms):
            p, q = probabilities[arm], max(1.0 - probabilities[arm], LEAST)
            step = (multiplier - gradient[arm]) * width[arm]
            gradient[arm] = step
            if -step > 0.9 * p:
                length = min(length, -0.9 * p / step)
            elif step > 0.9 * q:
                length = min(length, 0.9 * q / step)
            far = far or abs(step) > 1e-7 * min(p, q)
        for arm in range(arms):
            probabilities[arm] += length * gradient[arm]
        steps += 1
    total = 0.0
    for arm in range(arms):
        total += probabilities[arm]
    for arm in range(arms):
        probabilities[arm] /= total
    return steps
