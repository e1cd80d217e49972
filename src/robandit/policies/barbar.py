"""BARBAR: Bad Arms get Recourse (Gupta, Koren & Talwar 2019)."""

from dataclasses import dataclass

from robandit.game import Setting
from robandit.parts import About
from robandit.policies.order import OrderedPulls
from robandit.policies.phased import Epoch, LogPhased, gaps_to_best, log_factor, new_epoch, whole


@dataclass(frozen=True)
class Barbar(OrderedPulls[Epoch], LogPhased[Epoch]):
    """Every arm keeps being pulled lambda/gap^2 times an epoch, however bad it looked: corruption is forgotten."""

    about = About(
        name="barbar",
        family="BARBAR",
        summary="epochs in which every arm is pulled lambda/gap^2 times; needs no C",
        reference="Gupta, Koren & Talwar 2019",
        fidelity="exact",
        basis="the public code fatemehghaffari/BARBAR, run beside it",
        needs=("horizon", "delta"),
        bound="K C + sum over arms of log(KT/delta) log(T)/Delta_a",
        cost="O(K), a draw",
        late="exact",
    )

    def start(self, setting: Setting) -> Epoch:
        state = new_epoch(setting.arms, log_factor(self.scale, self.delta, setting))
        self.open_epoch(state)
        return state

    def plan(self, state: Epoch) -> None:
        total = 0.0
        for arm in range(len(state.gaps)):
            state.expected[arm] = state.log_term / (state.gaps[arm] * state.gaps[arm])
            total += state.expected[arm]
        state.length = whole(total)

    def conclude(self, state: Epoch) -> None:
        gaps_to_best(state)
