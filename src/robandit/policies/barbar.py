"""BARBAR: Bad Arms get Recourse (Gupta, Koren & Talwar 2019)."""

import math
from dataclasses import dataclass

from robandit.game import Setting
from robandit.parts import About, Word, parameter
from robandit.policies.phased import Epoch, LogPhased, gaps_to_best, log_factor, new_epoch, whole


class Order(Word):
    """Of the pulls inside an epoch."""

    RANDOM = 0
    BLOCKS = 1
    SHUFFLED = 2


@dataclass(frozen=True)
class Barbar(LogPhased[Epoch]):
    """Every arm keeps being pulled lambda/gap^2 times an epoch, however bad it looked: corruption is forgotten."""

    about = About(
        name="barbar",
        family="BARBAR",
        summary="epochs in which every arm is pulled lambda/gap^2 times; needs no C",
        reference="Gupta, Koren & Talwar 2019",
        fidelity="exact",
        needs=("horizon", "delta"),
        bound="K C + sum over arms of log(KT/delta) log(T)/Delta_a",
        cost="O(K), a draw",
        late="exact",
    )
    pulls: Order = parameter(
        Order.RANDOM, "random (the theory), blocks (arm by arm, as the paper's simulation, predictable) or shuffled"
    )

    @property
    def by_counts(self) -> bool:  # type: ignore[override]  # a constant elsewhere, here a matter of the order
        """Only pulls in random order are independent."""
        return self.pulls == Order.RANDOM

    @property
    def waived(self) -> dict[str, str]:
        """Blocks follow the arms' index."""
        if self.pulls != Order.BLOCKS:
            return {}
        return {"relabelling": "blocks come in the arms' index order, and the last epoch breaks off in one"}

    def start(self, setting: Setting) -> Epoch:
        state = new_epoch(setting.arms, log_factor(self.scale, self.delta, setting))
        self.open_epoch(state)
        return state

    def plan(self, state: Epoch) -> None:
        total = 0.0
        for arm in range(len(state.gaps)):
            pulls = state.log_term / (state.gaps[arm] * state.gaps[arm])
            state.expected[arm] = math.ceil(pulls) if self.pulls != Order.RANDOM else pulls
            total += state.expected[arm]
        state.length = whole(total)

    def arrange(self, state: Epoch) -> None:
        """In blocks the first arm with pulls still due comes next; shuffled, all that is due is equally likely."""
        is_taken = False
        for arm in range(len(state.entries)):
            due = state.expected[arm] - state.drawn[arm]
            if self.pulls == Order.BLOCKS:
                state.entries[arm] = 1.0 if due > 0.5 and not is_taken else 0.0
                is_taken = is_taken or due > 0.5
            elif self.pulls == Order.SHUFFLED:
                state.entries[arm] = due / state.left

    def conclude(self, state: Epoch) -> None:
        gaps_to_best(state)
