"""Score cards and progress as tables."""

from typing import Any

from robandit.report.table import Column, DataTable
from robandit.suite.results import SuiteResults


def card_table(results: SuiteResults) -> DataTable:
    """One row per policy: its scores without an attack and by attacker, the best against its worst attacker first."""
    cards, suite = results.cards(), results.suite
    attackers = [one.name for one in suite.attackers if one.has]
    columns = [Column("policy", "name"), Column("worst"), Column("attacked"), Column("clean")]
    columns += [
        *(Column(name, spare=1) for name in attackers),
        Column("fooled"),
        Column("checks", spare=2),
        Column("rows", spare=3),
    ]
    ranked = sorted(cards.items(), key=lambda pair: (pair[1]["worst"] or {"score": -9.0})["score"], reverse=True)
    rows = []
    for label, card in ranked:
        scores = [with_half(card["attackers"].get(name)) for name in attackers]
        fooled = f"{card['fooled']['rows']} of {card['fooled']['of']}"
        means = [with_half(card[name]) for name in ("worst", "attacked", "clean")]
        checks = "-" if card["checks"] is None else f"{card['checks']:,.0f}"
        rows.append([label, *means, *scores, fooled, checks, card["rows"]])
    caption = (
        "Score: 1 is the best arm in every round, 0 is no better than an even draw; ± is a 95 % interval. Worst: under "
        "the attacker it does worst against. Attacked: the mean over attackers, environments counting alike. Fooled: "
        "rows in which the attack leaves the best arm fewer than half of the rounds in at least half of the runs, of "
        "those in which it had more without one. Checks: rewards that it asked to have verified, per run; others do "
        "without."
    )
    return DataTable(f"Score cards, {suite.name}, standard attack {suite.standard_attack}", columns, rows, caption)


def with_half(score: dict[str, Any] | None) -> str:
    """A score with half of its interval."""
    return "-" if score is None else f"{score['score']:.3f} ± {score['half_width_95']:.3f}"


def status_table(name: str, rows: list[dict[str, Any]]) -> DataTable:
    """How far each policy is."""
    columns = [Column("policy", "name"), Column("done"), Column("of"), Column("seconds")]
    return DataTable(name, columns, [[row["policy"], row["done"], row["of"], row["seconds"]] for row in rows])
