"""Writes the tables of docs/alarms-measured.md from docs/alarms-measured.json.

python -m verification.shops --json docs/alarms-measured.json
python docs/make_alarm_tables.py
"""

import json
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("alarms-measured.md")
Row = dict[str, Any]


def tabulate_shops(rows: list[Row]) -> str:
    """Returns one row per shop: alarms under both policies, then who was named under Thompson sampling."""
    by_shop: dict[str, dict[str, Row]] = {}
    for row in rows:
        if "shop" in row:
            by_shop.setdefault(row["shop"], {})[row["policy"]] = row
    lines = [
        "| shop | alarms: samba | thompson | notice or alarm | after decisions | ring named | innocents named |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, both in by_shop.items():
        samba, thompson = both["samba"], both["thompson"]
        alarms = " | ".join(
            f"{one['alarms']}" + ("" if one["matters"] is None else f" (moves the leader in {one['matters']})")
            for one in (samba, thompson)
        )
        when = "" if thompson["row"] is None else f"{thompson['row']:,.0f}"
        recall = "" if thompson["recall"] is None else f"{thompson['recall']:.0%}".replace("%", " %")
        share = f"{thompson['innocent_share']:.2%}".replace("%", " %")
        lines.append(f"| {name} | {alarms} | {thompson['evidence']} | {when} | {recall} | {share} |")
    return "\n".join(lines)


def tabulate_losses(rows: list[Row]) -> str:
    """Returns one row per way of losing exposures."""
    lines = ["| loss | alarms | after decisions (median) | right arm named |", "|---|---|---|---|"]
    for row in rows:
        if "loss" in row:
            when = "" if row["row"] is None else f"{row['row']:,.0f}"
            lines.append(f"| {row['loss']} | {row['alarms']} of {row['logs']} | {when} | {row['right_arm']} |")
    return "\n".join(lines)


def main() -> None:
    """Put both tables in their places."""
    rows, text = json.loads(PAGE.with_suffix(".json").read_text()), PAGE.read_text()
    for name, table in (("shops", tabulate_shops(rows)), ("losses", tabulate_losses(rows))):
        place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        text = place.sub(lambda match, table=table: f"{match[1]}{table}\n{match[2]}", text)
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
