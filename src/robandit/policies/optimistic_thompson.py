"""Thompson sampling that begins by believing the best of every arm."""

from dataclasses import dataclass

import numpy as np

from robandit.game import Setting
from robandit.parts import About, parameter
from robandit.policies.thompson import Thompson, ThompsonState


@dataclass(frozen=True)
class OptimisticThompson(Thompson):
    """Each arm begins with `optimism` successes that never happened, so it takes as many forged failures to drop it."""

    about = About(
        name="optimistic-thompson",
        family="Thompson",
        summary="Thompson sampling, prior Beta(1 + optimism, 1): costs more to fool, slow where means are small",
        reference="a variant of Agrawal & Goyal 2017",
        fidelity="exact",
        bound="none under corruption",
        cost="O(K) beta draws",
        late="exact",
    )
    optimism: float = parameter(50.0, "successes every arm is credited with; 0 is thompson", least=0)

    def start(self, setting: Setting) -> ThompsonState:
        probabilities, losses = np.full(setting.arms, 1.0 / setting.arms), np.ones(setting.arms)
        wins = np.full(setting.arms, 1.0 + self.optimism)
        return ThompsonState(probabilities, wins, losses, workspace=self.workspace(setting.arms))

    def prior_wins(self) -> float:
        return 1.0 + self.optimism
