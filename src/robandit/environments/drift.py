"""A world that drifts: every mean takes a small random step in every round."""

from dataclasses import dataclass

from robandit.dice import Random
from robandit.environments.shifts import ChangingMeans, FirstMeans
from robandit.game import Floats
from robandit.parts import About, parameter
from robandit.variates import normal_draw


@dataclass(frozen=True)
class Drift(ChangingMeans):
    """Each mean is a random walk with normal steps, reflected at 0 and 1."""

    about = About(
        name="drift",
        summary="Bernoulli arms whose means walk at random, a little in every round, between 0 and 1",
        reference="restless Brownian arms: Slivkins & Upfal 2008",
    )
    step: float = parameter(0.001, "standard deviation of a mean's step in one round", above=0, most=0.1)

    def change(self, tables: FirstMeans, t: int, means: Floats, random: Random) -> None:
        for arm in range(len(means)):
            if t == 0:
                means[arm] = tables.means[arm]
            else:
                moved = abs(means[arm] + self.step * normal_draw(random))
                means[arm] = 2.0 - moved if moved > 1.0 else moved
