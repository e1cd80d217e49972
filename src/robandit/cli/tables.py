"""Tables for people, with rich."""

import math
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from robandit.cli.attacks import described

TITLES = {
    "policy": "Policies",
    "attack": "Attacks: what the means become (threat model A)",
    "schedule": "Schedules: when",
    "adversary": "Attacks that decide themselves when and how far (B sees the draw, A does not)",
    "environment": "Environments",
}
SPARE = ("ns/round", "median", "5 % - 95 %")  # left out of a play's table where it is narrow, in this order
COLUMNS = {"policy": ("needs", "fidelity", "cost"), "schedule": ("sees",), "adversary": ("threat", "sees")}
NARROW = 100  # below this a policy's fidelity and cost are left to the JSON


def new_table(title: str, caption: str | None = None) -> Table:
    """A table in the house's style."""
    return Table(
        title=title,
        caption=caption,
        box=SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
        title_style="bold",
        pad_edge=False,
    )


def catalogue_table(kind: str, entries: list[dict[str, Any]], width: int) -> Table:
    """One row a part."""
    columns = ("needs",) if kind == "policy" and width < NARROW else COLUMNS.get(kind, ())
    table = new_table(TITLES[kind])
    table.add_column("name", style="bold", no_wrap=True)
    table.add_column("what it does", ratio=3, overflow="fold")
    table.add_column("parameters", ratio=2, overflow="fold")
    for heading in columns:
        table.add_column("cost a round" if heading == "cost" else heading, max_width=14)
    for told in entries:
        settings = ", ".join(
            f"{item['name']}={item['default']}" if item["default"] is not None else item["name"]
            for item in told["parameters"]
        )
        more = (told[heading] for heading in columns)
        words = (", ".join(value) if isinstance(value, list) else value for value in more)
        table.add_row(told["name"], told["summary"], settings or "-", *(word or "-" for word in words))
    return table


def play_table(result: dict[str, Any], left_out: tuple[str, ...] = ()) -> Table:
    """Regret with its interval, one row a policy."""
    environment, adversary = result["environment"], result["adversary"]
    arms = f"{len(environment['means'])} arms ({environment['name']})"
    title = f"Regret after {result['horizon']:,} rounds, {arms}, {result['runs']} runs"
    against = "No adversary."
    if adversary:
        budget = "unlimited" if adversary["budget"] is None else f"{adversary['budget']:g}"
        bill = f"budget {budget} charged by {adversary['charge']}"
        against = f"Threat model {adversary['threat']}: {described(adversary)}, {bill}."
    table = new_table(title, f"{against} Regret counts true means; ± is a 95 % interval of the mean.")
    table.add_column("policy", style="bold", overflow="fold", min_width=12)
    rows = [play_row(row, adversary is not None) for row in result["results"]]
    shown = [heading for heading in rows[0] if heading not in left_out]
    for heading in shown:
        least = max(len(heading), *(len(cells[heading]) for cells in rows))  # a number is shown whole
        table.add_column(heading, justify="right", no_wrap=True, min_width=least)
    for row, cells in zip(result["results"], rows, strict=True):
        table.add_row(row["label"], *(cells[heading] for heading in shown))
    return table


def play_row(row: dict[str, Any], attacked: bool) -> dict[str, str]:
    """A policy's numbers by heading."""
    regret, corruption = row["regret"], row["corruption"]
    cells = {
        "mean regret": f"{regret['mean']:,.1f}",
        "± 95 %": "-" if regret["half_width_95"] is None else f"{regret['half_width_95']:,.1f}",
        "median": f"{regret['median']:,.1f}",
        "5 % - 95 %": f"{regret['p05']:,.0f} - {regret['p95']:,.0f}",
        "best arm": f"{100 * row['best_arm_share']:.1f} %",
    }
    if attacked:
        cells |= {"paid": f"{corruption['paid_mean']:,.1f}", "rounds": f"{corruption['rounds_mean']:,.1f}"}
    return {**cells, "ns/round": f"{row['ns_per_round']:.3g}"}


def status_table(name: str, rows: list[dict[str, Any]]) -> Table:
    """How far each grid of a study is."""
    table = new_table(f"Study {name}")
    table.add_column("grid", style="bold")
    states = ("done", "running", "interrupted", "failed", "waiting")
    for heading in ("cells", *states):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(row["grid"], str(row["cells"]), *(str(row.get(state, "") or "-") for state in states))
    return table


def claims_table(claims: list[dict[str, Any]]) -> Table:
    """The claims of the paper with their verdicts."""
    table = new_table("Is the paper true?")
    table.add_column("verdict", style="bold", no_wrap=True)
    table.add_column("claim")
    colours = {"reproduced": "green", "depends": "yellow", "not-reproduced": "red", "not-tested": "dim"}
    for claim in claims:
        table.add_row(f"[{colours[claim['verdict']]}]{claim['verdict']}[/]", claim["text"])
    return table


def redteam_table(result: dict[str, Any]) -> Table:
    """No attack, the best of the catalogue, the worst attack found; and what the choosing seeds made of it."""
    spent = "no limit" if result["budget"] is None else f"C = {result['budget']:,g} by {result['attack']['charge']}"
    bill = f"{spent}, threat model {result['threat']}"
    arms = f"{len(result['environment']['means'])} arms ({result['environment']['name']})"
    inside = result["in_sample"]["mean"]
    verdict = (
        "flattered by the choice" if inside > result["regret"]["mean"] else "this time not flattered by the choice"
    )
    told = f" It was told C = {result['budget']:g} under attack, 0 without." if result["told"] else ""
    table = new_table(
        f"Worst attack found on {result['label']}: {bill}; {arms}, T = {result['horizon']:,}",
        f"{result['evaluations']} attacks tried on other seeds; regret on {result['runs']} fresh runs, ± 95 %. "
        f"On the seeds that chose it, it had {inside:,.1f}: {verdict}.{told}",
    )
    table.add_column("attack", style="bold", overflow="fold")
    for heading in ("mean regret", "± 95 %"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("which", overflow="fold")
    plain = result["catalogue"]
    rows = (
        ("none", result["baseline"], ""),
        *((("best of the catalogue", plain["regret"], described(plain["attack"])),) if plain else ()),
        ("worst found", result["regret"], described(result["attack"])),
    )
    for name, regret, which in rows:
        half = "-" if regret["half_width_95"] is None else f"{regret['half_width_95']:,.1f}"
        table.add_row(name, f"{regret['mean']:,.1f}", half, which)
    return table


def price_table(rows: list[dict[str, Any]], told: dict[str, Any], more: str = "") -> Table:
    """Clean regret, price and the spending of an unlimited attack, the cheapest to turn first."""
    attacker, title = rows[0]["attacker"], rows[0]["environment"]["title"]
    shares = any(row["price"] and row["price"]["unit"] == "share" for row in rows)
    who = f" The attacker {attacker['capability']['words']}." if attacker["capability"] else ""
    limit = next((row["limit"] for row in rows if row["limit"] is not None), None)
    within = "" if attacker["budget"] is None else f", spending at most {attacker['budget']:g}"
    barred = "" if limit is None else f" From a share of {limit:.3g} on no policy can know better."
    table = new_table(
        f"Attack price on {title}; T = {rows[0]['horizon']:,}, threat model {attacker['threat']}",
        f"Price: the {f'share of all rounds{within},' if shares else 'budget'} with which the best arm gets fewer than "
        f"half of the rounds in at least half of the runs; median and range over {told['blocks']} blocks of "
        f"{told['runs']} runs; ± is a 95 % interval. It is an upper bound on what an attacker needs.{who}{barred} "
        f"Unlimited: what the same attack pays when nothing stops it, which is not the price. {more}".rstrip(),
    )
    table.add_column("policy", style="bold", overflow="fold", min_width=16)
    for heading in ("clean regret", "price (range)", "unlimited"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("attack", overflow="fold")
    for row in sorted(rows, key=lambda row: (not row["learns"], (row["price"] or {}).get("estimate") or math.inf)):
        price, clean = row["price"] or {"estimate": None}, row["clean_regret"]
        half = "" if clean["half_width_95"] is None else f" ± {short(clean['half_width_95'])}"
        cost = "not turned" if row["learns"] else "does not learn"
        if price["estimate"] is not None:
            cost = f"{short(price['estimate'])} ({short(price['low'])}-{short(price['high'])})"
        spent = "-" if row["spending"] is None else short(row["spending"]["mean"])
        attack = row["attack"].removeprefix("--attack ").partition(" --can")[0] if row["learns"] else "-"
        table.add_row(row["label"], short(clean["mean"]) + half, cost, spent, attack)
    return table


def short(value: float | None) -> str:
    """Three digits or so; a price that was not reached is a dash."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}" if value >= 0.01 else "0"
