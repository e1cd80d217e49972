"""Active arm elimination whose confidence radius is widened by C/n, for a known corruption level."""

import math
from dataclasses import dataclass

from robandit.dice import Random
from robandit.game import Choice, Setting
from robandit.parts import About, parameter
from robandit.policies.elimination import Copies, Race, drop_beaten, new_copies, record, show


@dataclass(frozen=True)
class KnownCAae(Race):
    """Pulls its least-pulled active arm; drops an arm once even C of corruption could not have hidden its worth."""

    about = About(
        name="known-c-aae",
        summary="arm elimination with radius sqrt(L/n) + C/n; must know C",
        reference="folklore; compare Lykouris, Mirrokni & Paes Leme 2018",
        fidelity="recalled",
        needs=("horizon", "corruption", "delta"),
        bound="sum over arms of log(KT/delta)/Delta_a + K C",
        late="exact",
    )
    corruption: float | None = parameter(
        None, "the corruption level it is told; the play's budget if not given", least=0
    )
    delta: float | None = parameter(None, "failure probability; 1/T if not given", above=0, below=1)

    def start(self, setting: Setting) -> Copies:
        told = setting.corruption if self.corruption is None else self.corruption
        delta = 1.0 / setting.horizon if self.delta is None else self.delta
        return new_copies(setting.arms, [1.0], math.log(2 * setting.arms * setting.horizon / delta), told)

    def learn(self, state: Copies, choice: Choice, reward: float, random: Random) -> None:
        record(state, 0, choice.arm, reward)
        drop_beaten(state, 0, state.corruption)
        show(state, 0, 0)
