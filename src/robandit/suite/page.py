"""The suite as one page that needs no network: a table that sorts and filters, and the score card of each policy."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from robandit.pictures.style import FAMILIES
from robandit.report.page import render
from robandit.store.files import write_atomically
from robandit.suite.results import SuiteResults
from robandit.version import __version__

COLUMNS = ("policy", "environment", "attacker", "level", "place", "score", "half_width_95", "best_share", "fooled",
           "paid", "checks", "attack")  # fmt: skip


def write_suite_page(results: SuiteResults, path: Path, own: Iterable[str] = ()) -> Path:
    """Render the page and write it; `own` are policies to point out. Returns the path."""
    suite = results.suite
    lead = [
        f"Every policy meets the same {len(suite.environments)} environments and the same attackers; standard attack "
        f"{suite.standard_attack} chooses the worst of a fixed list for each policy, on seeds of its own. Each number "
        f"is the mean of {suite.runs} fresh runs with a 95 % interval.",
        "Score: 1 is the best arm in every round, 0 is no better than drawing arms evenly, below 0 is worse than that. "
        "The attacks are an upper bound on what a policy keeps: a stronger attack may exist. Policies with checks ask "
        "to have rewards verified, which no attacker can forge: a cost that the others do not have.",
    ]
    page = render(
        "suite.html.j2",
        title=f"{suite.name}: policies under attack",
        lead=lead,
        data=page_data(results, list(own)),
        version=__version__,
    )
    write_atomically(path, page.encode())
    return path


def page_data(results: SuiteResults, own: list[str]) -> dict[str, Any]:
    """What the page draws; a row's `place` is that of its level, from 0."""
    suite = results.suite
    levels = {
        (place.name, who.name): suite.levels(place, who) for place in suite.environments for who in suite.attackers
    }
    policies = [
        {
            "policy": label,
            "summary": about["summary"],
            "reference": about["reference"],
            "fidelity": about["fidelity"],
            "game": about["game"],
            "family": about["family"] if about["family"] in FAMILIES else "other",
            "left_out_words": left_out_words(about["left_out"]),
        }
        for label, about in results.policies.items()
    ]
    used = {policy["family"] for policy in policies}
    rows = [
        {**row, "place": levels[row["environment"], row["attacker"]].index(row["level"] or 0.0)} for row in results.rows
    ]
    return {
        "families": [{"name": name, "colour": colour} for name, colour in FAMILIES.items() if name in used],
        "attackers": [{"name": one.name, "title": one.title, "has": one.has} for one in suite.attackers],
        "environments": [{"name": one.name, "title": one.title} for one in suite.environments],
        "policies": policies,
        "columns": COLUMNS,
        "rows": [[rounded(row[name]) for name in COLUMNS] for row in rows],
        "own": own if len(own) < len(policies) else [],
    }


def rounded(value: Any) -> Any:
    """Six digits are more than a page shows."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def left_out_words(gaps: list[dict[str, Any]]) -> list[str]:
    """Where a policy is not measured, and why: one sentence per reason."""
    reasons: dict[str, list[str]] = {}
    for gap in gaps:
        reasons.setdefault(gap["reason"], []).append(f"{gap['environment']} ({', '.join(gap['attackers'])})")
    return [f"Not measured in {', '.join(places)}: {reason}." for reason, places in reasons.items()]
