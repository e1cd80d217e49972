"""Random numbers as one small value: xoshiro256++ (Blackman & Vigna 2021), the same text interpreted and compiled."""

from array import array
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

Word = Annotated[int, np.uint64]  # interpreted a Python integer, compiled a machine word

WORD = 0xFFFFFFFFFFFFFFFF
GOLDEN, FIRST_FACTOR, SECOND_FACTOR = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB  # of splitmix64
STEP = 2.220446049250313e-16  # 2**-52, the distance between neighbouring uniforms


@dataclass
class Random:
    """One stream of random numbers."""

    s0: Word
    s1: Word
    s2: Word
    s3: Word

    def __init__(self, s0: int, s1: int | None = None, s2: int | None = None, s3: int | None = None) -> None:
        """The four words of a state; one number alone is a seed, for trying a part by hand."""
        if s1 is None or s2 is None or s3 is None:
            s0, s1, s2, s3 = (int(word) for word in np.random.SeedSequence(s0).generate_state(4, np.uint64))
        self.s0, self.s1, self.s2, self.s3 = s0, s1, s2, s3

    def word(self) -> int:
        """The next 64 random bits."""
        total = (self.s0 + self.s3) & WORD
        result = ((((total << 23) & WORD) | (total >> 41)) + self.s0) & WORD
        shifted = (self.s1 << 17) & WORD
        self.s2 ^= self.s0
        self.s3 ^= self.s1
        self.s1 ^= self.s2
        self.s0 ^= self.s3
        self.s2 ^= shifted
        self.s3 = ((self.s3 << 45) & WORD) | (self.s3 >> 19)
        return result

    def uniform(self) -> float:
        """A number strictly between 0 and 1, so that its logarithm always exists."""
        return ((self.word() >> 12) + 0.5) * STEP


def draw(probabilities: NDArray[np.float64], random: Random) -> int:
    """An arm from a distribution, by inverse CDF in index order; takes exactly one uniform."""
    uniform = random.uniform()
    total = 0.0
    for arm in range(len(probabilities)):
        total += probabilities[arm]
        if uniform < total:
            return arm
    arm = len(probabilities) - 1  # rounding left the sum just below the uniform
    while arm > 0 and probabilities[arm] == 0.0:
        arm -= 1
    return arm


def seed_words(seed: int, replications: range) -> NDArray[np.uint64]:
    """Words that start the streams of each replication, shaped (replication, role, 4).

    They depend on nothing but the seed, the replication and the role (environment, policy,
    adversary), so a play is the same alone or in a list, on any number of threads.
    """
    words = [np.random.SeedSequence(seed, spawn_key=(run,)).generate_state(12, np.uint64) for run in replications]
    return np.array(words, dtype=np.uint64).reshape(len(replications), 3, 4)


class Role(IntEnum):
    """What the stream of a decision is for; the numbers are part of every journal's meaning, and never change."""

    CHOOSING = 0  # `choose`
    LEARNING = 1  # `learn`
    BEGINNING = 2  # `begin`, of decision 0
    TRIALS = 3  # trial choices of a policy that cannot tell its probabilities
    SOURCES = 4  # who reports a reward, in a simulation that leaves a journal
    WEIGHING = 5  # whether a reward of a doubtful source is learnt
    HOLDING = 6  # which decisions are held out


def decision_key(seed: int, role: int) -> int:
    """The key of the streams of all decisions in one role."""
    return int(np.random.SeedSequence(seed, spawn_key=(int(role),)).generate_state(1, np.uint64)[0])


def splitmix(at: Any) -> Any:
    """The output of splitmix64 (Steele et al. 2014) at one place of its sequence, or at each place of an array."""
    at = at & WORD
    at = ((at ^ (at >> 30)) * FIRST_FACTOR) & WORD
    at = ((at ^ (at >> 27)) * SECOND_FACTOR) & WORD
    return at ^ (at >> 31)


def stream_words(key: Any, number: Any) -> Any:
    """The four words that start the stream of a decision, or of each in an array: splitmix64 at 4n + 1 to 4n + 4.

    They depend on the seed and the role (its key) and the decision's number only, so a log can be read again whatever
    the order in which rewards came. The same text is interpreted, compiled, and runs on arrays.
    """
    first = key + ((number << 2) & WORD) * GOLDEN + GOLDEN
    second = first + GOLDEN
    third = second + GOLDEN
    return splitmix(first), splitmix(second), splitmix(third), splitmix(third + GOLDEN)


def decision_words(seed: int, numbers: NDArray[np.uint64], role: int) -> NDArray[np.uint64]:
    """The words that start the stream of each decision, shaped (decision, 4)."""
    return np.stack(stream_words(np.uint64(decision_key(seed, role)), numbers.astype(np.uint64)), axis=1)


def decision_stream(key: int, number: int) -> Random:
    """The stream of one decision as plain Python, ten times faster for one than `decision_words`."""
    return Random(*stream_words(key, number))


class LaterStream(Random):
    """The stream of one decision, whose state is worked out when it is wanted: most `learn` want no word of it, and
    most `choose` one, which may be there already."""

    def __init__(self, key: int, number: int, first: int | None = None) -> None:
        self.key, self.number, self.first = key, number, first

    def word(self) -> int:
        """The next 64 random bits."""
        first, self.first = self.first, None
        if first is None:
            return super().word()
        self.taken = True
        return first

    def __getattr__(self, name: str) -> int:
        if name not in ("s0", "s1", "s2", "s3"):
            raise AttributeError(name)
        words = decision_stream(self.key, self.number)
        if "taken" in self.__dict__:
            words.word()
        self.first, (self.s0, self.s1, self.s2, self.s3) = None, (words.s0, words.s1, words.s2, words.s3)
        return int(getattr(self, name))


class Streams:
    """The streams of decisions; where they follow each other, the first words of many are worked out at once.

    They are kept as machine words, and none for a first decision: there may be a hundred thousand learners.
    """

    MANY = 128

    def __init__(self, key: int) -> None:
        self.key, self.begins, self.next = key, 0, -1
        self.firsts = array("Q")

    def stream(self, number: int) -> LaterStream:
        """The stream of one decision."""
        place = number - self.begins
        if not 0 <= place < len(self.firsts):
            follows, self.next = number == self.next, number + 1
            if not follows:
                return LaterStream(self.key, number)
            numbers = np.arange(number, number + self.MANY, dtype=np.uint64)
            s0, _, _, s3 = stream_words(np.uint64(self.key), numbers)
            total = s0 + s3
            firsts = ((total << np.uint64(23)) | (total >> np.uint64(41))) + s0
            place, self.begins, self.firsts = 0, number, array("Q", firsts.tobytes())
            self.next = number + self.MANY
        return LaterStream(self.key, number, self.firsts[place])
