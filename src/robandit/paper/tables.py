"""The claims of the paper as a table."""

from typing import Any

from robandit.report.table import Column, DataTable

COLOURS = {"reproduced": "green", "depends": "yellow", "not-reproduced": "red", "not-tested": "dim"}


def claims_table(claims: list[dict[str, Any]]) -> DataTable:
    """The claims of the paper with their verdicts."""
    columns = [Column("verdict", "name"), Column("id", "name"), Column("claim", "words")]
    rows = [[claim["verdict"], claim["id"], claim["text"]] for claim in claims]
    return DataTable("Is the paper true?", columns, rows, styles=tuple(COLOURS.items()))
