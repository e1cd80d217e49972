"""The catalogue as rows and tables: every part with its parameters, bound, needs and reference."""

from dataclasses import MISSING
from typing import Any

from robandit.catalogue import parameters_of
from robandit.parts import plain
from robandit.report.table import Column, DataTable

KINDS = {
    "policies": ["policy", "linear policy", "team policy", "slate policy"],
    "adversaries": ["attack", "schedule", "adversary"],
    "environments": ["environment"],
}
TITLES = {
    "policy": "Policies",
    "linear policy": "Policies for arms with features",
    "team policy": "Policies for several agents (--agents)",
    "slate policy": "Policies for slates of several items (--slate)",
    "attack": "Attacks: what the means become (threat model A)",
    "schedule": "Schedules: when",
    "adversary": "Attacks that decide themselves when and how far (B sees the draw, A does not)",
    "environment": "Environments",
}
SEES = {"schedule": [Column("sees", "words")], "adversary": [Column("threat"), Column("sees", "words", 1)]}
POLICY = [
    Column("bound", "words", 1),
    Column("needs", "words", 2),
    Column("fidelity", "words", 3),
    Column("cost per round", "words", 4),
    Column("late rewards", "words", 5),
    Column("reference", "words", 6),
    Column("label rests on", "words", 7),
]
POLICIES = ("policy", "linear policy", "team policy", "slate policy")
ABOUT = {**dict.fromkeys(POLICIES, POLICY), **SEES}
NARROW = 110  # columns
KEYS = {"cost per round": "cost", "late rewards": "late", "label rests on": "basis"}
BASES = {
    "exact": "its definition, which is ours",
    "recalled": "memory of the paper",
    "reconstruction": "a description of the algorithm, not its text",
    "variant": "memory of the original, changed as the entry says",
}


def describe_part(kind: str, cls: Any) -> dict[str, Any]:
    """One part as JSON has it."""
    about = cls.about
    record = {
        "name": about.name,
        "kind": kind,
        "summary": about.summary,
        "parameters": describe_parameters(cls),
        "reference": about.reference,
        "fidelity": about.fidelity,
        "basis": about.basis or BASES[about.fidelity],
        "needs": list(about.needs),
        "bound": about.bound,
    }
    if kind in KINDS["policies"]:
        record |= {"cost": about.cost, "late": about.late}
    if kind in KINDS["adversaries"]:
        record |= {"sees": list(about.sees), "threat": "B" if getattr(cls, "sees_draw", False) else "A"}
    return record


def describe_parameters(cls: Any) -> list[dict[str, Any]]:
    """The parameters a user may set, with default, published and scaled values."""
    listed = []
    for name, item in parameters_of(cls).items():
        default = None if item.default is MISSING else item.default
        listed.append(
            {
                "name": name,
                "default": plain(default),
                "published": item.metadata.get("published"),
                "scaled": item.metadata.get("scaled"),
                "description": item.metadata.get("description", ""),
            }
        )
    return listed


def catalogue_table(kind: str, entries: list[dict[str, Any]], room: int) -> DataTable:
    """One row per part; where a column of bounds has no room, they stand below what a policy does."""
    more, below = ABOUT.get(kind, []), kind in POLICIES and room < NARROW
    more = more[1:] if below else more
    columns = [Column("name", "name"), Column("what it does", "words"), Column("parameters", "words"), *more]
    rows = []
    for entry in entries:
        settings = ", ".join(
            f"{item['name']}={item['default']}" if item["default"] is not None else item["name"]
            for item in entry["parameters"]
        )
        values = [entry[KEYS.get(column.heading, column.heading)] for column in more]
        words = [", ".join(value) if isinstance(value, list) else value for value in values]
        does = f"{entry['summary']}\nBound: {entry['bound'] or '-'}" if below else entry["summary"]
        rows.append([entry["name"], does, settings or "-", *(word or "-" for word in words)])
    return DataTable(TITLES[kind], columns, rows)
