"""Adversaries that a user writes: what they may do, and what nonsense from one buys."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.errors import PartError

ENVIRONMENT = rb.Bernoulli([0.2, 0.8])


@dataclass
class Nothing:
    none: float = 0.0


@dataclass(frozen=True)
class OneArmARound(rb.Adversary[Nothing]):
    """Writes a single mean each round and leaves the others as they are."""

    def start(self, means: np.ndarray, horizon: int) -> Nothing:
        return Nothing()

    def tamper_means(
        self, memory: Any, t: int, probabilities: Any, means: Any, proposal: Any, random: rb.Random
    ) -> bool:
        proposal[t % len(means)] = 0.0
        return True


@dataclass(frozen=True)
class NanMeans(OneArmARound):
    def tamper_means(
        self, memory: Any, t: int, probabilities: Any, means: Any, proposal: Any, random: rb.Random
    ) -> bool:
        proposal[0] = np.nan
        return True


@dataclass(frozen=True)
class LateNanMeans(OneArmARound):
    def tamper_means(
        self, memory: Any, t: int, probabilities: Any, means: Any, proposal: Any, random: rb.Random
    ) -> bool:
        proposal[1] = np.nan if t > 300 else means[1]
        return True


@dataclass(frozen=True)
class Silent(OneArmARound):
    def tamper_means(
        self, memory: Any, t: int, probabilities: Any, means: Any, proposal: Any, random: rb.Random
    ) -> bool:
        proposal[0] = 0.0
        return False


@dataclass(frozen=True)
class Both(OneArmARound):
    """Moves the means and the reward too: of no threat model."""

    def tamper_reward(self, memory: Any, t: int, means: Any, arm: int, reward: float, random: rb.Random) -> float:
        return 0.0


def test_a_users_adversary_starts_each_round_from_the_true_means() -> None:
    plays = [
        rb.simulate(rb.Samba(), ENVIRONMENT, OneArmARound(budget=100.0), horizon=3000, runs=7, threads=threads)
        for threads in (1, 2, 4)
    ]
    assert all(np.array_equal(play.regret, plays[0].regret) for play in plays)
    assert plays[0].corruption_paid[:, -1] == pytest.approx(100.0, rel=1e-12)
    assert (plays[0].rounds_changed == 200).all()  # 0.2 and 0.8 in turn


def test_nonsense_from_an_adversary_buys_nothing() -> None:
    clean = rb.simulate(rb.Samba(), ENVIRONMENT, horizon=2000, runs=2)
    late = rb.simulate(rb.Samba(), ENVIRONMENT, LateNanMeans(budget=5.0), horizon=2000, runs=2)
    assert np.array_equal(clean.regret, late.regret)
    assert late.corruption_paid.max() == 0.0
    for adversary, message in [
        (NanMeans(budget=5.0), r"means proposed in round 0 are no numbers.*test_own_adversaries.py line"),
        (Silent(budget=5.0), "wrote a proposal in round 0 but did not return True"),
        (Both(budget=5.0), "must define tamper_means"),
    ]:
        with pytest.raises((PartError, rb.InputError), match=message):
            rb.simulate(rb.Samba(), ENVIRONMENT, adversary, horizon=100, runs=1)
