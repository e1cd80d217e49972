"""What `robandit paper theory` prints: for each topic tables and lines."""

from collections.abc import Sequence
from typing import Any

from robandit.cli.sheet import Sheet
from robandit.report.table import Column

Shown = list[Sheet | str]


def filled(title: str, headings: Sequence[str], rows: list[list[str]], caption: str = "") -> Sheet:
    """A table of names and numbers."""
    first, *others = headings
    return Sheet(title, [Column(first, "name"), *(Column(heading) for heading in others)], rows, caption)


def statements(told: dict[str, Any]) -> Shown:
    """The paper's statements with their verdicts, then the theorems with what was checked of them."""
    weighed = [[f"{item['where']}: {item['text']}", verdict_of(item), item["evidence"]] for item in told["statements"]]
    proved = [
        [f"{item['id']} ({item['condition']}): {item['text']}", item["label"], item["evidence"]]
        for item in told["theorems"]
    ]
    kinds = [Column("statement", "words"), Column("verdict", "words"), Column("evidence", "words")]
    first = Sheet("The paper's statements", kinds, weighed, ruled=True)
    kinds = [Column("theorem", "words"), Column("label", "words"), Column("evidence", "words")]
    second = Sheet("What holds", kinds, proved, ruled=True)
    verdicts = [statement["verdict"] for statement in told["statements"]]
    labels = [statement["label"] for statement in told["statements"]]
    counted = ", ".join(f"{verdicts.count(word)} {word}" for word in dict.fromkeys(verdicts))
    known = ", ".join(f"{labels.count(word)} {word}" for word in dict.fromkeys(labels))
    return [first, second, f"{len(verdicts)} statements: {counted}; {known}; {told['seconds']:g} s"]


def verdict_of(item: dict[str, Any]) -> str:
    """A verdict, and how it is known."""
    return f"{item['verdict']} ({item['label']})"


def maybe(value: float | None, digits: int = 1) -> str:
    """A number, or a dash."""
    return "-" if value is None else f"{value:,.{digits}f}"


def spread(summary: dict[str, Any] | None) -> str:
    """A mean with its interval."""
    if summary is None:
        return "-"
    half = summary["half_width_95"]
    return f"{summary['mean']:,.1f} ± {'-' if half is None else f'{half:,.1f}'}"


def bounds(told: dict[str, Any]) -> Shown:
    """One row a policy."""
    rows = [
        [
            item["policy"],
            maybe(item["bound"]),
            spread(item["measured"]),
            maybe(item["growth"], 2),
            spread(item["measured_growth"]),
        ]
        for item in told["policies"]
    ]
    lower = told["lower_bounds"]
    title = f"Bounds after {told['horizon']:,} rounds, C = {told['budget']:g}"
    headings = ("policy", "bound", "measured, C = 0", "growth a unit of ln T", "measured growth")
    sources = [f"{item['policy']}: {item['source']}" for item in told["policies"] if item["source"] != "order only"]
    shown: Shown = [
        filled(title, headings, rows, "measured: mean and 95 %; growth over the last decade of rounds"),
        f"no policy grows by less than Lai and Robbins, {lower['lai_robbins']:,.1f} by then (if T is large), "
        f"and none has less than C = {lower['omega_c']:g} in both of two mirrored games",
        "bounds and growth: "
        + "; ".join(sources)
        + "; of the others only orders are known (`robandit policies --json`)",
    ]
    return [*shown, f"picture: {told['picture']}"] if told["picture"] else shown


def steps(told: dict[str, Any]) -> Shown:
    """One row a step."""
    rows = [
        [
            f"{100 * row['rho']:.0f} %",
            f"{row['rate']:.4g}",
            f"{row['least']:.3f}",
            f"{row['programme']:.3f}",
            f"{row['diffusion']:.3f}",
            f"{row['growth']:.2f}",
        ]
        for row in told["steps"]
    ]
    title = f"Steps on means {told['means'][0]:g} and {told['means'][1]:g}: what a unit of corruption costs"
    headings = (
        "of the limit",
        "step",
        "least possible",
        "linear programme",
        "diffusion limit",
        "growth a unit of ln T",
    )
    return [
        filled(title, headings, rows, "least possible is proved; the other two are numerical"),
        "",
        rules_alike(told["rules"]),
        f"admissible below {told['limit']:.4g}; Theorem 1 up to {told['proved_up_to']:.4g}; above "
        f"{told['warn_from']:.4g} (39 % of the limit) a unit costs more than the least possible",
        f"best step for T = {told['horizon']:,}, C = {told['budget']:g}: {told['best_step']:.4g} "
        f"({100 * told['best_rho']:.0f} % of the limit), regret about {told['regret_about']:,.0f}",
    ]


def rules_alike(found: list[dict[str, Any]]) -> Sheet:
    """The family at equal growth: one row a rule."""
    rows = [
        [
            row["rule"],
            f"{row['growth']:.2f}",
            "none" if row["rate"] is None else f"{row['rate']:.4g}",
            maybe(row["least"], 3),
            maybe(row["programme"], 3),
        ]
        for row in found
    ]
    title = "Rules whose regret grows alike in peace: what a unit of corruption costs each"
    headings = ("rule", "growth a unit of ln T", "step", "held near 0", "linear programme")
    caption = "held near 0: what an attack buys that keeps p* there (for samba the least possible); numerical"
    return filled(title, headings, rows, caption)


def growth(told: dict[str, Any]) -> Shown:
    """One row a rule and step."""
    rows = [
        [
            row["rule"],
            f"{row['step']:g}",
            f"{row['kappa']:.3f}",
            f"{row['phi']:.3f}",
            f"{row['predicted_exponent']:.3f}",
            f"{round(row['exact_exponent'], 3) + 0.0:.3f}",
            f"{row['regret']:,.0f}",
        ]
        for row in told["rows"]
    ]
    limits = ", ".join(f"{name} {limit:.4g}" for name, limit in told["limits"].items())
    title = f"Growth beyond the limit, means {told['means'][0]:g} and {told['means'][1]:g}"
    headings = ("rule", "step", "kappa", "phi", "predicted power of T", "exact power", "exact regret")
    caption = f"exact: no corruption, {told['rows'][0]['rounds']:,} rounds, by doubling; a power of 0 is log T"
    return [filled(title, headings, rows, caption), f"log T up to: {limits}"]


def prices(told: dict[str, Any]) -> Shown:
    """Where it is dearest."""
    two, three = told["two_arms"], told["three_arms"]
    probabilities = ", ".join(f"{probability:.3f}" for probability in three["dearest_at"])
    shown: Shown = [
        f"samba (learning_rate={told['learning_rate']:g}), exact optimum at {told['price']:g} a unit of corruption:",
        f"  means {', '.join(f'{mean:g}' for mean in two['means'])}, T = {two['horizon']:,}: a unit buys most, "
        f"{two['worth_there']:.2f}, at p* = {two['dearest_at']:.3f}",
        f"  means {', '.join(f'{mean:g}' for mean in three['means'])}, T = {three['horizon']:,}: most, "
        f"{three['worth_there']:.2f}, at p = ({probabilities}); {three['worth_with_one_rival_forgotten']:.2f} at most "
        "where the third arm has about e^-3 of the best one's probability",
        f"  three arms: regret {three['regret']:,.1f} for {three['spending']:,.1f} of corruption, "
        f"{three['clean_regret']:,.1f} without",
    ]
    return [*shown, f"picture: {told['picture']}"] if told["picture"] else shown


def recoveries(told: dict[str, Any]) -> Shown:
    """Three lines."""
    lines: Shown = [
        f"samba (learning_rate={told['learning_rate']:g}), one run of {told['rounds']:,} rounds: {told['strikes']:,} "
        f"strikes of {told['size']:g}, of which {told['ended']:,} were made good within the run, "
        f"{told['inside_another']:,} of them inside the recovery of another",
        f"rounds until q was back: {maybe(told['mean_rounds'])} on average; the paper's equation (7) says at most "
        f"4c/Delta = {told['bound_of_the_paper']:g} in expectation",
    ]
    return [*lines, f"picture: {told['picture']}"] if told["picture"] else lines


def shown(told: dict[str, Any]) -> Shown:
    """One row a policy."""
    rows = [
        [
            row["policy"],
            f"{row['predicted']:,.1f}",
            spread(row["measured"]),
            "-" if row["share_of_regret"] is None else f"{100 * row['share_of_regret']:.1f} %",
        ]
        for row in told["policies"]
    ]
    title = f"Threat model B: hiding every success of the best arm for {told['horizon']:,} rounds"
    headings = ("policy", "predicted cost", "played", "of the largest regret")
    laws = "; ".join(f"{row['policy']} {row['pulls_of_the_best']}" for row in told["policies"])
    return [
        filled(title, headings, rows, "the laws are first-order, numerical; no bound f(T) + b C can hold in model B"),
        f"cost = r* times the pulls of the best arm: {laws}",
    ]
