"""What `robandit paper theory` prints: for each topic tables and lines."""

from collections.abc import Callable, Iterable
from typing import Any

from robandit.report.table import Column, DataTable

Row = dict[str, Any]
Cell = Callable[[Row], str]  # the text of a cell
Page = list[DataTable | str]


def table(title: str, rows: Iterable[Row], columns: dict[str, Cell], caption: str = "") -> DataTable:
    """A table of names and numbers: by heading how a cell is written."""
    first, *others = columns
    kinds = [Column(first, "name"), *(Column(heading) for heading in others)]
    return DataTable(title, kinds, [[cell(row) for cell in columns.values()] for row in rows], caption)


def fixed(key: str, digits: int = 1) -> Cell:
    """A number with so many digits, or a dash."""
    return lambda row: "-" if row[key] is None else f"{row[key]:,.{digits}f}"


def short(key: str, digits: int = 4, missing: str = "-") -> Cell:
    """A number with so many significant digits."""
    return lambda row: missing if row[key] is None else f"{row[key]:.{digits}g}"


def text(key: str) -> Cell:
    """The words themselves."""
    return lambda row: str(row[key])


def share(key: str, digits: int = 0) -> Cell:
    """A share in percent."""
    return lambda row: "-" if row[key] is None else f"{100 * row[key]:.{digits}f} %"


def interval(key: str) -> Cell:
    """A mean with its 95 % interval."""

    def cell(row: Row) -> str:
        if row[key] is None:
            return "-"
        half = row[key]["half_width_95"]
        return f"{row[key]['mean']:,.1f} ± {'-' if half is None else f'{half:,.1f}'}"

    return cell


def with_picture(page: Page, result: Row) -> Page:
    """The page, and where the picture is."""
    return [*page, f"picture: {result['picture']}"] if result["picture"] else page


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
        "policy": text("policy"),
        "bound": fixed("bound"),
        "measured, C = 0": interval("measured"),
        "growth a unit of ln T": fixed("growth", 2),
        "measured growth": interval("measured_growth"),
    }
    lower, rows = result["lower_bounds"], result["policies"]
    title = f"Bounds after {result['horizon']:,} rounds, C = {result['budget']:g}"
    sources = "; ".join(f"{row['policy']}: {row['source']}" for row in rows if row["source"] != "order only")
    page: Page = [
        table(title, rows, columns, "measured: mean and 95 %; growth over the last decade of rounds"),
        f"no policy grows by less than Lai and Robbins, {lower['lai_robbins']:,.1f} by then (if T is large), "
        f"and none has less than C = {lower['omega_c']:g} in both of two mirrored games",
        f"bounds and growth: {sources}; of the others only orders are known (`robandit policies --json`)",
    ]
    return with_picture(page, result)


def steps(result: Row) -> Page:
    """One row per step, then one row per rule of the family at equal growth."""
    by_step: dict[str, Cell] = {
        "of the limit": share("rho"),
        "step": short("rate"),
        "least possible": fixed("least", 3),
        "linear programme": fixed("programme", 3),
        "diffusion limit": fixed("diffusion", 3),
        "growth a unit of ln T": fixed("growth", 2),
    }
    by_rule: dict[str, Cell] = {
        "rule": text("rule"),
        "growth a unit of ln T": fixed("growth", 2),
        "step": short("rate", missing="none"),
        "held near 0": fixed("least", 3),
        "linear programme": fixed("programme", 3),
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
            result["rules"],
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
    columns: dict[str, Cell] = {
        "rule": text("rule"),
        "step": short("step", 6),
        "kappa": fixed("kappa", 3),
        "phi": fixed("phi", 3),
        "predicted power of T": fixed("predicted_exponent", 3),
        "exact power": lambda row: f"{round(row['exact_exponent'], 3) + 0.0:.3f}",
        "exact regret": fixed("regret", 0),
    }
    rows = result["rows"]
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
    page: Page = [
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
    return with_picture(page, result)


def recoveries(result: Row) -> Page:
    """How many strikes the run recovers from, and how fast."""
    page: Page = [
        f"samba (learning_rate={result['learning_rate']:g}), one run of {result['rounds']:,} rounds: "
        f"{result['strikes']:,} strikes of {result['size']:g}; the run recovers from {result['ended']:,} of them, "
        f"{result['inside_another']:,} times inside the recovery from another",
        f"rounds until q was back: {fixed('mean_rounds')(result)} on average; the paper's equation (7) says at most "
        f"4c/Delta = {result['bound_of_the_paper']:g} in expectation",
    ]
    return with_picture(page, result)


def shown(result: Row) -> Page:
    """One row per policy."""
    columns = {
        "policy": text("policy"),
        "predicted cost": fixed("predicted"),
        "played": interval("measured"),
        "of the largest regret": share("share_of_regret", 1),
    }
    title = f"Threat model B: hiding every success of the best arm for {result['horizon']:,} rounds"
    caption = "the laws are first-order, numerical; no bound f(T) + b C can hold in model B"
    laws = "; ".join(f"{row['policy']} {row['pulls_of_the_best']}" for row in result["policies"])
    return [
        table(title, result["policies"], columns, caption),
        f"cost = r* times the pulls of the best arm: {laws}",
    ]
