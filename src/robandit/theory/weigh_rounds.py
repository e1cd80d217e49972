"""Statements of the paper about one round, weighed by enumerating it in exact fractions."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import numpy as np

from robandit.estimates import estimate
from robandit.game import Choice
from robandit.policies.samba import Samba, SambaState
from robandit.theory.paths import time_to_recover
from robandit.theory.rounds import (
    Probabilities,
    after_success,
    corrupt,
    expected_change,
    fractions,
    inverse,
    leader_of,
    q,
    states,
)
from robandit.theory.verdicts import (
    FAILS,
    HOLDS,
    PROVED,
    STRONGER,
    Checks,
    StatementVerdict,
    all_hold,
    enumerated,
    spell,
    spell_state,
    statement,
)

F = Fraction
CUT_OFF, RECOVERY_SEED = 20_000, 977
GAMES = (
    fractions("9/10", "8/10"),
    fractions("6/10", "5/10", "5/10"),
    fractions("9/10", "8/10", "1/10"),
    fractions("1/2", "2/5", "3/10", "1/5"),
)
PARTS = {2: 60, 3: 20, 4: 14}  # probabilities are multiples of one over this
Round = tuple[tuple[Fraction, ...], Fraction, Probabilities]  # the means, the step, the state


def rounds() -> Iterator[Round]:
    """Yields every game, with half of the paper's largest step, in every state of its grid."""
    for means in GAMES:
        rate = (means[0] / max(means[1:]) - 1) / 2
        for p in states(len(means), PARTS[len(means)]):
            yield means, rate, p


def rounds_where(leads: bool) -> Iterator[Round]:
    """Yields those in which the best arm leads, or another one."""
    return ((means, rate, p) for means, rate, p in rounds() if (p[0] >= max(p[1:])) is leads)


def refuted_if(is_refuted: bool, evidence: str) -> StatementVerdict:
    """The verdict by a counterexample in fractions."""
    return StatementVerdict(FAILS if is_refuted else HOLDS, evidence, PROVED)


@enumerated("regret", "section 2.1", "states of four games, every history of two rounds from each")
def regret_definition() -> Checks:
    """Rg(T) = sum over a of Delta_a E[sum over t of p_a(t)]."""
    for means, rate, p in rounds():
        rewards, pulls = play_out(means, rate, p, 2)
        by_gaps = sum((means[0] - mean) * pulled for mean, pulled in zip(means, pulls, strict=True))
        yield 2 * means[0] - rewards == by_gaps, spell_state(p)


def play_out(
    means: tuple[Fraction, ...], rate: Fraction, p: Probabilities, horizon: int
) -> tuple[Fraction, list[Fraction]]:
    """Returns the expected sum of the rewards, and of each arm's probability, over every history of so many rounds."""
    if horizon == 0:
        return F(0), [F(0)] * len(p)
    rewards, pulls = F(0), list(p)
    outcomes = [(p[arm] * means[arm], 1, after_success(p, arm, rate)) for arm in range(len(p))]
    failure = 1 - sum((probability for probability, _, _ in outcomes), F(0))
    for probability, reward, after in (*outcomes, (failure, 0, p)):
        later_rewards, later_pulls = play_out(means, rate, after, horizon - 1)
        rewards += probability * (reward + later_rewards)
        pulls = [pulled + probability * later for pulled, later in zip(pulls, later_pulls, strict=True)]
    return rewards, pulls


@enumerated(
    "update", "Algorithm 1, equation (1)", "successes (steps 1/20 and 99/100), also against policies/samba.py to 1e-14"
)
def update_rule() -> Checks:
    """Algorithm 1 is p_a + alpha p_a^2 (R_a I_a/p_a - R_l I_l/p_l) for every other arm; p stays a distribution."""
    for _, _, p in rounds():
        for rate in fractions("1/20", "99/100"):
            for arm in range(len(p)):
                yield is_one_rule(p, rate, arm), f"{spell_state(p)}, success of arm {arm}, alpha = {rate}"


def is_one_rule(p: Probabilities, rate: Fraction, arm: int) -> bool:
    """Whether a success of this arm does the same by Algorithm 1, by equation (1) and in the policy's own code."""
    lead, moved, by_equation = leader_of(p), after_success(p, arm, rate), list(p)
    for a in range(len(p)):
        if a != lead:
            by_equation[a] += rate * p[a] ** 2 * (F(arm == a) / p[a] - F(arm == lead) / p[lead])
    by_equation[lead] = 1 - (sum(by_equation) - by_equation[lead])
    code = SambaState(np.array([float(probability) for probability in p]))
    Samba(float(rate)).learn(code, Choice(arm, float(p[arm]), 0), 1.0, None)  # type: ignore[arg-type]
    is_near = all(abs(float(m) - c) < 1e-14 for m, c in zip(moved, code.probabilities, strict=True))
    return moved == tuple(by_equation) and min(moved) > 0 and sum(moved) == 1 and is_near


@enumerated(
    "inverse-moves", "section 3.1", "states in which a wrong arm leads: both moves and the drift, as equalities"
)
def inverse_moves() -> Checks:
    """While another arm leads, 1/p* falls by (alpha/(1+alpha))/p* or grows by (alpha/p*)/(p_l/p* - alpha), and its
    drift is the equality before (2).
    """
    for means, rate, p in rounds_where(leads=False):
        lead, x = leader_of(p), inverse(p)
        up = x - rate / (1 + rate) * x
        down = x + rate * x / (p[lead] * x - rate)
        drift = rate * means[lead] * p[lead] * x / (p[lead] * x - rate) - rate * means[0] / (1 + rate)
        moves = inverse(after_success(p, 0, rate)) == up and inverse(after_success(p, lead, rate)) == down
        yield moves and expected_change(inverse, p, rate, means) == drift, spell_state(p)


@statement("inverse-drift", "equations (2) and (3)")
def drift_near_a_tie() -> StatementVerdict:
    """E[1/p*(t+1)] - 1/p*(t) <= -xi < 0 for every admissible alpha, because p_l > 1/K."""
    # not where p* is near p_l
    means, rate, p = fractions("9/10", "8/10"), F(1, 10), fractions("1/2", "1/2")
    drift = expected_change(inverse, p, rate, means, leader=1)
    limit, enough = means[0] / means[1] - 1, (means[0] - means[1]) / (means[0] + means[1])
    drifts = [
        expected_change(inverse, (s / (1 + s), 1 / (1 + s)), part * enough, means, leader=1)
        for part in fractions("1/4", "1/2", "3/4", "1")
        for s in (F(k, 40) for k in range(1, 41))
    ]
    positive = sum(below > 0 for below in drifts)
    return StatementVerdict(
        STRONGER if drift > 0 and not positive else FAILS,
        f"Means 9/10 and 8/10, alpha = {rate} (limit {limit}), {spell_state(p)}, the rival leads: E[1/p* after] - 1/p* "
        f"= {spell(drift)}, above 0, so no xi > 0 bounds it. It needs 1/(1 - alpha s) <= 1 + eps with s = p*/p_l, for "
        f"all s up to 1: alpha < Delta/(r* + r_2) = {enough} here. Below that {len(drifts)} states on a grid of s gave "
        f"{positive} positive drifts.",
        PROVED,
    )


@statement("inverse-drift-corrupted", "section 3.1, proof of Lemma 9")
def corrupted_drift_near_a_tie() -> StatementVerdict:
    """Under corruption that drift is at most -xi + alpha c (1 + eps + 1/(1+alpha))."""
    means, rate, p, c = fractions("9/10", "8/10"), F(1, 10), fractions("1/2", "1/2"), F(1, 20)
    drift = expected_change(inverse, p, rate, corrupt(means, c), leader=1)
    largest = means[0] / means[1] / (1 + rate) - 1  # eps is below this
    bound = rate * c * (1 + largest + 1 / (1 + rate))  # with xi -> 0, the weakest form there is
    return refuted_if(
        drift > bound,
        f"Same state, c = {c}: E dx = {spell(drift)}, while the bound is below {spell(bound)} for every allowed eps "
        f"(eps < {largest}).",
    )


@statement("probability-drift", "equation (4)")
def probability_drift() -> StatementVerdict:
    """While a* leads, E[p_a(t+1) - p_a(t)] <= -alpha Delta p_a^2."""
    return leading_drift(F(0), "alpha p_a^2 (r_a - r*)")


@statement("probability-drift-corrupted", "section 3.2")
def corrupted_probability_drift() -> StatementVerdict:
    """Under corruption E[p_a(t+1) - p_a(t)] <= alpha (2c - Delta) p_a^2 while a* leads."""
    return leading_drift(F(1, 10), "alpha (2c - Delta) p_a^2 with c = 1/10")


def leading_drift(c: Fraction, words: str) -> StatementVerdict:
    """The drift of a wrong arm's probability while the best arm leads and the attacker spends c."""

    def checks() -> Checks:
        for means, rate, p in rounds_where(leads=True):
            gap, moved = means[0] - max(means[1:]), corrupt(means, c)
            for arm in range(1, len(p)):
                drift = expected_change(lambda state, arm=arm: state[arm], p, rate, moved)  # type: ignore[misc]
                is_exact = drift == rate * p[arm] ** 2 * (moved[arm] - moved[0])
                yield is_exact and drift <= rate * (2 * c - gap) * p[arm] ** 2, spell_state(p)

    return all_hold(checks(), f"probabilities of wrong arms while the best leads, against {words}")


@statement("jensen", "equation (5)")
def jensen_clean() -> StatementVerdict:
    """Hence E[q(t+1)] - q(t) <= -(alpha Delta/K) q^2."""
    return falling_q(F(0), 1)


@statement("lemma-6-drift", "Lemma 6 (1)")
def lemma_6_drift() -> StatementVerdict:
    """On the chain of rounds with q <= 1/2 outside recoveries, E q(s+1) - q(s) <= -(alpha Delta/(2K)) q(s)^2."""
    return falling_q(F(1, 4), 2)


def falling_q(part: Fraction, slack: int) -> StatementVerdict:
    """E dq <= -(alpha Delta/(slack K)) q^2 for q <= 1/2, at a cost of this part of Delta."""

    def checks() -> Checks:
        for means, rate, p in rounds():
            if q(p) <= F(1, 2):
                gap = means[0] - max(means[1:])
                drift = expected_change(q, p, rate, corrupt(means, part * gap))
                yield drift <= -rate * gap / (slack * len(p)) * q(p) ** 2, spell_state(p)

    return all_hold(checks(), f"states with q <= 1/2, c = {part} Delta")


@statement("jensen-corrupted", "proof of Lemma 8")
def jensen_corrupted() -> StatementVerdict:
    """For c > Delta/4: (2c - Delta) alpha sum p_a^2 <= (2c - Delta)(alpha/K) q^2, by the inequality of Lemma 6."""
    # Lemma 8 uses Jensen's inequality in the wrong direction: for 2c > Delta the sign of its factor has changed.
    rate, c, rows, is_refuted = F(1, 20), F(1, 10), [], True
    for means, p in (
        (fractions("9/10", "8/10"), fractions("7/10", "3/10")),
        (fractions("9/10", "8/10", "8/10"), fractions("3/5", "39/100", "1/100")),
    ):
        drift = expected_change(q, p, rate, corrupt(means, c))
        bound = (2 * c - (means[0] - means[1])) * rate / len(p) * q(p) ** 2
        is_refuted = is_refuted and drift > bound
        rows.append(f"K = {len(p)}, {spell_state(p)}: E dq = {drift}, above the bound's {bound}")
    return refuted_if(is_refuted, f"Delta = 1/10, c = {c}, alpha = {rate}. {'; '.join(rows)}.")


@statement("recovery-drift", "section 3.2, proof of Lemma 8")
def recovery_drift() -> StatementVerdict:
    """E[q(t+1)] - q(t) <= -(alpha Delta/(2K)) q(t)^2 throughout a recovery."""
    # Not once q > 1/2.
    means, rate, p = fractions("9/10", "8/10"), F(1, 20), fractions("1/10", "9/10")
    drift, bound = expected_change(q, p, rate, means), -rate * (means[0] - means[1]) / 4 * q(p) ** 2
    return refuted_if(
        drift > bound,
        f"Means 9/10 and 8/10, alpha = {rate}, {spell_state(p)}: E dq = {spell(drift)}, above {spell(bound)}. A "
        "recovery that begins with q <= 1/2 can pass through such states.",
    )


@statement("recovery-time", "equations (6) and (7), Lemma 8")
@cache  # Lemma 8 and Theorem 2 rest on it too
def recovery_time() -> StatementVerdict:
    """E[phi - t_0] <= 4c/Delta for one large corruption at q <= 1/2."""
    # Already the first round takes longer on average.
    means, rate, p, c = fractions("9/10", "8/10"), F(1, 20), fractions("11/20", "9/20"), F(26, 1000)
    success = p[1] * corrupt(means, c)[1]  # of the rival
    after = 1 - after_success(p, 1, rate)[0] * means[0]  # recovered at once only by a success of the best arm
    least = 1 + success * (1 + after)
    bound = 4 * c / (means[0] - means[1])
    close = (0.501, 0.5), 0.001, 0.0005  # means, step and size: the bound is 2
    played = [
        estimate(time_to_recover(*game, 0.45, CUT_OFF, runs, RECOVERY_SEED))
        for game, runs in ((((0.9, 0.8), 0.05, float(c)), 20_000), (close, 4_000))
    ]
    return refuted_if(
        least > bound,
        f"Means 9/10 and 8/10, alpha = {rate}, {spell_state(p)}, c = {c} > Delta/4: the rival succeeds with "
        f"probability {spell(success)} and q is above q(t0) for at least one round more; E[phi - t0] >= {spell(least)} "
        f"by the first two rounds alone, against the bound {spell(bound)}. Simulated from there it is {played[0]:.1f}, "
        f"and {played[1]:.0f} against {4 * close[2] / (close[0][0] - close[0][1]):.3g} for means 0.501 and 0.5, alpha "
        f"= 0.001, c = 0.0005 (plays cut off after {CUT_OFF:,} rounds, so at least that). The reason: the proof takes "
        "q(phi) for q(t0), but it ends below; a success overshoots by far more than a round's drift, and that has to "
        "be gone first.",
    )


@statement("lemma-9-recovery", "proof of Lemma 9")
def wrong_leader_recovery() -> StatementVerdict:
    """After a large corruption its impact is eliminated after 1 + c/zeta expected steps while a* does not lead."""
    # While a wrong arm leads only a success of a* ends a recovery.
    means, rate, c = fractions("9/10", "8/10"), F(1, 20), F(1, 20)
    eps = F(1, 50)
    xi = rate * means[0] / (1 + rate) - rate * means[1] * (1 + eps)
    zeta = xi / (rate * (1 + eps + 1 / (1 + rate)))
    claimed, rows, least = 1 + c / zeta, [], F(0)
    for small in fractions("1/10", "1/100", "1/1000"):
        least = 1 + (1 - small) * corrupt(means, c)[1] / (small * means[0])
        rows.append(f"p* = {small}: at least {float(least):,.1f}")
    return refuted_if(
        least > claimed and xi > 0,
        f"Eliminated read as in Definition 3, q back where it was. Means 9/10 and 8/10, alpha = {rate}, c = {c}, "
        f"eps = {eps}: claimed {float(claimed):.1f} rounds. After a success of the rival p* only falls until a* "
        f"succeeds, so E >= 1 + q r_2'/(p* r*): {'; '.join(rows)}. No bound in c holds for all p*.",
    )


@statement("lemma-8-first-line", "proof of Lemma 8")
def lemma_8_first_line() -> StatementVerdict:
    """A recovery with a round of q <= 1/2 began with q < 1/2."""
    # Not if its last step jumps over 1/2.
    p, rate = fractions("99/200", "101/200"), F(1, 20)
    after = after_success(p, 0, rate)
    return refuted_if(
        q(after) <= F(1, 2) < q(p),
        f"alpha = {rate}, q(t_s) = {q(p)}: a success of a* ends the recovery at q = {spell(q(after))}. Only the last "
        "round is concerned, so the lemma does not fall with this line.",
    )


@enumerated("lemma-7", "Lemma 7", "terms of sequences with equality in the condition")
def lemma_7() -> Checks:
    """Positive a_t with a_{t+1} <= a_t - gamma a_t^2 have a_T <= a_0/(1 + gamma T a_0)."""
    # The extreme case is equality in the condition.
    for start in fractions("1/2", "9/10", "1/7", "3"):
        for g in fractions("1/10", "1/3", "1/1000"):
            a = start
            for t in range(1, 9):
                a = a - g * a * a
                if a <= 0:
                    break
                yield a <= start / (1 + g * t * start), f"a_0 = {start}, g = {g}, t = {t}"


@statement("zeta", "proof of Lemma 9")
def zeta_order() -> StatementVerdict:
    """zeta = Theta(Delta)."""
    # With eps -> 0 it is Delta (1 - rho)/(2 + alpha), which vanishes at the largest step.
    means, rows, ratios = fractions("9/10", "8/10"), [], []
    gap = means[0] - means[1]
    for rho in fractions("1/2", "9/10", "99/100"):
        rate = rho * gap / means[1]
        zeta = (means[0] - means[1] * (1 + rate)) / (2 + rate)
        ratios.append(zeta / gap)
        rows.append(f"rho = {rho}: zeta/Delta = {spell(zeta / gap)}")
        assert zeta == gap * (1 - rho) / (2 + rate)
    return StatementVerdict(
        STRONGER if ratios[-1] < ratios[0] / 10 else HOLDS,
        f"Means 9/10 and 8/10, rho = alpha/(Delta/r_2): {'; '.join(rows)}. It is Theta(Delta (1 - rho)): of order "
        "Delta only for steps that keep a fixed distance from their limit.",
        PROVED,
    )


@statement("lemma-9-sum", "proof of Lemma 9")
def lemma_9_sum() -> StatementVerdict:
    """sum of 1 + c/zeta + 4c/Delta over at most 4C/Delta corruptions is at most C/zeta + 5C/Delta."""
    # The sum is C/zeta + 8C/Delta.
    gap, c, count = F(1, 10), F(1, 40) + F(1, 1000), 10
    budget, total = count * c, count * (1 + 4 * c / gap)
    return refuted_if(
        total > 5 * budget / gap,
        f"Delta = {gap}, {count} corruptions of c = {c} (C = {budget}): sum of 1 + 4c/Delta = {total}, printed "
        f"5C/Delta = {5 * budget / gap}; the ones alone are {count} <= 4C/Delta = {4 * budget / gap}. 8C/Delta = "
        f"{8 * budget / gap} is right; the order in C is not concerned.",
    )
