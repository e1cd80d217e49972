"""The page of the reference about what is written and read: capabilities, and the columns of files of results.

Columns are those of small plays that are played when the page is made: one without a description here is an error.
"""

import tempfile
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import fields
from io import StringIO
from pathlib import Path

import pyarrow.parquet

import robandit as rb
from robandit.capability import VERBS, Capability
from robandit.cli.main import main as run_command
from robandit.online.terms import make_terms
from robandit.service.export import columns_of

REGRET = "what was lost against always playing the best arm, in true means"
RUNS = {
    "policy": "the policy with its parameters",
    "run": "from 0; run n of two policies has the same random streams",
    "round": "the checkpoint: so many rounds were played",
    "regret": REGRET + ", up to there",
    "corruption_paid": "what the attacker had spent by then",
}
STUDY = {
    "policy": "the policy with its parameters",
    "attack": "the attack; - without one",
    "C": "the attacker's budget",
    "mean regret": REGRET + ", mean over runs",
    "± 95 %": "half the width of the 95 % interval",
    "sd": "the standard deviation over runs",
    "median": "the median over runs",
    "5 % quantile": "5 % of the runs are below",
    "95 % quantile": "95 % of the runs are below",
    "best played": "the share of rounds with the best arm",
    "runs": "how many were played",
}
PAIRED = {
    "policy": "compared with the first policy of the grid",
    "attack": "the attack; - without one",
    "C": "the attacker's budget",
    "regret minus samba's": "the mean difference to the first policy (here `samba`), on the same random draws",
    "± 95 %": "half the width of its 95 % interval",
    "pairs": "how many runs were compared",
    "p (Holm)": "of a paired test, corrected for all comparisons of the grid by Holm's method",
}
SUITE = {
    "policy": "the policy with its parameters",
    "environment": "the name of one of the suite's environments",
    "attacker": "which kind of attacker; clean without one",
    "level": "the attacker's budget, a ring's share of the rounds, or the forged rows; empty without an attacker",
    "score": "1 is the best arm in every round, 0 is no better than an even draw",
    "half_width_95": "half the width of the score's 95 % interval",
    "regret": REGRET + ", mean over runs",
    "best_share": "the share of rounds with the best arm",
    "fooled": "the share of runs in which the best arm had fewer than half of the rounds",
    "paid": "what the attacker spent, mean over runs",
    "checks": "rewards that the policy asked to have verified, mean over runs",
    "attack": "the attack that did most harm of those tried",
    "tried": "how many attacks were tried",
}
EXPORT = {
    "decision": "the decision's number, from 0",
    "time": "when it was made, in seconds since 1970",
    "arm": "the arm it chose",
    "probability": "with which that arm was drawn; empty where the policy cannot compute it",
    "holdout": "whether it was drawn evenly, and is not learnt from",
    "unit": "who it was for",
    "reward": "what it earned; empty in the rows that `unrewarded=true` adds",
    "reward_time": "when that was reported",
    "source": "who reported it",
    "verified": "whether the report was verified; columns of contexts, such as `context.age`, stand before it",
}
STUDY_TEXT = """name = "small"
[[grid]]
id = "grid"
policies = ["samba", "ucb1"]
attacks = ["flip", "sink-shown"]
schedules = "start"
budgets = [0, 5]
horizons = 100
runs = 2
"""


def describe_formats() -> str:
    """Returns the page."""
    parts = ["# Capabilities and files\n", "What options and files of results mean, made from the code.\n"]
    parts += ["## Capabilities\n", describe_capabilities()]
    parts += ["## Files of results\n"]
    with tempfile.TemporaryDirectory() as folder:
        play = ["play", "--policy", "ucb1", "--runs", "2", "--horizon", "50", "--runs-out", f"{folder}/runs.csv"]
        quiet(play)
        study = Path(folder, "small.toml")
        study.write_text(STUDY_TEXT)
        quiet(["study", "run", str(study), "--out", f"{folder}/out"])
        tables = Path(folder, "out", "tables")
        parts += ["### robandit play --runs-out\n", "One row per policy, run and checkpoint.\n"]
        parts += [describe_columns(header(Path(folder, "runs.csv")), RUNS)]
        parts += [
            "### robandit study run: tables/GRID-regret.csv\n",
            "One row per cell. What varies in a grid is a column.\n",
        ]
        parts += [describe_columns(header(tables / "grid-regret.csv"), STUDY)]
        parts += ["### robandit study run: tables/GRID-paired.csv\n", "Each policy against the first one.\n"]
        parts += [describe_columns(header(tables / "grid-paired.csv"), PAIRED)]
    rows = pyarrow.parquet.read_schema(Path(rb.__file__).parent / "studies" / "suite-v1.parquet").names
    parts += ["### robandit suite run: results.parquet\n", "One row per policy, environment, attacker and level.\n"]
    parts += [describe_columns(rows, SUITE)]
    parts += ["### The service's export\n", "`GET .../export?format=csv` or `parquet`: one row per reward.\n"]
    return "\n".join([*parts, describe_columns(columns_of(make_terms("samba", ["red", "green"])), EXPORT)])


def describe_capabilities() -> str:
    """Returns the grammar of `--can`, and each part with its meaning."""
    directions = "".join(f"| `{can}` | {words} |\n" for can, words in VERBS.items())
    rows = [
        f"| `{item.name}` | {str(item.default).lower()} | {item.metadata['description']} |\n"
        for item in fields(Capability)
        if item.name != "can"
    ]
    return (
        "`--can` of every command, and `capability=` in Python, take a direction. After a colon come parts, with "
        "commas between them: `DIRECTION[:PART=VALUE[,PART=VALUE...]]`. `both:share=0.05,first=1000` is an example. "
        "`--share` of a command is the part `share`. [Threat models](../threat-models.md) has examples.\n\n"
        f"| direction | what the attacker can do |\n|---|---|\n{directions}\n"
        f"| part | default | what it is |\n|---|---|---|\n{''.join(rows)}"
    )


def quiet(words: list[str]) -> None:
    """Runs a command without its output; raises RuntimeError if it fails."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as wrong:
        if run_command(words):
            raise RuntimeError(wrong.getvalue())


def header(path: Path) -> list[str]:
    """Returns the columns of a CSV file."""
    return [name.strip('"') for name in path.read_text().splitlines()[0].split(",")]


def describe_columns(columns: list[str], meaning: dict[str, str]) -> str:
    """Returns a table of columns; raises KeyError where one has no description."""
    return "| column | what it is |\n|---|---|\n" + "".join(f"| `{name}` | {meaning[name]} |\n" for name in columns)
