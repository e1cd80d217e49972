"""A world that changes at once: every so many rounds the arms exchange their means."""

from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.environments.means import Means
from robandit.game import Floats
from robandit.parts import About, parameter


@dataclass
class FirstMeans:
    """The means of round 0."""

    means: Floats


class ChangingMeans(Means[FirstMeans]):
    """Pays 1 with the arm's mean of the round as probability, else 0; begins with the means given."""

    def start(self) -> FirstMeans:
        return FirstMeans(np.array(self.means))

    def reward(self, tables: FirstMeans, arm: int, mean: float, uniform: float) -> float:
        return 1.0 if uniform < mean else 0.0


@dataclass(frozen=True)
class Shifts(ChangingMeans):
    """Every `every` rounds the means are dealt out anew, each order as likely as any other."""

    about = About(
        name="shifts",
        summary="Bernoulli arms whose means are dealt out anew, at random, every so many rounds",
        reference="piecewise stationary: Garivier & Moulines 2011",
    )
    every: int = parameter(10_000, "rounds from one change to the next", least=1)

    def change(self, tables: FirstMeans, t: int, means: Floats, random: Random) -> None:
        if t == 0:
            for arm in range(len(means)):
                means[arm] = tables.means[arm]
        elif t % self.every == 0:
            for arm in range(len(means) - 1, 0, -1):  # Fisher and Yates
                other = int(random.uniform() * (arm + 1))
                means[arm], means[other] = means[other], means[arm]
