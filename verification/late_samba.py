"""SAMBA with late rewards as a program of its own, for comparison: nothing here is the project's but the formula."""

import numba
import numpy as np


@numba.njit  # type: ignore[misc]
def regret(seed: int, delay: int, horizon: int, arms: int, rate: float) -> float:
    """One run on Bernoulli means i/(K+1), every reward learnt `delay` rounds late by the probability its arm had."""
    np.random.seed(seed)  # noqa: NPY002
    p = np.full(arms, 1.0 / arms)
    chosen, probabilities, rewards = np.zeros(horizon, np.int64), np.zeros(horizon), np.zeros(horizon)
    lost = 0.0
    for t in range(horizon):
        seen = t - delay - 1
        if seen >= 0 and rewards[seen] > 0.0:
            leader = np.argmax(p)
            for arm in range(arms):
                moved = rate * p[arm] * min(p[arm] / probabilities[seen], 2.0)
                if arm != leader and chosen[seen] == leader:
                    p[arm] -= moved
                elif arm != leader and chosen[seen] == arm:
                    p[arm] += moved
            p[leader] += 1.0 - p.sum()
        arm = min(np.searchsorted(np.cumsum(p), np.random.random(), side="right"), arms - 1)  # noqa: NPY002
        chosen[t], probabilities[t] = arm, p[arm]
        rewards[t] = 1.0 if np.random.random() < (arm + 1) / (arms + 1) else 0.0  # noqa: NPY002
        lost += (arms - 1 - arm) / (arms + 1)
    return lost


def regrets(delay: int, horizon: int, runs: int) -> np.ndarray:
    """The regret of each run, nine arms and SAMBA's usual step."""
    return np.array([regret(run, delay, horizon, 9, 0.05) for run in range(runs)])
