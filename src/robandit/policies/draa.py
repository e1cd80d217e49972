"""DRAA, a reconstruction of the cooperative algorithm robust to corruption (Liu, Li & Li 2021).

Known for certain are its setting (V agents on common arms, pairwise communication, unknown C) and its
bound; the epochs below are rebuilt from them on BARBAR's pattern.
"""

import math
from dataclasses import dataclass

from robandit.game import Setting
from robandit.parts import About, parameter
from robandit.policies.order import OrderedPulls
from robandit.policies.phased import Epoch, LogPhased, Memory, gaps_to_best, log_factor, new_epoch, whole


@dataclass(frozen=True)
class DraaEpochs(LogPhased[Memory]):
    """Epoch lengths do not depend on data; bad arms get lambda/gap^2 pulls, active arms share the rest."""

    def team(self, state: Memory) -> int:
        """How many agents pool their pulls."""
        return 1

    def plan(self, state: Memory) -> None:
        arms, agents = len(state.gaps), self.team(state)
        whole_length = arms * state.log_term * math.pow(4.0, state.number - 1)
        state.length = agents * whole(whole_length / agents)
        floor = math.pow(2.0, -(state.number - 1))
        active, rest = 0, float(state.length)
        for arm in range(arms):
            if state.gaps[arm] > floor:
                state.expected[arm] = state.log_term / (state.gaps[arm] * state.gaps[arm])
                rest -= state.expected[arm]
            else:
                active += 1
        for arm in range(arms):
            if state.gaps[arm] <= floor:
                state.expected[arm] = rest / active

    def conclude(self, state: Memory) -> None:
        gaps_to_best(state)


@dataclass(frozen=True)
class Draa(OrderedPulls[Epoch], DraaEpochs[Epoch]):
    """With several agents the rounds are theirs in turn and the horizon counts all of them.

    Between two broadcasts every agent draws with the same probabilities, so their union is this one sequence.
    """

    about = About(
        name="draa",
        family="BARBAR",
        summary="epochs of fixed length, active arms share what bad arms leave; several agents may pool their pulls",
        reference="Liu, Li & Li 2021",
        fidelity="reconstruction",
        needs=("horizon", "delta"),
        bound="C + K log^2(T)/Delta",
        cost="O(K), a draw",
        late="exact",
    )
    agents: int = parameter(1, "agents who pool their pulls; rounds are counted over all of them", least=1)

    def start(self, setting: Setting) -> Epoch:
        state = new_epoch(setting.arms, log_factor(self.scale, self.delta, setting))
        self.open_epoch(state)
        return state

    def team(self, state: Epoch) -> int:
        return self.agents
