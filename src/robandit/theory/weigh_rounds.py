"""Statements of the paper about one round, weighed by enumerating it in exact fractions."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from robandit.game import Choice
from robandit.policies.samba import Samba, SambaState
from robandit.theory.rounds import State as Probabilities
from robandit.theory.rounds import (
    after_success,
    corrupted,
    expected_change,
    fractions,
    inverse,
    leader_of,
    q,
    states,
)
from robandit.theory.verdicts import FAILS, HOLDS, PROVED, STRONGER, Finding, all_hold, shown, told

F = Fraction
GAMES = (
    fractions("9/10", "8/10"),
    fractions("6/10", "5/10", "5/10"),
    fractions("9/10", "8/10", "1/10"),
    fractions("1/2", "2/5", "3/10", "1/5"),
)
PARTS = {2: 60, 3: 20, 4: 14}  # probabilities are multiples of one over this


def rounds() -> Iterator[tuple[tuple[Fraction, ...], Fraction, Probabilities]]:
    """Every game, with half of the paper's largest step, in every state of its grid."""
    for means in GAMES:
        rate = (means[0] / max(means[1:]) - 1) / 2
        for p in states(len(means), PARTS[len(means)]):
            yield means, rate, p


def best_leading(means: tuple[Fraction, ...], p: Probabilities) -> bool:
    return p[0] >= max(p[1:])


def regret_definition() -> Finding:
    """T r* - E[rewards of T rounds] = sum Delta_a E[sum p_a(t)], with every history of two rounds played out."""
    broken, checked = [], 0
    for means, rate, p in rounds():
        checked += 1
        rewards, pulls = played_out(means, rate, p, 2)
        by_gaps = sum(((means[0] - mean) * pulled for mean, pulled in zip(means, pulls, strict=True)), F(0))
        if 2 * means[0] - rewards != by_gaps:
            broken.append(told(p))
    return all_hold(broken, checked, "states of four games, every history of two rounds from each")


def played_out(
    means: tuple[Fraction, ...], rate: Fraction, p: Probabilities, horizon: int
) -> tuple[Fraction, list[Fraction]]:
    """The expected sum of the rewards, and of each arm's probability, over every history of so many rounds."""
    if horizon == 0:
        return F(0), [F(0)] * len(p)
    rewards, pulls = F(0), list(p)
    outcomes = [(p[arm] * means[arm], 1, after_success(p, arm, rate)) for arm in range(len(p))]
    failure = 1 - sum((probability for probability, _, _ in outcomes), F(0))
    for probability, reward, after in (*outcomes, (failure, 0, p)):
        later_rewards, later_pulls = played_out(means, rate, after, horizon - 1)
        rewards += probability * (reward + later_rewards)
        pulls = [pulled + probability * later for pulled, later in zip(pulls, later_pulls, strict=True)]
    return rewards, pulls


def update_rule() -> Finding:
    """Algorithm 1, equation (1) and policies/samba.py are one rule; probabilities stay positive and sum to 1."""
    broken, checked = [], 0
    for _, _, p in rounds():
        for rate in fractions("1/20", "99/100"):
            lead = leader_of(p)
            for arm in range(len(p)):
                checked += 1
                moved = after_success(p, arm, rate)
                by_equation = list(p)
                for a in range(len(p)):
                    if a != lead:
                        by_equation[a] += rate * p[a] ** 2 * (F(arm == a) / p[a] - F(arm == lead) / p[lead])
                by_equation[lead] = 1 - (sum(by_equation) - by_equation[lead])
                code = SambaState(np.array([float(probability) for probability in p]))
                Samba(float(rate)).learn(code, Choice(arm, float(p[arm]), 0), 1.0, None)  # type: ignore[arg-type]
                near = all(abs(float(m) - c) < 1e-14 for m, c in zip(moved, code.probabilities, strict=True))
                if moved != tuple(by_equation) or min(moved) <= 0 or sum(moved) != 1 or not near:
                    broken.append(f"{told(p)}, success of arm {arm}, alpha = {rate}")
    return all_hold(broken, checked, "successes (steps 1/20 and 99/100), also against policies/samba.py to 1e-14")


def inverse_moves() -> Finding:
    """While another arm leads, 1/p* moves as section 3.1 says."""
    broken, checked = [], 0
    for means, rate, p in rounds():
        if best_leading(means, p):
            continue
        checked += 1
        lead, x = leader_of(p), inverse(p)
        up = x - rate / (1 + rate) * x
        down = x + rate * x / (p[lead] * x - rate)
        drift = rate * means[lead] * p[lead] * x / (p[lead] * x - rate) - rate * means[0] / (1 + rate)
        moves = inverse(after_success(p, 0, rate)) == up and inverse(after_success(p, lead, rate)) == down
        if not moves or expected_change(inverse, p, rate, means) != drift:
            broken.append(told(p))
    return all_hold(broken, checked, "states in which a wrong arm leads: both moves and the drift, as equalities")


def drift_near_a_tie() -> Finding:
    """E dx <= -xi < 0 at every admissible step: not where p* is near p_l."""
    means, rate, p = fractions("9/10", "8/10"), F(1, 10), fractions("1/2", "1/2")
    drift = expected_change(inverse, p, rate, means, leader=1)
    limit, enough = means[0] / means[1] - 1, (means[0] - means[1]) / (means[0] + means[1])
    broken, checked = 0, 0
    for part in fractions("1/4", "1/2", "3/4", "1"):
        for s in (F(k, 40) for k in range(1, 41)):
            checked += 1
            state = (s / (1 + s), 1 / (1 + s))
            broken += expected_change(inverse, state, part * enough, means, leader=1) > 0
    return Finding(
        STRONGER if drift > 0 and not broken else FAILS,
        f"Means 9/10 and 8/10, alpha = {rate} (limit {limit}), {told(p)}, the rival leads: E[1/p* after] - 1/p* = "
        f"{shown(drift)}, above 0, so no xi > 0 bounds it. It needs 1/(1 - alpha s) <= 1 + eps with s = p*/p_l, for "
        f"all s up to 1: alpha < Delta/(r* + r_2) = {enough} here. Below that {checked} states on a grid of s gave "
        f"{broken} positive drifts.",
        PROVED,
    )


def corrupted_drift_near_a_tie() -> Finding:
    """The same with corruption: E dx <= -xi + alpha c (1 + eps + 1/(1 + alpha)), whatever eps is allowed."""
    means, rate, p, c = fractions("9/10", "8/10"), F(1, 10), fractions("1/2", "1/2"), F(1, 20)
    drift = expected_change(inverse, p, rate, corrupted(means, c), leader=1)
    largest = means[0] / means[1] / (1 + rate) - 1  # eps is below this
    bound = rate * c * (1 + largest + 1 / (1 + rate))  # with xi -> 0, the weakest form there is
    return Finding(
        FAILS if drift > bound else HOLDS,
        f"Same state, c = {c}: E dx = {shown(drift)}, while the bound is below {shown(bound)} for every allowed eps "
        f"(eps < {largest}).",
        PROVED,
    )


def probability_drift() -> Finding:
    """While a* leads: E dp_a = alpha p_a^2 (r_a - r*) <= -alpha Delta p_a^2."""
    return leading_drift(F(0), "alpha p_a^2 (r_a - r*)")


def corrupted_probability_drift() -> Finding:
    """The same under corruption: at most alpha (2c - Delta) p_a^2."""
    return leading_drift(F(1, 10), "alpha (2c - Delta) p_a^2 with c = 1/10")


def leading_drift(c: Fraction, words: str) -> Finding:
    broken, checked = [], 0
    for means, rate, p in rounds():
        if not best_leading(means, p):
            continue
        gap = means[0] - max(means[1:])
        for arm in range(1, len(p)):
            checked += 1
            drift = expected_change(lambda state, arm=arm: state[arm], p, rate, corrupted(means, c))  # type: ignore[misc]
            shown_means = corrupted(means, c)
            exact = rate * p[arm] ** 2 * (shown_means[arm] - shown_means[0])
            if drift != exact or drift > rate * (2 * c - gap) * p[arm] ** 2:
                broken.append(told(p))
    return all_hold(broken, checked, f"probabilities of wrong arms while the best leads, against {words}")


def jensen_clean() -> Finding:
    """E dq <= -(alpha Delta/K) q^2 for q <= 1/2."""
    return falling_q(F(0), 1)


def lemma_6_drift() -> Finding:
    """Lemma 6 (1): with c <= Delta/4, E dq <= -(alpha Delta/(2K)) q^2 for q <= 1/2."""
    return falling_q(F(1, 4), 2)


def falling_q(part: Fraction, slack: int) -> Finding:
    broken, checked = [], 0
    for means, rate, p in rounds():
        if q(p) > F(1, 2):
            continue
        checked += 1
        gap = means[0] - max(means[1:])
        drift = expected_change(q, p, rate, corrupted(means, part * gap))
        if drift > -rate * gap / (slack * len(p)) * q(p) ** 2:
            broken.append(told(p))
    return all_hold(broken, checked, f"states with q <= 1/2, c = {part} Delta")


def jensen_corrupted() -> Finding:
    """Lemma 8 uses Jensen's inequality in the wrong direction: for 2c > Delta the sign of its factor has changed."""
    told_all, wrong = [], True
    for means, p, rate, c in (
        (fractions("9/10", "8/10"), fractions("7/10", "3/10"), F(1, 20), F(1, 10)),
        (fractions("9/10", "8/10", "8/10"), fractions("3/5", "39/100", "1/100"), F(1, 20), F(1, 10)),
    ):
        drift = expected_change(q, p, rate, corrupted(means, c))
        bound = (2 * c - (means[0] - means[1])) * rate / len(p) * q(p) ** 2
        wrong = wrong and drift > bound
        told_all.append(f"K = {len(p)}, {told(p)}: E dq = {drift}, above the bound's {bound}")
    return Finding(FAILS if wrong else HOLDS, f"Delta = 1/10, c = 1/10, alpha = 1/20. {'; '.join(told_all)}.", PROVED)


def recovery_drift() -> Finding:
    """E dq <= -(alpha Delta/(2K)) q^2 throughout a recovery: not once q > 1/2."""
    means, rate, p = fractions("9/10", "8/10"), F(1, 20), fractions("1/10", "9/10")
    drift, bound = expected_change(q, p, rate, means), -rate * (means[0] - means[1]) / 4 * q(p) ** 2
    return Finding(
        FAILS if drift > bound else HOLDS,
        f"Means 9/10 and 8/10, alpha = {rate}, {told(p)}: E dq = {shown(drift)}, above {shown(bound)}. A recovery that "
        "begins with q <= 1/2 can pass through such states.",
        PROVED,
    )


def recovery_time() -> Finding:
    """E[phi - t0] <= 4c/Delta: already the first round takes longer on average."""
    means, rate, p, c = fractions("9/10", "8/10"), F(1, 20), fractions("11/20", "9/20"), F(26, 1000)
    bad = corrupted(means, c)
    worse = after_success(p, 1, rate)
    after = 1 - worse[0] * means[0]  # the round after: recovered at once only by a success of the best arm
    least = 1 + p[1] * bad[1] * (1 + after)
    bound = 4 * c / (means[0] - means[1])
    return Finding(
        FAILS if least > bound else HOLDS,
        f"Means 9/10 and 8/10, alpha = {rate}, {told(p)}, c = {c} > Delta/4: the rival succeeds with probability "
        f"{shown(p[1] * bad[1])} and q is above q(t0) for at least one round more; E[phi - t0] >= {shown(least)} by "
        f"the first two rounds alone, against the bound {shown(bound)}.",
        PROVED,
    )


def wrong_leader_recovery() -> Finding:
    """Lemma 9: 1 + c/zeta + 4c/Delta rounds a corruption. While a wrong arm leads only a success of a* ends it."""
    means, rate, c = fractions("9/10", "8/10"), F(1, 20), F(1, 20)
    gap, eps = means[0] - means[1], F(1, 50)
    xi = rate * means[0] / (1 + rate) - rate * means[1] * (1 + eps)
    zeta = xi / (rate * (1 + eps + 1 / (1 + rate)))
    claimed, rows, least = 1 + c / zeta + 4 * c / gap, [], F(0)
    for small in fractions("1/10", "1/100", "1/1000"):
        least = 1 + (1 - small) * corrupted(means, c)[1] / (small * means[0])
        rows.append(f"p* = {small}: at least {float(least):,.1f}")
    return Finding(
        FAILS if least > claimed and xi > 0 else HOLDS,
        f"Means 9/10 and 8/10, alpha = {rate}, c = {c}, eps = {eps}: claimed {float(claimed):.1f} rounds. After a "
        f"success of the rival p* only falls until a* succeeds, so E >= 1 + q r_2'/(p* r*): {'; '.join(rows)}. No "
        "bound in c holds for all p*.",
        PROVED,
    )


def lemma_8_first_line() -> Finding:
    """A recovery that touches q <= 1/2 began below 1/2: not if its last step jumps over it."""
    p, rate = fractions("99/200", "101/200"), F(1, 20)
    after = after_success(p, 0, rate)
    return Finding(
        FAILS if q(after) <= F(1, 2) < q(p) else HOLDS,
        f"alpha = {rate}, q(t_s) = {q(p)}: a success of a* ends the recovery at q = {shown(q(after))}. Only the last "
        "round is concerned, so the lemma does not fall with this line.",
        PROVED,
    )


def lemma_7() -> Finding:
    """a_{t+1} <= a_t - g a_t^2 with positive terms gives a_T <= a_0/(1 + g T a_0); the extreme case is equality."""
    broken, checked = [], 0
    for start in fractions("1/2", "9/10", "1/7", "3"):
        for g in fractions("1/10", "1/3", "1/1000"):
            a = start
            for t in range(1, 9):
                a = a - g * a * a
                if a <= 0:
                    break
                checked += 1
                if a > start / (1 + g * t * start):
                    broken.append(f"a_0 = {start}, g = {g}, t = {t}")
    return all_hold(broken, checked, "terms of sequences with equality in the condition")


def zeta_order() -> Finding:
    """zeta = Theta(Delta): with eps -> 0 it is Delta (1 - rho)/(2 + alpha), which vanishes at the largest step."""
    means, rows, ratios = fractions("9/10", "8/10"), [], []
    gap = means[0] - means[1]
    for rho in fractions("1/2", "9/10", "99/100"):
        rate = rho * gap / means[1]
        zeta = (means[0] - means[1] * (1 + rate)) / (2 + rate)
        ratios.append(zeta / gap)
        rows.append(f"rho = {rho}: zeta/Delta = {shown(zeta / gap)}")
        assert zeta == gap * (1 - rho) / (2 + rate)
    return Finding(
        STRONGER if ratios[-1] < ratios[0] / 10 else HOLDS,
        f"Means 9/10 and 8/10, rho = alpha/(Delta/r_2): {'; '.join(rows)}. It is Theta(Delta (1 - rho)): of order "
        "Delta only for steps that keep a fixed distance from their limit.",
        PROVED,
    )


def lemma_9_sum() -> Finding:
    """The sum over at most 4C/Delta corruptions of 1 + c/zeta + 4c/Delta is C/zeta + 8C/Delta, not 5C/Delta."""
    gap, c = F(1, 10), F(1, 40) + F(1, 1000)
    count = 10
    budget = count * c
    ones, total = F(count), count * (1 + 4 * c / gap)
    return Finding(
        FAILS if total > 5 * budget / gap else HOLDS,
        f"Delta = {gap}, {count} corruptions of c = {c} (C = {budget}): sum of 1 + 4c/Delta = {total}, printed "
        f"5C/Delta = {5 * budget / gap}; the ones alone are {ones} <= 4C/Delta = {4 * budget / gap}. 8C/Delta = "
        f"{8 * budget / gap} is right; the order in C is not concerned.",
        PROVED,
    )
