"""Plays as tables: policies against an adversary, and policies on a log."""

from typing import Any

from robandit.report.numbers import tenths
from robandit.report.table import Column, DataTable


def play_table(result: dict[str, Any]) -> DataTable:
    """Regret with its interval, one row per policy; the difference to the first, run by run."""
    environment, adversary, results = result["environment"], result["adversary"], result["results"]
    arms = f"{len(environment['means'])} arms ({environment['name']})"
    blind = environment.get("contexts", {}).get("blind_regret")
    agents, slots = result.get("agents", 1), result.get("slate", 1)
    whose = "Regret" if agents == 1 else f"Total regret of {agents} agents"
    each = "" if agents == 1 else " of each"
    rounds = "rounds" if slots == 1 else f"slates of {slots}"
    runs = f"{result['runs']:,} run{'s' * (result['runs'] != 1)}"
    title = f"{whose} after {result['horizon']:,} {rounds}{each}, {arms}, {runs}"
    against = "No adversary."
    if adversary:
        budget = "unlimited" if adversary["budget"] is None else f"{adversary['budget']:,g}"
        bill = f"budget {budget} charged by {adversary['charge']}"
        against = f"Threat model {adversary['threat']}: {describe_attack(adversary)}, {bill}."
    paired = any(row["difference"] is not None for row in results)
    pairs = f" Difference: to {results[0]['label']}, run by run, on the same random streams." if paired else ""
    many = result["runs"] > 1
    interval = "± is a 95 % interval of the mean" if many else "one run has no interval"
    caption = f"{against} Regret counts true means; {interval}.{pairs}"
    if blind is not None:
        caption += (
            " It is against the best arm of each round's user; always playing the arm that is best on average costs "
            f"{blind * result['horizon']:,.0f}."
        )
    if any("checks" in row for row in results):
        caption += " Checks: rewards verified per run, which are true whatever the adversary does."
    if environment.get("changes"):
        caption += " Regret is against the best arm of each round: the means change by themselves."
    columns = [Column("policy", "name"), Column("mean regret" if many else "regret")]
    columns += [Column("± 95 %")] if many else []
    columns += [Column("difference", spare=1)] if paired else []
    columns += [Column("median", spare=3), Column("5 % - 95 %", spare=2)] if many else []
    columns.append(Column("best arm" if slots == 1 else "best slate"))
    columns += (
        [Column("an agent", spare=2), Column("messages")] if any("messages_mean" in row for row in results) else []
    )
    columns += [Column("checks")] if any("checks" in row for row in results) else []
    columns += [Column("paid"), Column("rounds changed", spare=4)] if adversary else []
    columns.append(Column("ns/round", spare=5))
    cells = [play_row(row) for row in results]
    return DataTable(title, columns, [[row[column.heading] for column in columns] for row in cells], caption)


def play_row(row: dict[str, Any]) -> dict[str, str]:
    """A policy's numbers by heading."""
    regret, corruption, difference = row["regret"], row["corruption"], row["difference"]
    own = row.get("regret_by_agent")
    return {
        "policy": row["label"],
        "mean regret": tenths(regret["mean"]),
        "regret": tenths(regret["mean"]),
        "± 95 %": tenths(regret["half_width_95"]),
        "difference": "-" if difference is None else signed(difference),
        "median": tenths(regret["median"]),
        "5 % - 95 %": f"{regret['p05']:,.0f} - {regret['p95']:,.0f}",
        "best slate" if row.get("slate") else "best arm": f"{100 * row['best_arm_share']:.1f} %",
        "an agent": "-" if own is None else f"{min(own):,.0f} - {max(own):,.0f}",
        "messages": "-" if own is None else f"{row['messages_mean']:,.0f}",
        "checks": f"{row['checks']['mean']:,.0f}" if "checks" in row else "-",
        "paid": tenths(corruption["paid_mean"]),
        "rounds changed": tenths(corruption["rounds_mean"]),
        "ns/round": f"{row['ns_per_round']:,.0f}",
    }


def signed(difference: dict[str, Any]) -> str:
    """A paired difference with half of its interval."""
    half = difference["half_width_95"]
    return f"{difference['mean']:+,.1f}" + ("" if half is None else f" ± {half:,.1f}")


def describe_attack(adversary: dict[str, Any]) -> str:
    """An attack in a few words."""
    if "capability" in adversary:
        return f"{adversary['attack']} ({adversary['capability']['words']})"
    if adversary["schedule"] is None:
        return str(adversary["attack"])
    return f"{adversary['attack']} on schedule {adversary['schedule']}, size {adversary['size']}"


def replay_table(result: dict[str, Any]) -> DataTable:
    """The logger first, then each policy."""
    columns = [Column("policy", "name"), Column("rounds"), Column("mean reward"), Column("± 95 %")]
    columns += [Column("paid")] if result["adversary"] else []
    logger = {**result["logged"], "label": "the logger", "rounds": result["rows"], "corruption_paid": 0.0}
    rows = []
    for row in (logger, *result["results"]):
        cells = [f"{row[name]:.3f}" if row[name] is not None else "-" for name in ("mean_reward", "half_width_95")]
        paid = [tenths(row["corruption_paid"])] if result["adversary"] else []
        rows.append([row["label"], f"{row['rounds']:,}", *cells, *paid])
    names = ", ".join(result["arms"][:12]) + (", ..." if len(result["arms"]) > 12 else "")
    caption = (
        "Mean reward, with a 95 % interval, over the rounds in which a policy took the logged arm and was kept, "
        f"with probability {result['least_probability']:.3g}/probability; it learnt from those alone. No regret: a log "
        f"does not say which arm was best. Rewards counted are the logged ones. Arms, counted from 1: {names}."
    )
    title = f"Replay of {result['rows']:,} logged decisions, {len(result['arms'])} arms, {result['features']} features"
    return DataTable(title, columns, rows, caption)
