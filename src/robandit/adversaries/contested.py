"""The adaptive schedule that strikes where a unit of corruption buys most: while the best arm's lead is contested."""

from dataclasses import dataclass

from robandit.adversaries.leading import WatchedArm
from robandit.dice import Random
from robandit.game import Floats
from robandit.parts import About, parameter
from robandit.schedule import Schedule, ScheduleSetting


def contest(probabilities: Floats, arm: int) -> float:
    """The sum of (p_a/p_arm)^2 over the other arms while `arm` leads; 0 while it does not."""
    own, total = probabilities[arm], 0.0
    for other in range(len(probabilities)):
        if probabilities[other] > own:
            return 0.0
        if other != arm:
            total += probabilities[other] * probabilities[other]
    return float(total / (own * own))


@dataclass(frozen=True)
class WhileContested(Schedule[WatchedArm]):
    """A success of the best arm takes from the others in proportion to their squares: there each one matters most."""

    about = About(
        "contested",
        "adaptive: while the best arm leads and the sum of (p_a/p_best)^2 over the others is at least `rivalry`",
        sees=("p(t)",),
    )
    rivalry: float = parameter(0.5, "how close the others must be; K - 1 if all are equal", above=0)
    first: int = parameter(0, "not before this round", least=0)

    def start(self, setting: ScheduleSetting) -> WatchedArm:
        return WatchedArm(int(setting.means.argmax()))

    def strikes(self, memory: WatchedArm, t: int, probabilities: Floats, random: Random) -> bool:
        return t >= self.first and bool(contest(probabilities, memory.arm) >= self.rivalry)
