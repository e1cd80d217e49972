"""The page of `robandit reproduce`: the whole paper again, its tables beside ours, and a verdict on each claim."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from robandit.estimates import summarise
from robandit.paper.claims import CLAIMS, weigh_claims
from robandit.paper.published import FIVE, K_SWEEP, READINGS, SCHEMES
from robandit.paper.resampling import resampling_by_arms, resampling_cost
from robandit.paper.solver import copies_by_horizon, solver_steps
from robandit.paper.timing import time_table
from robandit.report.page import Section, write_page
from robandit.report.table import DataTable
from robandit.store.code import module_hash
from robandit.store.files import write_atomically
from robandit.study.report import READING, grid_section
from robandit.study.results import Results, values
from robandit.theory import statements
from robandit.version import __version__

STUDIES = Path(__file__).parents[1] / "studies"
VERDICTS = [
    "Reproduced: it holds, with significance. Depends: it holds under some readings, schemes or algorithms and not "
    "under others, and the evidence says which. Not reproduced: it fails, with significance. Not tested: these runs "
    "cannot decide. A reading they leave open does not change what the headline reading says.",
    "Comparisons are paired run by run, tested with Student's t at 5 % and corrected (Holm) for the comparisons of "
    "their claim. A power counts as linear where it is nearer to 1 than to a square root or a square (0.75 to 1.5). "
    "Evidence is computed from these runs; a note is true whatever they say.",
]
PRINTED = {"k-sweep": {policy: K_SWEEP[policy.partition(":")[0]] for policy in FIVE}}  # by grid
STORED = ("id", "text", "where", "verdict", "evidence", "note", "theory")  # of a claim, in results.json


def spec_path(quick: bool) -> Path:
    """The spec that comes with the package."""
    return STUDIES / ("paper-quick.toml" if quick else "paper.toml")


def write_paper(results: Results, quick: bool, timings: bool) -> dict[str, Any]:
    """Weigh the claims, write results.json and the report; returns the content of results.json."""
    study, folder = results.study, results.store.folder
    extras = read_extras(folder, quick, timings)
    claims = weigh_claims(results, extras)
    summary: dict[str, Any] = {
        "version": __version__,
        "quick": quick,
        "tables": {
            "k_sweep": sweep_table(results, ["k-sweep", "field-k-sweep"]),
            "k_sweep_readings": {
                reading: sweep_table(results, [f"k-sweep-{reading}"])
                for reading in (*READINGS, "blocks", "constants", "linspace", "uniform")
                if results.has(f"k-sweep-{reading}")
            },
            "levels": levels_table(results),
            "time": extras["timing"],
            "ftpl_resamples": extras["ftpl"],
            "ftpl_resamples_by_arms": extras["ftpl_arms"],
            "newton_steps": extras["solver"],
        },
        "claims": [{key: claim[key] for key in STORED} for claim in claims],
    }
    write_atomically(folder / "results.json", (json.dumps(summary, indent=1, allow_nan=False) + "\n").encode())
    lead = [
        "Efficient and Optimal Policy Gradient Algorithm for Corrupted Multi-armed Bandits (Liu, Wang, Fang), played "
        "anew. The paper leaves open what a corrupted mean becomes, what C counts and which constants the baselines "
        "use. The headline reading is the one closest to its tables (flip, C in rounds, scale 1; its OMD is "
        "ftrl-hybrid with b = 64); "
        "other readings stand beside it.",
        READING,
    ]
    if quick:
        lead.insert(0, "A quick run with few replications: a claim they cannot decide says not-tested.")
    sections = [
        Section("claims", "Is it true? Every claim with a verdict", VERDICTS, claims=claims),
        sweep_section(summary["tables"]["k_sweep"]),
        theory_section(extras["theory"]),
    ]
    if extras["timing"]:
        sections.append(time_section(extras["timing"]))
    sections += [grid_section(results, grid, PRINTED.get(grid.id)) for grid in study.grids]
    write_page("The paper, reproduced" + (" (quick)" if quick else ""), lead, sections, folder)
    return summary


def read_extras(folder: Path, quick: bool, timings: bool) -> dict[str, Any]:
    """What claims need besides runs; each is worked out once for its code, and stored beside the results."""
    resampling, solver, theory = (
        module_hash(f"robandit.{name}") for name in ("paper.resampling", "paper.solver", "theory.statements")
    )
    names = {name for claim in CLAIMS for name in claim.theory}
    weighed = read_or_make(folder / f"theory-{theory}.json", lambda: statements.weigh_statements(only=names))
    return {
        "timing": read_or_make(folder / "timing.json", lambda: time_table(quick)) if timings else None,
        "ftpl": None if quick else read_or_make(folder / f"resampling-{resampling}.json", resampling_cost),
        "ftpl_arms": None if quick else read_or_make(folder / f"by-arms-{resampling}.json", resampling_by_arms),
        "solver": None if quick else read_or_make(folder / f"solver-{solver}.json", solver_steps),
        "copies": copies_by_horizon(),
        "theory": {item["id"]: item for item in weighed},
    }


def read_or_make(path: Path, make: Callable[[], Any]) -> Any:
    """The content of a JSON file, which is made first if it is not there."""
    if not path.exists():
        write_atomically(path, json.dumps(make(), indent=1).encode())
    return json.loads(path.read_bytes())


def theory_section(statements: dict[str, Any]) -> Section:
    """What the claims rest on."""
    rows: list[list[Any]] = [
        [item["id"], item["where"], item["text"], item["verdict"], item["label"], item["evidence"]]
        for item in statements.values()
    ]
    text = [
        "What runs cannot decide: statements of the paper that the claims above rest on, weighed by exact fractions, "
        "exact optima and plays. `robandit paper theory` weighs all of them, docs/theory.md says what holds instead."
    ]
    table = DataTable(
        "Statements", ["id", "where", "statement", "verdict", "known", "evidence"], rows, id="theory-rows"
    )
    return Section("theory", "The theory behind the claims", text, tables=[table])


def short(policy: str) -> str:
    """A policy's key in results.json: the five go by their plain names, others keep what tells them apart."""
    return policy.partition(":")[0] if policy in FIVE else policy


def name_of(policy: str) -> str:
    """A policy as everywhere here, with the paper's name for it where that is another."""
    theirs = next((name for text, name in FIVE.items() if short(text) == short(policy)), "")
    return policy if theirs.lower() in ("", short(policy)) else f"{policy} (the paper's {theirs})"


def sweep_table(results: Results, grids: list[str]) -> dict[str, dict[str, Any]]:
    """Regret by policy and K, the paper's numbers beside; several draws of the means are pooled."""
    table: dict[str, dict[str, Any]] = {}
    for name in grids:
        if not results.has(name):
            continue
        grid = results.study.grid(name)
        for policy in values(grid, "policy"):
            for arms in values(grid, "arms"):
                finals = [results.finals(c) for c in grid.cells if (c.policy, c.arms) == (policy, arms)]
                pooled = np.concatenate(finals)
                summary = summarise(pooled)
                paper = K_SWEEP.get(short(policy.removesuffix(",pulls=blocks")), {}).get(arms)
                row = {key: summary[key] for key in ("mean", "se", "half_width_95")}
                row |= {"runs": len(pooled), "paper": paper}
                table.setdefault(short(policy), {})[str(arms)] = row
    return table


def levels_table(results: Results) -> dict[str, Any]:
    """Mean and sd at the headline reading, by policy, scheme and C."""
    if not results.has("levels"):
        return {}
    grid = results.study.grid("levels")
    table: dict[str, Any] = {}
    for policy in values(grid, "policy"):
        for scheme in SCHEMES:
            for budget in values(grid, "budget"):
                summary = summarise(results.runs("levels", policy=policy, schedule=scheme, budget=budget))
                row = {key: summary[key] for key in ("mean", "sd", "se")}
                table.setdefault(short(policy), {}).setdefault(scheme, {})[f"{budget:g}"] = row
    return table


def sweep_section(table: dict[str, dict[str, Any]]) -> Section:
    """The paper's Table 3 beside ours, differences marked."""
    rows = []
    for policy, by_arms in table.items():
        for arms, row in by_arms.items():
            paper = row["paper"]
            off = 100 * (row["mean"] / paper - 1) if paper else None
            mark = "" if off is None else "close" if abs(off) <= 15 else "differs"
            ours = (row["mean"], row["half_width_95"], row["runs"])
            rows.append([name_of(policy), int(arms), *ours, paper, off, mark])
    headings = ["algorithm", "K", "ours", "± 95 %", "runs", "paper", "off by %", "within 15 %?"]
    caption = "Headline reading. Rows without a paper value are policies the paper does not simulate."
    text = [
        "The paper gives means without intervals, so a difference cannot be tested, only shown; "
        "15 % is a mark for the eye, not a test."
    ]
    return Section(
        "table-3",
        "The sweep over K beside the paper's Table 3",
        text,
        tables=[DataTable("Regret by K", headings, rows, caption, "table-3-rows")],
    )


def time_section(times: dict[str, Any]) -> Section:
    """The paper's Table 2 beside ours."""
    rows = [
        [
            name_of(name),
            1000 * row["seconds"],
            *(row["ratio"], min(row["ratios"]), max(row["ratios"])),
            *(row["paper_seconds"], row["paper_ratio"]),
        ]
        for name, row in times.items()
    ]
    headings = ["algorithm", "ours, ms per run", "ratio to SAMBA", "least", "most", "paper, s per run", "paper's ratio"]
    repeats = len(times["samba"]["ratios"])
    text = [
        f"CPU time of one run (K = 9, T = 100,000), one thread: the fastest of {repeats} interleaved repeats and its "
        "ratio, then the least and the most ratio within one repeat. What else the machine does slows SAMBA more than "
        "the others, so ratios within one repeat scatter. Seconds depend on the machine; compare ratios."
    ]
    return Section(
        "time",
        "Time beside the paper's Table 2",
        text,
        tables=[DataTable("Time of a run", headings, rows, id="time-rows")],
    )
