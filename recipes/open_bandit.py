"""Rows of the Open Bandit Dataset as a log for `robandit audit` and `robandit replay`; see `real_data.py obd`.

The sample is in the wheel of obp 0.4.1: six files of 10,000 rows with the probability of each choice, two loggers by
three campaigns. They are read from the wheel as it is: nothing is installed and no code of it runs.
"""

import csv
import io
import zipfile
from pathlib import Path

PARTS = tuple(f"{logger}/{campaign}" for logger in ("random", "bts") for campaign in ("men", "women", "all"))
LICENCE = (
    "Open Bandit Dataset, a sample of ZOZOTOWN's fashion recommendations by ZOZO, Inc., in the wheel of obp 0.4.1, "
    "which says Apache License 2.0; read the data's own terms at its publisher before you pass rows on. Saito, Aihara, "
    "Matsutani & Narita 2021, Open Bandit Dataset and Pipeline, NeurIPS Datasets and Benchmarks"
)
COLUMNS = {"item_id": "arm", "click": "reward", "propensity_score": "probability", "position": "position"}


def read_rows(wheel: Path, part: str) -> list[dict[str, str]]:
    """Returns the rows of one file: arm, reward, probability, position, in the order of time.

    Raises ValueError where the wheel has no such file, or the file not these columns.
    """
    name = f"obp/dataset/obd/{part}/{part.rpartition('/')[2]}.csv"
    with zipfile.ZipFile(wheel) as archive:
        if name not in archive.namelist():
            raise ValueError(f"{wheel} has no {name}; take the wheel of obp 0.4.1")
        rows = list(csv.DictReader(io.StringIO(archive.read(name).decode())))
    missing = set(COLUMNS) - set(rows[0]) if rows else set(COLUMNS)
    if missing:
        raise ValueError(f"{name} has no column {', '.join(sorted(missing))}")
    rows.sort(key=lambda row: row["timestamp"])
    return [{new: row[old] for old, new in COLUMNS.items()} for row in rows]


def write_log(rows: list[dict[str, str]], path: Path) -> None:
    """Write a log, one row per item on display."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(COLUMNS.values()), lineterminator="\n")
        writer.writeheader()
        writer.writerows(row | {"arm": f"item {row['arm']}"} for row in rows)


def describe(part: str, rows: list[dict[str, str]]) -> str:
    """Returns what a log has: rows, arms, clicks, probabilities, and whose they are."""
    probabilities = [float(row["probability"]) for row in rows]
    clicks = sum(int(row["reward"]) for row in rows)
    lines = [
        f"obd {part}: {len(rows):,} rows, {len({row['arm'] for row in rows})} arms, {clicks} clicks, "
        f"probabilities {min(probabilities):.2g} to {max(probabilities):.2g}",
        f"data: {LICENCE}",
        "so few clicks bear no conclusion about items: this is to try the tools on a log that somebody else wrote",
    ]
    return "\n".join(lines)
