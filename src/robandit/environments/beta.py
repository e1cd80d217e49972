"""Beta rewards with given means and a common concentration, drawn exactly by inverse CDF."""

from dataclasses import dataclass

import numpy as np

from robandit.environments.means import Means, moved
from robandit.game import Floats
from robandit.numerics import beta_quantile, log_beta
from robandit.parts import About, parameter


@dataclass
class Shapes:
    """For each arm its true mean, the two shapes of its law and the logarithm of the beta function there."""

    means: Floats
    a: Floats
    b: Floats
    log_beta: Floats


@dataclass(frozen=True)
class Beta(Means[Shapes]):
    """Pays a Beta(concentration * mean, concentration * (1 - mean)) number."""

    about = About(name="beta", summary="reward anywhere in [0, 1]; a large concentration means little noise")
    concentration: float = parameter(
        10.0, "sum of the two shape parameters; variance is mean (1 - mean)/(concentration + 1)", above=0, below=1e6
    )

    def start(self) -> Shapes:
        means = np.array(self.means)
        a, b = self.concentration * means, self.concentration * (1.0 - means)
        inside = (means > 0.0) & (means < 1.0)
        logs = [log_beta(x, y) if ok else 0.0 for x, y, ok in zip(a, b, inside, strict=True)]
        return Shapes(means, a, b, np.array(logs))

    def reward(self, tables: Shapes, arm: int, mean: float, uniform: float) -> float:
        true_mean = tables.means[arm]
        if true_mean <= 0.0 or true_mean >= 1.0:
            return mean
        return moved(beta_quantile(uniform, tables.a[arm], tables.b[arm], tables.log_beta[arm]), true_mean, mean)
