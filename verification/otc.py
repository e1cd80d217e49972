"""Bitcoin OTC: are raters labelled as fraudulent among the most influential or the most different?

    python verification/otc.py FOLDER        with network.csv (rater, ratee, rating, time) and labels.csv (user, label)

The most rated users are the arms, ratings from -10 to 10 the rewards, raters the sources, in the order of time. Raters
are ranked by influence (leave-one-out, its size), by e-value, and by a plain z-test of a rater's ratings against the
means of the users it rated; each ranking is compared with probability. Nothing here says that the labels are right.
"""

import csv
import math
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import robandit as rb

ARMS = (10, 30, 100)


def read(folder: Path) -> tuple[list[list[str]], dict[str, int]]:
    """Ratings in the order of time, and labels."""
    with (folder / "network.csv").open() as file:
        ratings = sorted(csv.reader(file), key=lambda row: float(row[3]))
    with (folder / "labels.csv").open() as file:
        labels = {user: int(label) for user, label in csv.reader(file)}
    return ratings, labels


def table_of(ratings: list[list[str]], arms: int) -> rb.RewardLog:
    """Ratings of the most rated users."""
    rated = [user for user, _ in Counter(row[1] for row in ratings).most_common(arms)]
    kept = [row for row in ratings if row[1] in set(rated)]
    names = sorted({row[0] for row in kept}, key=int)
    place = {name: number for number, name in enumerate(names)}
    arm = {name: number for number, name in enumerate(rated)}
    rewards = np.array([(float(row[2]) + 10.0) / 20.0 for row in kept])
    log = rb.Log(np.array([arm[row[1]] for row in kept]), np.full(len(kept), np.nan), rewards)
    codes = np.array([place[row[0]] for row in kept])
    return rb.RewardLog(log, tuple(rated), tuple(names), codes, np.array([float(row[3]) for row in kept]))


def z_scores(table: rb.RewardLog) -> Any:
    """The size of each rater's standardised sum of deviations from the means of the users it rated."""
    arms, rewards = table.log.arms, table.log.rewards
    pulls = np.bincount(arms)
    means = np.bincount(arms, rewards) / pulls
    variances = np.bincount(arms, (rewards - means[arms]) ** 2) / np.maximum(pulls - 1, 1)
    off = np.bincount(table.codes, rewards - means[arms])
    return np.abs(off) / np.sqrt(np.maximum(np.bincount(table.codes, variances[arms]), 1e-12))


def tail(found: int, drawn: int, marked: int, total: int) -> float:
    """The probability that as many or more of the marked are among so many drawn at random (hypergeometric)."""
    ways = [
        math.comb(marked, hits) * math.comb(total - marked, drawn - hits)
        for hits in range(found, min(marked, drawn) + 1)
        if drawn - hits <= total - marked
    ]
    return sum(ways) / math.comb(total, drawn)


def told(name: str, scores: Any, fraud: Any, honest: Any) -> str:
    """How many of the labelled fraudsters are at the top, against chance, and how well the ranking tells them apart."""
    count = int(fraud.sum())
    labelled = fraud | honest
    order = np.argsort(-np.where(labelled, scores, -np.inf), kind="stable")[:count]
    hits = int(fraud[order].sum())
    probability = count * count / labelled.sum()
    above = np.mean([(scores[honest] < s).mean() + 0.5 * (scores[honest] == s).mean() for s in scores[fraud]])
    p = tail(hits, count, count, int(labelled.sum()))
    against = f"by chance {probability:5.1f}, p = {p:.2g}"
    return f"  {name:24} {hits:4} of the top {count} ({against}); area under the curve {above:.3f}"


def main(words: list[str]) -> int:
    """Print what comes out; 0 also where there is no data, which is not shipped."""
    if len(words) != 1 or not (Path(words[0]) / "network.csv").is_file():
        print("skipped: give the folder with network.csv and labels.csv")
        return 0
    ratings, labels = read(Path(words[0]))
    for arms in ARMS:
        table = table_of(ratings, arms)
        marks = np.array([labels.get(name, 0) for name in table.sources])
        fraud, honest = marks == -1, marks == 1
        print(
            f"{arms} most rated users as arms: {table.rows:,} ratings by {len(table.sources):,} raters, "
            f"{fraud.sum()} labelled fraudulent, {honest.sum()} honest"
        )
        found = rb.audit(table, "tempered-thompson", price=False)
        influence = np.zeros(len(table.sources))
        place = {name: number for number, name in enumerate(table.sources)}
        for row in found.sources():
            influence[place[row["source"]]] = abs(row["influence"])
        evidence = {one.name: one.sources for one in found.evidence}
        flags = found.flagged()
        print(told("influence (size)", influence, fraud, honest))
        print(told("e-value (rate)", evidence["rate"], fraud, honest))
        print(told("plain z-test", z_scores(table), fraud, honest))
        print(told("number of ratings", np.bincount(table.codes).astype(float), fraud, honest))
        hit = sum(labels.get(name) == -1 for name in flags)
        clear = sum(labels.get(name) == 1 for name in flags)
        print(
            f"  flagged by e-BH at .05: {len(flags)} raters, {hit} labelled fraudulent, {clear} honest, rest unlabelled"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
