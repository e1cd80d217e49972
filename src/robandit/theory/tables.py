"""Results of theory for reading: for each topic of `robandit paper theory` tables and lines."""

from collections.abc import Callable, Iterable
from typing import Any

from robandit.report.table import Column, DataTable

Row = dict[str, Any]
Columns = dict[str, tuple[str, str]]  # by heading: the key of the values, and how a number is written
Page = list[DataTable | str]


def table(title: str, rows: Iterable[Row], columns: Columns, caption: str = "") -> DataTable:
    """Returns a table of names and numbers."""
    first, *others = columns
    kinds = [Column(first, "name"), *(Column(heading) for heading in others)]
    cells = [[write(row[key], spec) for key, spec in columns.values()] for row in rows]
    return DataTable(title, kinds, cells, caption)


def write(value: Any, spec: str) -> str:
    """Returns words as they are, a number in this format, a summary as its mean with its 95 % interval."""
    if value is None or isinstance(value, str):
        return value or "-"
    if isinstance(value, dict):
        return f"{value['mean']:{spec}} ± {write(value['half_width_95'], spec)}"
    return format(value, spec).replace("%", " %")


def means_of(result: Row, between: str = " and ") -> str:
    """The means in words."""
    return between.join(f"{mean:g}" for mean in result["means"])


def statements(result: Row) -> Page:
    """The paper's statements with their verdicts, then the theorems with what was checked of them."""
    weighed = [
        [f"{row['where']}: {row['text']}", f"{row['verdict']} ({row['label']})", row["evidence"]]
        for row in result["statements"]
    ]
    proved = [
        [f"{row['id']} ({row['condition']}): {row['text']}", row["label"], row["evidence"]]
        for row in result["theorems"]
    ]
    first, second = (
        DataTable(title, [Column(heading, "words") for heading in headings], rows, ruled=True)
        for title, headings, rows in (
            ("The paper's statements", ("statement", "verdict", "evidence"), weighed),
            ("What holds", ("theorem", "label", "evidence"), proved),
        )
    )
    verdicts, labels = ([row[key] for row in result["statements"]] for key in ("verdict", "label"))
    counts = [", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words)) for words in (verdicts, labels)]
    return [first, second, f"{len(verdicts)} statements: {'; '.join(counts)}; {result['seconds']:g} s"]


def bounds(result: Row) -> Page:
    """One row per policy."""
    columns = {
        "policy": ("policy", ""),
        "bound": ("bound", ",.1f"),
        "measured, C = 0": ("measured", ",.1f"),
        "growth per unit of ln T": ("growth", ",.2f"),
        "measured growth": ("measured_growth", ",.1f"),
    }
    lower, rows = result["lower_bounds"], result["policies"]
    title = f"Bounds after {result['horizon']:,} rounds, C = {result['budget']:g}"
    sources = "; ".join(f"{row['policy']}: {row['source']}" for row in rows if row["source"] != "order only")
    return [
        table(title, rows, columns, "measured: mean and 95 %; growth over the last decade of rounds"),
        f"no policy grows by less than Lai and Robbins, {lower['lai_robbins']:,.1f} by then (if T is large), "
        f"and none has less than C = {lower['omega_c']:g} in both of two mirrored games",
        f"bounds and growth: {sources}; of the others only orders are known (`robandit policies`)",
    ]


def steps(result: Row) -> Page:
    """One row per step, then one row per rule of the family at equal growth."""
    by_step = {
        "of the limit": ("rho", ".0%"),
        "step": ("rate", ".4g"),
        "least possible": ("least", ",.3f"),
        "linear programme": ("programme", ",.3f"),
        "diffusion limit": ("diffusion", ",.3f"),
        "growth per unit of ln T": ("growth", ",.2f"),
    }
    by_rule = {
        "rule": ("rule", ""),
        "growth per unit of ln T": ("growth", ",.2f"),
        "step": ("rate", ".4g"),
        "held near 0": ("least", ",.3f"),
        "linear programme": ("programme", ",.3f"),
    }
    return [
        table(
            f"Steps on means {means_of(result)}: what a unit of corruption costs",
            result["steps"],
            by_step,
            "least possible is proved; the other two are numerical",
        ),
        "",
        table(
            "Rules whose regret grows alike without an attack: what a unit of corruption costs each",
            [{**row, "rate": row["rate"] or "none"} for row in result["rules"]],
            by_rule,
            "held near 0: what an attack buys that keeps p* there (for samba the least possible); numerical",
        ),
        f"admissible below {result['limit']:.4g}; Theorem 1 up to {result['proved_up_to']:.4g}; above "
        f"{result['warn_from']:.4g} (39 % of the limit) a unit costs more than the least possible",
        f"best step for T = {result['horizon']:,}, C = {result['budget']:g}: {result['best_step']:.4g} "
        f"({100 * result['best_rho']:.0f} % of the limit), regret about {result['regret_about']:,.0f}",
    ]


def growth(result: Row) -> Page:
    """One row per rule and step."""
    columns = {
        "rule": ("rule", ""),
        "step": ("step", "g"),
        "kappa": ("kappa", ".3f"),
        "phi": ("phi", ".3f"),
        "predicted power of T": ("predicted_exponent", ".3f"),
        "exact power": ("exact_exponent", ".3f"),
        "exact regret": ("regret", ",.0f"),
    }
    rows = [{**row, "exact_exponent": round(row["exact_exponent"], 3) + 0.0} for row in result["rows"]]  # no -0.000
    caption = f"exact: no corruption, {rows[0]['rounds']:,} rounds, by doubling; a power of 0 is log T"
    limits = ", ".join(f"{name} {limit:.4g}" for name, limit in result["limits"].items())
    return [
        table(f"Growth beyond the limit, means {means_of(result)}", rows, columns, caption),
        f"log T up to: {limits}",
    ]


def prices(result: Row) -> Page:
    """Where a unit buys most."""
    two, three = result["two_arms"], result["three_arms"]
    probabilities = ", ".join(f"{probability:.3f}" for probability in three["dearest_at"])
    return [
        f"samba (learning_rate={result['learning_rate']:g}), exact optimum at {result['price']:g} a unit of "
        "corruption:",
        f"  means {means_of(two, ', ')}, T = {two['horizon']:,}: a unit buys most, {two['worth_there']:.2f}, at p* = "
        f"{two['dearest_at']:.3f}",
        f"  means {means_of(three, ', ')}, T = {three['horizon']:,}: most, {three['worth_there']:.2f}, at p = "
        f"({probabilities}); {three['worth_with_one_rival_forgotten']:.2f} at most where the third arm has about e^-3 "
        "of the best one's probability",
        f"  three arms: regret {three['regret']:,.1f} for {three['spending']:,.1f} of corruption, "
        f"{three['clean_regret']:,.1f} without",
    ]


def arms(result: Row) -> Page:
    """One table per family of steps, one row per number of arms."""
    columns = {
        "arms": ("arms", ""),
        "step": ("learning_rate", ".3g"),
        "rounds": ("horizon", ",d"),
        "measured": ("measured", ",.2f"),
        "lower bound": ("least", ",.2f"),
        "Theorem 3": ("theorem_3", ",.1f"),
        "Theorem 4": ("theorem_4", ",.3g"),
    }
    best, rival = result["means"]
    page: Page = [
        f"means {best:g} and K - 1 times {rival:g}: regret per unit of corruption; 1/Delta = {1 / (best - rival):.3g}"
    ]
    for name, words in result["families"].items():
        rows = [{**row, "arms": str(row["arms"])} for row in result["rows"] if row["steps"] == name]
        page += ["", table(f"{name.capitalize()} steps, {words}", rows, columns)]
    return [
        *page,
        f"measured: mean and 95 %, {result['attack']}, the second half of the rounds; lower bound: no bound f(T) + b C "
        "has a smaller b (proved); Theorems 3 and 4: no attack does more (proved)",
    ]


def candidate(result: Row) -> Page:
    """One row per form of phi, game and number of arms, and where the inequality breaks."""
    columns = {
        "game": ("game", ""),
        "phi": ("foot", ""),
        "arms": ("arms", "d"),
        "states": ("states", ",d"),
        "violations": ("violations", ",d"),
        "worst": ("worst", ".3f"),
        "price": ("price", ",.1f"),
    }
    rows = [
        {**row, "game": f"{means_of(row, '/')}, rho {row['rho']:g}", "foot": f"power {row['foot']}"}
        for row in result["rows"]
    ]
    caption = "worst: E dV and regret over the regret, at most 0 where it stands; price: the b these states need"
    broken = [
        f"it breaks: {row['game']}, phi to the {row['foot']}, K = {row['arms']}: {row['worst_at']}"
        for row in rows
        if row["violations"]
    ]
    return [table("A potential for a fixed rho: states in exact fractions", rows, columns, caption), *broken]


def recoveries(result: Row) -> Page:
    """How many strikes the run recovers from, and how fast."""
    return [
        f"samba (learning_rate={result['learning_rate']:g}), one run of {result['rounds']:,} rounds: "
        f"{result['strikes']:,} strikes of {result['size']:g}; the run recovers from {result['ended']:,} of them, "
        f"{result['inside_another']:,} times inside the recovery from another",
        f"rounds until q was back: {write(result['mean_rounds'], ',.1f')} on average, {result['longest']:,} at most; "
        f"the paper's equation (7) says at most 4c/Delta = {result['bound_of_the_paper']:.4g} in expectation",
    ]


def hiding(result: Row) -> Page:
    """One row per policy."""
    columns = {
        "policy": ("policy", ""),
        "predicted cost": ("predicted", ",.1f"),
        "played": ("measured", ",.1f"),
        "of the largest regret": ("share_of_regret", ".1%"),
    }
    title = f"Threat model B: hiding every success of the best arm for {result['horizon']:,} rounds"
    caption = "the laws are first-order, numerical; no policy that does not know C has a bound f(T) + b C in model B"
    laws = "; ".join(f"{row['policy']} {row['pulls_of_the_best']}" for row in result["policies"])
    return [
        table(title, result["policies"], columns, caption),
        f"cost = r* times the pulls of the best arm: {laws}",
    ]


TOPICS: dict[str, Callable[[Row], Page]] = {
    "statements": statements,
    "bounds": bounds,
    "steps": steps,
    "growth": growth,
    "prices": prices,
    "arms": arms,
    "candidate": candidate,
    "recoveries": recoveries,
    "shown": hiding,
}


def tabulate(topic: str, result: Row) -> Page:
    """Returns tables and lines for what the functions of theory return on a topic."""
    picture = result.get("picture")
    return TOPICS[topic](result) + ([f"picture: {picture}"] if picture else [])


def describe_certificate(certificate: dict[str, Any]) -> list[str]:
    """Returns the bound, where its numbers come from, and the values it is above, in lines."""
    means = " and ".join(f"{mean:g}" for mean in certificate["means"])
    a, w, d = certificate["coefficients"]
    const, logs, b = (certificate[name] for name in ("const", "log_coefficient", "b"))
    cells = sum(check["cells"] for check in certificate["checks"])
    least, lower = certificate["programme_b"], certificate["lower_b"]
    lines = [
        f"samba (learning_rate={certificate['learning_rate']:g}) on means {means}, every adversary of threat model A:",
        f"  E[regret] <= {const} + {logs} ln(1 + alpha T/(2(1-alpha))) + {b} C",
        f"  by V = (1/alpha)({a}/p + {w} ln q - {d} q); {len(certificate['checks'])} inequalities, {cells:,} cells",
        f"  the least b this form has is {least:.4g}; no bound has a b below {lower}",
    ]
    if certificate["warning"]:
        lines.append(f"  note: {certificate['warning']}")
    if sides := certificate["sandwich"]:
        played = sides["played"]
        half = "-" if played["half_width_95"] is None else f"{played['half_width_95']:,.1f}"
        lines += [
            f"at T = {sides['horizon']:,}, C = {sides['budget']:g}:",
            f"  certificate           {sides['certificate']:12,.1f}   (proved: no attack does more)",
            f"  worst attack          {sides['optimum']:12,.1f}   (exact up to the grid of `robandit paper optimum`)",
            f"  an attack, played     {played['mean']:12,.1f}   ± {half} (95 %; {sides['attack']})",
            f"  no attack             {sides['clean']:12,.1f}",
        ]
    return lines
