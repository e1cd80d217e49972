"""The audit as one self-contained page, with its figures and tables beside it."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from robandit.forensics.alarms import LEVEL, MOVED, SHARED
from robandit.forensics.audit import FORGED
from robandit.forensics.evidence import as_number
from robandit.forensics.findings import Audit
from robandit.forensics.off_policy import decision_rows
from robandit.forensics.statistics import ALARMS, STATISTICS
from robandit.game import Floats
from robandit.pictures.bars import draw_bars
from robandit.pictures.panels import LinePanel, LinePlot, PlotLine, draw_lines
from robandit.pictures.rendered import Rendered
from robandit.pictures.style import numbered_style
from robandit.report.page import Picture, Section, write_page
from robandit.report.table import DataTable

ARMS = 8  # lines in the picture of the belief: the arms that were believed in most
BARS = 20
ROWS = 1000  # sources in the page's table; all of them are in the JSON
CUT = (-3.0, 10.0)  # powers of ten between which evidence is drawn
KEYS = ("value", "low", "high")
DECISIONS = "decisions made"
SINCE = "since an alarm rang"
EVIDENCE = "evidence that something differs\n(power of ten, cut at -3 and 10)"


def write_report(findings: Audit, name: str, folder: Path) -> Path:
    """Write the page of an audit into a folder, and return where it is."""
    log = findings.log
    lead = [
        f"{Path(name).name}: {log.rows:,} rows, {len(log.arms)} arms, {len(log.sources):,} sources, "
        f"replayed by {findings.policy}. {findings.belief.leader} "
        f"leads with p = {format_probability(findings.belief.probabilities[findings.belief.leader])}.",
        FORGED,
    ]
    sections = [
        belief_section(findings),
        *influence_sections(findings),
        *evidence_sections(findings),
        price_section(findings),
    ]
    sections += forged_sections(findings)
    sections += off_policy_sections(findings)
    sections.append(
        Section("notes", "What to keep in mind", [note.text for note in findings.notes if note.code != "forged"])
    )
    return write_page("Were we manipulated?", lead, sections, folder)


def format_probability(probability: float) -> str:
    """Return a probability with as many digits as it needs."""
    return (
        f"{probability:.3f}"
        if 0.001 <= probability <= 0.999
        else f"{probability:.3g}"
        if probability < 0.5
        else f"1 - {1 - probability:.2g}"
    )


def belief_section(findings: Audit) -> Section:
    """What is believed now, over time, and when the leader changed."""
    arms, marks = findings.log.arms, findings.marks.astype(float)
    text = []
    if findings.without is not None:
        what_if = findings.without
        since = what_if.first_other_leader
        when = "The same arm would have led throughout." if since is None else f"Another arm leads after row {since:,}."
        probability = format_probability(what_if.belief.probabilities[what_if.belief.leader])
        text.append(f"Without the rows named, {what_if.belief.leader} would lead with p = {probability}. {when}")
    leaders = findings.over_time.argmax(axis=1)
    changes = np.nonzero(leaders[1:] != leaders[:-1])[0] + 1
    rows = [[int(marks[mark]), arms[leaders[mark - 1]], arms[leaders[mark]]] for mark in changes]
    now = [[arm, float(probability)] for arm, probability in findings.belief.probabilities.items()]
    caption = "What the policy believes, decision by decision." + shade_in_words(findings)
    if len(arms) > ARMS:
        caption += f" The {ARMS} arms of {len(arms)} that were ever believed in most."
    return Section(
        "belief",
        "What the policy believes",
        text,
        pictures=[Picture("belief-over-time", caption, draw_belief(findings))],
        tables=[
            DataTable("The belief after the log", ["arm", "probability"], now, id="belief-now"),
            DataTable("Changes of mind", ["seen by row", "from", "to"], rows, id="changes-of-mind"),
        ],
    )


def draw_belief(findings: Audit, events: tuple[tuple[float, str], ...] = ()) -> Rendered:
    """Return the belief over time, and what it would be without the rows named; `events` are decisions to mark."""
    panels = [belief_panel(findings, "as logged" if findings.without else "", findings.over_time, events)]
    if findings.without is not None:
        title = f"without {findings.without.rows:,} rows"
        panels.append(belief_panel(findings, title, findings.without.over_time, events))
    return draw_lines(LinePlot(panels, DECISIONS, "probability of the arm"))


def belief_panel(findings: Audit, title: str, over_time: Any, events: tuple[tuple[float, str], ...]) -> LinePanel:
    """A line for each arm that mattered, drawn the same in every panel."""
    most = np.sort(np.argsort(-findings.over_time.max(axis=0), kind="stable")[:ARMS])
    x = decisions_by(findings, findings.marks)
    arms = findings.log.arms
    lines = [PlotLine(arms[arm], numbered_style(place), x, over_time[:, arm]) for place, arm in enumerate(most)]
    return LinePanel(title, lines, shade(findings), SINCE, events)


def decisions_by(findings: Audit, rows: Any) -> Floats:
    """Return how many decisions had been made after so many rows: in a journal a late reward is a row of its own."""
    columns = findings.log.columns
    is_decision = decision_rows(columns) == np.arange(len(columns["arms"]))
    made: Floats = np.concatenate([[0], np.cumsum(is_decision)])[np.asarray(rows, dtype=int)].astype(float)
    return made


def shade(findings: Audit) -> tuple[float, float] | None:
    """Return the stretch since an alarm rang, None if none did."""
    rang = [signal.row for signal in findings.signals if signal.is_alarm]
    if not rang:
        return None
    since, until = decisions_by(findings, [min(rang), findings.log.rows])
    return float(since), float(until)


def shade_in_words(findings: Audit) -> str:
    """Return what is shaded, if anything is."""
    stretch = shade(findings)
    return "" if stretch is None else f" Grey: since an alarm rang, at decision {stretch[0]:,.0f}."


def influence_sections(findings: Audit) -> list[Section]:
    """Who moved the belief, and the witness set."""
    sources = findings.sources()
    if not sources:
        return []
    leader, names, differing = findings.belief.leader, set(findings.witness or ()), set(findings.flagged())
    top = sources[:BARS]
    bars = draw_bars(
        [row["source"] for row in top],
        [row["influence"] for row in top],
        ([row["source"] in differing for row in top], [row["source"] in names for row in top]),
        ("other sources", "differ from the others", "the witness set"),
        f"how far the source moved p({leader})",
    )
    text = [
        f"The log was replayed without each source. Influence is p({leader}) as it is, less what it would be: "
        "positive for those that made the leader, negative for those that spoke against it."
    ]
    if findings.witness is not None:
        text.append(
            f"Witness set: without {', '.join(findings.witness[:BARS])}{' and others' if len(names) > BARS else ''} "
            f"({len(names):,} of {len(findings.log.sources):,} sources) {findings.witness_leader} would lead. Verified "
            "by a replay of the log without them; a smaller set may exist. It counts past sources, not future fakes."
        )
    headings = ["source", "rows", "influence", "leader without", "e-value", "in the witness set"]
    keys = ("source", "rows", "influence", "leader_without", "e_value")
    rows = [[*(row[key] for key in keys), "yes" if row["source"] in names else "no"] for row in sources[:ROWS]]
    note = f"The first {ROWS:,} of {len(sources):,}; the JSON holds all." if len(sources) > ROWS else ""
    caption = f"The {len(top)} sources that moved p({leader}) up most."
    picture = Picture("influence-bars", caption, bars)
    table = DataTable("Sources by influence", headings, rows, note, "influence-rows")
    return [Section("influence", "Who moved the belief", text, pictures=[picture], tables=[table])]


def evidence_sections(findings: Audit) -> list[Section]:
    """What rings, over time and source by source."""
    if not findings.evidence:
        return []
    x = decisions_by(findings, findings.evidence[0].marks)
    lines = [
        PlotLine(
            one.name,
            numbered_style(place),
            decisions_by(findings, one.marks),
            np.clip(one.everyone / math.log(10.0), *CUT),
        )
        for place, one in enumerate(findings.evidence)
    ]
    lines.append(PlotLine(f"needed at level {LEVEL:g}", numbered_style(7), x, np.full(len(x), -math.log10(SHARED))))
    text = [
        "An e-value is what a bettor against a hypothesis owns who began with 1. If the hypothesis is true it ever "
        f"reaches {1 / SHARED:.0f} with probability at most {SHARED:.3g}, however often one looks; the level of "
        f"{LEVEL:g} is shared by {len(ALARMS)} alarms. An alarm about sources needs influence besides: p of "
        f"the leader would move by {MOVED:g} had they reported as the others did. Everything else is a notice. A "
        "difference is not fraud.",
    ]
    text += [
        f"{'Alarm' if signal.is_alarm else 'Notice'}: {STATISTICS[signal.statistic].title}. {signal.text}"
        for signal in findings.signals
    ]
    kinds = {signal.statistic: "alarm" if signal.is_alarm else "notice" for signal in findings.signals}
    rows = {signal.statistic: signal.row for signal in findings.signals}
    summary = [
        [
            one.name,
            STATISTICS[one.name].hypothesis,
            as_number(float(one.everyone[-1])),
            kinds.get(one.name, "quiet"),
            rows.get(one.name),
        ]
        for one in findings.evidence
    ]
    headings = ["statistic", "hypothesis", "e-value", "it is", "seen by row"]
    plot = LinePlot([LinePanel("", lines, shade(findings), SINCE)], DECISIONS, EVIDENCE)
    caption = f"Evidence against: nothing differs. A line at 10 or at -3 may lie beyond.{shade_in_words(findings)}"
    return [
        Section(
            "evidence",
            "Who differs",
            text,
            pictures=[Picture("evidence-over-time", caption, draw_lines(plot))],
            tables=[DataTable("By statistic", headings, summary, id="evidence-all"), *source_tables(findings)],
        )
    ]


def source_tables(findings: Audit) -> list[DataTable]:
    """The evidence about each source, the strongest first."""
    combined = findings.e_values()
    if combined is None:
        return []
    parts = [one for one in findings.evidence if not STATISTICS[one.name].is_about_arms]
    columns = [*(one.sources for one in parts), combined]
    order = np.argsort(-combined, kind="stable")[:ROWS]
    rows = [[findings.log.sources[source], *(as_number(float(logs[source])) for logs in columns)] for source in order]
    both = " and ".join(one.name for one in findings.about_rewards())
    headings = ["source", *(one.name for one in parts), f"mean of {both}"]
    return [DataTable("By source", headings, rows, id="evidence-rows")]


def price_section(findings: Audit) -> Section:
    """What it would cost to unseat the leader from now on."""
    text = [
        "How many forged rewards from now on would unseat the leader, played from the present state, or from the one "
        "without the rows named, with the means of the log. It is an upper bound: the cheapest of the attacks tried. "
        "It is no count of past fakes."
    ]
    if findings.price is None:
        reasons = findings.notes_on("no-price")
        return Section("price", "The price from here", [*text, *(reasons or ["It was left out."])])
    words = {
        "attack": "attack (it sees the arm and the reward)",
        "future_fakes": "forged rewards needed (median block)",
        "low": "cheapest block",
        "high": "most expensive block",
        "if_means_are_close": "if the means are as close as their 95 % intervals allow",
        "if_means_are_far": "if they are as far apart as these allow",
        "rounds_ahead": "within so many rounds",
        "runs": "runs per block",
        "blocks": "blocks",
    }
    rows = [[meaning, findings.price[key]] for key, meaning in words.items()]
    for can, price in findings.price["by_capability"].items():
        rows.append([f"if the attacker can only {can} (median block)", price and price["estimate"]])
    return Section(
        "price", "The price from here", text, tables=[DataTable("Price", ["", "value"], rows, id="price-rows")]
    )


def forged_sections(findings: Audit) -> list[Section]:
    """What is known to be forged, where rewards were verified."""
    forged = findings.forged
    if forged is None:
        return []
    rows = [
        [name, one["pairs"], *(one[part][key] for part in ("difference", "added", "erased") for key in KEYS)]
        for name, one in {"all arms": forged, **forged["arms"]}.items()
    ]
    words = [f"{part}{end}" for part in ("difference", "too high", "too low") for end in ("", ", least", ", most")]
    text = [
        f"{forged['text']} It is about decisions that have both rewards. It says nothing about the others, "
        "unless those that were verified were drawn at random.",
    ]
    table = DataTable("Unverified less verified rewards", ["arm", "decisions", *words], rows, id="forged-rows")
    return [Section("forged", "What is known to be forged", text, tables=[table])]


def off_policy_sections(findings: Audit) -> list[Section]:
    """Values of arms and shadow policies."""
    values = findings.off_policy
    if values is None:
        return []
    rest = values["without_suspects"]
    rows = [
        [name, *estimate_cells(row if kind == "arms" else row["value"])]
        + ([value_of(rest[kind][name] if kind == "arms" else rest[kind][name]["value"])] if rest else [])
        for kind in ("arms", "policies")
        for name, row in values[kind].items()
    ]
    headings = ["always / policy", "IPS", "self-normalised", "doubly robust", "± 95 %", "effective rows"]
    headings += ["without suspects"] if rest else []
    text = [
        "What always taking an arm, or another policy that would have learnt from this log, would have earned; the "
        f"log's own mean reward is {values['mean_reward']:.4g}. The interval is asymptotic; it is that of the doubly "
        "robust value."
    ]
    tables = [DataTable("Values", headings, rows, id="off-policy-rows")]
    if values["policies"]:
        beliefs = [
            [name, row["leader"], row["probabilities"][row["leader"]]] for name, row in values["policies"].items()
        ]
        tables.append(
            DataTable(
                "What shadow policies believe", ["policy", "leader", "its probability"], beliefs, id="shadow-rows"
            )
        )
    return [Section("off-policy", "What else would have earned", text, tables=tables)]


def estimate_cells(value: dict[str, Any] | None) -> list[Any]:
    """An estimate as cells of a row."""
    if value is None or value["dr"] is None:
        return [None] * 5
    half = (value["dr"]["high"] - value["dr"]["low"]) / 2
    middle = None if value["snips"] is None else value["snips"]["value"]
    return [value["ips"]["value"], middle, value["dr"]["value"], half, value["effective_rows"]]


def value_of(value: dict[str, Any] | None) -> Any:
    """The doubly robust value alone."""
    return None if value is None or value["dr"] is None else value["dr"]["value"]
