"""Small things several tests need."""

from robandit.dice import Random, seed_words

MEANS9 = tuple(number / 10 for number in range(1, 10))


def stream(seed: int) -> Random:
    """A stream for a test of its own."""
    return Random(*map(int, seed_words(seed, range(1))[0, 0]))
