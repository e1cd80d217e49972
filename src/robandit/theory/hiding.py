"""Threat model B: what it costs to hide every success of the best arm, by one line of theory for each policy.

No bound f(T) + b C can hold against an attacker who sees the draw: the costs below grow as ln T, and the regret they
buy is Delta T - O(ln T). Each law asks how fast the best arm's probability falls if it never pays: the cost is r* times
how often it is still pulled. These are first-order laws (numerical), not bounds; `measured` plays them.
"""

import math
from collections.abc import Callable
from typing import Any

from robandit.catalogue import SHIPPED
from robandit.environments.bernoulli import Bernoulli
from robandit.estimates import summarise
from robandit.lab.batch import simulate
from robandit.theory.step_law import balance

UNLIMITED = 1e9
Law = Callable[[Any, float, int], float]  # policy, the rival's mean, T: pulls of the best arm


def markov(slope: float, rival: float, horizon: int) -> float:
    """dp/dt = -d r_2 p^2 from p = 1/2: pulls (1/(d r_2)) ln(1 + d r_2 T/2)."""
    return math.log1p(slope * rival * horizon / 2.0) / (slope * rival)


def ucb1(policy: Any, rival: float, horizon: int) -> float:
    """Pulled until its bonus alone, sqrt(2 scale ln T/n), is below r_2."""
    return 2.0 * float(policy.scale) * math.log(horizon) / rival**2


def kl_ucb(policy: Any, rival: float, horizon: int) -> float:
    """Pulled until n kl(0, r_2) = scale ln T."""
    return float(policy.scale) * math.log(horizon) / -math.log1p(-rival) if rival < 1.0 else 1.0


def thompson(policy: Any, rival: float, horizon: int) -> float:
    """dn/dt = P(Beta(1, n + 1) > r_2) = (1 - r_2)^(n + 1)."""
    if rival >= 1.0:
        return 1.0
    rate = -math.log1p(-rival)
    return math.log1p(rate * (1.0 - rival) * horizon) / rate


LAWS: dict[str, tuple[str, Law]] = {
    "samba": ("(1/(alpha r_2)) ln(1 + alpha r_2 T/2)", lambda p, r, t: markov(float(p.learning_rate), r, t)),
    "exponential-samba": ("the same", lambda p, r, t: markov(float(p.learning_rate), r, t)),
    "balanced-samba": (
        "the same with sqrt(alpha (1 - exp(-alpha)))",
        lambda p, r, t: markov(balance(float(p.learning_rate)), r, t),
    ),
    "ucb1": ("2 ln T/r_2^2", ucb1),
    "kl-ucb": ("ln T/ln(1/(1 - r_2))", kl_ucb),
    "thompson": ("ln(1 + k (1 - r_2) T)/k, k = ln(1/(1 - r_2))", thompson),
    "epsilon-greedy": ("epsilon T/2", lambda p, r, t: float(p.epsilon) * t / 2.0),
    "uniform": ("T/2", lambda p, r, t: t / 2.0),
}


def cost_of_hiding(means: tuple[float, float], horizon: int, runs: int, seed: int) -> dict[str, Any]:
    """Returns for each policy that has a law the cost it predicts, and with `runs` what hiding cost when played."""
    rows = []
    for name, (formula, law) in LAWS.items():
        policy = SHIPPED.policy(name)
        row: dict[str, Any] = {
            "policy": name,
            "pulls_of_the_best": formula,
            "predicted": means[0] * law(policy, means[1], horizon),
            "measured": None,
            "share_of_regret": None,
        }
        if runs:
            adversary = SHIPPED.attack("sink-shown", budget=UNLIMITED)
            trace = simulate(policy, Bernoulli(means), adversary, horizon=horizon, runs=runs, seed=seed, checkpoints=1)
            row["measured"] = summarise(trace.corruption_paid[:, -1])
            row["share_of_regret"] = float(trace.regret[:, -1].mean()) / ((means[0] - means[1]) * horizon)
        rows.append(row)
    return {"means": list(means), "horizon": horizon, "runs": runs, "policies": rows}
