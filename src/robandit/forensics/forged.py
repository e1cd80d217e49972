"""How much was forged, from decisions that have both an unverified and a verified reward; nothing else can say it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from robandit.forensics.price import LEVEL, mean_bounds
from robandit.game import Floats

Pair = tuple[int, float, float]  # arm, unverified reward, verified one; both in [0, 1]


def estimate_forged(pairs: Sequence[Pair], arms: Sequence[str], scale: float = 1.0) -> dict[str, Any] | None:
    """Return by how much unverified rewards differ from the verified ones of the same decisions; None without any.

    `added` is the mean of what was reported too high, `erased` of what was reported too low, `difference` the first
    less the second. Their three intervals hold together with a probability of 95 %: whenever one looks, if every pair
    is forged alike whatever came before; at one look, for the mean over independent pairs that are forged differently.
    They say nothing about decisions that nobody verified, unless those that somebody did were drawn at random.

    Args:
        pairs: one for each decision with both.
        arms: their names.
        scale: the width of the range of rewards, in whose units the answer is.
    """
    if not pairs:
        return None
    places, claims, truths = (np.array(column) for column in zip(*pairs, strict=True))
    moved = claims - truths
    by_arm = {
        name: {"pairs": int(own.sum()), **differences(moved[own], scale)}
        for name, own in ((name, places == place) for place, name in enumerate(arms))
        if own.any()
    }
    forged = {"pairs": len(pairs), "changed": int((moved != 0.0).sum()), **differences(moved, scale), "arms": by_arm}
    return {**forged, "text": describe_forged(forged)}


def differences(moved: Floats, scale: float) -> dict[str, Any]:
    """Return means and intervals of what was added, of what was erased, and of the difference."""
    parts = np.stack([np.maximum(moved, 0.0), np.maximum(-moved, 0.0)])
    pulls = np.full(2, float(len(moved)))
    low, high = mean_bounds(parts.sum(axis=1), pulls, LEVEL / 2)
    mean = parts.mean(axis=1)

    def interval(value: float, least: float, most: float) -> dict[str, float]:
        return {"value": scale * float(value), "low": scale * float(least), "high": scale * float(most)}

    added, erased = (interval(mean[place], low[place], high[place]) for place in (0, 1))
    both = interval(mean[0] - mean[1], low[0] - high[1], high[0] - low[1])
    return {"added": added, "erased": erased, "difference": both}


def describe_forged(forged: dict[str, Any]) -> str:
    """Return an estimate in a sentence."""
    whole, parts = forged["difference"], []
    for name, word in (("added", "too high"), ("erased", "too low")):
        one = forged[name]
        parts.append(f"{one['value']:.3g} {word} ({one['low']:.3g} to {one['high']:.3g})")
    way = "higher" if whole["value"] >= 0 else "lower"
    return (
        f"Of {forged['pairs']:,} decisions with both rewards {forged['changed']:,} differ; on average "
        f"the unverified one is {abs(whole['value']):.3g} {way} than the verified one (95 % interval of the difference "
        f"{whole['low']:+.3g} to {whole['high']:+.3g}; {', '.join(parts)})."
    )
