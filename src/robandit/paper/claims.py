"""The claims of the paper: each is declared beside the function that weighs it, in the weigh_* modules."""

from typing import Any

from robandit.paper import (  # each declares its claims
    weigh_advantage,  # noqa: F401
    weigh_conditions,  # noqa: F401
    weigh_costs,  # noqa: F401
    weigh_gaps,  # noqa: F401
    weigh_growth,  # noqa: F401
    weigh_rankings,  # noqa: F401
)
from robandit.paper.verdicts import DECLARED
from robandit.study.results import Results

ORDER = (  # of the page: as the paper makes them; a claim that is not named here comes last
    "optimal",
    "log-t-less-than-cbarbar",
    "c-over-delta",
    "lowest-regret",
    "largest-at-zero",
    "shrinks-with-c",
    "faster-than-omd",
    "omd-worse-small-c",
    "barbar-surge",
    "linear-in-k",
    "lowest-every-k",
    "log-t",
    "linear-in-c",
    "alpha-condition",
    "adversary-power",
    "ftpl-cost",
    "omd-cost-t",
    "combinatorial",
)
CLAIMS = tuple(sorted(DECLARED, key=lambda claim: ORDER.index(claim.id) if claim.id in ORDER else len(ORDER)))


def weigh_claims(results: Results, extras: dict[str, Any]) -> list[dict[str, Any]]:
    """Every claim with its verdict, and the verdicts on the statements it rests on."""
    theory, rows = extras.get("theory", {}), []
    for claim in CLAIMS:
        verdict = claim.weigh(results, extras)
        rows.append(
            {
                "id": claim.id,
                "text": claim.text,
                "where": claim.where,
                "verdict": verdict.verdict,
                "evidence": verdict.evidence,
                "note": claim.note,
                "theory": [{"id": name, "verdict": theory[name]["verdict"]} for name in claim.theory if name in theory],
                "figure": verdict.figure,
            }
        )
    return rows
