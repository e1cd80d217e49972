"""What each command's table holds; sheet.py fits it to the width there is."""

import math
from typing import Any

from robandit.cli.numbers import percent, scientific, short, tenths, with_half
from robandit.cli.sheet import Sheet
from robandit.report.table import Column

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
]
POLICIES = ("policy", "linear policy", "team policy", "slate policy")
ABOUT = {**dict.fromkeys(POLICIES, POLICY), **SEES}
NARROW = 110  # columns
KEYS = {"cost per round": "cost", "late rewards": "late"}
COLOURS = {"reproduced": "green", "depends": "yellow", "not-reproduced": "red", "not-tested": "dim"}


def catalogue_table(kind: str, entries: list[dict[str, Any]], room: int) -> Sheet:
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
    return Sheet(TITLES[kind], columns, rows)


def play_table(result: dict[str, Any]) -> Sheet:
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
    columns = [Column("policy", "name"), Column("mean regret" if many else "regret")]
    columns += [Column("± 95 %")] if many else []
    columns += [Column("difference", spare=1)] if paired else []
    columns += [Column("median", spare=3), Column("5 % - 95 %", spare=2)] if many else []
    columns.append(Column("best arm" if slots == 1 else "best slate"))
    columns += (
        [Column("an agent", spare=2), Column("messages")] if any("messages_mean" in row for row in results) else []
    )
    columns += [Column("paid"), Column("rounds changed", spare=4)] if adversary else []
    columns.append(Column("ns/round", spare=5))
    cells = [play_row(row) for row in results]
    return Sheet(title, columns, [[row[column.heading] for column in columns] for row in cells], caption)


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
        "paid": tenths(corruption["paid_mean"]),
        "rounds changed": tenths(corruption["rounds_mean"]),
        "ns/round": f"{row['ns_per_round']:,.0f}",
    }


def describe_attack(adversary: dict[str, Any]) -> str:
    """An attack in a few words."""
    if "capability" in adversary:
        return f"{adversary['attack']} ({adversary['capability']['words']})"
    if adversary["schedule"] is None:
        return str(adversary["attack"])
    return f"{adversary['attack']} on schedule {adversary['schedule']}, size {adversary['size']}"


def replay_table(result: dict[str, Any]) -> Sheet:
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
    return Sheet(title, columns, rows, caption)


def signed(difference: dict[str, Any]) -> str:
    """A paired difference with half of its interval."""
    half = difference["half_width_95"]
    return f"{difference['mean']:+,.1f}" + ("" if half is None else f" ± {half:,.1f}")


def status_table(name: str, rows: list[dict[str, Any]]) -> Sheet:
    """How far each grid of a study is."""
    states = ("done", "running", "interrupted", "failed", "waiting")
    columns = [Column("grid", "name"), *(Column(heading) for heading in ("cells", *states))]
    filled = [
        [row["grid"], f"{row['cells']:,}", *(f"{row[state]:,}" if row.get(state) else "-" for state in states)]
        for row in rows
    ]
    return Sheet(f"Study {name}", columns, filled)


def claims_table(claims: list[dict[str, Any]]) -> Sheet:
    """The claims of the paper with their verdicts."""
    columns = [Column("verdict", "name"), Column("claim", "words")]
    rows = [[claim["verdict"], claim["text"]] for claim in claims]
    return Sheet("Is the paper true?", columns, rows, styles=tuple(COLOURS.items()))


def redteam_table(result: dict[str, Any]) -> Sheet:
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
    plain = result["catalogue"]
    attacks = (
        ("none", result["baseline"], "-"),
        *((("best of the catalogue", plain["regret"], describe_attack(plain["attack"])),) if plain else ()),
        ("worst found", result["regret"], describe_attack(result["attack"])),
    )
    columns = [Column("attack", "name"), Column("mean regret"), Column("± 95 %"), Column("which", "name")]
    rows = [[name, tenths(regret["mean"]), tenths(regret["half_width_95"]), which] for name, regret, which in attacks]
    return Sheet(title, columns, rows, caption)


def price_table(rows: list[dict[str, Any]], result: dict[str, Any], more: str = "") -> Sheet:
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
    caption = (
        f"Price: the {f'share of all rounds{within},' if shares else 'budget'} with which {fooled} "
        f"in at least half of the runs; median and range over {result['blocks']} blocks of "
        f"{result['runs']} runs; ± is a 95 % interval. It is an upper bound on what an attacker needs.{who}{barred} "
        f"Unlimited: what the same attack pays when nothing stops it, which is not the price. {more}".rstrip()
    )
    columns = [Column("policy", "name"), Column("clean regret"), Column("price (range)")]
    columns += [Column("unlimited", spare=1), Column("attack", "name", 2)]
    cells = []
    for row in sorted(rows, key=lambda row: (not row["learns"], (row["price"] or {}).get("estimate") or math.inf)):
        spent = "-" if row["spending"] is None else short(row["spending"]["mean"])
        attack = row["attack"].removeprefix("--attack ").partition(" --can")[0] if row["learns"] else "-"
        cells.append([row["label"], with_half(row["clean_regret"]), price_range(row), spent, attack])
    where = f"{title}; {span({**result, **rows[0]})}, threat model {attacker['threat']}"
    return Sheet(f"Attack price on {where}", columns, cells, caption)


def advice_table(result: dict[str, Any]) -> Sheet:
    """What the advice rests on, the least clean regret first."""
    ring = result["results"][0]["price"] is None and result["results"][0]["attacked_regret"] is not None
    caption = "± is a 95 % interval; the range of a price is over blocks of seeds. "
    caption += "Under the ring: the worst attack of those it can carry out." if ring else "A price is an upper bound."
    headings = ("clean regret", "under the ring", "best arm") if ring else ("clean regret", "price (range)")
    rows = []
    for row in sorted(result["results"], key=lambda row: row["clean_regret"]["mean"]):
        cells = [row["label"], with_half(row["clean_regret"])]
        if ring:
            cells += [with_half(row["attacked_regret"]), f"{100 * row['best_share']:.0f} %"]
        else:
            cells.append(price_range(row))
        rows.append(cells)
    title = f"Measured on means {', '.join(f'{mean:g}' for mean in result['means'][:12])}; T = {result['horizon']:,}"
    return Sheet(title, [Column("policy", "name"), *(Column(heading) for heading in headings)], rows, caption)


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
    scale = 100 if price["unit"] == "share" else 1
    low, high = (None if price[end] is None else scale * price[end] for end in ("low", "high"))
    return f"{short(low)}-{short(high)}"


def audit_table(result: dict[str, Any], most: int) -> Sheet:
    """The sources that moved the belief most."""
    leader, sources = result["belief"]["leader"], result["sources"]
    title = f"The {min(most, len(sources))} of {len(sources):,} sources that moved p({leader}) up most"
    caption = (
        f"Influence: p({leader}) less what it would be without the source. e-value: how much its rates and its choice "
        "of rows differ; 20 is one probability in twenty for a source named beforehand."
    )
    columns = [Column("source", "name"), Column("rows"), Column("influence")]
    columns += [Column("leader without", "name"), Column("e-value")]
    rows = [
        [row["source"], f"{row['rows']:,}", f"{row['influence']:+.4f}", row["leader_without"], e_value(row["e_value"])]
        for row in sources[:most]
    ]
    return Sheet(title, columns, rows, caption)


def e_value(value: float | None) -> str:
    """Evidence, which may be as good as none or beyond all doubt."""
    if value is None:
        return "-"
    return scientific(value) if value >= 1e6 else f"{value:,.1f}" if value >= 0.1 else f"{value:.2f}"


def values_table(result: dict[str, Any]) -> Sheet:
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
    return Sheet(title, columns, rows, "± is half of an asymptotic 95 % interval. Effective: rows the weights leave.")


def estimated(value: dict[str, Any] | None) -> str:
    """An estimate with half of its interval."""
    if value is None or value["dr"] is None:
        return "-"
    estimate = value["dr"]
    return f"{estimate['value']:.4f} ± {(estimate['high'] - estimate['low']) / 2:.4f}"
