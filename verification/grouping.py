"""Caps against groups of sources: how often the best arm still seems to pay most, with a ring in the log.

`python -m verification.grouping` prints the table of docs/audit.md. Decisions are spread evenly, so that the log's own
policy has no part in it; the ring erases every reward of the best arm and invents one for every pull of the runner-up.
"""

import numpy as np

from robandit.forensics.grouped import grouped_means
from robandit.forensics.statistics import ReportedRows
from robandit.game import Floats

SOURCES, ROWS, LOGS = 200, 20_000, 200
CAPS = (20, 100)  # rows of one source that count
RINGS = ((0, 1), (4, 1), (4, 20), (10, 1), (10, 20), (20, 1), (40, 1))  # accounts, and their volume beside the others'
GAMES = {".02, .03, .05": (0.02, 0.03, 0.05), ".5, .5, .6": (0.5, 0.5, 0.6)}


def log_with_ring(random: np.random.Generator, means: Floats, accounts: int, volume: float) -> ReportedRows:
    """Draw a log in which the first accounts are a ring."""
    weights = np.where(np.arange(SOURCES) < accounts, volume, 1.0)
    codes = random.choice(SOURCES, ROWS, p=weights / weights.sum())
    arms = random.integers(0, len(means), ROWS)
    rewards = (random.random(ROWS) < means[arms]).astype(float)
    best, second = np.argsort(-means, kind="stable")[:2]
    rewards[(codes < accounts) & (arms == best)] = 0.0
    rewards[(codes < accounts) & (arms == second)] = 1.0
    return ReportedRows(np.arange(ROWS), codes, arms, rewards, None, SOURCES, len(means), np.arange(ROWS))


def cap_sources(log: ReportedRows, most: int) -> ReportedRows:
    """Returns the log with the first rows of each source."""
    order = np.argsort(log.codes, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - np.searchsorted(log.codes[order], log.codes[order])
    return log.some(place < most)


def best_by_mean(log: ReportedRows) -> int:
    """Returns the arm with the largest mean."""
    counts = np.bincount(log.arms, minlength=log.arm_count)
    return int(np.argmax(np.bincount(log.arms, log.rewards, log.arm_count) / np.maximum(counts, 1)))


def shares(means: Floats, accounts: int, volume: float, logs: int = LOGS, seed: int = 1) -> dict[str, float]:
    """Returns how often each way names the best arm."""
    random, best = np.random.default_rng([seed, accounts, int(volume)]), int(np.argmax(means))
    hits: dict[str, list[bool]] = {}
    for _ in range(logs):
        log = log_with_ring(random, means, accounts, volume)
        groups = grouped_means(log)
        assert groups is not None
        hits.setdefault("mean", []).append(best_by_mean(log) == best)
        for most in CAPS:
            hits.setdefault(f"cap {most}", []).append(best_by_mean(cap_sources(log, most)) == best)
        hits.setdefault("groups", []).append(groups.leaders[1] == best)
    return {way: float(np.mean(outcomes)) for way, outcomes in hits.items()}


def main() -> None:
    """Print the table."""
    ways = ["mean", *(f"cap {most}" for most in CAPS), "groups"]
    print(f"| game | ring | {' | '.join(ways)} |")
    print(f"| --- | --- | {' | '.join('---:' for _ in ways)} |")
    for game, means in GAMES.items():
        for accounts, volume in RINGS:
            hits = shares(np.array(means), accounts, volume)
            ring = f"{accounts} of {SOURCES}" + (f", {volume} times as busy" if volume > 1 else "")
            print(f"| {game} | {ring} | {' | '.join(f'{100 * hits[way]:.0f} %' for way in ways)} |")


if __name__ == "__main__":
    main()
