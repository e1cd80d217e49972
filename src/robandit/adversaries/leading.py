"""The adaptive schedule of threat model A: strike while the policy is right."""

from dataclasses import dataclass

from robandit.dice import Random
from robandit.game import Floats
from robandit.parts import About, parameter
from robandit.schedule import Schedule, ScheduleSetting


@dataclass
class WatchedArm:
    """The arm to watch: the best one."""

    arm: int


@dataclass(frozen=True)
class Leading(Schedule[WatchedArm]):
    """Strikes whenever the best arm is likely to be pulled."""

    about = About(
        "leading", "adaptive: whenever the best arm's probability p_best(t) is at least `theta`", sees=("p(t)",)
    )
    theta: float = parameter(0.5, "strike when p_best(t) >= theta", least=0, most=1)
    first: int = parameter(0, "not before this round", least=0)

    def start(self, setting: ScheduleSetting) -> WatchedArm:
        return WatchedArm(int(setting.means.argmax()))

    def strikes(self, memory: WatchedArm, t: int, probabilities: Floats, random: Random) -> bool:
        return t >= self.first and bool(probabilities[memory.arm] >= self.theta)
