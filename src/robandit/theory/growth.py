"""How fast regret grows without corruption: SAMBA's constant, and the least any policy can have."""

import math
from collections.abc import Sequence


def growth_constant(means: Sequence[float], rate: float) -> float:
    """SAMBA's regret grows by this for each unit of ln T: sum of Delta_a/(alpha r* - r_a ln(1 + alpha))."""
    best = max(means)
    return sum((best - mean) / (rate * best - mean * math.log1p(rate)) for mean in means if mean < best)


def lai_robbins(means: Sequence[float]) -> float:
    """No policy that is good in every game grows by less: sum of Delta_a/kl(r_a, r*)."""
    best = max(means)
    return sum((best - mean) / bernoulli_divergence(mean, best) for mean in means if mean < best)


def bernoulli_divergence(p: float, q: float) -> float:
    """kl(p, q); infinite where q rules out what p allows."""
    total = 0.0
    for x, y in ((p, q), (1.0 - p, 1.0 - q)):
        if x > 0.0:
            total += math.inf if y <= 0.0 else x * math.log(x / y)
    return total
