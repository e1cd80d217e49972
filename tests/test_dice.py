"""The random numbers and the scalar kernels, against published values and SciPy."""

import numpy as np
import pytest
from scipy import stats

import robandit as rb
from robandit.dice import Random, draw, seed_words
from robandit.numerics import argmax, beta_cdf, beta_quantile, log_beta, student_quantile
from tests.support import stream

# the first words of xoshiro256++ from the state 1, 2, 3, 4
PUBLISHED = [
    41943041,
    58720359,
    3588806011781223,
    3591011842654386,
    9228616714210784205,
    9973669472204895162,
    14011001112246962877,
    12406186145184390807,
    15849039046786891736,
    10450023813501588000,
]


def test_words_are_those_of_xoshiro256pp() -> None:
    random = Random(1, 2, 3, 4)
    assert [random.word() for _ in PUBLISHED] == PUBLISHED


def test_uniforms_stay_inside_the_open_interval() -> None:
    class Fixed(Random):
        def word(self) -> int:
            return self.s0

    assert Fixed(0, 0, 0, 0).uniform() == 2.0**-53
    assert Fixed(2**64 - 1, 0, 0, 0).uniform() == 1.0 - 2.0**-53 < 1.0


def test_uniforms_are_uniform() -> None:
    random = stream(1)
    assert stats.kstest([random.uniform() for _ in range(20_000)], "uniform").pvalue > 1e-4


def test_streams_depend_on_seed_replication_and_role_only() -> None:
    words = seed_words(3, range(5))
    assert np.array_equal(seed_words(3, range(2, 4)), words[2:4])
    assert len({tuple(row) for row in words.reshape(-1, 4)}) == 15
    assert not np.array_equal(seed_words(4, range(5)), words)


def test_draw_follows_the_distribution_and_never_takes_an_arm_of_probability_zero() -> None:
    probabilities, random = np.array([0.2, 0.0, 0.5, 0.3, 0.0]), stream(2)
    counts = np.bincount([draw(probabilities, random) for _ in range(20_000)], minlength=5)
    assert counts[1] == counts[4] == 0
    assert stats.chisquare(counts[[0, 2, 3]], 20_000 * probabilities[[0, 2, 3]]).pvalue > 1e-4


def test_draw_survives_a_sum_just_below_one() -> None:
    class Last(Random):
        def uniform(self) -> float:
            return 1.0 - 2.0**-53

    assert draw(np.array([0.5, 0.5 - 1e-15, 0.0]), Last(0, 0, 0, 0)) == 1


def test_argmax_takes_the_lowest_index() -> None:
    assert argmax(np.array([1.0, 3.0, 3.0, 2.0])) == 1


@pytest.mark.parametrize(("a", "b"), [(0.05, 0.4), (0.5, 0.5), (1, 1), (2, 5), (9, 1), (80, 20), (500, 700)])
def test_beta_distribution_function_and_quantile_agree_with_scipy(a: float, b: float) -> None:
    law, logs = stats.beta(a, b), log_beta(a, b)
    for uniform in (1e-6, 0.01, 0.3, 0.5, 0.77, 0.999):
        x = beta_quantile(uniform, a, b, logs)
        assert 0.0 <= x <= 1.0
        assert law.cdf(x) == pytest.approx(uniform, rel=1e-9, abs=1e-12)
        assert beta_cdf(0.3, a, b, logs) == pytest.approx(law.cdf(0.3), rel=1e-10)


@pytest.mark.parametrize("degrees", [1, 2, 9, 99, 1999])
def test_student_quantile_agrees_with_scipy(degrees: int) -> None:
    assert student_quantile(degrees) == pytest.approx(stats.t(degrees).ppf(0.975), rel=1e-8)


@pytest.mark.parametrize(("concentration", "error"), [(0.1, 1e-8), (1.0, 1e-10), (10.0, 1e-10), (9e5, 1e-10)])
def test_beta_rewards_from_the_table_are_quantiles(concentration: float, error: float) -> None:
    """Against scipy, in the middle and far into both tails, where the table ends too."""
    random = np.random.default_rng(1)
    tails = 10 ** random.uniform(-9, -1, 60)
    environment = rb.Beta([0.02, 0.5, 0.97], concentration=concentration)
    tables = environment.start()
    for arm, mean in enumerate(environment.means):
        law = stats.beta(concentration * mean, concentration * (1 - mean))
        for uniform in (*random.uniform(size=100), *tails, *(1 - tails)):
            assert environment.reward(tables, arm, mean, float(uniform)) == pytest.approx(law.ppf(uniform), abs=error)


def test_the_beta_table_meets_the_solver_where_it_ends() -> None:
    environment = rb.Beta([0.3], concentration=5.0)
    tables = environment.start()
    edge = 1.0 / (1.0 + np.exp(16.0))
    inside, outside = (environment.reward(tables, 0, 0.3, edge * (1 + sign * 1e-9)) for sign in (1, -1))
    assert inside == pytest.approx(outside, rel=1e-7)
    assert np.isnan(tables.slopes).sum() >= tables.slopes.size - 2  # only what was asked for was solved
