"""SAMBA's step on ln p instead of p: the drift of ln p is then exact, and larger steps are safe."""

import math
from dataclasses import dataclass

from robandit.dice import Random
from robandit.game import Choice
from robandit.numerics import argmax
from robandit.parts import About, parameter
from robandit.policies.samba import MarkovPolicy, SambaState

LARGEST = 0.69  # below ln 2: a challenger at most doubles, so the leader keeps something


@dataclass(frozen=True)
class ExponentialSamba(MarkovPolicy):
    """A challenger that pays grows by exp(alpha R); where the leader pays, the others shrink by exp(-alpha R p/p_l)."""

    about = About(
        name="exponential-samba",
        family="SAMBA",
        summary="SAMBA with exponential steps: lower regret and a higher price at twice the admissible step",
        reference="a variant of Denisov & Walton 2020, ours",
        fidelity="exact",
        bound="none proved across changes of the leader; steps need alpha/(1 - exp(-alpha)) < r*/r_2",
        late="weighted",
    )
    learning_rate: float = parameter(0.1, "step alpha; asks alpha/(1 - exp(-alpha)) < r*/r_2", above=0, below=LARGEST)

    def downward(self) -> float:
        """The step of those that fall behind."""
        return self.learning_rate

    def learn(self, state: SambaState, choice: Choice, reward: float, random: Random) -> None:
        if reward == 0.0:
            return
        p = state.probabilities
        leader = argmax(p)
        weight = reward / choice.probability
        cap = 2.0 * choice.probability  # binds only for late feedback, as in SAMBA
        down = self.downward() * weight if choice.arm == leader else 0.0
        others = 0.0
        for a in range(len(p)):
            if a == leader:
                continue
            if choice.arm == leader:
                p[a] *= math.exp(-down * min(p[a], cap))
            elif choice.arm == a:
                p[a] *= math.exp(min(self.learning_rate * weight * min(p[a], cap), LARGEST))
            others += p[a]
        p[leader] = 1.0 - others


@dataclass(frozen=True)
class BalancedSamba(ExponentialSamba):
    """Recovery from a wrong leader and forgetting of worse arms both ask sqrt(alpha/(1 - exp(-alpha))) < r*/r_2."""

    about = About(
        name="balanced-samba",
        family="SAMBA",
        summary="exponential SAMBA with a shorter step down: about four times SAMBA's admissible step",
        reference="a variant of Denisov & Walton 2020, ours",
        fidelity="exact",
        bound="none proved; steps need sqrt(alpha/(1 - exp(-alpha))) < r*/r_2",
        late="weighted",
    )
    learning_rate: float = parameter(
        0.1, "step alpha; asks sqrt(alpha/(1 - exp(-alpha))) < r*/r_2", above=0, below=LARGEST
    )

    def downward(self) -> float:
        return math.sqrt(self.learning_rate * (1.0 - math.exp(-self.learning_rate)))
