"""The law of large steps in simulation: powers of T beyond the limit, log T below it."""

import math

import numpy as np
import pytest

import robandit as rb
from robandit.theory.step_law import RULES, exact_regret, growth_exponent

MEANS = (0.9, 0.8)
ROUNDS = (2**13, 2**15, 2**17)  # two stretches of equal ratio
RATIO = math.log(4.0)
RUNS = 16_000
BY_NAME = {rule.name: rule for rule in RULES}


def fit_power(policy: str, step: float, seed: int) -> tuple[float, float]:
    """Returns the power of T by the growth over both stretches, and half its 95 % interval (delta method, paired)."""
    trace = rb.simulate(
        rb.policy(f"{policy}:learning_rate={step}"),
        rb.Bernoulli(MEANS),
        horizon=ROUNDS[-1],
        runs=RUNS,
        seed=seed,
        checkpoints=list(ROUNDS),
    )
    early, late = trace.regret[:, 1] - trace.regret[:, 0], trace.regret[:, 2] - trace.regret[:, 1]
    spread = np.std(late / late.mean() - early / early.mean(), ddof=1) / RUNS**0.5
    return math.log(late.mean() / early.mean()) / RATIO, 1.96 * float(spread) / RATIO


@pytest.mark.parametrize(
    ("policy", "step"),
    [
        ("samba", 0.15),
        ("samba", 0.2),
        ("samba", 0.23),
        ("exponential-samba", 0.3),
        ("exponential-samba", 0.45),
        ("exponential-samba", 0.6),
    ],
)
def test_beyond_the_limit_regret_grows_as_the_power_the_law_says(
    policy: str, step: float, capsys: pytest.CaptureFixture[str]
) -> None:
    """Played: the interval widened by half, one in 300, holds the exact power of the same rounds, which is within 0.1
    of the law; to 8 million rounds, where play would need too many runs, the exact power comes closer still."""
    power, half = fit_power(policy, step, seed=11)
    law = BY_NAME[policy].exponent(step, *MEANS)
    regrets = exact_regret(BY_NAME[policy], step, MEANS, 23)
    early, late = regrets[ROUNDS[1]] - regrets[ROUNDS[0]], regrets[ROUNDS[2]] - regrets[ROUNDS[1]]
    exact, far = math.log(late / early) / RATIO, growth_exponent(regrets, 2**22)
    with capsys.disabled():
        print(f"\n{policy} {step}: law {law:.3f}, played {power:.3f} ± {half:.3f}, exact {exact:.3f}, later {far:.3f}")
    assert half < 0.1
    assert abs(power - exact) < 1.5 * half
    assert abs(exact - law) < 0.1
    assert abs(far - law) < 0.06


@pytest.mark.parametrize(("policy", "step"), [("samba", 0.05), ("exponential-samba", 0.1), ("balanced-samba", 0.2)])
def test_below_the_limit_regret_grows_as_log_t(policy: str, step: float) -> None:
    """To 1e7 rounds: each further doubling adds about as much as the one before, exactly and played."""
    regrets = exact_regret(BY_NAME[policy], step, MEANS, 24)
    assert abs(growth_exponent(regrets, 2**23)) < 0.01
    trace = rb.simulate(
        rb.policy(f"{policy}:learning_rate={step}"),
        rb.Bernoulli(MEANS),
        horizon=10_000_000,
        runs=40,
        seed=5,
        checkpoints=[100_000, 1_000_000, 10_000_000],
    )
    decades = np.diff(trace.regret, axis=1)
    difference = decades[:, 1] - decades[:, 0]
    assert abs(difference.mean()) < 4 * difference.std(ddof=1) / 40**0.5  # one in 10,000 or so if they are equal
    assert decades[:, 1].mean() < 2 * decades[:, 0].mean()
