"""LB-INF-V (Tsuchiya, Ito & Honda 2023), one arm per round: log-barrier FTRL whose rates follow the variance."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import FAR, level_with_least
from robandit.parts import About, parameter

LEAST = 2.0**-53  # of 1 - p, where p is below 1; p rounds to 1 where all other arms are out of reach


@dataclass
class LbInfVState:
    """p(t), estimated losses; per arm the rewards seen, their losses and beta^2; scratch space; gamma = ln T."""

    probabilities: Floats
    losses: Floats
    pulls: Floats
    sums: Floats
    squares: Floats
    gradient: Floats
    width: Floats
    gamma: float


@dataclass(frozen=True)
class LbInfV(Policy[LbInfVState]):
    """Minimises <p, L + m> + sum beta_i phi(p_i), phi'(p) = 1 - 1/p - gamma ln(1 - p), m the mean loss of each arm.

    The estimate of every loss is m, corrected by (l - m)/p for the arm pulled; beta_i^2 grows by
    (l - m)^2 min(1, 2(1 - p)/(p^2 gamma))/gamma. So where losses hardly vary, it hardly explores.
    """

    about = About(
        name="lb-inf-v",
        family="FTRL",
        summary="regularised leader with a log-barrier and rates that follow each arm's variance: for rare clicks",
        reference="Tsuchiya, Ito & Honda 2023, for one arm per round",
        fidelity="exact",
        basis="the authors' code (tsuchhiii/bobw-variance), read: least-squares predictions",
        needs=("horizon",),
        bound="log(T) times a sum over arms that shrinks with their variance, and sqrt(T K log T) against any rewards",
        cost="O(K), about 3 Newton steps",
        late="weighted",
    )
    epsilon: float = parameter(0.2, "beta begins at 1 + epsilon", above=0, published=0.2)

    def start(self, setting: Setting) -> LbInfVState:
        arms = setting.arms
        losses, pulls, sums, gradient, width = np.zeros((5, arms))
        even, squares = np.full(arms, 1.0 / arms), np.full(arms, (1.0 + self.epsilon) ** 2)
        gamma = max(math.log(setting.horizon), 1.0)
        return LbInfVState(even, losses, pulls, sums, squares, gradient, width, gamma)

    def learn(self, state: LbInfVState, choice: Choice, reward: float, random: Random) -> None:
        pulled, p, loss = choice.arm, choice.probability, 1.0 - reward
        for arm in range(len(state.losses)):
            state.losses[arm] += (0.5 + state.sums[arm]) / (1.0 + state.pulls[arm])
        error = loss - (0.5 + state.sums[pulled]) / (1.0 + state.pulls[pulled])
        state.losses[pulled] += error / p
        state.squares[pulled] += error * error * min(1.0, 2.0 * (1.0 - p) / (p * p * state.gamma)) / state.gamma
        state.pulls[pulled] += 1.0
        state.sums[pulled] += loss
        self.show(state)

    def show(self, state: LbInfVState) -> None:
        """p(t) from the losses, by Newton's method from the last one; a step is shortened to stay inside (0, 1)."""
        arms = len(state.losses)
        if arms == 1:
            return
        steps, far, p = 0, True, state.probabilities
        while far and steps < 100:
            total, weight, weighted = 0.0, 0.0, 0.0
            for arm in range(arms):
                beta = math.sqrt(state.squares[arm])
                inverse, rest = 1.0 / p[arm], max(1.0 - p[arm], LEAST)
                mean = (0.5 + state.sums[arm]) / (1.0 + state.pulls[arm])
                slope = 1.0 - inverse - state.gamma * math.log(rest)
                state.gradient[arm] = state.losses[arm] + mean + beta * slope
                state.width[arm] = 1.0 / (beta * (inverse * inverse + state.gamma / rest))
                total += p[arm]
                weight += state.width[arm]
                weighted += state.gradient[arm] * state.width[arm]
            multiplier = (1.0 - total + weighted) / weight
            length, far = 1.0, False
            for arm in range(arms):
                rest = max(1.0 - p[arm], LEAST)
                step = (multiplier - state.gradient[arm]) * state.width[arm]
                state.gradient[arm] = step
                if -step > 0.9 * p[arm]:
                    length = min(length, -0.9 * p[arm] / step)
                elif step > 0.9 * rest:
                    length = min(length, 0.9 * rest / step)
                far = far or abs(step) > 1e-7 * min(p[arm], rest)
            for arm in range(arms):
                p[arm] += length * state.gradient[arm]
            steps += 1
        total = 0.0
        for arm in range(arms):
            total += p[arm]
        for arm in range(arms):
            p[arm] /= total

    def admit(self, state: LbInfVState, arm: int, present: list[int]) -> None:
        level_with_least(state.losses, arm, present)
        state.probabilities[arm] = max(state.probabilities[arm], 1e-6)  # Newton's method starts inside (0, 1)
        self.show(state)

    def withdraw(self, state: LbInfVState, arm: int, present: list[int]) -> None:
        state.losses[arm] = FAR
        self.show(state)
