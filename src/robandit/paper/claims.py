"""The claims of the paper: what is said, where it stands, and how it is weighed."""

from dataclasses import dataclass
from typing import Any

from robandit.paper import weigh_simulation as simulation
from robandit.paper import weigh_theory as theory
from robandit.paper.verdicts import Weighing
from robandit.study.results import Results


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, where it stands, and how it is weighed."""

    id: str
    text: str
    where: str
    weigh: Weighing


CLAIMS = (
    Claim(
        "lowest-regret",
        "SAMBA has the lowest regret in most settings.",
        "Figure 3, section 5",
        simulation.lowest_regret,
    ),
    Claim(
        "largest-at-zero", "SAMBA's advantage is largest at C = 0.", "Figure 3, section 5", simulation.largest_at_zero
    ),
    Claim("shrinks-with-c", "SAMBA's advantage shrinks as C grows.", "section 5", simulation.shrinks_with_c),
    Claim(
        "faster-than-omd",
        "SAMBA runs more than 500 times faster than OMD.",
        "Table 2, section 5",
        simulation.faster_than_omd,
    ),
    Claim("omd-worse-small-c", "OMD is worse than SAMBA when C is small.", "section 5", simulation.omd_worse_small_c),
    Claim(
        "barbar-surge",
        "Corruption in the middle makes BARBAR's regret surge; SAMBA tolerates it.",
        "Figure 4",
        simulation.barbar_surge,
    ),
    Claim("linear-in-k", "Regret grows about linearly with K.", "Table 3", simulation.linear_in_k),
    Claim("lowest-every-k", "SAMBA has the lowest regret for every K.", "Table 3", simulation.lowest_every_k),
    Claim("log-t", "Without corruption SAMBA's regret is O(log T).", "Fact 1, Theorem 2", theory.log_t),
    Claim("linear-in-c", "SAMBA's regret is linear in C.", "Theorem 2", theory.linear_in_c),
    Claim(
        "alpha-condition",
        "The guarantee needs alpha < Delta/(r* - Delta).",
        "Fact 1, Theorem 2",
        theory.alpha_condition,
    ),
    Claim(
        "adversary-power",
        "The paper's adversary could be more powerful than the classic one with the same C.",
        "section 2.2",
        theory.adversary_power,
    ),
    Claim("ftpl-cost", "The variance of FTPL's cost a round is O(T), its mean O(K).", "section 1.2", theory.ftpl_cost),
)


def weighed(results: Results, extras: dict[str, Any]) -> list[dict[str, Any]]:
    """Every claim with its verdict."""
    told = []
    for claim in CLAIMS:
        verdict = claim.weigh(results, extras)
        told.append(
            {
                "id": claim.id,
                "text": claim.text,
                "where": claim.where,
                "verdict": verdict.verdict,
                "evidence": verdict.evidence,
                "figure": verdict.figure,
            }
        )
    return told
