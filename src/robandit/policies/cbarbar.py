"""CBARBAR (Xu & Li 2021), K-armed: super-arms of size d = 1, so that Z_i = {i}.

Which side of the band enters r_* and which r_i is not certain; `band` offers both.
"""

import math
from dataclasses import dataclass

from robandit.dice import Random
from robandit.game import Setting
from robandit.parts import About, Word, parameter
from robandit.policies.order import OrderedPulls
from robandit.policies.phased import Epoch, LogPhased, log_factor, new_epoch, whole

STAR = 0  # the entry that pulls the best arm of the last epoch; entry i + 1 pulls arm i


class Side(Word):
    """Of a confidence band."""

    LOWER = 0
    UPPER = 1


@dataclass(frozen=True)
class Cbarbar(OrderedPulls[Epoch], LogPhased[Epoch]):
    """An epoch pulls the last best arm n_* times and every arm i lambda/gap_i^2 times beside it."""

    about = About(
        name="cbarbar",
        family="BARBAR",
        summary="BARBAR for combinatorial bandits, here K-armed: the best arm's share is fixed, C enters without K",
        reference="Xu & Li 2021",
        fidelity="reconstruction",
        basis="the third-party code fatemehghaffari/CMAB_CORR, read: it takes r_* from the upper side of the band",
        needs=("horizon", "delta"),
        bound="C + sum over arms of log^2(T)/Delta_a",
        cost="O(K), a draw",
        late="exact",
    )
    band: Side = parameter(Side.LOWER, "the band's side that r_* is taken from; r_i takes the other")

    def start(self, setting: Setting) -> Epoch:
        state = new_epoch(setting.arms, log_factor(self.scale, self.delta, setting), extra_entries=1)
        self.open_epoch(state)
        return state

    def begin(self, state: Epoch, random: Random) -> None:
        """The first best arm is any arm."""
        state.arms[STAR] = int(random.uniform() * len(state.gaps))
        self.show(state)

    def plan(self, state: Epoch) -> None:
        arms = len(state.gaps)
        state.expected[STAR] = state.log_term * arms * math.pow(2.0, 0.5 * (state.number - 1))
        total = state.expected[STAR]
        for arm in range(arms):
            state.expected[arm + 1] = state.log_term / (state.gaps[arm] * state.gaps[arm])
            total += state.expected[arm + 1]
        state.length = whole(total)

    def conclude(self, state: Epoch) -> None:
        best, side = -2.0, 1.0 if self.band == Side.UPPER else -1.0
        for arm in range(len(state.gaps)):
            value = state.sums[arm + 1] / state.expected[arm + 1] + side * state.gaps[arm] / 16.0
            if value > best:
                best = value
                state.arms[STAR] = arm
        floor = math.pow(2.0, -0.25 * state.number)
        for arm in range(len(state.gaps)):
            value = state.sums[arm + 1] / state.expected[arm + 1] - side * state.gaps[arm] / 16.0
            state.gaps[arm] = max(floor, best - value, 0.5 * state.gaps[arm])
