"""The claims of the paper: what is said, where it stands, how it is weighed, and what is true whatever is measured."""

from dataclasses import dataclass
from typing import Any

from robandit.paper import weigh_advantage as advantage
from robandit.paper import weigh_conditions as conditions
from robandit.paper import weigh_costs as costs
from robandit.paper import weigh_gaps as gaps
from robandit.paper import weigh_growth as growth
from robandit.paper import weigh_rankings as rankings
from robandit.paper.verdicts import Weighing
from robandit.study.results import Results


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, where it stands, how it is weighed; the note holds whatever is measured."""

    id: str
    text: str
    where: str
    weigh: Weighing
    note: str = ""
    theory: tuple[str, ...] = ()  # statements of `robandit paper theory` it rests on


CLAIMS = (
    Claim(
        "optimal",
        "SAMBA's regret O(K log T/Delta) + O(C/Delta) is asymptotically optimal.",
        "abstract, Table 1",
        gaps.optimal,
        "Runs can show orders of growth without corruption; under corruption they show attacks, never that no worse "
        "one exists, so the term in C is not part of this verdict. The paper's Table 1 sets C/Delta against a lower "
        "bound of C. Its Fact 1, (K/(alpha Delta)) log T with alpha < Delta/(r* - Delta), is above "
        "K (r* - Delta) log T/Delta^2.",
        theory=("fact-1-order", "main-chain", "lower-bound"),
    ),
    Claim(
        "log-t-less-than-cbarbar",
        "SAMBA saves one log T factor against CBARBAR.",
        "abstract, section 3",
        growth.log_t_less_than_cbarbar,
        "The paper compares upper bounds. CBARBAR is told T and plans with log T, so each of its horizons is a game of "
        "its own.",
    ),
    Claim(
        "c-over-delta",
        "Corruption adds O(C/Delta) to SAMBA's regret.",
        "abstract, Theorem 2",
        gaps.c_over_delta,
        "One attack is a lower bound on the worst one. A term C/Delta is an upper bound: a cost that does not grow as "
        "1/Delta keeps it and shows that it is not tight there.",
        theory=("theorem-2", "jensen-corrupted", "recovery-time", "lemma-9"),
    ),
    Claim(
        "lowest-regret",
        "SAMBA has the lowest regret in most settings.",
        "Figure 3, section 5",
        rankings.lowest_regret,
        "The paper does not simulate Tsallis-INF, though its Table 1 names it with a better bound.",
    ),
    Claim(
        "largest-at-zero", "SAMBA's advantage is largest at C = 0.", "Figure 3, section 5", advantage.largest_at_zero
    ),
    Claim("shrinks-with-c", "SAMBA's advantage shrinks as C grows.", "section 5", advantage.shrinks_with_c),
    Claim(
        "faster-than-omd",
        "SAMBA runs more than 500 times faster than OMD.",
        "Table 2, section 5",
        costs.faster_than_omd,
        "The paper's 1,733 s are 17 ms for each of 100,000 steps of 9 unknowns, and it names no solver; here Newton's "
        "method solves them. A factor between two algorithms is a factor between two solvers too.",
    ),
    Claim(
        "omd-worse-small-c",
        "OMD is worse than SAMBA when C is small.",
        "section 5",
        rankings.omd_worse_small_c,
        "The paper names neither the regulariser nor its constants; b = 64 is the reading closest to its Table 3.",
    ),
    Claim(
        "barbar-surge",
        "Corruption in the middle makes BARBAR's regret surge; SAMBA tolerates it.",
        "Figure 4",
        advantage.barbar_surge,
        "The paper pulls arm by arm in blocks; BARBAR's analysis asks for random pulls.",
    ),
    Claim(
        "linear-in-k",
        "Regret grows about linearly with K.",
        "Table 3",
        growth.linear_in_k,
        "With means i/(K+1) the gap shrinks as 1/(K+1), so the bound K/Delta itself grows as K^2 along this sweep.",
    ),
    Claim("lowest-every-k", "SAMBA has the lowest regret for every K.", "Table 3", rankings.lowest_every_k),
    Claim(
        "log-t",
        "Without corruption SAMBA's regret is O(log T).",
        "Fact 1, Theorem 2",
        growth.log_t,
        "No finite horizon proves an order; these steps can only be nearer to one than to the other.",
        theory=("fact-1",),
    ),
    Claim(
        "linear-in-c",
        "SAMBA's regret is linear in C.",
        "Theorem 2",
        growth.linear_in_c,
        "Rounds fixed beforehand are not the worst attack: `robandit redteam` looks for that.",
        theory=("theorem-2",),
    ),
    Claim(
        "alpha-condition",
        "The guarantee needs alpha < Delta/(r* - Delta).",
        "Fact 1, Theorem 2",
        conditions.alpha_condition,
        "With means i/(K+1) the limit is 1/(K-1), so the paper's alpha = 0.05 breaks the condition from K = 21 on, "
        "and at K = 30 of its own table.",
        theory=("inverse-drift", "zeta"),
    ),
    Claim(
        "adversary-power",
        "The paper's adversary could be more powerful than the classic one with the same C.",
        "section 2.2",
        conditions.adversary_power,
        "The paper compares constraints, not attacks. Who sees the draw pays only in rounds that show the best arm.",
        theory=("adversary-power",),
    ),
    Claim(
        "ftpl-cost",
        "The variance of FTPL's cost a round is O(T), its mean O(K).",
        "section 1.2",
        costs.ftpl_cost,
        "Geometric resampling throws 1/p_a times on average for the arm a it chose: K over all arms, whatever p is.",
    ),
)


def weighed(results: Results, extras: dict[str, Any]) -> list[dict[str, Any]]:
    """Every claim with its verdict, and those of the statements it rests on."""
    theory, told = extras.get("theory", {}), []
    for claim in CLAIMS:
        found = claim.weigh(results, extras)
        told.append(
            {
                "id": claim.id,
                "text": claim.text,
                "where": claim.where,
                "verdict": found.verdict,
                "evidence": found.evidence,
                "note": claim.note,
                "theory": [{"id": name, "verdict": theory[name]["verdict"]} for name in claim.theory if name in theory],
                "figure": found.figure,
            }
        )
    return told
