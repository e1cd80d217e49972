"""What is lowered without numba, because it only answers a constant: nothing else may be taken for it."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.conformance.law import require_same_play
from robandit.lab.compile.lower import does_nothing
from robandit.lab.table import set_table


def empty(self: Any, state: Any) -> None:
    """Nothing."""


def five(self: Any, state: Any) -> int:
    """Something."""
    return 5


def told(self: Any, state: Any) -> Any:
    """What it was told."""
    return state


def writes(self: Any, state: Any) -> None:
    """A change."""
    state.leader = 0


def test_what_does_nothing() -> None:
    assert does_nothing(empty)
    assert does_nothing(rb.Policy.look)
    assert not any(map(does_nothing, (five, told, writes, rb.Policy.choose, rb.Adversary.tamper_reward)))


@dataclass
class Best:
    arm: int


@dataclass(frozen=True)
class MayWatch(rb.Adversary[Best]):
    """Whether it watches is a field, whose default the class holds too."""

    watches: bool = False  # type: ignore[misc]

    def start(self, means: Any, horizon: int) -> Best:
        return Best(int(np.argmax(means)))

    def tamper_means(self, memory: Best, t: int, chances: Any, means: Any, proposal: Any, random: Any) -> bool:
        proposal[memory.arm] = 0.0
        return chances[memory.arm] > 0.4


@pytest.mark.parametrize("watches", [False, True])
def test_a_trait_may_be_a_field(watches: bool) -> None:
    adversary, environment = MayWatch(budget=40.0, watches=watches), rb.Bernoulli([0.2, 0.5, 0.8])
    play = partial(set_table, rb.policy("thompson"), environment, adversary, 300, 2, 5, 20)
    require_same_play(play, f"watching is {watches}", "brief")
    seen = play()
    seen.play_compiled(slice(0, 2), "brief")
    assert (seen.paid[:, -1] > 0.0).all() == watches  # who does not watch an implicit policy is shown p(t) of round one
