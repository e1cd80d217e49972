"""Normal and beta numbers follow their laws; a sound generator fails one of these seeds with probability 1e-4."""

import numpy as np
import pytest
from scipy import stats

from robandit.dice import Random
from robandit.variates import AREA, EDGES, LAYERS, TAIL, beta_draw, normal_draw, tail_draw
from tests.support import stream


def test_every_layer_has_the_same_area() -> None:
    height = np.exp(-0.5 * EDGES**2)
    assert len(EDGES) == LAYERS + 1
    assert EDGES[1:-1] * (height[2:] - height[1:-1]) == pytest.approx(AREA, rel=1e-8)
    tail = np.sqrt(2 * np.pi) * stats.norm.sf(TAIL)
    assert TAIL * height[1] + tail == pytest.approx(AREA, rel=1e-8)
    assert EDGES[0] * height[1] == pytest.approx(AREA, rel=1e-8)


def test_normal_draws_follow_their_law() -> None:
    random = stream(1)
    found = np.array([normal_draw(random) for _ in range(100_000)])
    assert stats.kstest(found, stats.norm.cdf).pvalue > 1e-4
    inner = np.concatenate([-EDGES[1:-1], EDGES[1:]])  # bins between the layers' edges, where a wrong wedge shows
    edges = np.unique(np.concatenate([[-np.inf], inner, [np.inf]]))
    counts = np.histogram(found, edges)[0]
    assert stats.chisquare(counts, len(found) * np.diff(stats.norm.cdf(edges))).pvalue > 1e-4


class Scripted(Random):
    """Words that are told beforehand."""

    def __init__(self, *words: int) -> None:
        super().__init__(1, 2, 3, 4)
        self.words = list(words)

    def word(self) -> int:
        return self.words.pop(0) if self.words else super().word()


def word_of(uniform: float, layer: int = 0) -> int:
    """The word whose uniform and layer these are."""
    return int(uniform * 2**52) << 12 | layer


def test_a_point_of_a_wedge_is_taken_if_it_lies_under_the_curve() -> None:
    heights, taken = np.exp(-0.5 * EDGES**2), 0
    for seed in range(2000):
        layer, between, up, sign = np.random.default_rng(seed).uniform(size=4)
        layer = 1 + int(layer * (LAYERS - 1))
        x = EDGES[layer + 1] + between * (EDGES[layer] - EDGES[layer + 1])
        height = heights[layer + 1] + up * (heights[layer] - heights[layer + 1])
        side = 1 if sign < 0.5 else -1
        found = normal_draw(Scripted(word_of(0.5 + 0.5 * side * x / EDGES[layer], layer), word_of(up)))
        under = height < np.exp(-0.5 * x * x)
        assert (found == pytest.approx(side * x, abs=1e-12)) == under
        taken += under
    assert 700 < taken < 1300


def test_the_tail_follows_its_law() -> None:
    random = stream(2)
    found = [tail_draw(random) for _ in range(5000)]
    assert stats.kstest(found, stats.truncnorm(TAIL, np.inf).cdf).pvalue > 1e-4


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 7), (4, 1), (2, 2), (1.5, 9), (300, 40), (1.02, 1.01), (1, 90_000)])
def test_beta_draws_follow_their_law(a: float, b: float) -> None:
    random = stream(int(100 * a + b))
    assert stats.kstest([beta_draw(a, b, random) for _ in range(5000)], stats.beta(a, b).cdf).pvalue > 1e-4
