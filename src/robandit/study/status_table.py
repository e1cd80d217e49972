"""How far a study is, as a table."""

from typing import Any

from robandit.report.table import Column, DataTable


def status_table(name: str, rows: list[dict[str, Any]]) -> DataTable:
    """How far each grid of a study is."""
    states = ("done", "running", "interrupted", "failed", "waiting")
    columns = [Column("grid", "name"), *(Column(heading) for heading in ("cells", *states))]
    filled = [
        [row["grid"], f"{row['cells']:,}", *(f"{row[state]:,}" if row.get(state) else "-" for state in states)]
        for row in rows
    ]
    return DataTable(f"Study {name}", columns, filled)
