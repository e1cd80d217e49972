"""Tables for people, with rich."""

import math
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from robandit.cli.attacks import described

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
SPARE = ("ns/round", "median", "5 % - 95 %")  # left out of a play's table where it is narrow, in this order
POLICY = ("needs", "fidelity", "cost")
COLUMNS = {
    "policy": POLICY,
    "linear policy": POLICY,
    "team policy": POLICY,
    "slate policy": POLICY,
    "schedule": ("sees",),
    "adversary": ("threat", "sees"),
}
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
    columns = ("needs",) if COLUMNS.get(kind) == POLICY and width < NARROW else COLUMNS.get(kind, ())
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
    agents, slots = result.get("agents", 1), result.get("slate", 1)
    whose = "Regret" if agents == 1 else f"Total regret of {agents} agents"
    each = "" if agents == 1 else " of each"
    rounds = "rounds" if slots == 1 else f"slates of {slots}"
    title = f"{whose} after {result['horizon']:,} {rounds}{each}, {arms}, {result['runs']} runs"
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
        "best slate" if row.get("slate") else "best arm": f"{100 * row['best_arm_share']:.1f} %",
    }
    if "messages_mean" in row:
        own = row["regret_by_agent"]
        cells |= {"an agent": f"{min(own):,.0f} - {max(own):,.0f}", "messages": f"{row['messages_mean']:,.0f}"}
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
        f"Worst attack found on {result['label']}: {bill}; {arms}, {span(result)}",
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
    best = "the best slate" if told.get("slate") else "the best arm"
    turned = f"{best} gets fewer than half of the rounds"
    if told.get("turned") == "regret":
        turned = "regret exceeds half of what always playing the runner-up costs"
    limit = next((row["limit"] for row in rows if row["limit"] is not None), None)
    within = "" if attacker["budget"] is None else f", spending at most {attacker['budget']:g}"
    barred = "" if limit is None else f" From a share of {limit:.3g} on no policy can know better."
    table = new_table(
        f"Attack price on {title}; {span({**told, **rows[0]})}, threat model {attacker['threat']}",
        f"Price: the {f'share of all rounds{within},' if shares else 'budget'} with which {turned} "
        f"in at least half of the runs; median and range over {told['blocks']} blocks of "
        f"{told['runs']} runs; ± is a 95 % interval. It is an upper bound on what an attacker needs.{who}{barred} "
        f"Unlimited: what the same attack pays when nothing stops it, which is not the price. {more}".rstrip(),
    )
    table.add_column("policy", style="bold", overflow="fold", min_width=16)
    for heading in ("clean regret", "price (range)", "unlimited"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("attack", overflow="fold")
    for row in sorted(rows, key=lambda row: (not row["learns"], (row["price"] or {}).get("estimate") or math.inf)):
        spent = "-" if row["spending"] is None else short(row["spending"]["mean"])
        attack = row["attack"].removeprefix("--attack ").partition(" --can")[0] if row["learns"] else "-"
        table.add_row(row["label"], with_half(row["clean_regret"]), price_range(row), spent, attack)
    return table


def advice_table(told: dict[str, Any]) -> Table:
    """What the advice rests on, the cheapest in peace first."""
    ring = told["results"][0]["price"] is None and told["results"][0]["attacked_regret"] is not None
    table = new_table(
        f"Measured on means {', '.join(f'{mean:g}' for mean in told['means'][:12])}; T = {told['horizon']:,}",
        "± is a 95 % interval; the range of a price is over blocks of seeds. "
        + ("Under the ring: the worst attack of those it can carry out." if ring else "A price is an upper bound."),
    )
    table.add_column("policy", style="bold", overflow="fold", min_width=16)
    for heading in ("clean regret", "under the ring", "best arm") if ring else ("clean regret", "price (range)"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in sorted(told["results"], key=lambda row: row["clean_regret"]["mean"]):
        cells = [with_half(row["clean_regret"])]
        if ring:
            cells += [with_half(row["attacked_regret"]), f"{100 * row['best_share']:.0f} %"]
        else:
            cells.append(price_range(row))
        table.add_row(row["label"], *cells)
    return table


def span(told: dict[str, Any]) -> str:
    """How long is played, by how many, with how many items at once."""
    agents, slots = told.get("agents", 1), told.get("slate", 1)
    whose = f" for each of {agents} agents" if agents > 1 else f" slates of {slots}" if slots > 1 else ""
    return f"T = {told['horizon']:,}{whose}"


def with_half(summary: dict[str, Any]) -> str:
    """A mean with its 95 % interval."""
    half = summary["half_width_95"]
    return short(summary["mean"]) + ("" if half is None else f" ± {short(half)}")


def price_range(row: dict[str, Any]) -> str:
    """A price with its range, or why there is none."""
    price = row["price"] or {"estimate": None}
    if price["estimate"] is None:
        return "not turned" if row["learns"] else "does not learn"
    return f"{short(price['estimate'])} ({short(price['low'])}-{short(price['high'])})"


def audit_table(told: dict[str, Any], most: int) -> Table:
    """The sources that moved the belief most."""
    leader, sources = told["belief"]["leader"], told["sources"]
    table = new_table(
        f"The {min(most, len(sources))} of {len(sources):,} sources that moved p({leader}) up most",
        f"Influence: p({leader}) less what it would be without the source. e-value: how much its rates and its choice "
        "of rows differ; 20 is one chance in twenty for a source named beforehand.",
    )
    table.add_column("source", style="bold", overflow="fold")
    for heading in ("rows", "influence", "leader without", "e-value"):
        table.add_column(heading, justify="left" if heading == "leader without" else "right")
    for row in sources[:most]:
        e_value = "-" if row["e_value"] is None else f"{row['e_value']:.3g}"
        table.add_row(row["source"], f"{row['rows']:,}", f"{row['influence']:+.3g}", row["leader_without"], e_value)
    return table


def values_table(told: dict[str, Any]) -> Table:
    """What arms and shadow policies would have earned, with everyone and without the suspects."""
    table = new_table(
        f"Off-policy values, doubly robust, from {told['rows']:,} rewards of mean {told['mean_reward']:.4g}",
        "± is half of an asymptotic 95 % interval. Effective: rows the weights leave.",
    )
    table.add_column("always / policy", style="bold", overflow="fold")
    rest = told["without_suspects"]
    for heading in ("value", "effective rows", *(("without suspects",) if rest else ())):
        table.add_column(heading, justify="right", no_wrap=True)
    for kind in ("arms", "policies"):
        for name, row in told[kind].items():
            value = row if kind == "arms" else row["value"]
            other = (rest[kind][name] if kind == "arms" else rest[kind][name]["value"]) if rest else None
            cells = [estimated(value), f"{value['effective_rows']:,.0f}" if value else "-"]
            table.add_row(name, *cells, *((estimated(other),) if rest else ()))
    return table


def estimated(value: dict[str, Any] | None) -> str:
    """An estimate with half of its interval."""
    if value is None or value["dr"] is None:
        return "-"
    told = value["dr"]
    return f"{told['value']:.4f} ± {(told['high'] - told['low']) / 2:.4f}"


def short(value: float | None) -> str:
    """Three digits or so; a price that was not reached is a dash."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}" if value >= 0.01 else "0"
