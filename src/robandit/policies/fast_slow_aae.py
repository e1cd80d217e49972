"""Fast-Slow Active Arm Elimination Race, for a known corruption level (Lykouris, Mirrokni & Paes Leme 2018)."""

from dataclasses import dataclass

from robandit.dice import Random
from robandit.game import Choice, Setting
from robandit.parts import About
from robandit.policies.elimination import Copies, KnownCorruption, new_copies

FAST, SLOW = 0, 1


@dataclass(frozen=True)
class FastSlowAae(KnownCorruption):
    """A slow copy, drawn once in C rounds, sees so little corruption that the fast one can trust its eliminations.

    When the slow copy has taken all of the fast copy's arms, the fast copy plays the slow one's next
    arm and learns nothing from it.
    """

    about = About(
        name="fast-slow-aae",
        family="elimination",
        summary="two elimination copies, the slow one drawn with probability 1/C; must know C",
        reference="Lykouris, Mirrokni & Paes Leme 2018",
        fidelity="recalled",
        needs=("horizon", "corruption", "delta"),
        bound="K C sum over arms of log^2(KT/delta)/Delta_a",
        late="exact",
    )
    reads_note = True

    def start(self, setting: Setting) -> Copies:
        slow = 1.0 / max(self.level(setting), 1.0)
        return new_copies(setting.arms, [1.0 - slow, slow], self.log_term(setting, 8))

    def choose(self, state: Copies, random: Random) -> Choice:
        row = SLOW if random.uniform() < state.shares[SLOW] else FAST
        arm = int(state.next_arm[row])
        idle = row == FAST and state.active[FAST, arm] == 0.0
        return Choice(arm, state.probabilities[arm], -1 if idle else row)

    def notes(self, setting: Setting) -> list[str]:
        """What it does where there is nothing to withstand."""
        level = self.level(setting)
        if level > 1.0:
            return []
        return [f"it expects C = {level:g}, so it draws its slow copy always; the fast one would have less regret"]

    def linear(self, state: Copies, row: int) -> float:
        return 2.0 * state.log_term if row == SLOW else 0.0
