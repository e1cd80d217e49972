"""Multi-Layer Active Arm Elimination Race, for an unknown corruption level (Lykouris, Mirrokni & Paes Leme 2018)."""

import math
from dataclasses import dataclass

from robandit.dice import Random, draw
from robandit.game import Choice, Setting
from robandit.parts import About, parameter
from robandit.policies.elimination import Copies, Race, new_copies


@dataclass(frozen=True)
class MultiLayerAae(Race):
    """Layer l is drawn with probability 2^-l; what a slower layer eliminates, all faster ones drop.

    An empty layer plays the next arm of the fastest layer that still has one, and learns nothing from it.
    """

    about = About(
        name="multi-layer-aae",
        family="elimination",
        summary="log T elimination copies, each drawn half as often as the last; needs no C, has large constants",
        reference="Lykouris, Mirrokni & Paes Leme 2018",
        fidelity="recalled",
        basis="the code of a blog, run beside it; the paper from memory",
        needs=("horizon", "delta"),
        bound="K C sum over arms of log^2(KT/delta)/Delta_a",
        cost="O(K + log T)",
        late="exact",
        waived={
            "learns": "its confidence radii are too wide for 20,000 rounds: fast layers eliminate only later",
            "relabelling": "slow layers go through the arms in index order and are drawn too rarely to finish a pass",
        },
    )
    reads_note = True
    delta: float | None = parameter(None, "failure probability; 1/T by default", above=0, below=1)

    def start(self, setting: Setting) -> Copies:
        horizon = max(setting.horizon, 2)
        delta = 1.0 / horizon if self.delta is None else self.delta
        layers = math.ceil(math.log2(horizon))
        shares = [2.0**-layer for layer in range(1, layers + 1)]
        shares[0] += 2.0**-layers
        return new_copies(setting.arms, shares, math.log(4 * setting.arms * horizon * math.log2(horizon) / delta))

    def choose(self, state: Copies, random: Random) -> Choice:
        layer = draw(state.shares, random)
        arm = int(state.next_arm[layer])
        return Choice(arm, state.probabilities[arm], layer if state.active[layer, arm] > 0.0 else -1)

    def linear(self, state: Copies, row: int) -> float:
        return state.log_term
