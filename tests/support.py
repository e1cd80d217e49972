"""Small things several tests need."""

from robandit.dice import Random, seed_words

OWN_POLICY = """
from dataclasses import dataclass
import numpy as np
import robandit as rb

@dataclass
class State:
    chances: np.ndarray

@dataclass(frozen=True)
class Own(rb.Policy[State]):
    about = rb.About("own", "always one arm")

    def start(self, setting):
        chances = np.zeros(setting.arms)
        chances[{arm}] = 1.0
        return State(chances)
"""
OWN_ADVERSARY = """
from dataclasses import dataclass
import numpy as np
import robandit as rb

@dataclass
class Best:
    arm: int

@dataclass(frozen=True)
class Before(rb.Adversary[Best]):
    about = rb.About("before", "the best arm's mean becomes 0, always")

    def start(self, means, horizon):
        return Best(int(np.argmax(means)))

    def tamper_means(self, memory, t, chances, means, proposal, random):
        proposal[memory.arm] = 0.0
        return True
"""
MEANS9 = tuple(number / 10 for number in range(1, 10))


def stream(seed: int) -> Random:
    """A stream for a test of its own."""
    return Random(*map(int, seed_words(seed, range(1))[0, 0]))
