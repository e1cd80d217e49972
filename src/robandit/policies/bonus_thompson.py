"""Thompson sampling whose draw for an arm is lifted by linear/(n + 1): random as Thompson, optimistic as an index."""

import math
from dataclasses import InitVar, dataclass
from typing import Any

import numpy as np

from robandit.dice import Random
from robandit.errors import InputError
from robandit.game import Choice, Floats, Setting
from robandit.numerics import no_longer_awaited
from robandit.parts import About, parameter
from robandit.policies.thompson import PosteriorSampling, Probabilities, ThompsonState
from robandit.variates import bernoulli_draw

USUAL = 50.0


@dataclass
class BonusThompsonState(ThompsonState):
    """The posterior's two counts per arm, and the rewards awaited."""

    waiting: Floats


@dataclass(frozen=True, init=False)
class BonusThompson(PosteriorSampling[BonusThompsonState]):
    """An arm whose successes are erased is dropped only after about linear/r_2 pulls; the attacker pays for each."""

    about = About(
        name="bonus-thompson",
        family="Thompson",
        summary="a posterior draw plus linear/n: the knob is about the number of forged rewards it withstands",
        reference="C/n for a known C: Lykouris, Mirrokni & Paes Leme 2018; on a Gaussian posterior: Xu, Wang & Singh "
        "2024; on a Beta posterior, and the knob read as a price: ours",
        fidelity="exact",
        bound="none proved; measured: about (K - 1) linear without an attack, a price of about linear r*/r_2",
        cost="O(K) beta draws",
        late="exact",
    )
    linear: float = parameter(USUAL, "the bonus of an arm is linear/(n + 1); 0 is thompson", least=0)
    withstand: InitVar[float | None] = parameter(
        None, "in place of linear, which is the same number: how many forged rewards to withstand"
    )

    def __init__(
        self, linear: float | None = None, *, withstand: float | None = None, probabilities: Any = Probabilities.USUAL
    ) -> None:
        if linear is not None and withstand is not None:
            raise InputError("bonus-thompson: give linear or withstand, not both")
        object.__setattr__(self, "linear", USUAL if linear is None else linear)
        object.__setattr__(self, "probabilities", probabilities)
        self.__post_init__(withstand)

    def __post_init__(
        self, withstand: float | None = None
    ) -> None:  # a subclass that is a dataclass comes here at once
        if withstand is not None:
            if not isinstance(withstand, int | float) or not 0 <= withstand < math.inf:
                raise InputError(f"bonus-thompson: withstand must be a number of at least 0, not {withstand!r}")
            object.__setattr__(self, "linear", withstand)
        super().__post_init__()

    def notes(self, setting: Setting) -> list[str]:
        """A warning where the bonus alone takes half of the rounds, whatever the arms pay."""
        rounds = (setting.arms - 1) * self.linear
        if rounds < 0.5 * setting.horizon:
            return []
        return [
            f"to withstand {self.linear:g} forged rewards it shows every other arm about as often, "
            f"{rounds:,.0f} of {setting.horizon:,} rounds: it hardly learns within them"
        ]

    def start(self, setting: Setting) -> BonusThompsonState:
        ones, waiting, room = np.ones(setting.arms), np.zeros(setting.arms), self.workspace(setting.arms)
        return BonusThompsonState(ones / setting.arms, ones, ones.copy(), waiting, workspace=room)

    def bonus(self, state: BonusThompsonState, arm: int) -> float:
        chosen: float = state.wins[arm] + state.losses[arm] - 2.0 + state.waiting[arm]
        return self.linear / (chosen + 1.0)

    def learn(self, state: BonusThompsonState, choice: Choice, reward: float, random: Random) -> None:
        no_longer_awaited(state.waiting, choice.arm)
        self.count(state, choice.arm, bernoulli_draw(reward, random))  # as in thompson

    def defer(self, state: BonusThompsonState, choice: Choice) -> None:
        state.waiting[choice.arm] += 1.0
        state.workspace.postpone()

    def fade(self, state: BonusThompsonState, share: float) -> None:
        for arm in range(len(state.wins)):
            state.wins[arm] = 1.0 + share * (state.wins[arm] - 1.0)
            state.losses[arm] = 1.0 + share * (state.losses[arm] - 1.0)
            state.waiting[arm] *= share
        state.workspace.postpone()

    def unlearn(self, state: BonusThompsonState, arm: int, outcome: float) -> None:
        chosen = state.wins[arm] + state.losses[arm] - 2.0
        state.wins[arm] -= outcome
        state.losses[arm] -= 1.0 - outcome
        state.waiting[arm] *= (chosen - 1.0) / chosen  # with its share of those that may never come
        state.workspace.postpone()
