"""SAMBA with late rewards as a program of its own, for comparison: nothing here is the project's but the formula."""

import numba
import numpy as np


@numba.njit  # type: ignore[misc]
def regret(seed: int, delay: int, horizon: int, arms: int, rate: float) -> float:
    """Returns a run's regret on means i/(K+1), each reward learnt `delay` rounds late by its arm's old probability."""
    np.random.seed(seed)  # noqa: NPY002
    p = np.full(arms, 1.0 / arms)
    choices, probabilities, rewards = np.zeros(horizon, np.int64), np.zeros(horizon), np.zeros(horizon)
    total = 0.0
    for t in range(horizon):
        past = t - delay - 1
        if past >= 0 and rewards[past] > 0.0:
            leader = np.argmax(p)
            for arm in range(arms):
                step = rate * p[arm] * min(p[arm] / probabilities[past], 2.0)
                if arm != leader and choices[past] == leader:
                    p[arm] -= step
                elif arm != leader and choices[past] == arm:
                    p[arm] += step
            p[leader] += 1.0 - p.sum()
        arm = min(np.searchsorted(np.cumsum(p), np.random.random(), side="right"), arms - 1)  # noqa: NPY002
        choices[t], probabilities[t] = arm, p[arm]
        rewards[t] = 1.0 if np.random.random() < (arm + 1) / (arms + 1) else 0.0  # noqa: NPY002
        total += (arms - 1 - arm) / (arms + 1)
    return total


def regrets(delay: int, horizon: int, runs: int) -> np.ndarray:
    """Returns the regret of each run, nine arms and SAMBA's usual step."""
    return np.array([regret(run, delay, horizon, 9, 0.05) for run in range(runs)])
