"""Active arm elimination whose confidence radius is widened by C/n, for a known corruption level."""

from dataclasses import dataclass

from robandit.dice import Random
from robandit.game import Choice, Setting
from robandit.parts import About
from robandit.policies.elimination import Copies, KnownCorruption, drop_beaten, new_copies, record, show


@dataclass(frozen=True)
class KnownCAae(KnownCorruption):
    """Pulls its least-pulled active arm; drops an arm once even C of corruption could not have hidden its worth."""

    about = About(
        name="known-c-aae",
        family="elimination",
        summary="arm elimination with radius sqrt(L/n) + C/n (SE-WR); must know C; its bound holds in model B too",
        reference="SE-WR of Wang, Zuo, Liu, Lui & Hajiesmaili 2025; C/n first: Lykouris, Mirrokni & Paes Leme 2018",
        fidelity="recalled",
        needs=("horizon", "corruption", "delta"),
        bound="sum over arms of log(KT/delta)/Delta_a + K C, in threat models A and B",
        late="exact",
    )

    def start(self, setting: Setting) -> Copies:
        return new_copies(setting.arms, [1.0], self.log_term(setting, 2), self.level(setting))

    def learn(self, state: Copies, choice: Choice, reward: float, random: Random) -> None:
        record(state, 0, choice.arm, reward)
        drop_beaten(state, 0, state.corruption)
        show(state, 0, 0)
