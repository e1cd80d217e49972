"""Every numbered statement of the paper: what it says, where it stands, and how it is weighed."""

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any

from robandit.theory import weigh_bounds as bounds
from robandit.theory import weigh_paths as paths
from robandit.theory import weigh_rounds as rounds
from robandit.theory.verdicts import Weighing


@dataclass(frozen=True)
class Statement:
    """One sentence of the paper."""

    id: str
    text: str
    where: str
    weigh: Weighing


STATEMENTS = (
    Statement(
        "regret", "Rg(T) = sum over a of Delta_a E[sum over t of p_a(t)].", "section 2.1", rounds.regret_definition
    ),
    Statement(
        "adversary-power",
        "Changing the expected reward could be more powerful than changing the realised feedback with the same C.",
        "section 2.2",
        bounds.adversary_power,
    ),
    Statement(
        "update",
        "Algorithm 1 is p_a + alpha p_a^2 (R_a I_a/p_a - R_l I_l/p_l) for every other arm; p stays a distribution.",
        "Algorithm 1, equation (1)",
        rounds.update_rule,
    ),
    Statement(
        "fact-1",
        "Without corruption and for alpha < Delta/(r* - Delta), Rg(T) <= (K/(alpha Delta)) log T + Q_0.",
        "Fact 1",
        bounds.fact_1,
    ),
    Statement("fact-1-order", "(K/(alpha Delta)) log T + Q_0 = O((K/Delta) log T).", "Fact 1", bounds.fact_1_order),
    Statement(
        "theorem-2",
        "For alpha < Delta/(r* - Delta) and corruption C, Rg(T) = O(K log T/Delta + C/Delta).",
        "Theorem 2",
        bounds.theorem_2,
    ),
    Statement(
        "inverse-moves",
        "While another arm leads, 1/p* falls by (alpha/(1+alpha))/p* or grows by (alpha/p*)/(p_l/p* - alpha), and its "
        "drift is the equality before (2).",
        "section 3.1",
        rounds.inverse_moves,
    ),
    Statement(
        "inverse-drift",
        "E[1/p*(t+1)] - 1/p*(t) <= -xi < 0 for every admissible alpha, because p_l > 1/K.",
        "equations (2) and (3)",
        rounds.drift_near_a_tie,
    ),
    Statement(
        "inverse-drift-corrupted",
        "Under corruption that drift is at most -xi + alpha c (1 + eps + 1/(1+alpha)).",
        "section 3.1, proof of Lemma 9",
        rounds.corrupted_drift_near_a_tie,
    ),
    Statement(
        "leads-after",
        "After at most (K-2)/xi steps a* becomes the leading arm.",
        "section 3.1",
        paths.leads_after_k_steps,
    ),
    Statement(
        "probability-drift",
        "While a* leads, E[p_a(t+1) - p_a(t)] <= -alpha Delta p_a^2.",
        "equation (4)",
        rounds.probability_drift,
    ),
    Statement("jensen", "Hence E[q(t+1)] - q(t) <= -(alpha Delta/K) q^2.", "equation (5)", rounds.jensen_clean),
    Statement(
        "probability-drift-corrupted",
        "Under corruption E[p_a(t+1) - p_a(t)] <= alpha (2c - Delta) p_a^2 while a* leads.",
        "section 3.2",
        rounds.corrupted_probability_drift,
    ),
    Statement(
        "recovery",
        "The recovery of a corruption at t is the time until q is at most q(t) again.",
        "Definitions 3 and 4",
        paths.recovery_definition,
    ),
    Statement(
        "recovery-time",
        "E[phi - t_0] <= 4c/Delta for one large corruption at q <= 1/2.",
        "equations (6) and (7), Lemma 8",
        rounds.recovery_time,
    ),
    Statement(
        "recovery-drift",
        "E[q(t+1)] - q(t) <= -(alpha Delta/(2K)) q(t)^2 throughout a recovery.",
        "section 3.2, proof of Lemma 8",
        rounds.recovery_drift,
    ),
    Statement(
        "nested",
        "Recoveries lie inside one another or apart, so they can be removed from the inside out.",
        "section 3.2, proof of Lemma 8",
        paths.nested_recoveries,
    ),
    Statement(
        "remark-1",
        "SAMBA needs a constant number of pulls in each phase; without corruption every arm has Theta(log T) in all.",
        "Remark 1",
        bounds.remark_1,
    ),
    Statement(
        "embedded-chain",
        "tau^(k) and sigma^(k) are the times at which q goes below and above 1/2.",
        "Definition 5 and after it",
        paths.stopping_times,
    ),
    Statement(
        "lemma-6-drift",
        "On the chain of rounds with q <= 1/2 outside recoveries, E q(s+1) - q(s) <= -(alpha Delta/(2K)) q(s)^2.",
        "Lemma 6 (1)",
        rounds.lemma_6_drift,
    ),
    Statement("lemma-6-limit", "q(s) goes to 0 with probability 1.", "Lemma 6 (2)", paths.lemma_6_limit),
    Statement("lemma-6-rate", "E q(s) <= 2K/(4K + alpha Delta s).", "Lemma 6 (3)", paths.lemma_6_rate),
    Statement(
        "lemma-7",
        "Positive a_t with a_{t+1} <= a_t - gamma a_t^2 have a_T <= a_0/(1 + gamma T a_0).",
        "Lemma 7",
        rounds.lemma_7,
    ),
    Statement(
        "lemma-8-first-line",
        "A recovery with a round of q <= 1/2 began with q < 1/2.",
        "proof of Lemma 8",
        rounds.lemma_8_first_line,
    ),
    Statement(
        "jensen-corrupted",
        "For c > Delta/4: (2c - Delta) alpha sum p_a^2 <= (2c - Delta)(alpha/K) q^2, by the inequality of Lemma 6.",
        "proof of Lemma 8",
        rounds.jensen_corrupted,
    ),
    Statement("lemma-8", "The regret in recoveries with q <= 1/2 is at most 4C/Delta.", "Lemma 8", paths.lemma_8),
    Statement(
        "lemma-9",
        "A large corruption is made good after 1 + c/zeta + 4c/Delta rounds in expectation while q > 1/2.",
        "Lemma 9",
        rounds.wrong_leader_recovery,
    ),
    Statement(
        "lemma-9-sum",
        "sum of 1 + c/zeta + 4c/Delta over at most 4C/Delta corruptions is at most C/zeta + 5C/Delta.",
        "proof of Lemma 9",
        rounds.lemma_9_sum,
    ),
    Statement("zeta", "zeta = Theta(Delta).", "proof of Lemma 9", rounds.zeta_order),
    Statement(
        "lemma-10",
        "Without large corruption q falls from 1 - 1/K to 1/2 in K/xi + 8K/(alpha Delta) expected rounds at most.",
        "Lemma 10",
        paths.lemma_10,
    ),
    Statement(
        "lemma-11",
        "Without large corruption q returns to 1/2 with a probability below 1, Q_0 is finite and q goes to 0.",
        "Lemma 11",
        paths.lemma_11,
    ),
    Statement(
        "main-chain",
        "Rg(T) <= E sum q <= Q_0 + K/xi + 8K/(alpha Delta) + O(C/Delta) + (2K/(alpha Delta)) log T = O(K log T/Delta + "
        "C/Delta).",
        "proof of Theorem 2",
        bounds.main_chain,
    ),
    Statement("lower-bound", "Every algorithm suffers Omega(C).", "Table 1", bounds.lower_bound),
)


def weighed(
    progress: Callable[[str], None] = lambda _: None, only: Container[str] | None = None
) -> list[dict[str, Any]]:
    """Every statement with its verdict, or only those named."""
    told = []
    for statement in STATEMENTS:
        if only is not None and statement.id not in only:
            continue
        progress(statement.id)
        found = statement.weigh()
        told.append(
            {
                "id": statement.id,
                "text": statement.text,
                "where": statement.where,
                "verdict": found.verdict,
                "label": found.label,
                "evidence": found.evidence,
            }
        )
    return told
