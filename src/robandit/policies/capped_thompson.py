"""Thompson sampling with a stronger prior, and with cells that stop learning when they are full."""

from dataclasses import dataclass

import numpy as np

from robandit.errors import InputError
from robandit.game import Setting
from robandit.parts import About, parameter
from robandit.policies.thompson import Thompson, ThompsonState


@dataclass(frozen=True)
class CappedThompson(Thompson):
    """Each arm begins with `prior` observations that never happened; one that holds `cap` of them learns no more.

    A full arm cannot be moved any more: neither by a liar who comes late, nor by the truth after one who came early.
    """

    about = About(
        name="capped-thompson",
        family="Thompson",
        summary="Thompson sampling with a prior of some mass; an arm with so many observations learns no more",
        reference="the cell of LiteLLM's adaptive router; Agrawal & Goyal 2017 without the cap",
        fidelity="exact",
        basis="litellm 1.109.1, router_strategy/adaptive_router/bandit.py, read and run beside it",
        bound="none: with a cap, regret grows linearly in T",
        cost="O(K) beta draws",
        late="exact",
    )
    can_unlearn = False
    cannot_forget = "a full arm drops rewards, and nobody takes note which"
    prior: float = parameter(10.0, "mass of the prior: observations every arm begins with; 2 is thompson", least=2)
    cap: float = parameter(200.0, "most an arm remembers, its prior included", above=2, infinite=True)
    mean: float = parameter(0.5, "the prior's mean; successes and failures must be at least 1 each", above=0, below=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if min(self.prior_wins(), self.prior_losses()) < 1.0:
            raise InputError(
                f"{self.name}: prior mean and prior (1 - mean) must be at least 1, "
                f"not {self.prior_wins():g} and {self.prior_losses():g}"
            )
        if self.cap < self.prior + 1.0:
            raise InputError(
                f"{self.name}: cap must be at least prior + 1, or nothing is ever learnt, not {self.cap:g}"
            )

    def start(self, setting: Setting) -> ThompsonState:
        ones = np.ones(setting.arms)
        wins, losses = self.prior_wins() * ones, self.prior_losses() * ones
        return ThompsonState(ones / setting.arms, wins, losses, workspace=self.workspace(setting.arms))

    def prior_wins(self) -> float:
        return self.prior * self.mean

    def prior_losses(self) -> float:
        """The failures an arm begins with."""
        return self.prior - self.prior * self.mean

    def count(self, state: ThompsonState, arm: int, success: float) -> None:
        if state.wins[arm] + state.losses[arm] + 1.0 <= self.cap:
            state.wins[arm] += success
            state.losses[arm] += 1.0 - success
            state.workspace.postpone()

    def fade(self, state: ThompsonState, share: float) -> None:
        wins, losses = self.prior_wins(), self.prior_losses()
        for arm in range(len(state.wins)):
            state.wins[arm] = wins + share * (state.wins[arm] - wins)
            state.losses[arm] = losses + share * (state.losses[arm] - losses)
        state.workspace.postpone()
