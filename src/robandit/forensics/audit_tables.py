"""An audit as tables: the sources that moved the belief most, and what arms and policies would have earned."""

from typing import Any

from robandit.forensics.findings import Audit
from robandit.report.numbers import scientific
from robandit.report.table import Column, DataTable
from robandit.report.terminal import show

SOURCES = 15  # in the table


def audit_table(result: dict[str, Any], most: int) -> DataTable:
    """The sources that moved the belief most."""
    leader, sources = result["belief"]["leader"], result["sources"]
    title = f"The {min(most, len(sources))} of {len(sources):,} sources that moved p({leader}) up most"
    caption = (
        f"Influence: p({leader}) less what it would be without the source. e-value: how much its rates and its choice "
        "of rows differ; 20 has a probability of one in twenty for a source named beforehand."
    )
    columns = [Column("source", "name"), Column("rows"), Column("influence")]
    columns += [Column("leader without", "name"), Column("e-value")]
    rows = [
        [row["source"], f"{row['rows']:,}", f"{row['influence']:+.4f}", row["leader_without"], e_value(row["e_value"])]
        for row in sources[:most]
    ]
    return DataTable(title, columns, rows, caption)


def e_value(value: float | None) -> str:
    """Evidence, which may be as good as none or beyond all doubt."""
    if value is None:
        return "-"
    return scientific(value) if value >= 1e6 else f"{value:,.1f}" if value >= 0.1 else f"{value:.2f}"


def values_table(result: dict[str, Any]) -> DataTable:
    """What arms and shadow policies would have earned, with everyone and without the suspects."""
    title = f"Off-policy values, doubly robust, from {result['rows']:,} rewards of mean {result['mean_reward']:.4f}"
    rest, rows = result["without_suspects"], []
    headings = ("value", "effective rows", *(("without suspects",) if rest else ()))
    for kind in ("arms", "policies"):
        for name, row in result[kind].items():
            value = row if kind == "arms" else row["value"]
            other = (rest[kind][name] if kind == "arms" else rest[kind][name]["value"]) if rest else None
            cells = [name, estimated(value), f"{value['effective_rows']:,.0f}" if value else "-"]
            rows.append([*cells, *((estimated(other),) if rest else ())])
    columns = [Column("always / policy", "name"), *(Column(heading) for heading in headings)]
    return DataTable(
        title, columns, rows, "± is half of an asymptotic 95 % interval. Effective: rows the weights leave."
    )


def estimated(value: dict[str, Any] | None) -> str:
    """An estimate with half of its interval."""
    if value is None or value["dr"] is None:
        return "-"
    estimate = value["dr"]
    return f"{estimate['value']:.4f} ± {(estimate['high'] - estimate['low']) / 2:.4f}"


def show_audit(findings: Audit, wide: bool) -> None:
    """Print the findings for a person at a terminal."""
    values = findings.as_json()
    leader, log = values["belief"]["leader"], findings.log
    print(
        f"{values['rows']:,} rows, {len(values['arms'])} arms, {len(log.sources):,} sources, "
        f"replayed by {values['policy']}"
    )
    print(f"Belief: {leader} leads with p = {values['belief']['probabilities'][leader]:.4g}")
    if values["sources"]:
        show(audit_table(values, SOURCES), wide=wide)
    show(*sentences(findings))
    if values["off_policy"]:
        show(values_table(values["off_policy"]), wide=wide)
    show(*(f"- {note}" for note in values["notes"]))


def sentences(findings: Audit) -> list[str]:
    """Return witness, what-if, price and what is known to be forged, each in a sentence."""
    lines, leader = [], findings.belief.leader
    if findings.witness is not None:
        names = ", ".join(findings.witness[:8]) + (" ..." if len(findings.witness) > 8 else "")
        count, sources = len(findings.witness), len(findings.log.sources)
        lines.append(
            f"Witness (past): {leader} rests on {count:,} of {sources:,} sources: without {names}, "
            f"{findings.witness_leader} leads (verified by replay)"
        )
    if findings.without is not None:
        what_if = findings.without
        probability = what_if.belief.probabilities[what_if.belief.leader]
        since = what_if.first_other_leader
        when = (
            "the same arm would have led throughout"
            if since is None
            else f"another arm would have led after row {since:,}"
        )
        lines.append(f"Without {what_if.rows:,} rows: {what_if.belief.leader} leads with p = {probability:.4g}; {when}")
    if findings.price is not None and findings.price["future_fakes"] is not None:
        price, near = findings.price, findings.price["if_means_are_close"]
        far = "more than any tried" if price["if_means_are_far"] is None else f"{price['if_means_are_far']:,.0f}"
        high = "none" if price["high"] is None else f"{price['high']:,.0f}"
        lines.append(
            f"Price (future): about {price['future_fakes']:,.0f} forged rewards ({price['low']:,.0f} to {high}) from "
            f"now on unseat {leader} within {price['rounds_ahead']:,} rounds ({price['attack']})"
            + ("" if near is None else f"; at the ends of the means' intervals {near:,.0f} and {far}")
        )
    if findings.forged is not None:
        lines.append(f"Forged (past): {findings.forged['text']}")
    return lines
