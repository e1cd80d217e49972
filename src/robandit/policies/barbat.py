"""BARBAT (Hu & Chen 2025), recalled: BARBAR with epoch lengths that do not depend on data; anytime."""

import math
from dataclasses import dataclass

from robandit.game import Setting
from robandit.parts import About, parameter
from robandit.policies.order import OrderedPulls
from robandit.policies.phased import Epoch, new_epoch, whole


@dataclass(frozen=True)
class Barbat(OrderedPulls[Epoch]):
    """The last empirical best arm takes what the others' lambda_m/gap^2 pulls leave of a fixed length."""

    about = About(
        name="barbat",
        family="BARBAR",
        summary="BARBAR with fixed epoch lengths and per-epoch confidence; anytime, C enters without K",
        reference="Hu & Chen 2025",
        fidelity="recalled",
        basis="a note on the paper, read: N_m, delta_m and what the best arm gets; the rest from memory",
        bound="C + sum over arms of log^2(T)/Delta_a + K log(1/Delta) log(K/Delta)/Delta",
        cost="O(K), a draw",
        late="exact",
        waived={"learns": "its confidence radius does not shrink with scale: 20,000 rounds are too few"},
    )
    scale: float = parameter(256.0, "factor in lambda_m = scale ln(4K/delta_m)", above=0, published=256.0, scaled=1.0)

    def start(self, setting: Setting) -> Epoch:
        state = new_epoch(setting.arms, 0.0)
        self.open_epoch(state)
        return state

    def log_confidence(self, state: Epoch) -> float:
        """ln(1/delta_m) with delta_m = 1/(K zeta_m), zeta_m = (m + 4) 4^(m + 4) max(ln K, ln 2)."""
        arms, m = len(state.gaps), state.number
        return math.log(arms * (m + 4.0) * max(math.log(arms), math.log(2.0))) + (m + 4.0) * math.log(4.0)

    def plan(self, state: Epoch) -> None:
        arms = len(state.gaps)
        state.log_term = self.scale * (math.log(4.0 * arms) + self.log_confidence(state))
        state.length = whole(arms * state.log_term * math.pow(4.0, state.number - 1))
        best, top = 0, -1.0
        if state.number > 1:
            for arm in range(arms):
                mean = min(state.sums[arm] / state.expected[arm], 1.0)
                if mean > top:
                    best, top = arm, mean
        rest = float(state.length)
        for arm in range(arms):
            if arm != best:
                state.expected[arm] = state.log_term / (state.gaps[arm] * state.gaps[arm])
                rest -= state.expected[arm]
        state.expected[best] = rest

    def conclude(self, state: Epoch) -> None:
        arms = len(state.gaps)
        radius = 4.0 * (math.log(4.0 * arms) + self.log_confidence(state))
        best = -math.inf
        for arm in range(arms):
            mean = min(state.sums[arm] / state.expected[arm], 1.0)
            best = max(best, mean - math.sqrt(radius / state.expected[arm]))
        for arm in range(arms):
            mean = min(state.sums[arm] / state.expected[arm], 1.0)
            state.gaps[arm] = max(math.pow(2.0, -state.number), best - mean)
