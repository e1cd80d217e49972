"""The price of forgetting, as a law: what keeps Thompson sampling fooled that remembers only the last rewards.

The attacker erases every success of the best arm. Of the last W rewards n are then failures of that arm, its posterior
is Beta(1, n + 1), and a draw of it beats a runner-up of known mean r_2 with probability (1 - r_2)^(n + 1). In
equilibrium as many looks at the arm come as go: n = W (1 - r_2)^(n + 1). Each look costs r* in the mean, so that a
round costs r* n/W, and half of the horizon r* n T/(2 W): the lie must be repeated each time it is forgotten.
"""

from collections.abc import Sequence

from robandit.errors import InputError


def looks_per_memory(memory: float, runner_up: float) -> float:
    """The root of n = W (1 - r_2)^(n + 1): looks at an arm that never pays, while W rewards are remembered."""
    if not memory >= 1.0 or not 0.0 <= runner_up < 1.0:
        raise InputError(f"memory must be at least 1 and the mean in [0, 1), not {memory:g} and {runner_up:g}")
    low, high = 0.0, memory
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if middle < memory * (1.0 - runner_up) ** (middle + 1.0) else (low, middle)
    return low


def price_of_memory(means: Sequence[float], horizon: float, memory: float) -> float:
    """Forged rewards, in the mean, that keep the best arm from half of the rounds where `memory` rewards count."""
    if len(means) < 2:
        raise InputError("the law needs at least 2 arms; 1 was given")
    runner_up, best = sorted(means)[-2:]
    return best * looks_per_memory(memory, runner_up) * horizon / (2.0 * memory)
