"""Bernoulli rewards: 1 with the arm's mean as probability, else 0 (the paper's environment)."""

from dataclasses import dataclass

from robandit.environments.means import Means, NoTables, ZeroOne
from robandit.parts import About


@dataclass(frozen=True)
class Bernoulli(ZeroOne, Means[NoTables]):
    """Pays 1 or 0."""

    about = About(
        name="bernoulli",
        summary="reward 1 with probability the arm's mean, else 0",
        reference="Liu, Wang & Fang, section 2.1",
    )
