"""Small things several tests need."""

import signal
import subprocess
from typing import Any

import robandit as rb
from robandit.dice import Random, seed_words

OWN_POLICY = """
from dataclasses import dataclass
import numpy as np
import robandit as rb

@dataclass
class State:
    probabilities: np.ndarray

@dataclass(frozen=True)
class Own(rb.Policy[State]):
    about = rb.About("own", "always one arm")

    def start(self, setting):
        probabilities = np.zeros(setting.arms)
        probabilities[{arm}] = 1.0
        return State(probabilities)
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

    def tamper_means(self, memory, t, probabilities, means, proposal, random):
        proposal[memory.arm] = 0.0
        return True
"""
ARMS = ["a", "b", "c"]
MEANS9 = tuple(number / 10 for number in range(1, 10))


def hear_ctrl_c() -> None:
    """For a child process: Ctrl-C is heard even where the tests run in the background, which ignores it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def said_after(process: Any, seconds: float) -> tuple[str, str]:
    """What a process says until it ends; one that does not end in time is ended."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return out, err


def near(found: Any, expected: Any, relative: float = 1e-7, absolute: float = 1e-12) -> bool:
    """Each close to what is expected of it; for every round of a play, where pytest.approx takes most of the time."""
    pairs = zip(found, expected, strict=True)
    return all(abs(one - other) <= max(relative * abs(other), absolute) for one, other in pairs)


def stream(seed: int, role: int = 0) -> Random:
    """A stream for a test of its own; by role (environment, policy) one that a play with this seed begins with."""
    return Random(*map(int, seed_words(seed, range(1))[0, role]))


def played(learner: rb.Learner, rounds: int = 60, first: int = 0) -> rb.Learner:
    """Rounds in which c pays best, told by four sources."""
    for number in range(first, first + rounds):
        decision = learner.decide()
        learner.learn(decision.id, float((number * 7) % 10 < 3 * (1 + ARMS.index(decision.arm))), f"user {number % 4}")
    return learner
