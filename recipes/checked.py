"""Thompson sampling that learns from every hundredth reward only, which is checked: `--load recipes/checked.py`."""

from dataclasses import dataclass

import numpy as np

from robandit import About, Choice, Random, Setting, parameter
from robandit.policies.thompson import PosteriorSampling, ThompsonState


@dataclass
class CheckedState(ThompsonState):
    """The posterior's counts, and the rewards so far."""

    rewards: int = 0


@dataclass(frozen=True)
class CheckedThompson(PosteriorSampling[CheckedState]):
    """Checks one reward in `every`, whoever's it is; the others say nothing, so forging them changes nothing."""

    about = About(
        name="checked-thompson",
        family="Thompson",
        summary="Thompson sampling on every so many-th reward, checked",
        reference="ours",
        late="exact",
    )
    can_restart = can_fade = can_unlearn = False
    cannot_forget = "it learns from checked rewards only, which a wrapper does not pass on"
    every: int = parameter(100, "one reward in so many is checked", least=1)

    def start(self, setting: Setting) -> CheckedState:
        ones = np.ones(setting.arms)
        return CheckedState(ones / setting.arms, ones, ones.copy(), workspace=self.workspace(setting.arms))

    def wants_check(self, state: CheckedState, choice: Choice) -> bool:
        return bool(state.rewards % self.every == 0)

    def learn(self, state: CheckedState, choice: Choice, reward: float, random: Random) -> None:
        state.rewards += 1

    def learn_verified(self, state: CheckedState, choice: Choice, reward: float, random: Random) -> None:
        state.rewards += 1
        self.count(state, choice.arm, self.outcome(reward, random))
