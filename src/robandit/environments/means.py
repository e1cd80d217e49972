"""What environments share: arms with fixed means, rewards of 0 or 1, and how a reward follows a mean that was moved."""

from dataclasses import dataclass

import numpy as np

from robandit.errors import InputError
from robandit.game import Environment, Memory


@dataclass
class NoTables:
    """The tables of an environment that needs none."""

    none: float = 0.0


@dataclass(frozen=True)
class Means(Environment[Memory]):
    """An environment whose arms are its means."""

    means: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "means", check_means(self.means))
        super().__post_init__()


class ZeroOne(Environment[NoTables]):
    """Pays 1 with the arm's mean as probability, else 0."""

    def start(self) -> NoTables:
        return NoTables()

    def reward(self, tables: NoTables, arm: int, mean: float, uniform: float) -> float:
        return 1.0 if uniform < mean else 0.0


def check_means(values: object) -> tuple[float, ...]:
    """Return one number in [0, 1] per arm; raises InputError for anything else."""
    try:
        means = tuple(float(mean) for mean in np.atleast_1d(np.asarray(values, dtype=float)))
    except (TypeError, ValueError) as error:
        raise InputError(f"means must be numbers from 0 to 1, not {values!r}") from error
    if not means:
        raise InputError("means must name at least one arm, none was given")
    for number, mean in enumerate(means, start=1):
        if not 0.0 <= mean <= 1.0:
            hint = f"; {mean:g} % is {mean / 100:g}" if 1.0 < mean <= 100.0 else ""
            raise InputError(f"means must be numbers from 0 to 1; arm {number} was given {mean:g}{hint}")
    return means


def move_reward(reward: float, true_mean: float, mean: float) -> float:
    """A reward in [0, 1] changed so that its mean goes from `true_mean` to `mean` exactly."""
    if mean < true_mean:
        return reward * (mean / true_mean)
    if mean > true_mean:
        return 1.0 - (1.0 - reward) * ((1.0 - mean) / (1.0 - true_mean))
    return reward


def spread_means(arms: int) -> tuple[float, ...]:
    """The paper's grid: arm i of 1..K has mean i/(K+1), so the best arm is the last."""
    if arms < 1:
        raise InputError(f"arms must be a whole number of at least 1, not {arms}")
    return tuple(number / (arms + 1) for number in range(1, arms + 1))
