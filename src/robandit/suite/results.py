"""The results of a suite: rows, score cards, and the files that hold them."""

import json
import math
from collections.abc import Collection
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from robandit.errors import InputError
from robandit.extras import require
from robandit.store.files import write_atomically
from robandit.suite.run import SuiteFolder
from robandit.suite.spec import SUITE, Suite
from robandit.version import __version__

FORMAT = 1
STORED = SUITE.with_suffix(".parquet")  # the rows of the policies that come with the package
COLUMNS = {  # of results.parquet, and the keys of a row in results.json
    "policy": "string", "environment": "string", "attacker": "string", "level": "float64", "score": "float64",
    "half_width_95": "float64", "regret": "float64", "best_share": "float64", "fooled": "float64", "paid": "float64",
    "checks": "float64", "attack": "string", "tried": "int64",
}  # fmt: skip
NAME = b"robandit"  # of the metadata in the Parquet file


@dataclass(frozen=True)
class SuiteResults:
    """Rows of some policies, and what is known of each policy."""

    suite: Suite
    policies: dict[str, dict[str, Any]]
    rows: list[dict[str, Any]]

    def merged_into(self, stored: "SuiteResults") -> "SuiteResults":
        """These beside stored ones; a policy that both have is taken from these."""
        others = [row for row in stored.rows if row["policy"] not in self.policies]
        return SuiteResults(self.suite, {**stored.policies, **self.policies}, [*others, *self.rows])

    def only(self, policies: Collection[str]) -> "SuiteResults":
        """The rows of some policies; those without a row are passed over."""
        about = {label: record for label, record in self.policies.items() if label in policies}
        return SuiteResults(self.suite, about, [row for row in self.rows if row["policy"] in about])

    def cards(self) -> dict[str, dict[str, Any]]:
        """The score card of each policy."""
        by_policy: dict[str, list[dict[str, Any]]] = {label: [] for label in self.policies}
        for row in self.rows:
            by_policy[row["policy"]].append(row)
        return {label: score_card(rows) for label, rows in by_policy.items()}

    def to_json(self) -> dict[str, Any]:
        """Everything under the names of the contract."""
        cards, suite = self.cards(), self.suite
        places = [
            {"name": one.name, "title": one.title, "environment": one.text, "means": list(one.make().means),
             "slate": one.slate, "horizon": one.horizon, **{name: list(values) for name, values in one.levels.items()}}
            for one in suite.environments
        ]  # fmt: skip
        attackers = [{item.name: getattr(one, item.name) for item in fields(one)} for one in suite.attackers]
        return {
            "format": FORMAT,
            "version": __version__,
            "suite": suite.name,
            "standard_attack": suite.standard_attack,
            "runs": suite.runs,
            "seed": suite.seed,
            "environments": places,
            "attackers": attackers,
            "policies": [{"policy": label, **about, "card": cards[label]} for label, about in self.policies.items()],
            "rows": self.rows,
        }

    def to_parquet(self) -> bytes:
        """One row per policy, environment, attacker and level; what is known of the policies is in the metadata."""
        pa, pq = require("pyarrow", "the results"), require("pyarrow.parquet", "the results")
        schema = pa.schema([(name, getattr(pa, kind)()) for name, kind in COLUMNS.items()])
        table = pa.table({name: [row[name] for row in self.rows] for name in COLUMNS}, schema=schema)
        about = {"format": FORMAT, "suite": self.suite.name, "policies": self.policies}
        sink = pa.BufferOutputStream()
        pq.write_table(
            table.replace_schema_metadata({NAME: json.dumps(about, sort_keys=True).encode()}),
            sink,
            compression="zstd",
            write_statistics=False,
        )
        content: bytes = sink.getvalue().to_pybytes()
        return content


def read_folder(folder: SuiteFolder) -> SuiteResults:
    """What a folder holds; a policy with no row yet is left out."""
    known = folder.policies()
    rows = [row for label in known for row in folder.rows(label)]
    labels = {row["policy"] for row in rows}
    about = {label: {name: value for name, value in record.items() if name != "tasks"}
             for label, record in known.items() if label in labels}  # fmt: skip
    return SuiteResults(folder.suite, about, rows)


def read_stored(suite: Suite, path: Path = STORED) -> SuiteResults:
    """Rows from a Parquet file of results; raises InputError for one of another suite."""
    pa, pq = require("pyarrow", "the results"), require("pyarrow.parquet", "the results")
    try:
        table = pq.read_table(path)
        about = json.loads(table.schema.metadata[NAME])
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{str(path)!r} cannot be read as results of a suite ({type(error).__name__})") from error
    if about["suite"] != suite.name or about["format"] != FORMAT:
        raise InputError(f"{str(path)!r} holds {about['suite']}, format {about['format']}, not {suite.name}")
    return SuiteResults(suite, about["policies"], table.to_pylist())


def write_results(results: SuiteResults, folder: Path) -> list[Path]:
    """Write results.json and results.parquet; returns their paths."""
    text = json.dumps(results.to_json(), indent=1, allow_nan=False) + "\n"
    contents = {"results.json": text.encode(), "results.parquet": results.to_parquet()}
    for name, content in contents.items():
        write_atomically(folder / name, content)
    return [folder / name for name in contents]


def score_card(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The scores of one policy by attacker, their mean, the worst of them; rows fooled, checks per run.

    Environments count alike, whatever their number of levels.
    """
    names = dict.fromkeys(row["attacker"] for row in rows)
    scores = {name: mean_score([row for row in rows if row["attacker"] == name]) for name in names}
    attacked = {name: score for name, score in scores.items() if name != "none"}
    learnt = {row["environment"] for row in rows if row["attacker"] == "none" and row["fooled"] < 0.5}
    at_risk = [row for row in rows if row["attacker"] != "none" and row["environment"] in learnt]
    checks = [row["checks"] for row in rows if row["checks"] is not None]
    worst = min(attacked, key=lambda name: attacked[name]["score"], default=None)
    return {
        "clean": scores.get("none"),
        "attackers": attacked,
        "attacked": None if not attacked else average(list(attacked.values())),
        "worst": None if worst is None else {"attacker": worst, **attacked[worst]},
        "fooled": {"rows": sum(row["fooled"] >= 0.5 for row in at_risk), "of": len(at_risk)},
        "checks": sum(checks) / len(checks) if checks else None,
        "rows": len(rows),
    }


def mean_score(rows: list[dict[str, Any]]) -> dict[str, float]:
    """The mean score of some rows, environments counting alike, with its 95 % interval.

    Rows of one environment share their draws: their half-widths are averaged, which is never too narrow. Environments
    are independent: theirs are added in squares.
    """
    places: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        places.setdefault(row["environment"], []).append(row)
    means = [average(list(some)) for some in places.values()]
    half = math.sqrt(sum(one["half_width_95"] ** 2 for one in means)) / len(means)
    return {"score": sum(one["score"] for one in means) / len(means), "half_width_95": half}


def average(scores: list[dict[str, Any]]) -> dict[str, float]:
    """The mean of scores that are not independent, with half-widths averaged."""
    return {name: sum(one[name] for one in scores) / len(scores) for name in ("score", "half_width_95")}
