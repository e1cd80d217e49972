"""EXP3 (Auer et al. 2002), anytime with the current rate on all losses, and EXP3.IX (Neu 2015)."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import FAR, fade_losses, level_with_least
from robandit.parts import About, parameter


@dataclass
class Exp3State:
    """Estimated cumulative losses, p(t) and the round t counted from 1."""

    probabilities: Floats
    losses: Floats
    round: int = 1


@dataclass(frozen=True)
class Exp3(Policy[Exp3State]):
    """p_i proportional to exp(-eta_t L_i) with eta_t = scale sqrt(ln K/(K t)), no mixing."""

    about = About(
        name="exp3",
        family="FTRL",
        summary="exponential weights on importance-weighted losses, anytime",
        reference="Bubeck & Cesa-Bianchi 2012, section 3.1; first, with mixing: Auer, Cesa-Bianchi, Freund & Schapire "
        "2002",
        fidelity="exact",
        basis="equation 3.3 of Bubeck & Cesa-Bianchi 2012, read: losses, no mixing, eta_t = sqrt(ln K/(t K))",
        bound="2 sqrt(T K ln K) against any rewards",
        cost="O(K) exponentials",
        late="weighted",
    )
    scale: float = parameter(1.0, "factor on the learning rate", above=0, published=1.0)

    def start(self, setting: Setting) -> Exp3State:
        return Exp3State(np.full(setting.arms, 1.0 / setting.arms), np.zeros(setting.arms))

    def learn(self, state: Exp3State, choice: Choice, reward: float, random: Random) -> None:
        state.losses[choice.arm] += (1.0 - reward) / (choice.probability + self.bias(state))
        state.round += 1
        self.show(state)

    def show(self, state: Exp3State) -> None:
        """p(t) from the losses."""
        rate, least = self.rate(state), state.losses[0]
        for arm in range(len(state.losses)):
            least = min(least, state.losses[arm])
        total = 0.0
        for arm in range(len(state.losses)):
            state.probabilities[arm] = math.exp(-rate * (state.losses[arm] - least))
            total += state.probabilities[arm]
        for arm in range(len(state.losses)):
            state.probabilities[arm] /= total

    def admit(self, state: Exp3State, arm: int, present: list[int]) -> None:
        level_with_least(state.losses, arm, present)
        self.show(state)

    def withdraw(self, state: Exp3State, arm: int, present: list[int]) -> None:
        state.losses[arm] = FAR
        self.show(state)

    def restart(self, state: Exp3State) -> None:
        self.fade(state, 0.0)
        self.show(state)

    def fade(self, state: Exp3State, share: float) -> None:
        state.round = fade_losses(state.losses, state.round, share)

    def rate(self, state: Exp3State) -> float:
        """The learning rate of the current round."""
        arms = len(state.losses)
        return self.scale * math.sqrt(math.log(arms) / (arms * state.round))

    def bias(self, state: Exp3State) -> float:
        """What is added to the probability in the estimate."""
        return 0.0


@dataclass(frozen=True)
class Exp3Ix(Exp3):
    """EXP3 with implicit exploration: the estimate divides by p + eta_t/2."""

    about = About(
        name="exp3-ix",
        family="FTRL",
        summary="EXP3 with implicit exploration: biased estimates, lighter tails",
        reference="Neu 2015",
        fidelity="recalled",
        bound="sqrt(T K log K) with high probability, against any rewards",
        cost="O(K) exponentials",
        late="weighted",
    )

    def bias(self, state: Exp3State) -> float:
        return 0.5 * self.rate(state)
