"""Logs of a play in which every reward has a source: honest ones at random, what an attacker changed from a ring."""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import robandit as rb
from robandit.dice import Random, decision_words
from robandit.forensics.reward_log import RewardLog

RING = ("ring-1", "ring-2", "ring-3", "ring-4", "ring-5")


@dataclass(frozen=True)
class Played:
    """A log as a table, and which of its rewards were forged."""

    table: RewardLog
    forged: Any


def play(
    policy: Any,
    means: Any,
    rows: int,
    *,
    promoted: int | None = None,
    budget: int = 0,
    first: int = 0,
    honest: int = 995,
    ring: tuple[str, ...] = RING,
    seed: int = 1,
) -> Played:
    """Play a policy; from row `first` on every failure of one arm is told as a success, while the budget lasts."""
    luck = np.random.default_rng(seed)
    uniforms, whose = luck.random(rows), luck.integers(0, honest, rows)
    state = policy.start(rb.Setting(len(means), rows))
    words = [decision_words(seed, np.arange(rows, dtype=np.uint64), role).tolist() for role in (0, 1)]
    policy.begin(state, Random(*words[0][0]))
    arms, notes = np.zeros((2, rows), np.int64)
    probabilities, rewards = np.zeros((2, rows))
    forged = np.zeros(rows, bool)
    for row in range(rows):
        choice = policy.choose(state, Random(*words[0][row]))
        reward = 1.0 if uniforms[row] < means[choice.arm] else 0.0
        if row >= first and choice.arm == promoted and reward == 0.0 and budget > 0:
            reward, budget, forged[row] = 1.0, budget - 1, True
        policy.learn(state, choice, reward, Random(*words[1][row]))
        arms[row], probabilities[row], notes[row], rewards[row] = choice.arm, choice.probability, choice.note, reward
    names = (*(f"user-{number}" for number in range(honest)), *ring)
    turn = honest + np.cumsum(forged) % max(len(ring), 1)
    codes = np.where(forged, turn, whose)
    log = rb.Log(arms, probabilities, rewards, notes)
    arm_names = tuple(f"arm-{arm}" for arm in range(len(means)))
    return Played(RewardLog(log, arm_names, names, codes, np.arange(rows, dtype=float)), forged)


def write_csv(table: RewardLog, path: Path, rows: Any = None) -> Path:
    """The table as another system would have written it."""
    kept = np.arange(table.rows) if rows is None else np.nonzero(rows)[0]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["arm", "reward", "probability", "source", "time"])
        for row in kept:
            reward, probability = float(table.log.rewards[row]), float(table.log.probabilities[row])
            arm, source = table.arms[table.log.arms[row]], table.sources[table.codes[row]]
            writer.writerow([arm, reward, repr(probability), source, int(row)])
    return path
