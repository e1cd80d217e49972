"""Attacks, prices and advice as tables."""

import math
import re
from typing import Any

from robandit.report.numbers import percent, short, tenths, with_half
from robandit.report.plays import describe_attack
from robandit.report.table import Column, DataTable


def redteam_table(result: dict[str, Any]) -> DataTable:
    """No attack, the best of the catalogue, the worst attack found; and its regret on the seeds that chose it."""
    spent = "no limit" if result["budget"] is None else f"C = {result['budget']:,g} by {result['attack']['charge']}"
    bill = f"{spent}, threat model {result['threat']}"
    arms = f"{len(result['environment']['means'])} arms ({result['environment']['name']})"
    inside = result["in_sample"]["mean"]
    verdict = (
        "flattered by the choice" if inside > result["regret"]["mean"] else "this time not flattered by the choice"
    )
    knows = f" It knows C = {result['budget']:g} under attack, 0 without." if result["told"] else ""
    title = f"Worst attack found on {result['label']}: {bill}; {arms}, {span(result)}"
    caption = (
        f"{result['evaluations']:,} attacks tried on other seeds; regret on {result['runs']:,} fresh runs, ± 95 %. "
        f"On the seeds that chose it, it had {tenths(inside)}: {verdict}.{knows}"
    )
    if result.get("undetected") is not None:
        caption += (
            f" Under attack a run counts 0 if the homogeneity test of level {result['undetected']:g} rang; "
            f"it rang in {percent(result['detected'])} of the fresh runs against the worst one."
        )
    plain = result["catalogue"]
    attacks = (
        ("none", result["baseline"], "-"),
        *((("best of the catalogue", plain["regret"], describe_attack(plain["attack"])),) if plain else ()),
        ("worst found", result["regret"], describe_attack(result["attack"])),
    )
    columns = [Column("attack", "name"), Column("mean regret"), Column("± 95 %"), Column("which", "name")]
    rows = [[name, tenths(regret["mean"]), tenths(regret["half_width_95"]), which] for name, regret, which in attacks]
    return DataTable(title, columns, rows, caption)


def price_table(rows: list[dict[str, Any]], result: dict[str, Any], more: str = "") -> DataTable:
    """Clean regret, price and the spending of an unlimited attack, the cheapest to fool first."""
    attacker, title = rows[0]["attacker"], rows[0]["environment"]["title"]
    shares = any(row["price"] and row["price"]["unit"] == "share" for row in rows)
    who = f" The attacker {attacker['capability']['words']}." if attacker["capability"] else ""
    best = "the best slate" if result.get("slate") else "the best arm"
    fooled = f"{best} gets fewer than half of the rounds"
    if result.get("fooled") == "regret":
        fooled = "regret exceeds half of what always playing the runner-up costs"
    limit = next((row["limit"] for row in rows if row["limit"] is not None), None)
    within = "" if attacker["budget"] is None else f", spending at most {attacker['budget']:g}"
    barred = "" if limit is None else f" From a share of {limit:.3g} on no policy can know better."
    level = result.get("undetected")
    quiet = "" if level is None else f" and no homogeneity test of level {level:g} rings"
    caption = (
        f"Price: the {f'share of all rounds{within},' if shares else 'budget'} with which {fooled} "
        f"in at least half of the runs{quiet}; median and range over {result['blocks']} blocks of "
        f"{result['runs']} runs; ± is a 95 % interval. It is an upper bound on what an attacker needs.{who}{barred} "
        f"Unlimited: what the same attack pays when nothing stops it, which is not the price. {more}".rstrip()
    )
    if any(row.get("checks") for row in rows):
        caption += " Checks: rewards that the policy asked to have verified, per run without an attack."
    columns = [Column("policy", "name"), Column("clean regret"), Column("price (range)")]
    asking = any(row.get("checks") for row in rows)
    columns += [Column("checks")] if asking else []
    columns += [Column("unlimited", spare=1), Column("attack", "name", 2)]
    cells = []
    for row in sorted(rows, key=lambda row: (not row["learns"], (row["price"] or {}).get("estimate") or math.inf)):
        spent = "-" if row["spending"] is None else short(row["spending"]["mean"])
        attack = re.sub("^-+attack | -+can .*$", "", row["attack"]) if row["learns"] else "-"
        checks = ([f"{row['checks']['mean']:,.0f}" if row.get("checks") else "-"]) if asking else []
        cells.append([row["label"], with_half(row["clean_regret"]), price_range(row), *checks, spent, attack])
    where = f"{title}; {span({**result, **rows[0]})}, threat model {attacker['threat']}"
    return DataTable(f"Attack price on {where}", columns, cells, caption)


def injection_table(result: dict[str, Any]) -> DataTable:
    """Rows that fool each policy through its history, the cheapest first."""
    columns = [Column("policy", "name"), Column("clean regret"), Column("rows (range)"), Column("which rows", "name")]
    rows = sorted(result["results"], key=lambda row: (row["price"] or {}).get("estimate") or math.inf)
    words = {
        "bury": "zeros for the best arm",
        "praise": "ones for the runner-up",
        "both": "one of each in turn",
    }
    cells = [
        [row["label"], with_half(row["clean_regret"]), price_range(row), words[row["pattern"]]]
        if row["price"] and row["price"]["estimate"] is not None
        else [row["label"], with_half(row["clean_regret"]), price_range(row), "-"]
        for row in rows
    ]
    caption = (
        f"Rows that an attacker appends to a history of {result['history']:,} honest rows, which the policy learns "
        "before it begins; the best arm then gets fewer than half of the rounds in at least half of the runs. Median "
        f"and range over {result['blocks']} blocks of {result['runs']} runs; ± is a 95 % interval. It is an upper "
        "bound on what an attacker needs."
    )
    arms = f"{len(result['environment']['means'])} arms ({result['environment']['name']})"
    return DataTable(f"Price of a poisoned history on {arms}; T = {result['horizon']:,}", columns, cells, caption)


def advice_table(result: dict[str, Any]) -> DataTable:
    """What the advice rests on, the least clean regret first."""
    ring = result["results"][0]["price"] is None and result["results"][0]["attacked_regret"] is not None
    changes = result.get("changes") is not None
    caption = "± is a 95 % interval; the range of a price is over blocks of seeds. "
    worst = f"Under {'attack' if changes else 'the ring'}: the worst attack of those it can carry out."
    caption += worst if ring else "A price is an upper bound."
    caption += " Regret is against the best arm of each round." if changes else ""
    headings = ["clean regret", "price (range)"]
    if ring:
        headings = ["clean regret", "under attack" if changes else "under the ring", "best arm"]
    rows = []
    for row in sorted(result["results"], key=lambda row: row["clean_regret"]["mean"]):
        cells = [row["label"], with_half(row["clean_regret"])]
        if ring:
            cells += [with_half(row["attacked_regret"]), f"{100 * row['best_share']:.0f} %"]
        else:
            cells.append(price_range(row))
        rows.append(cells)
    title = f"Measured on means {', '.join(f'{mean:g}' for mean in result['means'][:12])}; T = {result['horizon']:,}"
    title += f"; {result['changes'].partition(':')[0]}" if changes else ""
    return DataTable(title, [Column("policy", "name"), *(Column(heading) for heading in headings)], rows, caption)


def forgetting_table(result: dict[str, Any]) -> DataTable:
    """Both prices of each policy, what the law says of them, and how long a lie lasts."""
    columns = [Column("policy", "name"), Column("clean regret"), Column("for good (range)"), Column("law")]
    columns += [
        Column("flip once (quartiles)"),
        Column("law "),
        Column("leads again after"),
        Column("after a long lie"),
    ]
    rows = []
    for row in result["results"]:
        law = row["law"] or {"price": None, "flip": None}
        flip = row["flip"]
        flipped = "never" if flip["estimate"] is None else f"{short(flip['estimate'])} ({short_range(flip)})"
        back = [row["recovery_rounds"]["estimate"], row["held"]["recovery_rounds"]["estimate"]]
        lasts = ["not within T" if rounds is None else f"{rounds:,.0f} rounds" for rounds in back]
        cells = [row["label"], with_half(row["clean_regret"]), price_range(row), short(law["price"])]
        rows.append([*cells, flipped, short(law["flip"]), *lasts])
    caption = (
        "For good: forged rewards with which the best arm gets fewer than half of all rounds in at least half of the "
        f"runs; median and range over 3 blocks of {result['runs']} runs. Flip once: forged rewards from round "
        f"{result['settled']:,} on, until the best arm has under half of the last {result['span']} rounds; then how "
        f"long it takes until it has nine of ten again. A long lie goes on for {result['held']:,} rounds. The law is "
        "of Thompson sampling in a window or with a discount. Two prices: never add or compare them."
    )
    arms = f"{len(result['environment']['means'])} arms ({result['environment']['name']})"
    return DataTable(f"The price of forgetting on {arms}; T = {result['horizon']:,}", columns, rows, caption)


def span(result: dict[str, Any]) -> str:
    """How long is played, by how many, with how many items at once."""
    agents, slots = result.get("agents", 1), result.get("slate", 1)
    whose = f" for each of {agents} agents" if agents > 1 else f" slates of {slots}" if slots > 1 else ""
    return f"T = {result['horizon']:,}{whose}"


def price_range(row: dict[str, Any]) -> str:
    """A price with its range, or why there is none."""
    price = row["price"] or {"estimate": None}
    if price["estimate"] is None:
        return "not fooled" if row["learns"] else "does not learn"
    write = percent if price["unit"] == "share" else short
    return f"{write(price['estimate'])} ({short_range(price)})"


def short_range(price: dict[str, Any]) -> str:
    """From the lowest to the highest block, in the unit of the price."""
    scale = 100 if price.get("unit") == "share" else 1
    low, high = (None if price[end] is None else scale * price[end] for end in ("low", "high"))
    return f"{short(low)}-{short(high)}"
