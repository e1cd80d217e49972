"""The adaptive family as points of a cube: every lever of `push` on `band` (model A) or of `push-shown` (model B).

Each coordinate runs from 0 to 1. What it stands for is rounded to few digits before it is played, so that
an attack's text says exactly what was played.
"""

from dataclasses import dataclass

import numpy as np

from robandit.game import Can, Floats
from robandit.redteam.candidate import Candidate

LEVERS = {
    "A": ("lowered", "raised", "worst", "size", "low", "high", "again", "first", "every", "rivalry"),
    "B": ("lowered", "raised", "worst", "size", "low", "high", "again", "first"),
}
SLOWEST = 50  # rounds between strikes at the slow end of the pace


@dataclass(frozen=True)
class Family:
    """The cube for one threat model, number of arms and horizon."""

    threat: str
    arms: int
    horizon: int
    can: Can = Can.BOTH

    @property
    def levers(self) -> tuple[str, ...]:
        """The coordinates' names."""
        return LEVERS[self.threat]

    def candidate(self, point: Floats) -> Candidate:
        """The attack a point stands for."""
        x = dict(zip(self.levers, np.clip(point, 0.0, 1.0), strict=True))
        lowered = min(int(x["lowered"] * self.arms), self.arms - 1)
        raised = min(int(x["raised"] * (self.arms - lowered + 1)), self.arms - lowered)
        if self.can is Can.ERASE:
            lowered, raised = max(lowered, 1), 0
        elif self.can is Can.ADD:
            lowered = 0
        raised = max(raised, 1) if lowered == 0 else raised
        push = f"lowered={lowered},raised={raised}" + (",worst=true" if x["worst"] > 0.5 else "")
        low = rounded(x["low"] ** 2)
        high = rounded(low + (1.0 - low) * min(1.25 * x["high"], 1.0))
        again = rounded(low + (1.0 - low) * x["again"] ** 2)
        first = int(float(f"{self.horizon * x['first'] ** 3:.3g}"))
        size = rounded(max(x["size"], 0.01))
        band = f"low={low},high={max(high, low)},again={again},first={first}"
        if self.threat == "B":
            return Candidate(f"push-shown:{push},size={size},{band}")
        band += f",every={round(SLOWEST ** x['every'])}"
        rivalry = rounded((self.arms - 1) * max(2.0 * x["rivalry"] - 1.0, 0.0))  # half of the axis: none is asked
        return Candidate(f"push:{push}", f"band:{band}" + (f",rivalry={rivalry}" if rivalry else ""), f"{size}")

    def point(
        self, *, lowered: int = 1, raised: int = 1, worst: bool = False, size: float, low: float, rivalry: float = 0.0
    ) -> Floats:
        """Where an attack without top, hysteresis, delay and pace lies."""
        place = {
            "lowered": (lowered + 0.5) / self.arms,
            "raised": (raised + 0.5) / (self.arms - lowered + 1),
            "worst": 0.75 if worst else 0.25,
            "size": size,
            "low": low**0.5,
            "high": 0.9,
            "again": 0.0,
            "first": 0.0,
            "every": 0.0,
            "rivalry": 0.5 + 0.5 * rivalry / (self.arms - 1) if rivalry else 0.0,
        }
        return np.array([place[name] for name in self.levers])

    def warm(self, efficient: float) -> list[Floats]:
        """Attacks worth starting from: one good arm pushed down or several, efficient and full steps."""
        sunk = sorted({1, 2, 3, 4, self.arms // 2} & set(range(1, self.arms)))
        if self.threat == "B":
            falls = [(lowered, 0) for lowered in sunk] if self.can is not Can.ADD else []
            rises = [(0, raised) for raised in sunk] if self.can is not Can.ERASE else []
            both = [(1, raised) for raised in (1, self.arms - 1)] if self.can is Can.BOTH else []
            ways = [*falls, *rises, *both]
            return [self.point(lowered=down, raised=up, size=1.0, low=low) for down, up in ways for low in (0.0, 0.1)]
        contested = [
            self.point(raised=self.arms - 1, size=size, low=0.0, rivalry=rivalry)
            for size in sorted({efficient, 1.0})
            for rivalry in (0.5, 1.0)
            if rivalry < self.arms - 1
        ]
        return contested + [
            self.point(lowered=lowered, raised=raised, worst=worst, size=size, low=low)
            for lowered in sunk
            for raised, worst in {(self.arms - lowered, False), (1, False), (1, True)}
            for size in sorted({efficient, 1.0})
            for low in (0.05, 0.2)
        ]


def rounded(value: float) -> float:
    """Three digits, as they are written down."""
    return float(f"{value:.3g}")
