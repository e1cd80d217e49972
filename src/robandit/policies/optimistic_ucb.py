"""UCB1 with a bonus linear/n beside the square root: the enlargement for a known number of corruptions, as a knob."""

import math
from dataclasses import dataclass

from robandit.parts import About, parameter
from robandit.policies.ucb1 import Ucb1, Ucb1State


@dataclass(frozen=True)
class OptimisticUcb(Ucb1):
    """Each arm once, then the largest mean + scale sqrt(ln t / 2n) + linear/n."""

    about = About(
        name="optimistic-ucb",
        family="UCB",
        summary="an index with a bonus linear/n: expensive to fool for its regret, but its next pull is public",
        reference="Auer, Cesa-Bianchi & Fischer 2002; C/n for a known C: Lykouris, Mirrokni & Paes Leme 2018",
        fidelity="exact",
        basis="ucb1, with a bonus linear/n",
        bound="none under corruption for a scale this small",
        late="exact",
    )
    scale: float = parameter(0.25, "factor on the square-root bonus", least=0)
    linear: float = parameter(50.0, "how many forged rewards to withstand, about", least=0)

    def largest_index(self, state: Ucb1State) -> int:
        log = math.log(max(state.rounds, 1))
        best, best_index = 0, -1.0
        for arm in range(len(state.pulls)):
            chosen = state.pulls[arm] + state.waiting[arm]
            if chosen == 0.0:
                return arm
            index = state.means[arm] + self.scale * math.sqrt(0.5 * log / chosen) + self.linear / chosen
            if index > best_index:
                best, best_index = arm, index
        return best
