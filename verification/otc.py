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


def read_files(folder: Path) -> tuple[list[list[str]], dict[str, int]]:
    """Returns ratings in the order of time, and labels."""
    with (folder / "network.csv").open() as file:
        ratings = sorted(csv.reader(file), key=lambda row: float(row[3]))
    with (folder / "labels.csv").open() as file:
        labels = {user: int(label) for user, label in csv.reader(file)}
    return ratings, labels


def build_log(ratings: list[list[str]], arms: int) -> rb.RewardLog:
    """Returns the ratings of the most rated users as a log."""
    users = [user for user, _ in Counter(row[1] for row in ratings).most_common(arms)]
    rows = [row for row in ratings if row[1] in set(users)]
    names = sorted({row[0] for row in rows}, key=int)
    place = {name: number for number, name in enumerate(names)}
    arm = {name: number for number, name in enumerate(users)}
    rewards = np.array([(float(row[2]) + 10.0) / 20.0 for row in rows])
    log = rb.Log(np.array([arm[row[1]] for row in rows]), np.full(len(rows), np.nan), rewards)
    codes = np.array([place[row[0]] for row in rows])
    return rb.RewardLog(log, tuple(users), tuple(names), codes, np.array([float(row[3]) for row in rows]))


def z_scores(table: rb.RewardLog) -> Any:
    """Returns the size of each rater's standardised sum of deviations from the means of the users it rated."""
    arms, rewards = table.log.arms, table.log.rewards
    pulls = np.bincount(arms)
    means = np.bincount(arms, rewards) / pulls
    variances = np.bincount(arms, (rewards - means[arms]) ** 2) / np.maximum(pulls - 1, 1)
    off = np.bincount(table.codes, rewards - means[arms])
    return np.abs(off) / np.sqrt(np.maximum(np.bincount(table.codes, variances[arms]), 1e-12))


def tail(least: int, draws: int, fraud: int, total: int) -> float:
    """Returns the probability that `least` or more of `fraud` are among `draws` of `total` (hypergeometric)."""
    ways = [
        math.comb(fraud, hits) * math.comb(total - fraud, draws - hits)
        for hits in range(least, min(fraud, draws) + 1)
        if draws - hits <= total - fraud
    ]
    return sum(ways) / math.comb(total, draws)


def describe_ranking(name: str, scores: Any, fraud: Any, honest: Any) -> str:
    """Returns how many labelled fraudsters are at the top, beside chance, and how well the ranking separates them."""
    count = int(fraud.sum())
    is_labelled = fraud | honest
    order = np.argsort(-np.where(is_labelled, scores, -np.inf), kind="stable")[:count]
    hits = int(fraud[order].sum())
    probability = count * count / is_labelled.sum()
    above = np.mean([(scores[honest] < s).mean() + 0.5 * (scores[honest] == s).mean() for s in scores[fraud]])
    p = tail(hits, count, count, int(is_labelled.sum()))
    against = f"by chance {probability:5.1f}, p = {p:.2g}"
    return f"  {name:24} {hits:4} of the top {count} ({against}); area under the curve {above:.3f}"


def main(words: list[str]) -> int:
    """Print all rankings; returns 0, also where there is no data, which is not shipped."""
    if len(words) != 1 or not (Path(words[0]) / "network.csv").is_file():
        print("skipped: give the folder with network.csv and labels.csv")
        return 0
    ratings, labels = read_files(Path(words[0]))
    for arms in ARMS:
        table = build_log(ratings, arms)
        marks = np.array([labels.get(name, 0) for name in table.sources])
        fraud, honest = marks == -1, marks == 1
        print(
            f"{arms} most rated users as arms: {table.rows:,} ratings by {len(table.sources):,} raters, "
            f"{fraud.sum()} labelled fraudulent, {honest.sum()} honest"
        )
        audit = rb.audit(table, "tempered-thompson", price=False)
        influence = np.zeros(len(table.sources))
        place = {name: number for number, name in enumerate(table.sources)}
        for row in audit.sources():
            influence[place[row["source"]]] = abs(row["influence"])
        evidence = {one.name: one.sources for one in audit.evidence}
        flags = audit.flagged()
        print(describe_ranking("influence (size)", influence, fraud, honest))
        print(describe_ranking("e-value (rate)", evidence["rate"], fraud, honest))
        print(describe_ranking("plain z-test", z_scores(table), fraud, honest))
        print(describe_ranking("number of ratings", np.bincount(table.codes).astype(float), fraud, honest))
        hit = sum(labels.get(name) == -1 for name in flags)
        clear = sum(labels.get(name) == 1 for name in flags)
        print(
            f"  flagged by e-BH at .05: {len(flags)} raters, {hit} labelled fraudulent, {clear} honest, rest unlabelled"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
