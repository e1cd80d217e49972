"""Checks a certificate; `python checker.py FILE` does it alone, and imports nothing but the standard library.

The certificate claims that SAMBA with this step, on two Bernoulli arms with these means, has

    E[regret after T rounds] <= const + log_coefficient ln(1 + alpha T/(2 (1 - alpha))) + b C

against every attacker who moves the means before the draw, at a cost c per round that sums to C. Why that follows from
the inequalities below is in docs/theory-certificates.md. What else is in the file (`rho`, `programme_b`, `checks`,
`warning`, `sandwich`) is no part of the claim and is not read; `ignored` names it.

There are no floating-point numbers here: a number is a whole multiple of 2^-UNIT, rounded down in a lower and up in an
upper bound, and an inequality is decided on a piece [s, t] of [0, 1] from the bounds of its terms there; a piece that
stays undecided is halved.
"""

import json
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

UNIT = 64
DEPTH = 22  # halvings of [0, 1], at most
Bounds = tuple[int, int]
ONE: Bounds = (1 << UNIT, 1 << UNIT)


def of(value: Fraction) -> Bounds:
    scaled = value * (1 << UNIT)
    return math.floor(scaled), math.ceil(scaled)


def add(*terms: Bounds) -> Bounds:
    low = high = 0
    for below, above in terms:
        low, high = low + below, high + above
    return low, high


def minus(x: Bounds) -> Bounds:
    return -x[1], -x[0]


def times(x: Bounds, y: Bounds, *more: Bounds) -> Bounds:
    (a, b), (c, d) = x, y
    if a >= 0 and c >= 0:
        low, high = a * c, b * d
    else:
        products = a * c, a * d, b * c, b * d
        low, high = min(products), max(products)
    product = low >> UNIT, -(-high >> UNIT)
    return times(product, *more) if more else product


def over(x: Bounds, y: Bounds) -> Bounds:
    """x/y for y above 0."""
    if y[0] <= 0:
        raise ZeroDivisionError("a divisor may be zero")
    (a, b), (c, d) = x, y
    return (a << UNIT) // (d if a >= 0 else c), -((-b << UNIT) // (c if b >= 0 else d))


def log_less(x: Bounds) -> Bounds:
    """-ln(1 - x)/x = 1 + x/2 + x^2/3 + ..., which grows with x, for 0 <= x < 1."""
    (low, _), (_, high) = log_series(x[0]), log_series(x[1])
    return low, high


@cache  # the pieces of all inequalities have the same ends
def log_series(x: int) -> Bounds:
    """At one point: with z = x/(2 - x) it is 2/(2 - x) times 1 + z^2/3 + z^4/5 + ..., quick for x near 1 too.

    The terms left out from z^2n/(2n + 1) on are at most z^2n/(1 - z^2).
    """
    if not 0 <= x < ONE[0]:
        raise ZeroDivisionError("outside of the logarithm's domain")
    rest = add(ONE, ONE, (-x, -x))
    z = over((x, x), rest)
    square, power, low, high, n = times(z, z), ONE, 0, 0, 0
    while power[1] > 1 and n < 3000:
        low, high = low + power[0] // (2 * n + 1), high - (-power[1] // (2 * n + 1))
        power, n = times(power, square), n + 1
    high += over(power, add(ONE, minus(square)))[1]
    return over((2 * low, 2 * high), rest)


def log_more(y: Bounds) -> Bounds:
    """ln(1 + y)/y = [-ln(1 - x)/x]/(1 + y) with x = y/(1 + y)."""
    whole = add(ONE, y)
    return over(log_less(over(y, whole)), whole)


def holds(excess: Callable[[Bounds], Bounds], low: int = 0, high: int = ONE[0], depth: int = DEPTH) -> bool:
    """Whether excess <= 0 on the whole piece."""
    if excess((low, high))[1] <= 0:
        return True
    middle = (low + high) // 2
    if depth == 0 or excess((middle, middle))[0] > 0:
        return False
    return holds(excess, low, middle, depth - 1) and holds(excess, middle, high, depth - 1)


def decimal(text: str) -> Fraction:
    """Returns a number exactly as it is written."""
    if len(text) > 40 or abs(int(text.lower().partition("e")[2] or 0)) > 40:
        raise ValueError(f"a number of a certificate is a short decimal, not {text[:60]}")
    return Fraction(text)


def read_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Returns an object of JSON. Raises ValueError if it says something twice: a reader might take the other one."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a certificate says everything once")
    return dict(pairs)


def read(text: str) -> dict[str, Any]:
    """Returns a certificate with its numbers as they are written."""
    claim: dict[str, Any] = json.loads(
        text, parse_float=decimal, parse_int=decimal, parse_constant=decimal, object_pairs_hook=read_once
    )
    return claim


READ = {"policy", "means", "learning_rate", "basis", "coefficients", "const", "log_coefficient", "b", "lower_b"}
READ |= {"verified"}


def describe(text: str) -> list[str]:
    """Returns in words what a certificate claims: what is verified if it has no faults."""
    claim = json.loads(text, parse_float=str, parse_int=str)  # numbers as they are written, to the last digit
    const, logs, b = claim["const"], claim["log_coefficient"], claim["b"]
    return [
        f"samba with alpha = {claim['learning_rate']}, two Bernoulli arms with means {' and '.join(claim['means'])}, "
        "p(0) = 1/2,",
        "every T, and every adversary that moves the means before the draw at costs that sum to C:",
        f"  E[regret after T rounds] <= {const} + {logs} ln(1 + alpha T/(2 (1 - alpha))) + {b} E[C]",
        f"and no bound f(T) + b E[C] with f(T)/T -> 0 has a b below {claim['lower_b']} (docs/proofs-lower.md)",
    ]


def ignored(text: str) -> list[str]:
    """Returns the keys of a certificate that are no part of its claim: nothing was verified of them."""
    return sorted(set(read(text)) - READ)


def faults(text: str) -> list[str]:
    """Returns what is wrong with a certificate; nothing, if it is a proof."""
    claim = read(text)
    r1, r2 = claim["means"]
    alpha, b = claim["learning_rate"], claim["b"]
    inverse, logarithm, linear = claim["coefficients"]
    if claim["policy"] != "samba" or claim["basis"] != ["1/p", "ln q", "-q"]:
        return ["it is not about samba with the potential (1/alpha)(A/p + w ln q - d q)"]
    if not (0 < r2 < r1 <= 1 and 0 < alpha < 1 and inverse >= 0 and logarithm >= 0 and b >= 0):
        return ["means, learning_rate, A, w or b are out of range"]
    wrong = [] if claim["verified"] is True else ["it does not call itself verified"]

    # The closing: V(1/2) - V(p) - (w/alpha) ln(1/(2 q)) <= const for all p, and w/alpha <= log_coefficient.
    if logarithm > claim["log_coefficient"] * alpha:
        wrong.append("log_coefficient is too small")
    spare = 2 * inverse + linear / 2 - claim["const"] * alpha  # const is enough if 2 sqrt(A d) >= spare, for d > A
    if linear > inverse and spare > 0 and spare * spare > 4 * inverse * linear:
        wrong.append("const is too small")
    if linear <= inverse and inverse - linear / 2 > claim["const"] * alpha:
        wrong.append("const is too small")
    if not claim["lower_b"] * (1 - alpha * r2 / (r1 - r2)) <= 2 + alpha:
        wrong.append("lower_b is above (2 + alpha)/(1 - rho)")

    a, A, w, d = of(alpha), of(inverse), of(logarithm), of(linear)

    def falls(p: Bounds) -> Bounds:  # p^2 q dV/dp: V falls in p, so the worst is to lower r1 and raise r2
        q = add(ONE, minus(p))
        return add(times(d, p, p, q), minus(times(A, q)), minus(times(w, p, p)))

    if not holds(falls):
        wrong.append("V does not fall in p")
    for c in sorted({Fraction(0), 1 - r2, r1}):  # between these the inequality is linear in c
        x1, x2 = of(max(r1 - c, Fraction(0))), of(min(r2 + c, Fraction(1)))
        gap, bill = of(r1 - r2), of(b * c)

        def rival_leads(s: Bounds, x1=x1, x2=x2, gap=gap, bill=bill) -> Bounds:  # type: ignore[no-untyped-def]
            """s = p/q. A success of the best arm makes p(1 + alpha) of p, one of the rival p(1 - alpha s)."""
            q = over(ONE, add(ONE, s))
            p, worse = add(ONE, minus(q)), add(x2, minus(x1))
            slope = over(add(worse, times(a, add(x2, times(s, x1)))), times(add(ONE, a), add(ONE, minus(times(a, s)))))
            logs = add(times(x2, log_more(times(a, s, s))), minus(times(x1, log_less(times(a, s)))))
            drift = add(times(A, slope), times(w, q, s, s, logs), minus(times(d, p, p, worse)))
            return add(drift, times(gap, q), minus(bill))

        def best_leads(s: Bounds, x1=x1, x2=x2, gap=gap, bill=bill, clean=c == 0) -> Bounds:  # type: ignore[no-untyped-def]
            """s = q/p. A success of the best arm makes q(1 - alpha s) of q, one of the rival q(1 + alpha).

            All is divided by q where there is no corruption: at q = 0 both sides are 0.
            """
            q, worse = add(ONE, minus(over(ONE, add(ONE, s)))), add(x2, minus(x1))
            weight, share = (times(s, add(ONE, s)), ONE) if clean else (times(s, s), q)
            slope = over(
                add(worse, times(a, s, add(x1, times(s, x2)))),
                times(add(ONE, times(a, s, s)), add(ONE, minus(times(a, s)))),
            )
            logs = add(times(x2, log_more(a)), minus(times(x1, log_less(times(a, s)))))
            drift = add(times(A, weight, slope), times(w, share, logs), minus(times(d, share, q, worse)))
            return add(drift, times(gap, share), minus(bill))

        for name, excess in (("rival", rival_leads), ("best arm", best_leads)):
            if not holds(excess):
                wrong.append(f"the inequality fails or stays open where the {name} leads and c = {c}")
    return wrong


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    wrong = faults(text)
    print("\n".join(wrong or ["verified:", *describe(text), f"not read: {', '.join(ignored(text)) or 'nothing'}"]))
    sys.exit(bool(wrong))
