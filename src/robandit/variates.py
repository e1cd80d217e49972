"""Normal, gamma and beta numbers from a stream of words, the same text interpreted and compiled."""

import math

import numpy as np

from robandit.dice import STEP, Random

LAYERS = 128
TAIL = 3.442619855899  # where the lowest layer's tail begins
AREA = 9.91256303526217e-3  # of every layer


def layer_edges() -> np.ndarray:
    """Right edges of layers of equal area under exp(-x^2 / 2), the lowest first, as if its tail were a block."""
    edges = [AREA * math.exp(0.5 * TAIL * TAIL), TAIL]
    for _ in range(LAYERS - 2):
        height = math.exp(-0.5 * edges[-1] ** 2) + AREA / edges[-1]
        edges.append(math.sqrt(-2.0 * math.log(height)))
    return np.array([*edges, 0.0])


EDGES = layer_edges()


def bernoulli_draw(mean: float, random: Random) -> float:
    """1 with probability `mean`, else 0; a mean of 0 or 1 takes no random number."""
    if 0.0 < mean < 1.0:
        return 1.0 if random.uniform() < mean else 0.0
    return mean


def normal_draw(random: Random) -> float:
    """A standard normal number by the ziggurat (Marsaglia & Tsang 2000, in Doornik's form of 2005)."""
    while True:
        word = random.word()
        layer = int(word & 127)  # bits that the uniform below leaves alone
        uniform = 2.0 * (((word >> 12) + 0.5) * STEP) - 1.0
        x = uniform * EDGES[layer]
        if abs(x) < EDGES[layer + 1]:
            return float(x)
        if layer == 0:
            return tail_draw(random) if uniform > 0.0 else -tail_draw(random)
        below = math.exp(-0.5 * (EDGES[layer] * EDGES[layer] - x * x))
        above = math.exp(-0.5 * (EDGES[layer + 1] * EDGES[layer + 1] - x * x))
        if above + random.uniform() * (below - above) < 1.0:
            return float(x)


def tail_draw(random: Random) -> float:
    """A normal number given that it lies above the tail's beginning (Marsaglia 1964)."""
    while True:
        x = -math.log(random.uniform()) / TAIL
        if -2.0 * math.log(random.uniform()) >= x * x:
            return TAIL + x


def gamma_draw(d: float, c: float, random: Random) -> float:
    """A gamma number of scale 1 and shape d + 1/3 >= 1, where c = 1/sqrt(9 d) (Marsaglia & Tsang 2000)."""
    while True:
        x = normal_draw(random)
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        u = random.uniform()
        if u < 1.0 - 0.0331 * (x * x) * (x * x):
            return d * v
        if math.log(u) < 0.5 * x * x + d * (1.0 - v + math.log(v)):
            return d * v


def beta_draw(a: float, b: float, random: Random) -> float:
    """A Beta(a, b) number for a, b of at least 1: one gamma number's share of two."""
    da, db = a - 1.0 / 3.0, b - 1.0 / 3.0
    ca, cb = 1.0 / math.sqrt(9.0 * da), 1.0 / math.sqrt(9.0 * db)  # side by side, so that the processor overlaps them
    first = gamma_draw(da, ca, random)
    return first / (first + gamma_draw(db, cb, random))
